"""The links of HTML files, and what a browser fetches for them by itself."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of an HTML file, where its links lead, what is fetched."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src", "data", "poster"):
                (self.links if tag in ("a", "area") else self.fetched).append(value)

    def handle_data(self, data: str) -> None:
        """A style sheet may fetch, too."""
        if self.lasttag == "style":
            self.fetched += re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")]*)", data)


def faults(folder: Path) -> list[str]:
    """Links of a folder's pages that lead nowhere; a link elsewhere (https:)
    is left to the reader. What is fetched from elsewhere, too."""
    pages = {path: Page(path) for path in folder.resolve().rglob("*.html")}
    found = []
    for path, page in pages.items():
        away = [one for one in page.fetched if not one.startswith("data:")]
        for address in page.links:
            parts = urlsplit(address)
            there = (
                (path.parent / unquote(parts.path)).resolve() if parts.path else path
            )
            scripted = "=" in parts.fragment or there.name == "live.html"
            state = scripted and there != path  # what another page's script reads
            anchors = pages[there].anchors if there in pages else {parts.fragment}
            good = parts.scheme in ("https", "http", "mailto") or (
                not parts.scheme and there.is_file() and folder.resolve() in there.parents
                and (state or not parts.fragment or unquote(parts.fragment) in anchors)
            )  # fmt: skip
            away += [address] * (not good)
        found += [f"{path.name}: {address[:100]}" for address in away]
    assert pages
    return found
