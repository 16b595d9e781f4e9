"""Exact counts in the format of callgrind, for callgrind_annotate, KCachegrind
and gprof2dot.

`python3 -m harness annotate [--study S] SNAPSHOT LEVEL` prints the ten hottest lines and writes
build/annotate/SNAPSHOT-LEVEL.callgrind of the counts that are kept beside the program: Ir are
instructions, Dr load accesses, Dw store accesses, each at its address and line; their sum is symbol
`total` of counts.csv.  The format is in Valgrind's manual, "Callgrind Format Specification".

Beside it, SNAPSHOT-LEVEL.speedscope.json is the tree of calls with code that was inlined
(harness/call_tree.py), a flame graph for speedscope.  In the first file, what a function costs with all
that it calls is shared out among its callers by numbers of calls.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from harness.call_tree import Cost, Frame, Site, Tree, entries, shares, stacks
from harness.cells import Cell
from harness.elf import TOOL, read_elf, snapshot_of
from records import ladder, workloads
from records.faults import Failure, run
from records.files import replace
from records.machine import read_machine
from records.rows import Row
from records.tables import aligned

FOLDER = Path("build/annotate")
LOCAL = Path("results/local")
NOWHERE = "???"  # the tools' own name for a file that is not known
HARNESS = "harness"  # what calls ROOT; it has no cost of its own here
ROOT = "mod_exp"
SUMS = ("total", "snapshot")  # symbols of counts.csv that are no functions
EVENTS = ("instructions", "load_accesses", "store_accesses")
WIDE = 80  # columns of what is printed
HEAD = """# callgrind format
version: 1
creator: exact counts of rsalab
cmd: {commands}
desc: Workload: {n} round trips of {workload}; the numbers are totals of all of them
desc: Platform: {platform}
desc: Compiler: {compiler}
desc: Flags: {flags} -{level} -DWIDTH={width}
desc: Revision: {git_revision}{clean}
desc: Exact, but what a call costs: the function's, shared out by numbers of calls
positions: instr line
event: Ir : Instructions executed
event: Dr : Load accesses
event: Dw : Store accesses
events: Ir Dr Dw
summary: {total}

ob={program}"""


# ---- From counts to a file


def counted(cell: Cell) -> tuple[list[Row], dict[str, Cost]]:
    """Return the cell's rows of lines.csv with their `address`, `symbol`, `path`
    and `cost`, in the order of the code, and symbol -> costs.  Raises
    Failure where its program was not counted."""
    rows = list(cell.line_rows())
    if not rows:
        raise Failure(f"{cell.label}: no exact counts; `make annotate` takes them")
    elf = read_elf(cell.program)
    start = snapshot_of(cell.program).start
    for row in rows:
        row["address"] = start + int(row["offset"], 16)
        row["symbol"] = elf.function(row["address"])
        row["path"] = f"{cell.source}/{row['file']}" if row["file"] else NOWHERE
        row["cost"] = tuple(row[event] for event in EVENTS)
    _, sums = cell.totals(workloads.main_workload(cell.messages))
    costs = {}
    for symbol in {symbol for symbol, _ in sums}:
        costs[symbol] = tuple(sums[symbol, event] for event in EVENTS)
    return sorted(rows, key=itemgetter("address")), costs


def joined(cost: Cost) -> str:
    """Return the numbers of a line."""
    return " ".join(map(str, cost))


def homes(cell: Cell, first: Mapping[str, Row]) -> dict[str, str]:
    """Return the file that each function itself stands in, whatever is
    inlined at its first instruction; that of `first` where nothing else is known."""
    source = re.escape(str(cell.source))
    form = rf"(?m) [Tt] (\S+)\t(?:.*/)?({source}/[^/:]+):"
    found: dict[str, str] = defaultdict(lambda: NOWHERE)
    for name, row in first.items():
        found[name] = row["path"]
    symbols = run([TOOL + "nm", "-l", cell.program])
    found.update(re.findall(form, symbols))
    return found


def outside(rows: Sequence[Row], costs: Mapping[str, Cost]) -> list[str]:
    """Return the functions outside the snapshot that it calls."""
    return sorted(costs.keys() - set(SUMS) - {row["symbol"] for row in rows})


def body(
    cell: Cell,
    rows: list[Row],
    costs: dict[str, Cost],
    entry: dict[str, int],
    sites: dict[int, Site],
) -> Iterator[str]:
    """Yield cost lines, by function, with the calls after the instruction
    that makes them."""
    first = {row["symbol"]: row for row in reversed(rows)}
    own = {name: cost for name, cost in costs.items() if name not in SUMS}
    home = homes(cell, first)
    whole, at = shares(own, sites.values())

    def call(name: str, n: int) -> str:
        line = first[name]["line"] if name in first else 0
        return f"cfi={home[name]}\ncfn={name}\ncalls={n} {entry[name]:#x} {line}"

    for name, of_function in groupby(rows, key=itemgetter("symbol")):
        file = home[name]
        yield f"\nfl={file}\nfn={name}"
        for row in of_function:
            if row["path"] != file:
                file = row["path"]
                mark = "fe" if file == home[name] else "fi"
                yield f"{mark}={file}"
            position = f"{row['address']:#x} {row['line']}"
            yield f"{position} {joined(row['cost'])}"
            if site := sites.get(row["address"]):
                yield call(site.callee, site.calls)
                yield f"{position} {joined(at[site.address])}"
    for name in outside(rows, costs):
        yield f"\nfl={NOWHERE}\nfn={name}\n{entry.get(name, 0):#x} 0 {joined(own[name])}"
    yield f"\nfl={NOWHERE}\nfn={HARNESS}"
    yield f"{call(ROOT, first[ROOT]['instructions'])}\n0x0 0 {joined(whole[ROOT])}"


def speedscope(name: str, tree: Frame) -> dict[str, Any]:
    """Return a tree of calls in the format of speedscope, https://www.speedscope.app."""
    numbers: dict[str, int] = {}
    samples = []
    weights = []
    for stack, own in stacks(tree):
        samples.append([numbers.setdefault(frame, len(numbers)) for frame in stack])
        weights.append(own)
    profile = {
        "type": "sampled",
        "name": f"{name}: instructions",
        "unit": "none",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": name,
        "exporter": "exact counts of rsalab",
        "shared": {"frames": [{"name": frame} for frame in numbers]},
        "profiles": [profile],
    }


