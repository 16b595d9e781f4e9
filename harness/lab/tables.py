"""What was measured of an exercise, as tables for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from harness.lab import predict
from harness.lab.bench import Functions
from harness.lab.judge import Scale
from harness.lab.labs import Lab
from harness.lab.operands import TRIPS
from harness.lab.predict import Prediction
from records.tables import aligned


def trips(spent: Functions) -> float:
    """Instructions a round trip."""
    return spent.total() / TRIPS


def most_changed(old: Functions, new: Functions) -> str:
    """The function in which the number of instructions changes most."""
    return max(old | new, key=lambda function: (abs(old[function] - new[function]), function))


def compared(lab: Lab, spent: dict[str, Functions], scale: Scale) -> Iterator[str]:
    """The table of levels: what a round trip costs, and how far that is from the others."""
    others = {lab.rung: scale.solution, Path(lab.best).name or lab.rung: scale.best}
    rows = [
        ["level", "start", "yours", *others, "start/yours", *(f"yours/{name}" for name in others)]
    ]
    for level, mine in spent.items():
        own, start = trips(mine), trips(scale.start[level])
        others_here = [trips(other[level]) for other in others.values()]
        ratios = [start / own, *(own / other for other in others_here)]
        numbers = [f"{number:,.0f}" for number in (start, own, *others_here)]
        rows.append([f"-{level}", *numbers, *(f"x{ratio:.2f}" for ratio in ratios)])
    yield from aligned(rows)


def predicted(
    said: dict[str, Prediction], spent: dict[str, Functions], scale: Scale
) -> Iterator[str]:
    """The prediction of each level beside what was measured."""
    rows = [["level", "predicted", "measured", "", "most changes in", "measured", ""]]
    for level, mine in spent.items():
        gain = scale.start[level].total() / mine.total()
        changed = most_changed(scale.start[level], mine)
        one = said[level]
        marks = ["right" if hit else "no" for hit in predict.hits(one, gain, changed)]
        rows.append(
            [
                f"-{level}",
                f"x{one.low:g} to x{one.high:g}",
                f"x{gain:.2f}",
                marks[0],
                one.function,
                changed,
                marks[1],
            ]
        )
    yield from aligned(rows)


def by_function(spent: dict[str, Functions], scale: Scale) -> Iterator[str]:
    """Where a round trip's instructions go, start -> yours."""
    total: Counter[str] = Counter()
    for level, mine in spent.items():
        total.update(mine | scale.start[level])
    rows = [["function", *(f"-{level}" for level in spent)]]
    for function, _ in total.most_common():
        cells = []
        for level, mine in spent.items():
            old, new = scale.start[level][function] / TRIPS, mine[function] / TRIPS
            cells.append(f"{old:,.0f} -> {new:,.0f}" if old or new else "")
        rows.append([function, *cells])
    yield from aligned(rows)
