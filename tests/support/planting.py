"""A text of a source in another one's place: a bug, or what is to be found."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def planted(source: Path, old: str, new: str) -> Iterator[None]:
    """A source with every such text replaced, as long as this goes on."""
    text = source.read_text()
    assert old in text, f"{source} has no {old!r}"
    source.write_text(text.replace(old, new))
    try:
        yield
    finally:
        source.write_text(text)
