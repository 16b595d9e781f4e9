"""The last step of every page: its scripts, their data, and the policy that a browser obeys.

A page is whole in its file: by its policy it fetches nothing, sends nothing and runs no script but
those that it was made with.  A script in a text from elsewhere does not run, whatever let it in.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping

# What each directive allows on every page.  Styles stand in attributes, too, which no hash names.
EVERY_PAGE = {
    "default-src": "'none'",
    "script-src": "",
    "style-src": "'unsafe-inline'",
    "img-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
}
# The policy stands behind this: what stands before a policy does not obey it.
ENCODING = '<meta charset="utf-8">'


def sealed(
    page: str,
    scripts: Iterable[str] = (),
    data: object = None,
    needs: Mapping[str, str] = {},
) -> str:
    """Return the page with these scripts, the data that they read and its policy.  `needs` has what
    this page needs by directive, beside the hashes of its scripts."""
    elements = []
    hashes = []
    if data is not None:
        elements.append(held("data", data))
    for script in scripts:
        hashes.append(hash_of(script))
        elements.append(f"<script>{script}</script>")
    body, end_of_body, tail = page.rpartition("</body>")
    page = "\n".join([body, *elements, end_of_body + tail])
    head, encoding, rest = page.partition(ENCODING)
    assert encoding, f"a page has {ENCODING}"
    return f"{head}{encoding}\n{policy(hashes, needs)}{rest}"


def policy(hashes: Iterable[str], needs: Mapping[str, str]) -> str:
    """Return the element that allows the scripts of these hashes and what else a page needs."""
    allowed = {**EVERY_PAGE, **needs}
    scripts = " ".join([*hashes, allowed["script-src"]]).strip()
    allowed["script-src"] = scripts or "'none'"
    directives = "; ".join(f"{name} {sources}" for name, sources in allowed.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{directives}">'


def hash_of(script: str) -> str:
    """Return a script as a policy names it."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


def held(name: str, value: object) -> str:
    """Return data for the page's scripts, the same for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