def hottest(rows: Sequence[Row], total: int) -> list[str]:
    """Return the ten lines of the source that execute most: instructions a round
    trip, their share of all, where the line is and what it says, cut at WIDE
    columns."""
    lines: Counter[tuple[str, int]] = Counter()
    for row in rows:
        lines[row["path"], row["line"]] += row["instructions"]
    trips = rows[0]["n"]
    table = [("a round trip", "share", "line", "")]
    for (path, number), n in lines.most_common(10):
        text = ""
        if path != NOWHERE and number != 0:  # 0: of no line
            lines_of_source = Path(path).read_text("utf-8", "replace").splitlines()
            if number > len(lines_of_source):
                raise Failure(
                    f"{path}: has changed since it was counted; `make annotate` again"
                )
            text = lines_of_source[number - 1].strip()
        mean = f"{n / trips:,.0f}"
        line = f"{Path(path).name}:{number}"
        table.append((mean, f"{n / total:.1%}", line, text))
    return [f"  {line}"[:WIDE].rstrip() for line in aligned(table, left=(2, 3))]


def main(snapshot: str, level: str, study: str = ladder.LADDER) -> None:
    """Write what was counted in the format of callgrind, and print the
    hottest lines.  Raises Failure and OSError."""
    if not snapshot:
        raise Failure("say which: make annotate V=v6 LEVEL=O1")
    rung = ladder.find(snapshot, study)
    if level not in ladder.levels():
        raise Failure(f"no level '{level}'; there are: {' '.join(ladder.levels())}")
    facts = read_machine(LOCAL)
    cell = Cell(rung, level, facts.get("messages", "default"))
    rows, costs = counted(cell)
    workload = rows[0]["workload"]
    runs = [" ".join(run.arguments) for run in cell.by_workload()[workload]]
    facts["level"] = level
    facts["width"] = rung.width
    facts["program"] = cell.program
    facts["n"] = rows[0]["n"]
    facts["workload"] = workload
    facts["total"] = joined(costs["total"])
    facts["commands"] = "; ".join(runs)
    facts["clean"] = "" if facts.get("git_clean") else " (tree not clean)"
    head = HEAD.format(**facts)
    before = "" if study == ladder.LADDER else f"{study}-"
    name = f"{before}{snapshot}-{level}"
    path = FOLDER / f"{name}.callgrind"
    flames = FOLDER / f"{name}.speedscope.json"
    others = outside(rows, costs)
    entry, sites = entries(cell.program, rows, others)
    lines = body(cell, rows, costs, entry, sites)
    replace(path, "\n".join([head, *lines]) + "\n")
    tree = Tree(rows, {other: costs[other][0] for other in others}, sites)
    profile = speedscope(f"{rung.label} -{level}", tree.frame(ROOT))
    replace(flames, json.dumps(profile, indent=1) + "\n")
    print("\n".join(hottest(rows, costs["total"][0])))
    print(f"  ANNOTATE  {path}\n  open it:  callgrind_annotate {path}")
    print(f"  or:       kcachegrind {path}")
    print(f"  flames:   {flames}, for https://www.speedscope.app")
