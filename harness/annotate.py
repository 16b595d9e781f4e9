"""Exact counts in the format of callgrind, for callgrind_annotate, KCachegrind and gprof2dot.

`python3 -m harness.annotate [--study S] [--results DIR] SNAPSHOT LEVEL` writes
build/annotate/SNAPSHOT-LEVEL.callgrind from DIR/lines.csv and DIR/counts.csv and the program they
were counted in.  Costs are those of case roundtrip-full: Ir instructions, Dr load accesses, Dw
store accesses, each at its address and line; their sum is symbol `total` of counts.csv.  Format:
Valgrind's manual, "Callgrind Format Specification".

Calls are exact, from the branches that the measured program executed.  A call is an executed bl or
blx, or any executed branch, to the first instruction of another function (a tail call counts for
the function that makes it); a conditional one as often as it was taken.  Instructions that the
compiler moved from one function into another belong to where they stand.  What a function costs
with all that it calls is shared out among its callers by numbers of calls.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from harness.cells import Cell
from harness.elf import TOOL, read_elf, snapshot_of, words
from records import ladder, workload
from records.command import run
from records.faults import Failure, command_line
from records.files import digest, replace
from records.machine import read_machine
from records.rows import CELL, Row, read_rows

FOLDER = Path("build/annotate")
NOWHERE = "???"  # the tools' own name for a file that is not known
HARNESS = "harness"  # calls the contract's functions and has no cost of its own here
CONTRACT = ("mont_mul", "mod_exp")  # harness/snapshot.h
SUMS = ("total", "snapshot")  # symbols of counts.csv that are no functions
EVENTS = {"Ir": "instructions", "Dr": "load_accesses", "Dw": "store_accesses"}
Cost = tuple[int, ...]  # one number for each of EVENTS


class Site(NamedTuple):
    """An instruction that calls, the function it stands in, the one it calls, and how often."""

    address: int
    caller: str
    callee: str
    calls: int


@dataclass
class Graph:
    """Functions by name: `entry` (address) in the order of the code, `own` cost, the `sites` of
    calls, and how often the harness calls each from `outside`."""

    entry: dict[str, int]
    own: dict[str, Cost]
    sites: list[Site]
    outside: dict[str, int]

    def calls_of(self, name: str) -> list[Site]:
        """Where it is called."""
        return [site for site in self.sites if site.callee == name]

    def order(self) -> list[str]:
        """Every function after all that it calls.  Raises Failure where one calls itself."""
        callees = {name: [s.callee for s in self.sites if s.caller == name] for name in self.own}
        try:
            return [*TopologicalSorter(callees).static_order()]
        except CycleError as fault:
            why = "calls itself: what its calls cost cannot be told apart"
            raise Failure(f"{fault.args[1][0]} {why}") from None

    def shares(self) -> tuple[dict[str, Cost], dict[int, Cost]]:
        """The cost of each function with all that it calls, and of the calls at each site: the
        callee's by numbers of calls, in whole numbers that add up to it."""
        whole: dict[str, Cost] = {}
        at: dict[int, Cost] = {}
        for name in self.order():
            parts = [at[site.address] for site in self.sites if site.caller == name]
            whole[name] = tuple(map(sum, zip(self.own[name], *parts)))
            sites = self.calls_of(name)
            every, before = self.outside.get(name, 0) + sum(site.calls for site in sites), 0
            for site in sites:
                after = before + site.calls
                at[site.address] = tuple(
                    cost * after // every - cost * before // every for cost in whole[name]
                )
                before = after
        return whole, at


def graph(
    rows: Sequence[Row], entry: dict[str, int], targets: dict[int, int], extra: dict[str, Cost]
) -> Graph:
    """The graph of one program.

    `rows` are its instructions: address, symbol, class, taken and the numbers of EVENTS.  `entry`
    are the first addresses of its functions and of those outside the snapshot that it branches to;
    `extra` what the latter cost.  Raises Failure where the branches do not explain the entries.
    """
    at = {address: name for name, address in entry.items()}
    own: dict[str, Counter[str]] = defaultdict(Counter)
    sites: list[Site] = []
    entered: Counter[str] = Counter()
    for row in rows:
        name, callee = row["symbol"], at.get(targets.get(row["address"], -1))
        own[name].update({event: row[event] for event in EVENTS.values()})
        link = row["class"] == "call"
        if link and callee is None:
            raise Failure(f"{name}: what it calls at {row['address']:#x} is not known")
        if row["address"] == entry[name]:
            entered[name] += row["instructions"]
        if callee and row["taken"] and (link or callee != name):
            sites.append(Site(row["address"], name, callee, row["taken"]))
        elif callee and row["taken"]:
            entered[name] -= row["taken"]  # the top of a loop
    costs = {name: tuple(numbers[e] for e in EVENTS.values()) for name, numbers in own.items()}
    made = Graph(entry, {**costs, **extra}, sites, {})
    for name in costs:  # the contract and whatever nobody else calls, the harness calls
        called = sum(site.calls for site in made.calls_of(name))
        made.outside[name] = missing = entered[name] - called
        if missing < 0 or (missing and called and name not in CONTRACT):
            why = f"entered {entered[name]:,} times and called {called:,} times"
            raise Failure(f"{name}: {why}; these are no counts of this program")
    return made


