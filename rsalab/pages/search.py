"""The full-text search of the site: the sections of its pages, and the index of their words.

The page of the search holds both, so that it needs no server.
"""

from html.parser import HTMLParser
from typing import NamedTuple

from lunr import lunr

HEADINGS = ("h1", "h2", "h3")
UNREAD = ("script", "style", "annotation")  # of MathML: the formula a second time
HEADING_BOOST = 8  # how much more a word in a heading weighs than one in the text


class Section(NamedTuple):
    """A section of a page, as the search shows it."""

    page: str  # the title of the page
    heading: str
    address: str
    text: str


class Reader(HTMLParser):
    """Collects the sections of the body of a page."""

    def __init__(self, page: str, file: str) -> None:
        super().__init__()
        self.page = page
        self.file = file
        self.sections: list[Section] = []
        self.unread = ""  # the element that is left out
        self.heading: list[str] | None = None  # while inside one
        self.begin("")

    def begin(self, anchor: str) -> None:
        """Begin a section."""
        self.anchor = anchor
        self.title = ""
        self.words: list[str] = []

    def finish(self) -> None:
        """Keep the section that ends here, where it says anything."""
        text = " ".join("".join(self.words).split())
        if not text and not self.title:
            return
        address = f"{self.file}#{self.anchor}" if self.anchor else self.file
        self.sections.append(Section(self.page, self.title, address, text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section, or what is left out."""
        if tag in UNREAD:
            self.unread = tag
        elif tag in HEADINGS:
            self.finish()
            self.begin(dict(attrs).get("id") or "")
            self.heading = []
        elif tag in ("td", "th", "li", "p", "br"):
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if tag == self.unread:
            self.unread = ""
        elif tag in HEADINGS and self.heading is not None:
            self.title = " ".join("".join(self.heading).split())
            self.heading = None

    def handle_data(self, data: str) -> None:
        """Keep the words."""
        if self.unread:
            return
        if self.heading is None:
            self.words.append(data)
        else:
            self.heading.append(data)


def sections(page: str, file: str, body: str) -> list[Section]:
    """Return the sections of a page, whose title is `page`, in their order."""
    reader = Reader(page, file)
    reader.feed(body)
    reader.finish()
    return reader.sections


def searched(found: list[Section]) -> dict[str, object]:
    """Return what the script of the search reads: the sections, and their index."""
    documents = []
    for number, section in enumerate(found):
        heading = f"{section.page} {section.heading}"
        documents.append({"number": number, "heading": heading, "text": section.text})
    fields = [{"field_name": "heading", "boost": HEADING_BOOST}, "text"]
    index = lunr(ref="number", fields=fields, documents=documents)
    return {"index": index.serialize(), "sections": found}
