"""A snapshot beside its parent: instructions, simulated mispredictions, and both in model cycles.

For steps that take branches away.  Instructions are exact; mispredictions are simulated as
published for the ARM1176; the cycles are that core's model.  Times of another processor, built by
its own compiler (`make host`), stand below them, never among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.counts import PENALTIES, PENALTY, SIMULATED
from records.ladder import LEVELS, ROOT, Snapshot, parent_of
from records.results import Results, load
from records.tables import NONE, factor, whole
from rsalab import markdown
from rsalab.models.cycles import LONG, arm1176_of
from rsalab.steps.tables import summaries

HEAD = [
    "level",
    "snapshot",
    "instructions",
    "simulated mispredictions, ARM1176",
    "model cycles, ARM1176",
]
Counted = Mapping[str, float]  # metric -> mean of a round trip


@dataclass(frozen=True)
class Pair:
    """Parent and child at a level."""

    level: str
    parent: Counted
    child: Counted

    def gain(self, penalty: int = PENALTY) -> float:
        """How many times fewer model cycles the child takes."""
        return arm1176_of(self.parent, penalty) / arm1176_of(self.child, penalty)

    @property
    def instructions(self) -> float:
        """How many times fewer instructions the child executes."""
        return self.parent["instructions"] / self.child["instructions"]

    @property
    def sure(self) -> bool:
        """Whether the same one is slower at both ends of the published penalty."""
        return len({self.gain(penalty) > 1 for penalty in PENALTIES}) == 1

    @property
    def equal_at(self) -> float | None:
        """The penalty in cycles at which both would take as long; None if there is none."""
        fewer = self.parent[SIMULATED] - self.child[SIMULATED]
        cost = arm1176_of(self.child, 0) - arm1176_of(self.parent, 0)
        return cost / fewer if cost * fewer > 0 else None


def pairs(results: Results, parent: Snapshot, child: Snapshot) -> list[Pair]:
    """A pair for each level at which all was counted of both."""
    found = []
    for level in LEVELS:
        sides = [results.means(side.study, side.name, level) for side in (parent, child)]
        if all(side.keys() >= {"instructions", SIMULATED, *LONG} for side in sides):
            found.append(Pair(level, *sides))
    return found


def table(results: Results, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown: the numbers of both, and a line for each level that says which is slower by the
    model; "" where mispredictions were not simulated."""
    parent = parent_of(child, root)
    found = pairs(results, parent, child) if parent else []
    if parent is None or not found:
        return ""
    rows, said = [], []
    for pair in found:
        for name, side in ((parent.name, pair.parent), (child.name, pair.child)):
            numbers = side["instructions"], side[SIMULATED], arm1176_of(side)
            rows.append([f"-{pair.level}", name, *map(whole, numbers)])
        said.append(sentence(pair, parent.name, child.name))
    parts = [markdown.table(HEAD, rows, (0, 1)), "\n".join(said)]
    return "\n\n".join([*parts, *(timed(folder, parent, child) for folder in hosts(root))]).rstrip()


def hosts(root: Path) -> list[Path]:
    """The committed folders of times that other machines' own compilers gave."""
    return sorted(path.parent for path in root.glob("results/host-*/times.csv"))


def timed(folder: Path, parent: Snapshot, child: Snapshot) -> str:
    """Medians of a round trip on a host, level by level; "" where both were not timed."""
    results = load(folder, counted=False)
    facts = results.machine
    of = {one: summaries(results, one.study) for one in (parent, child)}
    said = []
    for level in LEVELS:
        medians = [of[one].get((one.name, level), {}).get("message") for one in (parent, child)]
        if all(medians):
            a, b = (one.median for one in medians if one)
            both = f"{parent.name} {a:.0f} µs, {child.name} {b:.0f} µs"
            said.append(f"- -{level}: {both}, {parent.name}/{child.name} {factor(a / b)}")
    head = (
        f"Times on another processor, noisy, medians of a round trip by the clock:"
        f" {facts['platform']}, {facts['cpu']}, {facts['compiler']}, {facts['date'][:10]}."
    )
    return "\n\n".join([head, "\n".join(said)]) if said else ""


def sentence(pair: Pair, parent: str, child: str) -> str:
    """Which of the two is slower by the model, and from which penalty on it would not be."""
    slower = child if pair.gain() < 1 else parent
    ends = f"also with a penalty of {' or '.join(map(str, PENALTIES))} cycles"
    sure = ends if pair.sure else "but not at both ends of the published penalty"
    equal = NONE if pair.equal_at is None else f"{pair.equal_at:.0f}"
    return (
        f"- -{pair.level}: {parent}/{child} is {factor(pair.instructions)} by instructions and"
        f" {factor(pair.gain())} by model cycles: {slower} is slower, {sure}. Penalty at which both"
        f" take as long: {equal} cycles."
    )
