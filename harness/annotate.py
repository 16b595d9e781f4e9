"""Exact counts in the format of callgrind, for callgrind_annotate, KCachegrind
and gprof2dot.

`python3 -m harness annotate [--study S] SNAPSHOT LEVEL` prints the ten hottest lines and writes
build/annotate/SNAPSHOT-LEVEL.callgrind of the counts that are kept beside the program: Ir are
instructions, Dr load accesses, Dw store accesses, each at its address and line; their sum is symbol
`total` of counts.csv.  The format is in Valgrind's manual, "Callgrind Format Specification".

Calls are exact, from the branches that the measured program executed.  A call
is an executed bl or blx, or any executed branch, to the first instruction of
another function (a tail call counts for the function that makes it); a
conditional one as often as it was taken.  Instructions that the compiler moved
from one function into another belong to where they stand.  What a function
costs with all that it calls is shared out among its callers by numbers of
calls.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from harness.cells import Cell
from harness.elf import TOOL, read_elf, snapshot_of, words
from records import ladder, workload
from records.faults import Failure, run
from records.files import replace
from records.machine import read_machine
from records.rows import Row
from records.tables import aligned

FOLDER = Path("build/annotate")
LOCAL = Path("results/local")
NOWHERE = "???"  # the tools' own name for a file that is not known
HARNESS, ROOT = (
    "harness",
    "mod_exp",
)  # the one calls the other, and has no cost of its own here
SUMS = ("total", "snapshot")  # symbols of counts.csv that are no functions
EVENTS = ("instructions", "load_accesses", "store_accesses")
WIDE = 80  # columns of what is printed
Cost = tuple[int, ...]  # one number for each of EVENTS
HEAD = """# callgrind format
version: 1
creator: exact counts of rsalab
cmd: {commands}
desc: Workload: {n} round trips of {case}; the numbers are totals of all of them
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


# ---- Who calls whom, and what it costs


class Site(NamedTuple):
    """An instruction that calls, the function it stands in, the one it calls, and how often."""

    address: int
    caller: str
    callee: str
    calls: int


def calls(
    rows: Sequence[Row], entry: Mapping[str, int], targets: Mapping[int, int]
) -> dict[int, Site]:
    """Return where functions are called, by address.

    `rows` are a program's instructions: address, symbol, class and taken.
    `entry` are the first addresses of its functions and of those outside
    the snapshot that it branches to.
    """
    at = {address: name for name, address in entry.items()}
    sites = {}
    for row in rows:
        address = row["address"]
        caller = row["symbol"]
        callee = at.get(targets.get(address, -1))
        if not callee or not row["taken"]:
            continue
        # A branch of a function to its own beginning is no call, but the top of a loop.
        if row["class"] == "call" or callee != caller:
            sites[address] = Site(address, caller, callee, row["taken"])
    return sites


def shares(
    own: Mapping[str, Cost], sites: Iterable[Site]
) -> tuple[dict[str, Cost], dict[int, Cost]]:
    """Return the cost of each function with all that it calls, and of the calls at
    each site: the callee's by numbers of calls, in whole numbers that add
    up to it.  Raises ValueError where a function calls itself: then what its
    calls cost cannot be told apart."""
    whole: dict[str, Cost] = {}
    at: dict[int, Cost] = {}
    callees = {
        name: [site.callee for site in sites if site.caller == name] for name in own
    }
    for name in TopologicalSorter(callees).static_order():  # after all that it calls
        parts = [at[site.address] for site in sites if site.caller == name]
        whole[name] = tuple(map(sum, zip(own[name], *parts)))
        of_name = [site for site in sites if site.callee == name]
        every = sum(site.calls for site in of_name)
        before = 0
        for site in of_name:
            after = before + site.calls
            parts_of_site = []
            for cost in whole[name]:
                part = cost * after // every - cost * before // every
                parts_of_site.append(part)
            at[site.address] = tuple(parts_of_site)
            before = after
    return whole, at


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
    _, sums = cell.totals(workload.main_case(cell.messages))
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


def body(cell: Cell, rows: list[Row], costs: dict[str, Cost]) -> Iterator[str]:
    """Yield cost lines, by function, with the calls after the instruction
    that makes them.  Raises Failure."""
    elf = read_elf(cell.program)
    first = {row["symbol"]: row for row in reversed(rows)}
    own = {name: cost for name, cost in costs.items() if name not in SUMS}
    extra = sorted(own.keys() - first)
    entry = {name: row["address"] for name, row in first.items()}
    targets = {word.address: word.target for word in words(cell.program) if word.target}
    for target in targets.values():
        if elf.function(target) in extra:
            entry[elf.function(target)] = target
    home = homes(cell, first)
    sites = calls(rows, entry, targets)
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
    for name in extra:
        yield f"\nfl={NOWHERE}\nfn={name}\n{entry.get(name, 0):#x} 0 {joined(own[name])}"
    yield f"\nfl={NOWHERE}\nfn={HARNESS}"
    yield f"{call(ROOT, first[ROOT]['instructions'])}\n0x0 0 {joined(whole[ROOT])}"


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
    case = rows[0]["case"]
    runs = [" ".join(task.arguments) for task in cell.cases()[case]]
    facts["level"] = level
    facts["width"] = rung.width
    facts["program"] = cell.program
    facts["n"] = rows[0]["n"]
    facts["case"] = case
    facts["total"] = joined(costs["total"])
    facts["commands"] = "; ".join(runs)
    facts["clean"] = "" if facts.get("git_clean") else " (tree not clean)"
    head = HEAD.format(**facts)
    before = "" if study == ladder.LADDER else f"{study}-"
    path = FOLDER / f"{before}{snapshot}-{level}.callgrind"
    replace(path, "\n".join([head, *body(cell, rows, costs)]) + "\n")
    print("\n".join(hottest(rows, costs["total"][0])))
    print(f"  ANNOTATE  {path}\n  open it:  callgrind_annotate {path}")
    print(f"  or:       kcachegrind {path}")
