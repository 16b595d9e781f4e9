"""Does every link of a folder of pages lead somewhere, and does no page fetch anything?"""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from records.faults import Failure

# What a browser fetches by itself, by element.
FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "embed": "src",
           "audio": "src", "video": "src", "object": "data", "link": "href"}  # fmt: skip
INLINE = ("data", "blob")


class Page(HTMLParser):
    """A page's anchors, its links (line, target) and what it fetches (line, target)."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: set[str] = set()
        self.links: list[tuple[int, str]] = []
        self.fetched: list[tuple[int, str]] = []
        self.style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what an element names, leads to and fetches."""
        line, said = self.getpos()[0], {name: value or "" for name, value in attrs}
        self.anchors |= {said[name] for name in ("id", "name") if name in said}
        if tag in ("a", "area") and "href" in said:
            self.links.append((line, said["href"]))
        if FETCHED.get(tag) in said:
            self.fetched.append((line, said[FETCHED[tag]]))
        for part in said.get("srcset", "").split(","):
            self.fetched += [(line, part.split()[0])] if part.split() else []
        self.style = tag == "style"
        self.styled(said.get("style", ""))

    def handle_data(self, data: str) -> None:
        """A style sheet in the page may fetch, too."""
        if self.style:
            self.styled(data)

    def styled(self, text: str) -> None:
        """Notes what a style sheet fetches."""
        line = self.getpos()[0]
        self.fetched += [(line, address) for address in addresses(text)]


def addresses(style: str) -> list[str]:
    """What a style sheet fetches."""
    found = re.findall(r"url\(\s*['\"]?([^'\")]*)|@import\s+['\"]([^'\"]*)", style)
    return [one or other for one, other in found]


def faults(folder: Path) -> list[str]:
    """A line for each link of the folder's pages that leads nowhere inside it, and for each thing
    fetched from elsewhere.  A link elsewhere (https:) is left to the reader."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8"))
             for path in sorted(folder.rglob("*.html"))}  # fmt: skip
    said = []
    for path, page in pages.items():
        for line, target in page.links + page.fetched:
            fetched = (line, target) in page.fetched
            why = fault_of(target, path, pages, folder.resolve(), fetched)
            if why:
                said.append(f"{path.relative_to(folder.resolve())}:{line}: {target[:100]}: {why}")
    for path in sorted(folder.rglob("*.css")):
        for target in addresses(path.read_text(encoding="utf-8")):
            if urlsplit(target).scheme not in INLINE and not (path.parent / target).is_file():
                said.append(f"{path.relative_to(folder)}: {target[:100]}: no such file here")
    return said


def fault_of(target: str, path: Path, pages: dict[Path, Page], folder: Path, fetched: bool) -> str:
    """What is wrong with one link of one page; "" when nothing is."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        outside = fetched and parts.scheme not in INLINE
        known = parts.scheme in ("https", "http", "mailto", *INLINE)
        return "fetched from elsewhere" if outside else "" if known else "no address for a site"
    if parts.path.startswith("/"):
        return "a site may lie in any folder: use a relative link"
    there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if folder not in there.parents or not there.is_file():
        return "no such file here"
    state = "=" in parts.fragment and there != path  # the state of another page's script
    if parts.fragment and not state and there in pages:
        if unquote(parts.fragment) not in pages[there].anchors:
            return f"no anchor of this name in {there.name}"
    return ""


def check(folder: Path) -> str:
    """What there is to say of a folder without a fault.  Raises Failure."""
    found = faults(folder)
    if found:
        raise Failure("\npages: ".join(found))
    pages = list(folder.rglob("*.html"))
    if not pages:
        raise Failure(f"{folder}: no page here")
    number = sum(len(Page(path.read_text(encoding="utf-8")).links) for path in pages)
    return f"  LINKS  {len(pages)} pages, {number} links, every one leads somewhere"
