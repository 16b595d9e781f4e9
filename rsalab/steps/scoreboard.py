"""The scoreboard: what each step was expected to gain before it was measured, and what it gained.

A gain is parent / child in instructions of a round trip.  A range whose result was known when it
was written is `disclosed` and not scored.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.ladder import LADDER, LEVELS, Snapshot
from rsalab.steps.spent import step

RIGHT, LOW, HIGH, DISCLOSED, NONE = "right", "too low", "too high", "disclosed", "-"


class Score(NamedTuple):
    """A step at a level: the expected range, None without one; the gain measured; the word."""

    child: Snapshot
    level: str
    expected: tuple[float, float] | None
    gain: float
    word: str

    @property
    def said(self) -> str:
        """The expected range, as text: `x1.80 to x2.20`."""
        return f"x{self.expected[0]:.2f} to x{self.expected[1]:.2f}" if self.expected else NONE


def word(expected: tuple[float, float] | None, gain: float, disclosed: bool) -> str:
    """`right`, or `too low` where the prediction was lower than the gain, or `too high`."""
    if expected is None:
        return NONE
    if disclosed:
        return DISCLOSED
    low, high = expected
    gain = round(gain, 2)  # as it is shown
    return LOW if gain > high else HIGH if gain < low else RIGHT


def scores(folder: Path, study: str = LADDER, root: Path = ladder.ROOT) -> list[Score]:
    """Every step of a study at every level, in ladder order, that was counted together with its
    parent.  Raises Failure for damaged results."""
    found = []
    for child in ladder.snapshots(study, root):
        for level in LEVELS if child.parent else ():
            made = step(folder, child, level, root)
            if made is None:
                continue
            expected = child.predicts.get(level)
            said = word(expected, made.gain, level in child.disclosed)
            found.append(Score(child, level, expected, made.gain, said))
    return found


def summary(found: list[Score]) -> str:
    """One line: how many predictions were right, too low, too high."""
    parts = [f"{sum(s.word == w for s in found)} {w}" for w in (RIGHT, LOW, HIGH, DISCLOSED)]
    return ", ".join(parts)
