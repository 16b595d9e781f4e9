"""What is wrong with the policy of an HTML page, read as a browser reads it."""

import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser

POLICY = "Content-Security-Policy"
RUNS = ("", "text/javascript", "module")  # kinds of a script that a browser runs
WRITTEN = re.compile(r"<script>(.*?)<\\/script>", re.DOTALL)  # by another script


class Page(HTMLParser):
    """A page's policies, and its scripts in elements and in attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.policies: list[str] = []
        self.scripts: list[str] = []
        self.attributes: list[str] = []
        self.unguarded: list[str] = []  # elements before the policy that it is about
        self.kind = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "meta" and values.get("http-equiv") == POLICY:
            self.policies.append(values["content"])
        if not self.policies and tag not in ("html", "head", "meta"):
            self.unguarded.append(tag)
        for name, value in values.items():
            if name.startswith("on") or value.startswith("javascript:"):
                self.attributes.append(f"{name}={value}")
        self.kind = values.get("type", "") if tag == "script" else "none"

    def handle_data(self, data: str) -> None:
        """The text of a script comes whole."""
        if self.lasttag == "script" and self.kind in RUNS and data.strip():
            self.scripts.append(data)


def named(script: str) -> str:
    """A script as a policy names it."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


def faults(text: str) -> list[str]:
    """What a page's policy lets in that it must not, and what of the page it keeps out."""
    page = Page(text)
    if len(page.policies) != 1:
        return [f"{len(page.policies)} policies"]
    allowed = {}
    for directive in page.policies[0].split("; "):
        name, _, sources = directive.partition(" ")
        allowed[name] = sources.split()
    found = [f"{tag} stands before the policy" for tag in page.unguarded]
    found += [f"no hash allows {one}" for one in page.attributes]
    for name in ("default-src", "base-uri"):
        if allowed.get(name) != ["'none'"]:
            found.append(f"{name} {allowed.get(name)}")
    if allowed.get("form-action") not in (["'none'"], ["'self'", "file:"]):
        found.append(f"form-action {allowed.get('form-action')}")
    written = []
    for script in page.scripts:
        written += [text.replace("\\\\", "\\") for text in WRITTEN.findall(script)]
    hashes = {named(script) for script in page.scripts + written}
    sources = set(allowed.get("script-src", [])) - {"'none'", "'wasm-unsafe-eval'"}
    found += [f"script-src {one}" for one in sorted(sources - hashes)]
    found += [f"a script has no hash: {one}" for one in sorted(hashes - sources)]
    return found
