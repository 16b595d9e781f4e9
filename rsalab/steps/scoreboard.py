"""The scoreboard: what each step was expected to gain before it was measured, and what it gained.

A gain is parent / child in instructions of a round trip.  A range whose result was known when it
was written is `disclosed` and not scored.  `python3 -m rsalab.steps.scoreboard` prints it all, with
the first commit that holds each range where git knows.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LADDER, LEVELS, Snapshot
from records.tables import aligned
from rsalab.steps import history
from rsalab.steps.spent import results, step

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


def score(child: Snapshot, level: str, gain: float) -> Score:
    """What became of a step's prediction at a level."""
    expected = child.predicts.get(level)
    return Score(child, level, expected, gain, word(expected, gain, level in child.disclosed))


def scores(folder: Path, study: str = LADDER, root: Path = ladder.ROOT) -> list[Score]:
    """Every step of a study at every level, in ladder order, that was counted together with its
    parent.  Raises Failure for damaged results."""
    found = []
    for child in ladder.snapshots(study, root):
        for level in LEVELS if child.parent else ():
            made = step(folder, child, level, root)
            if made is None:
                continue
            found.append(score(child, level, made.gain))
    return found


def summary(found: list[Score]) -> str:
    """One line: how many predictions were right, too low, too high."""
    parts = [f"{sum(s.word == w for s in found)} {w}" for w in (RIGHT, LOW, HIGH, DISCLOSED)]
    return ", ".join(parts)


def text(folder: Path, study: str = LADDER, root: Path = ladder.ROOT) -> str:
    """All that is printed.  Raises Failure."""
    found = [one for one in scores(folder, study, root) if one.expected]
    if not found:
        raise Failure(f"no step of {study} with a prediction is measured in results/{folder.name}")
    rows = [["step", "level", "predicted", "found", "", "written in"]]
    for one in found:
        name = f"{one.child.parent} to {one.child.name}"
        when = history.first_commit(one.child, root)
        rows.append([name, f"-{one.level}", one.said, f"x{one.gain:.2f}", one.word, when])
    return "\n".join([*aligned(rows, (0, 1, 2, 4, 5)), "", f"{summary(found)}."])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="scoreboard")
    parser.add_argument("--study", default=LADDER)
    parser.add_argument("--results", default="")
    options = parser.parse_args()
    steps = [s for s in ladder.snapshots(options.study) if s.parent and s.predicts]
    if not steps:
        raise Failure(f"no prediction in {options.study}")
    folder = results(options.results, steps[-1])
    print(f"{options.study}: parent / this in instructions (results/{folder.name})\n")
    print(text(folder, options.study))
    if not history.whole(ladder.ROOT):
        print("No history here to name the commits: `git fetch --unshallow` brings it.")


if __name__ == "__main__":
    sys.exit(command_line("scoreboard", main))
