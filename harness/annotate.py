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

FOLDER, LOCAL = Path("build/annotate"), Path("results/local")
NOWHERE = "???"  # the tools' own name for a file that is not known
HARNESS, ROOT = "harness", "mod_exp"  # the one calls the other, and has no cost of its own here
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
    """Where functions are called, by address.

    `rows` are a program's instructions: address, symbol, class and taken.
    `entry` are the first addresses of its functions and of those outside
    the snapshot that it branches to.
    """
    at = {address: name for name, address in entry.items()}
    sites = {}
    for row in rows:
        name, callee = row["symbol"], at.get(targets.get(row["address"], -1))
        # A branch of a function to its own beginning is no call, but the top of a loop.
        if callee and row["taken"] and (row["class"] == "call" or callee != name):
            sites[row["address"]] = Site(row["address"], name, callee, row["taken"])
    return sites


def shares(
    own: Mapping[str, Cost], sites: Iterable[Site]
) -> tuple[dict[str, Cost], dict[int, Cost]]:
    """The cost of each function with all that it calls, and of the calls at
    each site: the callee's by numbers of calls, in whole numbers that add
    up to it.  Raises ValueError where a function calls itself: then what its
    calls cost cannot be told apart."""
    whole: dict[str, Cost] = {}
    at: dict[int, Cost] = {}
    callees = {name: [site.callee for site in sites if site.caller == name] for name in own}
    for name in TopologicalSorter(callees).static_order():  # after all that it calls
        parts = [at[site.address] for site in sites if site.caller == name]
        whole[name] = tuple(map(sum, zip(own[name], *parts)))
        here = [site for site in sites if site.callee == name]
        every, before = sum(site.calls for site in here), 0
        for site in here:
            after = before + site.calls
            at[site.address] = tuple(
                cost * after // every - cost * before // every for cost in whole[name]
            )
            before = after
    return whole, at


# ---- From counts to a file


def counted(cell: Cell) -> tuple[list[Row], dict[str, Cost]]:
    """The cell's rows of lines.csv with their `address`, `symbol`, `path`
    and `cost`, in the order of the code, and symbol -> costs.  Raises
    Failure where its program was not counted."""
    rows, (_, sums) = list(cell.line_rows()), cell.totals(workload.main_case(cell.messages))
    if not rows:
        raise Failure(f"{cell.label}: no exact counts; `make annotate` takes them")
    elf, start = read_elf(cell.program), snapshot_of(cell.program).start
    for row in rows:
        row["address"] = start + int(row["offset"], 16)
        row["symbol"] = elf.function(row["address"])
        row["path"] = f"{cell.source}/{row['file']}" if row["file"] else NOWHERE
        row["cost"] = tuple(row[event] for event in EVENTS)
    symbols = {symbol for symbol, _ in sums}
    costs = {name: tuple(sums[name, event] for event in EVENTS) for name in symbols}
    return sorted(rows, key=lambda row: int(row["address"])), costs


def joined(cost: Cost) -> str:
    """The numbers of a line."""
    return " ".join(map(str, cost))


def body(cell: Cell, rows: list[Row], costs: dict[str, Cost]) -> Iterator[str]:
    """Cost lines, by function, with the calls after the instruction that
    makes them.  Raises Failure."""
    elf, first = read_elf(cell.program), {row["symbol"]: row for row in reversed(rows)}
    own = {name: cost for name, cost in costs.items() if name not in SUMS}
    extra = sorted(own.keys() - first)
    entry = {name: row["address"] for name, row in first.items()}
    targets = {word.address: word.target for word in words(cell.program) if word.target}
    entry |= {elf.function(at): at for at in targets.values() if elf.function(at) in extra}
    # The file that each function itself stands in, whatever is inlined at its first instruction.
    form = rf"(?m) [Tt] (\S+)\t(?:.*/)?({re.escape(str(cell.source))}/[^/:]+):"
    home = defaultdict(lambda: NOWHERE, {name: row["path"] for name, row in first.items()})
    home.update(re.findall(form, run([TOOL + "nm", "-l", cell.program])))
    sites = calls(rows, entry, targets)
    whole, at = shares(own, sites.values())

    def call(name: str, n: int) -> str:
        line = first[name]["line"] if name in first else 0
        return f"cfi={home[name]}\ncfn={name}\ncalls={n} {entry[name]:#x} {line}"

    for name, here in groupby(rows, key=lambda row: str(row["symbol"])):
        file = home[name]
        yield f"\nfl={file}\nfn={name}"
        for row in here:
            if row["path"] != file:
                file = row["path"]
                yield f"{'fe' if file == home[name] else 'fi'}={file}"
            position = f"{row['address']:#x} {row['line']}"
            yield f"{position} {joined(row['cost'])}"
            if site := sites.get(row["address"]):
                yield f"{call(site.callee, site.calls)}\n{position} {joined(at[site.address])}"
    for name in extra:
        yield f"\nfl={NOWHERE}\nfn={name}\n{entry.get(name, 0):#x} 0 {joined(own[name])}"
    yield f"\nfl={NOWHERE}\nfn={HARNESS}"
    yield f"{call(ROOT, first[ROOT]['instructions'])}\n0x0 0 {joined(whole[ROOT])}"


def hottest(rows: Sequence[Row], total: int) -> list[str]:
    """The ten lines of the source that execute most: instructions a round
    trip, their share of all, where the line is and what it says, cut at WIDE
    columns."""
    lines: Counter[tuple[str, int]] = Counter()
    for row in rows:
        lines[row["path"], row["line"]] += row["instructions"]
    table = [("a round trip", "share", "line", "")]
    for (path, number), n in lines.most_common(10):
        text = ""
        if path != NOWHERE and number != 0:  # 0: of no line
            lines_of_source = Path(path).read_text("utf-8", "replace").splitlines()
            if number > len(lines_of_source):
                raise Failure(f"{path}: has changed since it was counted; `make annotate` again")
            text = lines_of_source[number - 1].strip()
        table.append(
            (f"{n / rows[0]['n']:,.0f}", f"{n / total:.1%}", f"{Path(path).name}:{number}", text)
        )
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
    facts |= {"level": level, "width": rung.width, "program": cell.program}
    facts |= {"n": rows[0]["n"], "case": rows[0]["case"], "total": joined(costs["total"])}
    runs = [" ".join(task.arguments) for task in cell.cases()[rows[0]["case"]]]
    clean = "" if facts.get("git_clean") else " (tree not clean)"
    head = HEAD.format(**facts, commands="; ".join(runs), clean=clean)
    before = "" if study == ladder.LADDER else f"{study}-"
    path = FOLDER / f"{before}{snapshot}-{level}.callgrind"
    replace(path, "\n".join([head, *body(cell, rows, costs)]) + "\n")
    print("\n".join(hottest(rows, costs["total"][0])))
    print(f"  ANNOTATE  {path}\n  open it:  callgrind_annotate {path}")
    print(f"  or:       kcachegrind {path}")
