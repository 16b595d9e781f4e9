"""The scoreboard: what each step was expected to gain before it was measured,
and what it gained.

A gain is parent / child in instructions of a round trip.  Only an estimate,
computed from the parent's counts before the code was written, is scored: a
guess says what its author felt, and a count is of code that was finished.  A
range whose result was known when it was written is `disclosed`.  When a range
was written is asked of git and printed, never committed: a copy without its
history says nothing, and no text changes.
"""

import os
import re
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path

from records import ladder, step_file
from records.faults import Failure, run
from records.ladder import LADDER, Snapshot
from records.results import Results
from records.tables import Row, factor

WORDS = ("right", "too low", "too high", "disclosed", "open")  # of the view `scores`
BLIND = WORDS[:3]  # those of a prediction whose result was not known
SCORED = "estimate"
SEVERAL = {"guess": "guesses", "estimate": "estimates", "count": "counts"}
DETAILS = "CLAIMS"  # a variable of make: with the commits of each prediction
NOTE = """estimate: computed from the parent's counts, before the code was written;
only these are scored.  guess: of the author.  count: of the finished code.
disclosed: the result was known when the range was written.
open: one end was predicted, such as below x0.99, and the factor keeps to it."""
RANGE_LINE = re.compile(r"(?m)^(?:predicts\.)?O\w+ *=.*$")  # of step.toml
OPEN_FACTOR = 10  # a range whose ends are further apart than this says one end only


def predicted(results: Results, study: str) -> list[Row]:
    """Return a row for each step and level of a study of which a gain was
    predicted and is known: the range, the gain and what became of it."""
    question = (
        "select * from scores where study = ? and low is not null order by place, level"
    )
    return list(results.query(question, study))


def expected(row: Row) -> str:
    """Return the range of a prediction; of an open one the end that was predicted."""
    low = row["low"]
    high = row["high"]
    if high <= OPEN_FACTOR * low:
        return f"{factor(low)} to {factor(high)}"
    if high < 1:
        return f"below {factor(high)}"
    return f"above {factor(low)}"


def found_of(results: Results, child: Snapshot, level: str) -> Row | None:
    """Return the row of `predicted` of a step at a level; None where nothing was expected or
    measured."""
    for row in predicted(results, child.study):
        if (row["snapshot"], row["level"]) == (child.name, level):
            return row
    return None


def score(results: Results, child: Snapshot, level: str) -> str:
    """Return what was expected of a step at a level and what became of it,
    `x1.80 to x2.20: right`; "" where nothing was expected or measured."""
    row = found_of(results, child, level)
    return in_words(row) if row else ""


def in_words(row: Row) -> str:
    """Return a prediction and what became of it."""
    return f"{expected(row)}: {outcome(row)}"


def outcome(row: Row) -> str:
    """Return what became of a prediction and, of a miss, its cause: `too high (wrong share)`."""
    if not row["cause"]:
        return str(row["outcome"])
    return f"{row['outcome']} ({row['cause']})"


def tally(rows: list[Row]) -> list[str]:
    """Return a sentence for each kind of prediction: how many there are, and what became of them;
    first of those that are scored."""
    sentences = []
    for kind in sorted(step_file.KINDS, key=lambda kind: kind != SCORED):
        outcomes = Counter(row["outcome"] for row in rows if row["kind"] == kind)
        parts = [f"{outcomes[word]} {word}" for word in WORDS if outcomes[word]]
        count = outcomes.total()
        head = kind if count == 1 else SEVERAL[kind]
        scored = "scored" if kind == SCORED else "not scored"
        verb = "is" if count == 1 else "are"
        if parts:
            sentences.append(f"{count} {head} {verb} {scored}: {', '.join(parts)}.")
        elif kind == SCORED:
            sentences.append(
                "No estimate was made before a step was measured, so nothing is scored."
            )
    return sentences


def text(results: Results, study: str = LADDER) -> str:
    """Return each step with its commits, and a line for each level.  Raises Failure."""
    rows = predicted(results, study)
    if not rows:
        raise Failure(
            f"no step of {study} with a prediction is measured in {results.label}"
        )
    lines = [f"{study}: parent / this in instructions ({results.label})"]
    for name, of in groupby(rows, key=lambda row: str(row["snapshot"])):
        child = ladder.find(name, study, results.root)
        kind = child.kind or "no kind given"
        lines += ["", f"{child.parent} to {name} ({kind})"]
        by_commits = written(child)
        if by_commits and os.environ.get(DETAILS):
            lines.append(f"  {by_commits}")
        for row in of:
            gain = factor(row["gain"])
            range_ = expected(row)
            level = row["level"]
            word = outcome(row)
            lines.append(f"  -{level}  {range_:<16}  found {gain:>7}  {word}")
    lines += ["", *tally(rows), "", NOTE]
    if os.environ.get(DETAILS) and not whole(results.root):
        lines.append(
            "No history here to name the commits: `git fetch --unshallow` brings it."
        )
    return "\n".join(lines)


def written(child: Snapshot) -> str:
    """Return the commits of a prediction: `in words: 3172b67; the range: 6ab937c, 2026-11-21`."""
    parts = []
    if child.written:
        parts.append(f"in words: {child.written}")
    commit = first_commit(child)
    if commit:
        parts.append(f"the range: {commit}")
    return "; ".join(parts)


def first_commit(snapshot: Snapshot) -> str:
    """Return `6ab937c, 2026-11-21`, the commit that wrote the range as it
    stands; "" where there is none, no prediction, or no whole history to ask."""
    if not snapshot.predicts or not whole(snapshot.path):
        return ""
    found = commits(snapshot, "README.md", f"-S{in_front_matter(snapshot)}")
    if not found:
        text = (snapshot.path / step_file.FILE).read_text(encoding="utf-8")
        lines = RANGE_LINE.findall(text)
        found = commits(snapshot, step_file.FILE, "-S" + "\n".join(lines))
    return found[-1] if found else ""


def in_front_matter(snapshot: Snapshot) -> str:
    """Return the ranges as README.md had them in its front matter, before there was a step.toml."""
    ranges = []
    for level, (low, high) in snapshot.predicts.items():
        ranges.append(f"{level} {low:.2f}..{high:.2f}")
    return f"predicts: {', '.join(ranges)}"


def commits(snapshot: Snapshot, file: str, pick: str) -> list[str]:
    """Return the commits that `git log` picks for a file of a snapshot, the last one first."""
    form = "--format=%h, %as"
    printed = git(snapshot.path, "log", form, pick, "--", file)
    return printed.splitlines()


def whole(folder: Path) -> bool:
    """Return whether this is a clone with all of its commits."""
    return git(folder, "rev-parse", "--is-shallow-repository") == "false"


@cache
def git(folder: Path, *words: str) -> str:
    """Return what git prints; "" where it cannot."""
    try:
        return run(["git", "-C", folder, *words]).strip()
    except (Failure, OSError):
        return ""
