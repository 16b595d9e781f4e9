"""The words of docs/glossary.md, explained where a page of the site uses them: the first time, on
hover and on focus; the word leads to its line in the glossary."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ENTRY = re.compile(r"^- \*\*(.+?)\*\*: (.+(?:\n  .+)*)", re.MULTILINE)
# What stands in no text of its own, and what has its own meaning or look.
UNMARKED = "a|code|pre|h1|h2|h3|h4|table|summary|svg|math|strong|form"
PART = re.compile(rf"<({UNMARKED})\b.*?</\1>|<[^>]*>", re.DOTALL)
CODE = re.compile(r"<code>([^<]*)</code>")
SOURCES = "## The sources"  # from here on the glossary has names, and no words
# Words of the glossary that a sentence also uses in their everyday sense.
EVERYDAY = {
    *"x y z n e d R top case class model open right".split(),
    *("a product", "branch", "level", "parent", "child", "round", "exact"),
}


class Word(NamedTuple):
    """A word of the glossary."""

    name: str
    meaning: str
    anchor: str


def words(text: str) -> list[Word]:
    """Return the words of the glossary's text; several of a line have one meaning."""
    found = []
    for names, meaning in ENTRY.findall(text):
        unlinked = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", " ".join(meaning.split()))
        for name in names.replace("`", "").split(", "):
            found.append(Word(name, unlinked.replace("`", ""), anchor(names)))
    return found


def anchor(names: str) -> str:
    """Return the name of a line of the glossary in addresses."""
    return re.sub(r"\W+", "-", f"word-{names.lower()}").strip("-")


def anchored(body: str) -> str:
    """Return the body of the glossary's page with a name at each of its lines."""

    def named(line: re.Match[str]) -> str:
        names = html.unescape(re.sub(r"<.*?>", "", line[1]))
        return f'<li id="{anchor(names)}"><strong>{line[1]}</strong>:'

    return re.sub(r"<li><strong>(.*?)</strong>:", named, body)


class Marker:
    """Marks the words of the glossary, whose page is `file`."""

    def __init__(self, source: Path, file: str) -> None:
        self.file = file
        text, _, _ = source.read_text(encoding="utf-8").partition(SOURCES)
        every = words(text)
        self.words = {word.name: word for word in every if word.name not in EVERYDAY}
        longest_first = sorted(self.words, key=len, reverse=True)
        names = "|".join(re.escape(html.escape(name)) for name in longest_first)
        self.pattern = re.compile(rf"(?<![\w./-])({names})(?:s|es)?(?![\w/-])")

    def marked(self, body: str) -> str:
        """Return the body of a page, which explains each word where it comes first."""
        left = dict(self.words)
        parts = []
        for text, markup in split(body):
            parts.append(self.pattern.sub(lambda found: self.first(found, left), text))
            code = CODE.fullmatch(markup)
            if code and code[1] in left:
                word = left.pop(code[1])
                markup = self.link(word, markup)
            parts.append(markup)
        return "".join(parts)

    def first(self, found: re.Match[str], left: dict[str, Word]) -> str:
        """Return a word as it is explained, if it is still `left` to explain."""
        word = left.pop(html.unescape(found[1]), None)
        return self.link(word, found[0]) if word else found[0]

    def link(self, word: Word, shown: str) -> str:
        """Return a link to a word's line that also holds its meaning."""
        meaning = html.escape(word.meaning)
        address = f"{self.file}#{word.anchor}"
        return f'<a class="term" href="{address}" data-means="{meaning}">{shown}</a>'


def split(body: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a body: text, and the markup behind it, which is not to be marked."""
    start = 0
    for part in PART.finditer(body):
        yield body[start : part.start()], part[0]
        start = part.end()
    yield body[start:], ""
