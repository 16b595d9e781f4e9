"""Templates: Markdown with typed names, and the one place where such a name is looked up.

    $fact:best_c      a number, a word, a part of a sentence
    $text:source      sentences: those below `## source` in a file of words, or made by Python
    $table:verdicts   a table
    $chart:survival   a picture
    $$                a dollar

A name that nobody knows, or that has no kind, stops the generator.  What is known and was not
measured is said where it stands.
"""

import difflib
import re
import string
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT

Maker = Callable[[], str]


class UnknownName(Failure):
    """A template has a name that nobody knows."""


class Template(string.Template):
    """Text with typed names."""

    idpattern = r"[a-z]+:[a-z0-9]+(?:[-_][a-z0-9]+)*"
    flags = re.ASCII


class Names:
    """What the typed names of a template stand for.

    `facts` are known; what `makers` make, by typed name, is made when a template asks for it.
    """

    def __init__(self, words: Path | None = None) -> None:
        self.facts: dict[str, str] = {}
        self.makers: dict[str, Maker] = {}
        self.sections: dict[str, list[str]] = {}
        self.words = words
        if words:
            self.sections = sections(words.read_text(encoding="utf-8"))
        for name in self.sections:
            self.makers[f"text:{name}"] = partial(self.section, name)

    def know(self, facts: Mapping[str, object]) -> None:
        """Add facts."""
        for name, value in facts.items():
            self.facts[name] = str(value)

    def add(self, kind: str, makers: Mapping[str, Maker]) -> None:
        """Add what makes the text in the place of names of a kind."""
        for name, maker in makers.items():
            self.makers[f"{kind}:{name}"] = maker

    def get(self, typed: str, template: str = "code") -> str:
        """Return what a typed name stands for.  Raises UnknownName, naming the `template`."""
        kind, _, name = typed.partition(":")
        if kind == "fact" and name in self.facts:
            return self.facts[name]
        if typed in self.makers:
            return self.makers[typed]()
        every = [*self.makers, *(f"fact:{fact}" for fact in self.facts)]
        alike = difflib.get_close_matches(typed, every, n=1, cutoff=0)
        raise UnknownName(f"{template}: ${typed} is no name here; is it ${alike[0]}?")

    def fill(self, text: str, label: str) -> str:
        """Return a text with what its names stand for in their places.

        Raises UnknownName, naming the text by its `label`.
        """
        for name in Template.pattern.finditer(text):
            if name["invalid"] is not None:
                word = text[name.start() :].split()[0]
                raise UnknownName(
                    f"{label}: {word} has no kind; write $fact:name, or $$ for a $"
                )
        template = Template(text)
        values = {typed: self.get(typed, label) for typed in template.get_identifiers()}
        return template.substitute(values)

    def paragraphs(self, name: str) -> list[str]:
        """Return the paragraphs of a section of the file of words, each as a line.

        A paragraph that is empty when it is filled is left out, and so is the one before it if
        that ends with a colon.
        """
        filled = [
            self.fill(text, f"{label(self.words)}, {name}")
            for text in self.sections[name]
        ]
        kept = []
        for text, following in zip(filled, [*filled[1:], ""]):
            announces = text.endswith(":")
            if text and (following or not announces):
                kept.append(text)
        return kept

    def section(self, name: str) -> str:
        """Return a section of the file of words, filled."""
        return "\n\n".join(self.paragraphs(name))

    def file(self, path: Path) -> str:
        """Return a template with what its names stand for in their places.  Raises UnknownName."""
        return self.fill(path.read_text(encoding="utf-8"), label(path))


def sections(text: str) -> dict[str, list[str]]:
    """Return the paragraphs below each `## name` of a text, each paragraph as a line."""
    found = {}
    for part in re.split(r"(?m)^## ", text)[1:]:
        name, _, body = part.partition("\n\n")
        found[name] = [
            " ".join(paragraph.split()) for paragraph in body.strip().split("\n\n")
        ]
    return found


def label(path: Path | None) -> str:
    """Return a file's name as a message shows it."""
    if path and path.is_relative_to(ROOT):
        return path.relative_to(ROOT).as_posix()
    return str(path)


def filled(path: Path, facts: Mapping[str, object]) -> str:
    """Return a template with facts in its places.  Raises UnknownName."""
    names = Names()
    names.know(facts)
    return names.file(path)
