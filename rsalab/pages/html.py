"""Markdown to one HTML page by pandoc: formulas as MathML, pictures and look in it."""

import base64
import html
import mimetypes
import re
from collections.abc import Callable
from pathlib import Path

from records.command import run
from records.faults import Failure

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

    `folder` is where its pictures are; `rewrite` is asked for each link to another file; `bar` is
    the HTML of a navigation bar; `look` is the style sheet, that of the pages unless it is said.
    Raises Failure when a picture is no local file or pandoc refuses
    the text, FileNotFoundError without pandoc.
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
