"""The scoreboard: what each step was expected to gain before it was measured,
and what it gained.

A gain is parent / child in instructions of a round trip.  A range whose result
was known when it was written is `disclosed` and not scored.  When a range was
written is asked of git and printed, never committed: a copy without its
history says nothing, and no text changes.
"""

import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.faults import Failure, run
from records.ladder import LADDER, LEVELS, Snapshot
from records.tables import NONE
from rsalab.steps.spent import step

RIGHT, LOW, HIGH, DISCLOSED = "right", "too low", "too high", "disclosed"
OPEN = "open"  # a range that says only `helps` or `hurts`
KEY = "predicts"
NOTE = (
    "in words: the commit that predicted in words, from which the range was made",
    "after the results were known; the range: the commit that wrote it.",
    "open: it says only that a step hurts.",
)


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
    if high > 10 * low:
        return OPEN
    gain = round(gain, 2)  # as it is shown
    return LOW if gain > high else HIGH if gain < low else RIGHT


def score(child: Snapshot, level: str, gain: float) -> Score:
    """What became of a step's prediction at a level."""
    expected = child.predicts.get(level)
    return Score(child, level, expected, gain, word(expected, gain, level in child.disclosed))


def scores(folder: Path, study: str = LADDER, root: Path = ladder.ROOT) -> list[Score]:
    """Every step of a study at every level, in ladder order, that was
    counted together with its parent.  Raises Failure for damaged results."""
    steps = ((child, level) for child in ladder.snapshots(study, root) for level in LEVELS)
    made = ((child, level, step(folder, child, level, root)) for child, level in steps)
    return [score(child, level, one.gain) for child, level, one in made if one]


def summary(made: list[Score]) -> str:
    """One line: how many predictions were right, too low, too high."""
    words = (RIGHT, LOW, HIGH, DISCLOSED, OPEN)
    return ", ".join(f"{sum(one.word == word for one in made)} {word}" for word in words)


def text(folder: Path, study: str = LADDER, root: Path = ladder.ROOT) -> str:
    """Each step with its commits, and a line for each level.  Raises Failure."""
    made = [one for one in scores(folder, study, root) if one.expected]
    if not made:
        raise Failure(f"no step of {study} with a prediction is measured in results/{folder.name}")
    lines = []
    for child in dict.fromkeys(one.child for one in made):
        lines += ["", f"{child.parent} to {child.name}"]
        when = written(child, root)
        lines += [f"  {when}"] * bool(when)
        for one in (one for one in made if one.child == child):
            gain = f"x{one.gain:.2f}"
            lines.append(f"  -{one.level}  predicted {one.said:<18} found {gain:>7}  {one.word}")
    return "\n".join([*lines[1:], "", f"{summary(made)}.", *NOTE])


def written(child: Snapshot, root: Path = ladder.ROOT) -> str:
    """The commits of a prediction: `in words: 3172b67; the range: 6ab937c, 2026-11-21`."""
    known = {"in words": child.written, "the range": first_commit(child, root)}
    return "; ".join(f"{what}: {commit}" for what, commit in known.items() if commit)


def first_commit(snapshot: Snapshot, root: Path = ladder.ROOT) -> str:
    """`6ab937c, 2026-11-21`: the commit that wrote the range as it stands;
    "" where there is none, no prediction, or no whole history to ask."""
    readme = snapshot.path / "README.md"
    said = ladder.front_matter(readme, root).get(KEY, "")
    asked = _asked(root, ("-S", f"{KEY}: {said}"), readme) if said and whole(root) else []
    return asked[-1] if asked else ""


def commits(snapshot: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """Every commit that wrote or changed the range, the last one first."""
    return _asked(root, ("-G", f"^{KEY}:"), snapshot.path / "README.md")


def whole(root: Path) -> bool:
    """Whether this is a clone with all of its commits."""
    return (root / ".git").exists() and _git(
        root, "rev-parse", "--is-shallow-repository"
    ) == "false"


def _asked(root: Path, pick: tuple[str, str], path: Path) -> list[str]:
    """The commits that `git log` picks for a file, the last one first."""
    return _git(root, "log", "--format=%h, %as", *pick, "--", str(path)).splitlines()


@cache
def _git(root: Path, *words: str) -> str:
    """What git prints; "" where it cannot."""
    try:
        return run(["git", "-C", root, *words], timeout=20).strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
