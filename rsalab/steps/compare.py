"""Two results folders side by side: `python3 -m rsalab.steps.compare A,B [METRIC [CASE]]`.

Numbers of different compilers or machines stand beside each other only here, and what differs
between the two is said first.  A name is a folder of results/; METRIC is one of counts.csv,
asm.csv or models.csv, or `time`, the median of a round trip in microseconds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LADDER, LEVELS, ROOT
from records.machine import read_machine
from records.rows import read_rows
from records.summary import FULL, SIZES, STATIC, means, medians
from records.tables import NONE, aligned, factor

FACTS = ("platform", "cpu", "kernel", "os", "compiler", "flags", "runner", "qemu")
Values = dict[tuple[str, str], float]  # (snapshot, level) -> value
Difference = list[str]  # what, here, there
Digests = dict[Any, str]


def folders(asked: str, root: Path = ROOT) -> list[Path]:
    """The two folders that M names.  Raises Failure."""
    names = [name.strip() for name in asked.split(",") if name.strip()]
    there = sorted(path.parent.name for path in (root / "results").glob("*/machine.json"))
    if len(names) != 2:
        raise Failure(f"M={asked}: say two of {', '.join(there) or 'no results'}: M=A,B")
    for name in names:
        if not (root / "results" / name / "machine.json").is_file():
            raise Failure(f"M={asked}: no results/{name}; there is {', '.join(there) or 'none'}")
    found = [root / "results" / name for name in names]
    if found[0].resolve() == found[1].resolve():
        raise Failure(f"M={asked}: the same folder twice")
    return found


def facts_that_differ(one: Path, other: Path) -> list[Difference]:
    """What differs between two machines.  Raises Failure when the workloads do."""
    here, there = (read_machine(folder, f"results/{folder.name}") for folder in (one, other))
    messages = [facts.get("messages", "") for facts in (here, there)]
    if messages[0] != messages[1]:
        pair = f"results/{one.name} has MESSAGES={messages[0]}, results/{other.name}"
        raise Failure(f"different workloads: {pair} MESSAGES={messages[1]}")
    found = []
    for key in FACTS:
        a, b = str(here.get(key, "")), str(there.get(key, ""))
        if key == "flags":  # those that only one of the two has
            ours, theirs = a.split(), b.split()
            a = " ".join(flag for flag in ours if flag not in theirs)
            b = " ".join(flag for flag in theirs if flag not in ours)
        if a != b:
            found.append([key, a or "none", b or "none"])
    return found + differing("programs", here["programs"], there["programs"])


def inputs_that_differ(one: Path, other: Path) -> list[Difference]:
    """Whether the inputs differ, by the groups of rows of both provenance.csv."""
    names = ("study", "snapshot", "level", "case")
    first, second = (
        {tuple(group[name] for name in names): group["inputs"]
         for group in read_rows(folder / "provenance.csv")} for folder in (one, other)
    )  # fmt: skip
    if not first.keys() & second.keys():
        missing = " and ".join(f.name for f, had in ((one, first), (other, second)) if not had)
        return [["inputs", "unknown", f"no provenance.csv in {missing or 'common'}"]]
    return differing("inputs", first, second, " groups")


def differing(what: str, one: Digests, other: Digests, of: str = "") -> list[Difference]:
    """How many of the things that both have are not the same; [] when all are."""
    both = one.keys() & other.keys()
    changed = sum(one[key] != other[key] for key in both)
    return [[what, f"{changed} of {len(both)}{of}", "differ from these"]] * bool(changed)


def values(folder: Path, study: str, metric: str, case: str) -> Values:
    """A metric of every cell, a mean per operation.  Raises Failure at a damaged file."""
    if metric == "time":
        times = medians(read_rows(folder / "times.csv"))
        return {key[1:3]: time for key, time in times.items() if key[0] == study}
    for file, of in (("counts.csv", case), ("models.csv", case), ("asm.csv", STATIC)):
        found = {
            key[1:3]: had[metric]
            for key, had in means(read_rows(folder / file)).items()
            if (key[0], key[3]) == (study, of) and metric in had
        }
        if found:
            return found
    return {}


def number(value: float | None) -> str:
    """A value; small ones keep their decimals."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:,.1f}"


def table(one: Path, other: Path, study: str, metric: str, case: str) -> list[str]:
    """The metric side by side, a row for each snapshot and level.  Raises Failure when no cell
    has it in both."""
    here, there = (values(folder, study, metric, case) for folder in (one, other))
    if not here.keys() & there.keys():
        without = [folder.name for folder, had in ((one, here), (other, there)) if not had]
        which = " and ".join(f"results/{name}" for name in without) or "the same rungs of both"
        raise Failure(f"no {metric} of {case} in {which}")
    rows = [["rung", "level", one.name, other.name, f"{other.name}/{one.name}"]]
    for level in LEVELS:
        for snapshot in ladder.snapshots(study):
            a, b = here.get((snapshot.name, level)), there.get((snapshot.name, level))
            if a is not None or b is not None:
                ratio = factor(b / a if a and b is not None else None)
                rows.append([snapshot.name, f"-{level}", number(a), number(b), ratio])
    return aligned(rows, (0, 1))


def title(metric: str, case: str) -> str:
    """What the table shows."""
    if metric == "time":
        return "median time of a round trip, us"
    if metric.startswith("model_"):
        return f"{metric} of {case}: model, not measured; `make models` prints its error"
    return metric if metric in SIZES else f"{metric}, mean of {case}"


def text(asked: str, metric: str, case: str, root: Path = ROOT, study: str = LADDER) -> str:
    """All that `make compare` prints.  Raises Failure."""
    one, other = folders(asked, root)
    found = facts_that_differ(one, other) + inputs_that_differ(one, other)
    said = ["nothing differs but the moment: the same machine, compiler, flags and inputs"]
    if found:
        said = aligned([["differs", one.name, other.name], *found], (0, 1, 2))
    head = f"results/{one.name} and results/{other.name}"
    side = table(one, other, study, metric, case)
    return "\n".join([head, "", *said, "", title(metric, case), "", *side])


def main() -> None:
    """Command line; an empty word stands for the usual metric and case."""
    asked, metric, case = [*sys.argv[1:], "", "", ""][:3]
    print(text(asked, metric or "instructions", case or FULL))


if __name__ == "__main__":
    sys.exit(command_line("compare", main))
