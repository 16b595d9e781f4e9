"""What a chart's heading says is what the chart draws: read from the committed pictures alone."""

import html
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from records.ladder import snapshots
from records.results import reference

LAST = snapshots()[-1].name
CHARTS = reference() / "charts"
TEXT = re.compile(r"<text ([^>]*)>([^<]*)</text>")
PLACE = re.compile(r'x="([\d.]+)" y="([\d.]+)"|translate\(([\d.]+) ([\d.]+)\)')
ROW_POINTS = 4  # how far texts of one row are apart at most, vertically


class Text(NamedTuple):
    """A text of a picture, and where it ends or begins, points from the upper left."""

    says: str
    x: float
    y: float


Texts = list[Text]


def picture(name: str) -> tuple[str, Texts]:
    """The heading of a chart, and what else is written in it."""
    svg = (CHARTS / f"{name}.svg").read_text(encoding="utf-8")
    words = html.unescape(re.search("<title>(.*?)</title>", svg, re.DOTALL)[1])
    texts = []
    for attributes, says in TEXT.findall(svg):
        x, y = filter(None, PLACE.search(attributes).groups())
        texts.append(Text(html.unescape(says), float(x), float(y)))
    heading = " ".join(words.split())
    return heading, texts


def row(texts: Texts, name: str) -> list[str]:
    """What stands in the row of a name, from left to right, behind it."""
    [head] = [text for text in texts if text.says == name]
    beside = [
        text for text in texts if abs(text.y - head.y) < ROW_POINTS and text is not head
    ]
    return [text.says for text in sorted(beside, key=lambda text: text.x)]


def rows_of_rungs(texts: Texts) -> Iterator[tuple[str, list[str]]]:
    """Each row that a step names, `Register hints   v1`: the rung, and its cells."""
    for text in texts:
        named = re.search(r"\S   .*?(v\d+)$", text.says)
        if named:
            yield named[1], row(texts, text.says)


def ladder(texts: Texts) -> str:
    """The factors at the ends of the lines, which are above those of the bars."""
    ends: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: text.y):
        if found := re.fullmatch(r"(-O\d)  (x\S+)", text.says):
            ends.setdefault(*found.groups())
    return f"{LAST}: " + ", ".join(
        f"{ends[level]} at {level}" for level in sorted(ends)
    )


def survival(texts: Texts) -> str:
    """How many rows help in each column."""
    rows = [cells for _, cells in rows_of_rungs(texts)]
    helping = [
        cells for cells in rows if all(cell.startswith("helps") for cell in cells)
    ]
    return f"{len(helping)} of {len(rows)} help at every level"


def compilers(texts: Texts) -> str:
    """The rungs whose row has only factors above 1."""
    rows = list(rows_of_rungs(texts))
    gaining = [rung for rung, cells in rows if min(map(factor, cells)) > 1.01]
    return f"{len(gaining)} of {len(rows)} steps gain with each: {', '.join(gaining)}"


def factor(text: str) -> float:
    """The number of a factor, `x1.15`."""
    return float(text.lstrip("x").replace(",", ""))


def floor(texts: Texts) -> str:
    """The last rung's factor, and the smallest of all with its name."""
    names = {
        text.says for text in texts if text.x < 97 and not text.says.startswith("x")
    }
    above = {}
    for name in names:
        factors = [factor(cell) for cell in row(texts, name) if cell.startswith("x")]
        if factors:
            above[name] = min(factors)
    nearest = min(above, key=above.get)
    return f"v8 is x{above[LAST]:.2f} above it; the nearest, {nearest}, is x{above[nearest]:.2f} above it"


def private(texts: Texts) -> str:
    """The smallest number and whose it is."""
    names = [text.says for text in texts if 130 < text.x < 140]
    costs = {}
    for name in names:
        numbers = [cell for cell in row(texts, name) if re.fullmatch(r"[\d.]+", cell)]
        if numbers:
            costs[name] = min(map(float, numbers))
    cheapest = min(costs, key=costs.get)
    return f"{costs[cheapest]:.2f} million instructions: {cheapest}"


def instruction_mix(texts: Texts) -> str:
    """The widest part of the last rung's bar in the last panel."""
    last = [text for text in texts if text.says == LAST][-1]
    cells = [text.says for text in texts if abs(text.y - last.y) < ROW_POINTS]
    parts = [re.fullmatch(r"([a-zA-Z ]+) (\d+)", cell) for cell in cells]
    kind, share = max(
        (part.groups() for part in parts if part), key=lambda part: int(part[1])
    )
    return f"Most of {LAST} at -O3: {kind}, {share} %"


READ: dict[str, Callable[[Texts], str]] = {
    "speed-up": ladder,
    "survival": survival,
    "compilers": compilers,
    "floor": floor,
    "private": private,
    "instruction-mix": instruction_mix,
}


@pytest.mark.parametrize("name", READ)
def test_the_heading_says_what_the_chart_shows(name: str) -> None:
    heading, texts = picture(name)
    assert READ[name](texts) in heading