# ---- from a results folder to a file


def counted(cell: Cell, folder: Path) -> tuple[dict[str, Any], list[Row], dict[str, Cost]]:
    """machine.json, the cell's rows of lines.csv, and symbol -> costs from counts.csv.  Raises
    Failure unless both were counted in the program on disk."""
    facts = read_machine(folder)
    if not cell.program.exists() or facts["programs"].get(cell.label) != digest(cell.program):
        raise Failure(f"{folder}: was not counted in {cell.program}; {again(cell)}")
    case = workload.main_case(facts.get("messages", "default"))
    place = [cell.snapshot.study, cell.snapshot.name, cell.level, case]
    lines, symbols = (
        [row for row in read_rows(folder / file) if [row[c] for c in (*CELL, "case")] == place]
        for file in ("lines.csv", "counts.csv")
    )
    if not lines:
        raise Failure(f"{folder}/lines.csv: no exact counts of {cell.label}; they need qemu-arm")
    costs: dict[str, Counter[str]] = defaultdict(Counter)
    for row in symbols:
        costs[row["symbol"]][row["metric"]] = row["value"]
    return facts, lines, {s: tuple(n[e] for e in EVENTS.values()) for s, n in costs.items()}


def again(cell: Cell) -> str:
    """What makes results of the cell."""
    study = "" if cell.snapshot.study == ladder.LADDER else f" STUDY={cell.snapshot.study}"
    return f"`make annotate V={cell.snapshot.name} LEVEL={cell.level}{study}` measures it first"


def build(cell: Cell, rows: list[Row], costs: dict[str, Cost]) -> tuple[list[Row], Graph]:
    """The rows with `address`, `symbol` and `path`, in the order of the code, and the calls.
    Raises Failure."""
    elf = read_elf(cell.program)
    targets = {word.address: word.target for word in words(cell.program) if word.target}
    start = snapshot_of(cell.program).start
    for row in rows:
        row["address"] = start + int(row["offset"], 16)
        row["symbol"] = elf.function(row["address"])
        row["path"] = f"{place_of(cell)}/{row['file']}" if row["file"] else NOWHERE
    rows = sorted(rows, key=lambda row: row["address"])
    entry = {row["symbol"]: row["address"] for row in reversed(rows)}
    extra = {name: cost for name, cost in costs.items() if name not in (*SUMS, *entry)}
    for address in sorted(set(targets.values())):
        if elf.function(address) in extra:
            entry.setdefault(elf.function(address), address)
    return rows, graph(rows, entry, targets, extra)


def head(cell: Cell, facts: dict[str, Any], row: Row, total: Cost) -> list[str]:
    """The lines that say what the numbers are."""
    case, n = row["case"], row["n"]
    measured = Cell(cell.snapshot, cell.level, facts.get("messages", "default"))
    runs = [" ".join(task.arguments) for task in measured.tasks if task.case == case]
    clean = "" if facts.get("git_clean") else " (tree not clean)"
    return [
        "# callgrind format",
        "version: 1",
        "creator: exact counts of rsalab",
        f"cmd: {'; '.join(runs)}",
        f"desc: Workload: {n} round trips of {case}; the numbers are totals of all of them",
        f"desc: Platform: {facts['platform']}",
        f"desc: Compiler: {facts['compiler']}",
        f"desc: Flags: {facts['flags']} -{cell.level} -DWIDTH={cell.snapshot.width}",
        f"desc: Revision: {facts['git_revision']}{clean}",
        "desc: Exact: every cost of a line, an instruction or a function itself; all calls",
        "desc: Inclusive cost of a call: the function's, shared out by numbers of calls",
        "desc: Emulated time is no result: there is none here",
        "positions: instr line",
        "event: Ir : Instructions executed",
        "event: Dr : Load accesses",
        "event: Dw : Store accesses",
        f"events: {' '.join(EVENTS)}",
        f"summary: {' '.join(map(str, total))}",
        "",
        f"ob={cell.program}",
    ]


