"""A Markdown file as one HTML file that needs nothing else, and as PDF."""

import base64
import html
import mimetypes
import os
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from records.faults import Failure, run
from records.files import replace, scratch
from records.ladder import ROOT
from records.policy import sealed
from records.results import label
from records.settings import LEVEL_TABLE
from rsalab.charts import theme
from rsalab.hypertext import rendered
from rsalab.templates import filled

LIMIT = 3600  # seconds of real time: a browser that waits for ever, however busy the machine is
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: the page is our own, and a container or root has none.
QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


def write_pdf(page: Path, out: Path) -> None:
    """Print an HTML file as it looks, without links that lead elsewhere on
    this machine, by Chromium.  Raises Failure when there is none, or it
    makes no PDF."""
    browser = next(filter(shutil.which, BROWSERS), None)
    if not browser:
        raise Failure("no Chromium here: sudo apt-get install chromium")
    with scratch(out.parent, ".pdf") as folder:
        new = (folder / "new.pdf").resolve()
        plain = (folder / "page.html").resolve()
        text = page.read_text(encoding="utf-8")
        plain.write_text(
            re.sub(r' href="(?!#|https?:)[^"]*"', "", text), encoding="utf-8"
        )
        words = [
            browser,
            *QUIET,
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
        ]
        words += ["--generate-pdf-document-outline", f"--print-to-pdf={new}"]
        run([*words, plain.as_uri()], timeout=LIMIT)
        if not new.is_file():
            raise Failure(f"{browser}: made no PDF")
        new.replace(out)


def style_sheet() -> str:
    """Return the style sheet of the pages, with the colours of the levels on
    light and on dark ones."""
    sheet = (HERE / "style.css").read_text(encoding="utf-8")
    for row in LEVEL_TABLE:
        sheet += f"#chart .{row.level} {{ --level: var(--{row.level}); }}\n"
    return theme.complete(theme.variables() + sheet)


def report(source: Path, out: Path) -> None:
    """Write OUT.html and OUT.pdf of a report, a line on each.  What lacks
    a tool is named, and an older one removed.  Raises Failure when the text
    is at fault, OSError."""
    pdf = out.with_suffix(".pdf")
    for old in (out, pdf):
        old.unlink(missing_ok=True)
    if not shutil.which("pandoc"):
        print(
            f"  REPORT  {label(out)} not made: no pandoc here: sudo apt-get install pandoc"
        )
        return

    def seen(target: str) -> str:
        path, mark, anchor = target.partition("#")
        return os.path.relpath(source.parent / path, out.parent) + mark + anchor

    page = to_html(source.read_text(encoding="utf-8"), source.parent, seen)
    replace(out, sealed(page))
    print(f"  REPORT  {label(out)}")
    try:
        write_pdf(out, pdf)
        print(f"  REPORT  {label(pdf)}")
    except Failure as fault:
        print(f"  REPORT  {label(pdf)} not made: {fault}")


# --- html -----------------------------------------------------------------------------------------

