"""Checks a folder of pages: every link has a target, and no page fetches anything."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from records.faults import Failure


class Page(HTMLParser):
    """The anchors of an HTML file, where its links lead, and what a browser fetches for it by
    itself; the last two with the line."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[int, str]] = []
        self.fetched: list[tuple[int, str]] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what an element names, leads to and fetches."""
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src", "data", "poster"):
                known = self.links if tag in ("a", "area") else self.fetched
                known.append((self.getpos()[0], value or ""))

    def handle_data(self, data: str) -> None:
        """A style sheet may fetch, too."""
        if self.lasttag == "style":
            for address in re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")]*)", data):
                self.fetched.append((self.getpos()[0], address))


def check(folder: Path) -> str:
    """Checks the pages of a folder; returns how many pages and links there are.  A link elsewhere
    (https:) is left to the reader.  Raises Failure that names each link that leads nowhere, and
    each thing that is fetched from elsewhere."""
    folder = folder.resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    faults = [
        f"{path.relative_to(folder)}:{line}: {address[:100]}: {why}"
        for path, page in pages.items()
        for fetched, known in ((False, page.links), (True, page.fetched))
        for line, address in known
        if (why := _fault(address, path, pages, folder, fetched))
    ]
    if faults or not pages:
        raise Failure("; ".join(faults) or f"{folder}: no page here")
    return f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links"


def _fault(address: str, path: Path, pages: dict[Path, Page], folder: Path, fetched: bool) -> str:
    """What is wrong with an address on the page at `path`; "" when nothing is."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        allowed = ("data",) if fetched else ("https", "http", "mailto")
        return "" if parts.scheme in allowed else "leads out of the site"
    there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if folder not in there.parents or not there.is_file():
        return "no such file here"
    state = "=" in parts.fragment and there != path  # the state of another page's script
    if parts.fragment and not state and there in pages:
        if unquote(parts.fragment) not in pages[there].anchors:
            return f"no such anchor in {there.name}"
    return ""