def place_of(cell: Cell) -> str:
    """The folder of the snapshot's sources, from the root of the repository."""
    return cell.snapshot.path.relative_to(ladder.ROOT).as_posix()


def homes(cell: Cell, rows: list[Row]) -> dict[str, str]:
    """The file that each function itself stands in, whatever is inlined at its first instruction.
    Raises Failure."""
    form = rf"(?m) [Tt] (\S+)\t(?:.*/)?({re.escape(place_of(cell))}/[^/:]+):"
    known = dict(re.findall(form, run([TOOL + "nm", "-l", cell.program])))
    first = {row["symbol"]: row["path"] for row in reversed(rows)}
    return defaultdict(lambda: NOWHERE, {**first, **known})


def body(cell: Cell, rows: list[Row], made: Graph) -> Iterator[str]:
    """Cost lines, by function, with the calls after the instruction that makes them."""
    whole, shares = made.shares()
    sites = {site.address: site for site in made.sites}
    line, home = {row["address"]: row["line"] for row in rows}, homes(cell, rows)

    def call(name: str, n: int) -> str:
        entry = made.entry[name]
        return f"cfi={home[name]}\ncfn={name}\ncalls={n} {entry:#x} {line.get(entry, 0)}"

    symbol = file = ""
    for row in rows:
        at = row["path"]
        if row["symbol"] != symbol:
            symbol, file = row["symbol"], home[row["symbol"]]
            yield f"\nfl={file}\nfn={symbol}"
        if at != file:
            yield f"{'fe' if at == home[symbol] else 'fi'}={at}"
            file = at
        position = f"{row['address']:#x} {row['line']}"
        yield f"{position} {' '.join(str(row[event]) for event in EVENTS.values())}"
        if site := sites.get(row["address"]):
            yield call(site.callee, site.calls)
            yield f"{position} {' '.join(map(str, shares[site.address]))}"
    for name in sorted(set(made.own) - {row["symbol"] for row in rows}):
        cost = " ".join(map(str, made.own[name]))
        yield f"\nfl={NOWHERE}\nfn={name}\n{made.entry.get(name, 0):#x} 0 {cost}"
    yield f"\nfl={NOWHERE}\nfn={HARNESS}"
    for name, n in filter(lambda item: item[1], made.outside.items()):
        spent = [shares[site.address] for site in made.calls_of(name)]
        rest = [str(cost - sum(parts)) for cost, *parts in zip(whole[name], *spent)]
        yield f"{call(name, n)}\n0x0 0 {' '.join(rest)}"


def text(cell: Cell, folder: Path) -> str:
    """The whole file.  Raises Failure, and ValueError or OSError for results that are not whole."""
    facts, lines, costs = counted(cell, folder)
    rows, made = build(cell, lines, costs)
    total = tuple(map(sum, zip(*made.own.values())))
    if total != costs.get("total"):
        raise Failure(f"{folder}: lines.csv and counts.csv are not of one run; {again(cell)}")
    end = f"\ntotals: {' '.join(map(str, total))}"
    return "\n".join([*head(cell, facts, rows[0], total), *body(cell, rows, made), end]) + "\n"


def main() -> None:
    """Command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--study", default=ladder.LADDER)
    parser.add_argument("--results", type=Path, default=Path("results/local"))
    parser.add_argument("snapshot")
    parser.add_argument("level")
    options = parser.parse_args()
    if not options.snapshot:
        raise Failure("say which: make annotate V=v6 LEVEL=O1")
    snapshot = ladder.find(options.snapshot, options.study)
    if options.level not in ladder.levels():
        raise Failure(f"no level '{options.level}'; there are: {' '.join(ladder.levels())}")
    cell = Cell(snapshot, options.level, "default")
    study = "" if options.study == ladder.LADDER else f"{options.study}-"
    path = FOLDER / f"{study}{options.snapshot}-{options.level}.callgrind"
    replace(path, text(cell, options.results))
    print(f"  ANNOTATE  {path}")
    print(f"  open it:  callgrind_annotate {path}    or: kcachegrind {path}")


if __name__ == "__main__":
    sys.exit(command_line("annotate", main))
