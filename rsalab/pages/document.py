"""A Markdown file as one HTML file that needs nothing else, and as PDF."""

import base64
import html
import mimetypes
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from records.faults import Failure, run
from records.files import replace
from records.ladder import ROOT
from records.results import label
from rsalab.explorer.page import element, embedded, hashes

LIMIT = 180  # seconds
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: the page is our own, and a container or root has none.
QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


def write_pdf(page: Path, out: Path) -> None:
    """Prints an HTML file as it looks, without links that lead elsewhere on
    this machine, by Chromium.  Raises Failure when there is none, or it
    makes no PDF."""
    browser = next(filter(shutil.which, BROWSERS), None)
    if not browser:
        raise Failure("no Chromium here: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix=".pdf-", dir=out.parent) as scratch:
        new, plain = Path(scratch, "new.pdf").resolve(), Path(scratch, "page.html").resolve()
        text = page.read_text(encoding="utf-8")
        plain.write_text(re.sub(r' href="(?!#|https?:)[^"]*"', "", text), encoding="utf-8")
        words = [browser, *QUIET, f"--user-data-dir={scratch}/profile", "--no-pdf-header-footer"]
        words += ["--generate-pdf-document-outline", f"--print-to-pdf={new}"]
        run([*words, plain.as_uri()], timeout=LIMIT)
        if not new.is_file():
            raise Failure(f"{browser}: made no PDF")
        new.replace(out)


def report(source: Path, out: Path) -> None:
    """Writes OUT.html and OUT.pdf of a report, a line on each.  What lacks
    a tool is named, and an older one removed.  Raises Failure when the text
    is at fault, OSError."""
    pdf = out.with_suffix(".pdf")
    for old in (out, pdf):
        old.unlink(missing_ok=True)
    if not shutil.which("pandoc"):
        print(f"  REPORT  {label(out)} not made: no pandoc here: sudo apt-get install pandoc")
        return

    def seen(target: str) -> str:
        path, mark, anchor = target.partition("#")
        return os.path.relpath(source.parent / path, out.parent) + mark + anchor

    replace(out, to_html(source.read_text(encoding="utf-8"), source.parent, seen))
    print(f"  REPORT  {label(out)}")
    try:
        write_pdf(out, pdf)
        print(f"  REPORT  {label(pdf)}")
    except Failure as fault:
        print(f"  REPORT  {label(pdf)} not made: {fault}")


# --- html -----------------------------------------------------------------------------------------

HERE = Path(__file__).parent
PICTURE = re.compile(r'(<\w+\s[^>]*?\bsrc=")(?!data:)([^"]*)"')
LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
# A link's target as the page shows it; None where it leads nowhere from there.
Rewrite = Callable[[str], str | None]


def to_html(
    text: str, folder: Path, rewrite: Rewrite, bar: str = "", contents: bool = True,
    template: Path = HERE / "page.html", look: str = "",
) -> str:  # fmt: skip
    """One HTML page of a Markdown text, with nothing beside it.

    `folder` is where its pictures are; `rewrite` is asked for each link to
    another file; `bar` is the HTML of a navigation bar; `look` is the style
    sheet, that of the pages unless it is said. Raises Failure when a
    picture is no local file or pandoc refuses the text, FileNotFoundError
    without pandoc.
    """
    words = ["pandoc", "--from=gfm+tex_math_dollars", "--to=html5", "--standalone", "--mathml"]
    words += [f"--template={template}", f"--lua-filter={HERE / 'filter.lua'}"]
    words += ["--wrap=none", *(["--toc", "--toc-depth=3"] if contents else [])]
    words += [
        f"--variable=look:{look or (HERE / 'style.css').read_text()}",
        f"--variable=bar:{bar}",
    ]

    def embedded(found: re.Match[str]) -> str:
        path = folder / found[2]
        kind = mimetypes.guess_type(path.name)[0] or ""
        if not path.is_file() or not kind.startswith("image/"):
            raise Failure(f"{found[2]}: no such picture here")
        return f'{found[1]}data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"'

    def settled(found: re.Match[str]) -> str:
        old = html.unescape(found[1])
        away = re.match(r"\w+:|//", old)
        here = old.startswith("#") and f'id="{found[1][1:]}"' in page
        new = old if away or here else None if old.startswith("#") else rewrite(old)
        if new is None:
            return f'<span class="file" title="{found[1]}">{found[3]}</span>'
        return f'<a href="{html.escape(new)}"{found[2]}>{found[3]}</a>'

    page = run(words, input=text)
    return LINK.sub(settled, PICTURE.sub(embedded, page))


def fenced(text: str, language: str = "") -> str:
    """A text as it stands: the fence is longer than any in it."""
    fence = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


# --- scripts --------------------------------------------------------------------------------------

WEB = HERE / "web"
LICENCES = WEB / "vendor" / "LICENSES"
POLICY, END = "default-src 'none';", "</body>"


def with_scripts(page: str, parts: list[str], value: dict[str, object] | None = None) -> str:
    """The page with these scripts, which its policy then allows, and the data that they read."""
    elements = [element("script", text) for text in parts]
    held = f'<script type="application/json" id="chart-data">{embedded(value)}</script>'
    page = page.replace(POLICY, f"{POLICY} script-src {hashes(parts)};", 1)
    head, end, tail = page.rpartition(END)
    return "\n".join([head, *[held] * (value is not None), *elements, end + tail])


# --- figures --------------------------------------------------------------------------------------

FOLDER = ROOT / "docs" / "figures"
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def draw(source: Path) -> str:
    """The SVG of a .dot file, without what names the version of Graphviz or
    a file elsewhere. Raises Failure when Graphviz refuses the file,
    FileNotFoundError without Graphviz."""
    text = re.sub(
        r"<!--.*?-->\n?|<!DOCTYPE[^>]*>\n?", "", run(["dot", "-Tsvg", source]), flags=re.S
    )
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONTS}"', text)


def figures() -> None:
    """Draws every figure, or none when one cannot be drawn.  Raises as draw() does."""
    pictures = {source.with_suffix(".svg"): draw(source) for source in FOLDER.glob("*.dot")}
    for path, svg in sorted(pictures.items()):
        replace(path, svg)
        print(f"  FIGURE  {path.name}")


# --- links ----------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The anchors of an HTML file, where its links lead, and what a browser
    fetches for it by itself; the last two with the line."""

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
    """Checks the pages of a folder; returns how many pages and links there
    are.  A link elsewhere (https:) is left to the reader.  Raises Failure
    that names each link that leads nowhere, and each thing that is fetched
    from elsewhere."""
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
