"""What each compiler makes of a step: how many times fewer instructions than the parent, by
compiler and level.  A step that gains with every compiler is a technique; one that gains with one
of them makes up for what this compiler does not do.

`make compilers` writes the counts, results/compilers/PLATFORM/counts.csv.  What an option changes stands
in results/options/PLATFORM/counts.csv.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.ladder import LADDER, ROOT, Snapshot
from records.machine import Platform, read_machine
from records.rows import read_rows
from records.statistics import verdict
from records.tables import Table, factor, pivot
from records.workloads import TRIP_SMALL


class Gain(NamedTuple):
    """How many times fewer instructions a round trip of the small workload executes than in the
    rung's parent."""

    snapshot: str
    compiler: str  # such as `gcc 12.2.0`
    level: str
    factor: float

    @property
    def verdict(self) -> str:
        """Return `helps`, `hurts` or `no difference`."""
        return verdict(1 / self.factor, 1)


@cache
def gains(root: Path = ROOT) -> list[Gain]:
    """Return the gain of every step of the ladder with every compiler at
    every level that `make compilers` has counted."""
    found = []
    for path in sorted(root.glob("results/compilers/*/counts.csv")):
        compiler = name_of(path.parent)
        means = means_of(path)
        for rung in ladder.snapshots(LADDER, root):
            for level in ladder.EVERY_LEVEL:
                here = means.get((rung.name, level))
                above = means.get((rung.parent_name, level))
                if here and above:
                    found.append(Gain(rung.name, compiler, level, above / here))
    return found


def means_of(path: Path) -> dict[tuple[str, str], float]:
    """Return the instructions of a round trip, by rung and level."""
    means = {}
    for row in read_rows(path):
        if row["workload"] == TRIP_SMALL:
            means[row["snapshot"], row["level"]] = row["value"] / row["n"]
    return means


def name_of(folder: Path) -> str:
    """Return the compiler of a results folder, such as `gcc 12.2.0`."""
    line = read_machine(folder, folder.name)["compiler"]
    kind = "clang" if "clang" in line else "gcc"
    return f"{kind} {line.split()[-1]}"


def table(snapshot: Snapshot, root: Path = ROOT) -> Table:
    """Return a row for each compiler and a column for each level: the gain
    of one step.  It has no row where the step was not counted."""
    rows = []
    if snapshot.study == LADDER:
        for gain in gains(root):
            if gain.snapshot == snapshot.name:
                rows.append(gain._asdict())
    return pivot(
        rows, {"compiler": "compiler"}, "level", {"": lambda row: factor(row["factor"])}
    )


def of_options(root: Path = ROOT) -> str:
    """Return a table for each set of options that has counts of its own: by how many instructions a round
    trip of the small workload differs from that without them, by rung and level."""
    texts = []
    for path in sorted(root.glob("results/options/*/counts.csv")):
        platform = Platform(path.parent.name, ())
        compiler = platform.name.removesuffix(platform.options)
        usual_means = means_of(root / "results/compilers" / compiler / path.name)
        rows = []
        for (rung, level), mean in means_of(path).items():
            more = mean - usual_means[rung, level]
            rows.append({"rung": rung, "level": level, "more": more})
        table = pivot(
            rows, {"rung": "rung"}, "level", {"": lambda row: f"{row['more']:+,.0f}"}
        )
        what = f"Instructions of a round trip with `{platform.options}`, less those without it"
        caption = f"{what}: {name_of(path.parent)}, `MESSAGES=small`."
        texts.append(f"{table.markdown}\n\n{caption}")
    return "\n\n".join(texts)


def disagreements(root: Path = ROOT) -> list[str]:
    """Return a sentence for each step that helps with one compiler and hurts
    with another: the verdict of each compiler, with its levels."""
    by_step: dict[str, list[Gain]] = {}
    for gain in gains(root):
        by_step.setdefault(gain.snapshot, []).append(gain)
    sentences = []
    for step, found in by_step.items():
        if {"helps", "hurts"} <= {gain.verdict for gain in found}:
            sentences.append(
                f"The compiler decides on {step}. {'; '.join(by_compiler(found))}."
            )
    return sentences


def by_compiler(found: list[Gain]) -> list[str]:
    """Return the verdicts of each compiler: `With gcc 12.2.0 it hurts at -O1, -O3`."""
    levels: dict[str, dict[str, list[str]]] = {}
    for gain in found:
        verdicts = levels.setdefault(gain.compiler, {})
        verdicts.setdefault(gain.verdict, []).append(f"-{gain.level}")
    texts: list[str] = []
    for compiler, verdicts in levels.items():
        parts = [f"{word} at {', '.join(where)}" for word, where in verdicts.items()]
        head = "with" if texts else "With"
        texts.append(f"{head} {compiler} it {' and '.join(parts)}")
    return texts
