"""Two results folders side by side: `python3 -m rsalab.steps.compare A,B [METRIC [CASE]]`.

Numbers of different compilers or machines stand beside each other only here, and what differs
between the two is said first.  A name is a folder of results/; METRIC is one of counts.csv,
asm.csv or models.csv, or `time`, the median of a round trip in microseconds.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import ROOT
from records.machine import read_machine
from records.rows import read_rows
from rsalab.steps.table import LEVELS, factor, means, medians, sizes

FACTS = ("platform", "cpu", "kernel", "os", "compiler", "flags", "runner", "qemu")
Values = dict[tuple[str, str], float]  # (snapshot, level) -> value
STATIC = ("asm_instructions", "asm_lines", "code_bytes")
NONE = "-"


def folders(asked: str, root: Path = ROOT) -> list[Path]:
    """The two folders that M names.  Raises Failure."""
    names = [name.strip() for name in asked.split(",") if name.strip()]
    there = sorted(path.parent.name for path in (root / "results").glob("*/machine.json"))
    if len(names) != 2:
        raise Failure(f"M={asked}: say two of {', '.join(there) or 'no results'}: M=A,B")
    for name in names:
        if name not in there:
            raise Failure(f"M={asked}: no results/{name}; there is {', '.join(there) or 'none'}")
    found = [root / "results" / name for name in names]
    if found[0].resolve() == found[1].resolve():
        raise Failure(f"M={asked}: the same folder twice")
    return found


def machine(folder: Path) -> dict:
    """A folder's machine.json.  Raises Failure."""
    return {"messages": "", **read_machine(folder, f"results/{folder.name}")}


def inputs(folder: Path) -> dict[tuple[str, ...], str]:
    """Row group -> hash of its inputs; {} where a folder has no provenance.csv."""
    return {
        tuple(group[name] for name in ("study", "snapshot", "level", "case")): group["inputs"]
        for group in read_rows(folder / "provenance.csv")
    }


def words(here: str, there: str) -> tuple[str, str]:
    """Of two lists of flags, what only one of them has."""
    one, other = here.split(), there.split()
    sides = [w for w in one if w not in other], [w for w in other if w not in one]
    return " ".join(sides[0]) or "none", " ".join(sides[1]) or "none"


def differences(one: Path, other: Path) -> list[tuple[str, str, str]]:
    """(what, here, there) of everything that differs.  Raises Failure when the workloads
    do."""
    here, there = machine(one), machine(other)
    if here["messages"] != there["messages"]:
        pair = f"results/{one.name} has MESSAGES={here['messages']}, results/{other.name}"
        raise Failure(f"different workloads: {pair} MESSAGES={there['messages']}")
    pairs = {key: (str(here.get(key, "")), str(there.get(key, ""))) for key in FACTS}
    pairs = {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}
    if "flags" in pairs:
        pairs["flags"] = words(*pairs["flags"])
    found = [(key, pair[0] or "none", pair[1] or "none") for key, pair in pairs.items()]
    both = here["programs"].keys() & there["programs"].keys()
    changed = sum(here["programs"][cell] != there["programs"][cell] for cell in both)
    if changed:
        found.append(("programs", f"{changed} of {len(both)}", "differ from these"))
    first, second = inputs(one), inputs(other)
    groups = first.keys() & second.keys()
    if not groups:
        missing = " and ".join(f.name for f, had in ((one, first), (other, second)) if not had)
        found.append(("inputs", "unknown", f"no provenance.csv in {missing or 'common'}"))
    elif changed := sum(first[group] != second[group] for group in groups):
        found.append(("inputs", f"{changed} of {len(groups)} groups", "differ from these"))
    return found


def values(folder: Path, study: str, metric: str, case: str) -> Values:
    """A metric of every cell, a mean an operation.  Raises ValueError at a damaged file."""
    if metric == "time":
        return dict(medians(read_rows(folder / "times.csv"), study))
    for file in ("counts.csv", "models.csv"):
        found = means(read_rows(folder / file), study, case, metric)
        if found:
            return found
    return dict(sizes(read_rows(folder / "asm.csv"), study, metric))


def aligned(rows: list[list[str]], left: int) -> list[str]:
    """Columns of equal width; the first `left` to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = [str.ljust if i < left else str.rjust for i in range(len(widths))]
    return [
        "  ".join(side(text, w) for side, text, w in zip(sides, row, widths)).rstrip()
        for row in rows
    ]


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
                ratio = factor(b / a) if a and b is not None else NONE
                rows.append([snapshot.name, f"-{level}", number(a), number(b), ratio])
    return aligned(rows, 2)


def title(metric: str, case: str) -> str:
    """What the table shows."""
    if metric == "time":
        return "median time of a round trip, us"
    if metric.startswith("model_"):
        return f"{metric} of {case}: model, not measured; `make models` prints its error"
    return metric if metric in STATIC else f"{metric}, mean of {case}"


def text(asked: str, metric: str, case: str, root: Path = ROOT, study: str = ladder.LADDER) -> str:
    """All that `make compare` prints.  Raises ValueError, one line."""
    one, other = folders(asked, root)
    found = differences(one, other)
    side = table(one, other, study, metric, case)
    lines = [f"results/{one.name} and results/{other.name}", ""]
    if found:
        lines += aligned([["differs", one.name, other.name], *map(list, found)], 3)
    else:
        lines.append("nothing differs but the moment: the same machine, compiler, flags and inputs")
    return "\n".join([*lines, "", title(metric, case), "", *side])


def main(arguments: list[str]) -> int:
    """Command line; 0, or 2 with one line on stderr."""
    asked, metric, case = (*arguments, *("", "", "")[len(arguments) :])[:3]
    try:
        print(text(asked, metric or "instructions", case or "roundtrip-full"), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as fault:
        print(f"compare: {fault}".replace(f"{ROOT}/", ""), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
