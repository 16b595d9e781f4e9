"""The search of the site: every word of its pages, in alphabetical order, with where it is.  A
page of links that needs neither a server nor a script; with its script it is a search as one types.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from html import escape
from html.parser import HTMLParser
from pathlib import Path

from rsalab.pages.document import WEB, with_scripts

WORD = re.compile(r"(?<!\w)(?!x\d)[A-Za-z][\w-]*\w")  # no factor such as x2
USUAL = 0.6  # the share of the pages above which a word finds nothing
PLACE = "<p>WORDS</p>"
TEXT = """# Search

Every word of the report, notebooks, documents and lessons that stands on less than 60 % of the
pages, each with the part of a page that has it most. The explorer searches the code.

WORDS"""
SILENT = ("script", "style", "math")
FIELD = (
    '<p><label>Word, or part of one: <input type="search" id="sought" size="24"></label></p>\n'
    '<ul style="max-width: none">\n{}\n</ul>'
)


class Words(HTMLParser):
    """The words of a page's text, each with how often it is below each heading."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, Counter[str]] = defaultdict(Counter)
        self.anchor, self.skipped = "", ""
        self.feed(text.partition("<main>")[2].partition("</main>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A heading is a place to lead to; what is no text is passed over."""
        self.skipped = self.skipped or tag * (tag in SILENT)
        if re.fullmatch("h[1-6]", tag):
            self.anchor = dict(attrs).get("id") or self.anchor

    def handle_endtag(self, tag: str) -> None:
        """What is no text ends."""
        self.skipped = "" if tag == self.skipped else self.skipped

    def handle_data(self, data: str) -> None:
        """Counts the words."""
        for word in () if self.skipped else WORD.findall(data):
            self.found[word.lower()][self.anchor] += 1


def fill(page: Path, names: dict[Path, str]) -> None:
    """Puts the words of these pages, each with the name that a link has,
    into the page that has PLACE."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, name in names.items():
        for word, anchors in Words(path.read_text(encoding="utf-8")).found.items():
            [(anchor, _)] = anchors.most_common(1)
            places[word].append(f'<a href="{path.name}#{escape(anchor)}">{escape(name)}</a>')
    lines = [
        f'<li data-word="{escape(word)}"><b>{escape(word)}</b> {", ".join(links)}</li>'
        for word, links in sorted(places.items())
        if len(links) <= USUAL * len(names)
    ]
    text = page.read_text(encoding="utf-8").replace(PLACE, FIELD.format("\n".join(lines)), 1)
    page.write_text(with_scripts(text, [(WEB / "words.js").read_text()]), encoding="utf-8")
