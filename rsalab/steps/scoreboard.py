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
from records.ladder import LADDER, Snapshot
from records.results import Results
from records.tables import NONE

OPEN = "open"  # a range that says only `helps` or `hurts`
RIGHT, LOW, HIGH, DISCLOSED = "right", "too low", "too high", "disclosed"
NOTE = """in words: the commit that predicted in words, from which the range was made
after the results were known; the range: the commit that wrote it.
open: it says only that a step hurts."""


class Score(NamedTuple):
    """A step at a level: the gain measured, the expected range (`x1.80 to
    x2.20`) and the word for it, NONE both where nothing was expected."""

    child: Snapshot
    level: str
    gain: float
    said: str
    word: str


def word(expected: tuple[float, float], gain: float, disclosed: bool) -> str:
    """`right`, or `too low` where the prediction was lower than the gain, or `too high`."""
    low, high = expected
    if disclosed:
        return DISCLOSED
    if high > 10 * low:
        return OPEN
    gain = round(gain, 2)  # as it is shown
    return LOW if gain > high else HIGH if gain < low else RIGHT


def score(child: Snapshot, level: str, gain: float) -> Score:
    """What became of a step's prediction at a level."""
    if level not in child.predicts:
        return Score(child, level, gain, NONE, NONE)
    low, high = child.predicts[level]
    one = word((low, high), gain, level in child.disclosed)
    return Score(child, level, gain, f"x{low:.2f} to x{high:.2f}", one)


def scores(results: Results, study: str = LADDER) -> dict[Snapshot, list[Score]]:
    """The scores of each step of a study that was counted together with its
    parent, in ladder order.  Raises Failure for damaged results."""
    rows = [row for row in results.ladder(study) if row["versus_parent"]]
    made: dict[Snapshot, list[Score]] = {}
    for child in ladder.snapshots(study, results.root):
        for row in (row for row in rows if row["rung"] == child.name):
            one = score(child, row["level"], row["versus_parent"])
            made.setdefault(child, []).append(one)
    return made


def summary(made: dict[Snapshot, list[Score]]) -> str:
    """One line: how many predictions were right, too low, too high."""
    words = [one.word for scores in made.values() for one in scores]
    return ", ".join(f"{words.count(w)} {w}" for w in (RIGHT, LOW, HIGH, DISCLOSED, OPEN))


def text(results: Results, study: str = LADDER) -> str:
    """Each step with its commits, and a line for each level.  Raises Failure."""
    made = {child: of for child, of in scores(results, study).items() if child.predicts}
    if not made:
        raise Failure(f"no step of {study} with a prediction is measured in {results.label}")
    lines = [f"{study}: parent / this in instructions ({results.label})"]
    for child, of in made.items():
        lines += ["", f"{child.parent} to {child.name}"]
        lines += [f"  {when}" for when in [written(child)] if when]
        for one in (one for one in of if one.said != NONE):
            found = f"found {f'x{one.gain:.2f}':>7}  {one.word}"
            lines.append(f"  -{one.level}  predicted {one.said:<18} {found}")
    lines += ["", f"{summary(made)}.", NOTE]
    if not whole(results.root):
        lines.append("No history here to name the commits: `git fetch --unshallow` brings it.")
    return "\n".join(lines)


def written(child: Snapshot) -> str:
    """The commits of a prediction: `in words: 3172b67; the range: 6ab937c, 2026-11-21`."""
    known = {"in words": child.written, "the range": first_commit(child)}
    return "; ".join(f"{what}: {commit}" for what, commit in known.items() if commit)


def first_commit(snapshot: Snapshot) -> str:
    """`6ab937c, 2026-11-21`: the commit that wrote the range as it stands;
    "" where there is none, no prediction, or no whole history to ask."""
    readme = snapshot.path / "README.md"
    said = ladder.front_matter(readme, readme.parent).get("predicts", "")
    asked = commits(snapshot, f"-Spredicts: {said}") if said and whole(snapshot.path) else []
    return asked[-1] if asked else ""


def commits(snapshot: Snapshot, pick: str) -> list[str]:
    """The commits that `git log` picks for a README.md, the last one first."""
    return git(snapshot.path, "log", "--format=%h, %as", pick, "--", "README.md").splitlines()


def whole(folder: Path) -> bool:
    """Whether this is a clone with all of its commits."""
    return git(folder, "rev-parse", "--is-shallow-repository") == "false"


@cache
def git(folder: Path, *words: str) -> str:
    """What git prints; "" where it cannot."""
    try:
        return run(["git", "-C", folder, *words], timeout=20).strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