HERE = Path(__file__).parent
WEB = HERE / "web"
LICENCES = WEB / "vendor" / "LICENSES"
DRAWING = re.compile(r'<img\s+src="([^":]*\.svg)"\s+alt="([^"]*)"\s*/>')
MATH = re.compile("<math.*?</math>", re.DOTALL)
PICTURE = re.compile(r'(<\w+\s[^>]*?\bsrc=")(?!data:)([^"]*)"')
LINK = re.compile(r'<a href="([^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)
NEXT_PART = "<!-- the next part -->\n"  # of what pandoc makes of content.pandoc
PANDOC = (
    "pandoc",
    "--from=gfm+tex_math_dollars+raw_attribute-autolink_bare_uris",
    "--to=html5",
    "--standalone",
    "--mathml",
    "--wrap=none",
    "--toc",
    "--toc-depth=3",
    f"--syntax-definition={HERE / 'assembly.xml'}",
    f"--template={HERE / 'content.pandoc'}",
    f"--lua-filter={HERE / 'filter.lua'}",
)
# A link's target as the page shows it; None where it leads nowhere from there.
Rewrite = Callable[[str], str | None]


class Link(NamedTuple):
    """A link from a page to another; `says` what that one is to it: the page itself, the one before
    or behind it, or nothing."""

    title: str
    address: str
    says: str = ""


class Content(NamedTuple):
    """A Markdown text in HTML: its title, the list of its sections, and all of it."""

    title: str
    contents: str
    body: str


def content_of(text: str, folder: Path, rewrite: Rewrite) -> Content:
    """Return a Markdown text in HTML that fetches nothing.

    `folder` is where its pictures are; `rewrite` is asked for each link to another file.  Raises
    Failure when a picture is no local file or pandoc refuses the text, FileNotFoundError without
    pandoc.
    """

    def embedded(found: re.Match[str]) -> str:
        before, address = found.groups()
        path = folder / address
        kind = mimetypes.guess_type(path.name)[0] or ""
        if not path.is_file() or not kind.startswith("image/"):
            raise Failure(f"{address}: no such picture here")
        content = base64.b64encode(path.read_bytes()).decode()
        return f'{before}data:{kind};base64,{content}"'

    def drawn(found: re.Match[str]) -> str:
        path = folder / html.unescape(found[1])
        if not path.is_file():
            raise Failure(f"{found[1]}: no such picture here")
        svg = path.read_text(encoding="utf-8")
        if "viewBox" not in svg or "prefers-color-scheme" in svg:
            return found[0]  # it has one size, or has colours for dark pages itself
        return theme.inline(svg, found[2])

    def settled(found: re.Match[str]) -> str:
        written, attributes, words = found.groups()
        target: str | None = html.unescape(written)
        if written.startswith("#"):
            if f'id="{written[1:]}"' not in made:
                target = None
        elif not re.match(r"\w+:|//", str(target)):
            target = rewrite(str(target))
        if target is None:
            return f'<span class="file" title="{written}">{words}</span>'
        return f'<a href="{html.escape(target)}"{attributes}>{words}</a>'

    made = MATH.sub(unstretched, run(PANDOC, input=text))
    made = DRAWING.sub(drawn, made)
    made = LINK.sub(settled, PICTURE.sub(embedded, made))
    return Content(*map(str.strip, made.split(NEXT_PART, 2)))


def framed(
    content: Content,
    bar: Sequence[Link] = (),
    neighbours: Sequence[Link] = (),
    sheets: Iterable[str] = (),
) -> str:
    """Return the whole page of a text: with a bar of links above it, links to its neighbours below
    it, and what style sheets it needs beside that of every page."""
    look = "\n".join([style_sheet(), *sheets])
    places = {"look": look, "bar": bar, "neighbours": neighbours}
    return rendered(HERE / "page.html", **content._asdict(), **places)


def to_html(text: str, folder: Path, rewrite: Rewrite) -> str:
    """Return the page of a Markdown text, which no bar leads to.  Raises as content_of() does."""
    return framed(content_of(text, folder, rewrite))


def unstretched(found: re.Match[str]) -> str:
    """Return a formula whose brackets are as high as its letters, unless it says `\\left`."""
    if r"\left" in found[0]:
        return found[0]
    return found[0].replace('stretchy="true"', 'stretchy="false"')


def words_of(name: str, **facts: str) -> str:
    """Return the words of a page, with facts in the places that begin with `$`."""
    return filled(HERE / name, facts)


def fenced(text: str, language: str = "") -> str:
    """Return a text as it stands: the fence is longer than any in it."""
    fence = "`" * max(4, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


# --- figures --------------------------------------------------------------------------------------

FOLDER = ROOT / "docs" / "figures"
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def draw(source: Path) -> str:
    """Return the SVG of a .dot file, without what names the version of Graphviz or
    a file elsewhere. Raises Failure when Graphviz refuses the file,
    FileNotFoundError without Graphviz."""
    text = re.sub(
        r"<!--.*?-->\n?|<!DOCTYPE[^>]*>\n?",
        "",
        run(["dot", "-Tsvg", source]),
        flags=re.S,
    )
    return re.sub(r'font-family="[^"]*"', f'font-family="{FONTS}"', text)


def figures() -> None:
    """Draw every figure.  Raises as draw() does."""
    for source in sorted(FOLDER.glob("*.dot")):
        replace(source.with_suffix(".svg"), draw(source))
        print(f"  FIGURE  {source.stem}.svg")
