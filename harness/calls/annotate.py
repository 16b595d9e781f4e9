"""Exact counts in the format of callgrind, for callgrind_annotate, KCachegrind and gprof2dot.

`python3 -m harness.calls.annotate [--study S] [--results DIR] SNAPSHOT LEVEL` writes
build/annotate/SNAPSHOT-LEVEL.callgrind from DIR/lines.csv and DIR/counts.csv and the program they
were counted in.  Costs are those of case roundtrip-full: Ir instructions, Dr load accesses, Dw
store accesses, each at its address and line; their sum is symbol `total` of counts.csv.  Format:
Valgrind's manual, "Callgrind Format Specification".
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.calls import calls
from harness.calls.calls import EVENTS, Cost, Graph
from harness.cells import Cell
from harness.elf import TOOL, read_elf, snapshot_of
from records import ladder, workload
from records.command import run
from records.faults import Failure, command_line
from records.files import digest, replace
from records.machine import read_machine
from records.rows import CELL, Row, read_rows

FOLDER = Path("build/annotate")
NOWHERE = "???"  # the tools' own name for a file that is not known
HARNESS = "harness"  # calls the contract's functions and has no cost of its own here
PLACE = (*CELL, "case")
SUMS = ("total", "snapshot")


def read(cell: Cell, folder: Path) -> tuple[dict[str, Any], list[Row], dict[str, Cost]]:
    """machine.json, the cell's rows of lines.csv, and symbol -> costs from counts.csv.  Raises
    Failure unless both were counted in the program on disk."""
    facts = read_machine(folder)
    if not cell.program.exists() or facts["programs"].get(cell.label) != digest(cell.program):
        raise Failure(f"{folder}: was not counted in {cell.program}; {again(cell)}")
    case = workload.main_case(facts.get("messages", "default"))
    place = [cell.snapshot.study, cell.snapshot.name, cell.level, case]
    found, counted = (
        [row for row in read_rows(folder / file) if [row[name] for name in PLACE] == place]
        for file in ("lines.csv", "counts.csv")
    )
    if not found:
        raise Failure(f"{folder}/lines.csv: no exact counts of {cell.label}; they need qemu-arm")
    costs: dict[str, Counter[str]] = defaultdict(Counter)
    for row in counted:
        costs[row["symbol"]][row["metric"]] = row["value"]
    events = EVENTS.values()
    return facts, found, {name: tuple(n[e] for e in events) for name, n in costs.items()}


def again(cell: Cell) -> str:
    """What makes results of the cell."""
    study = "" if cell.snapshot.study == ladder.LADDER else f" STUDY={cell.snapshot.study}"
    return f"`make annotate V={cell.snapshot.name} LEVEL={cell.level}{study}` measures it first"


def build(cell: Cell, rows: list[Row], costs: dict[str, Cost]) -> tuple[list[Row], Graph]:
    """The rows with `address` and `symbol`, in the order of the code, and the calls.  Raises
    Failure."""
    elf, code = read_elf(cell.program), calls.disassemble(cell.program)
    start = snapshot_of(cell.program).start
    for row in rows:
        row["address"] = start + int(row["offset"], 16)
        row["symbol"] = elf.function(row["address"])
    rows = sorted(rows, key=lambda row: row["address"])
    entry = {row["symbol"]: row["address"] for row in reversed(rows)}
    extra = {name: cost for name, cost in costs.items() if name not in (*SUMS, *entry)}
    for address in sorted(set(code.targets.values())):
        if elf.function(address) in extra:
            entry.setdefault(elf.function(address), address)
    return rows, calls.graph(rows, entry, code, extra)


def description(cell: Cell, facts: dict[str, Any], made: Graph) -> Iterator[str]:
    """The lines of the header that say what the numbers are."""
    yield f"desc: Platform: {facts['platform']}"
    yield f"desc: Compiler: {facts['compiler']}"
    yield f"desc: Flags: {facts['flags']} -{cell.level} -DWIDTH={cell.snapshot.width}"
    clean = "" if facts.get("git_clean") else " (tree not clean)"
    yield f"desc: Revision: {facts['git_revision']}{clean}"
    yield "desc: Exact: every cost of a line, an instruction or a function itself; all calls"
    exact = made.exact()
    called = dict.fromkeys(site.callee for site in made.sites)
    known = " ".join(name for name in called if name in exact)
    shared = " ".join(name for name in called if name not in exact)
    yield f"desc: Inclusive cost of a call: exact for {known or 'none'}"
    yield f"desc: Inclusive cost of a call: a model, by numbers of calls, for {shared or 'none'}"
    yield "desc: Emulated time is no result: there is none here"


def homes(cell: Cell, entry: dict[str, int]) -> dict[str, str]:
    """The file that each function itself stands in, whatever is inlined at its first instruction.
    Raises Failure."""
    place = cell.snapshot.path.relative_to(ladder.ROOT).as_posix()
    asked = "".join(f"{address:#x}\n" for address in entry.values())
    said = run([TOOL + "addr2line", "-a", "-i", "-e", cell.program], input=asked)
    found: dict[int, str] = {}
    for block in re.split("(?m)^0x", said)[1:]:  # an address, its line, and those of its inliners
        address, *places = block.splitlines()
        inside = re.match(rf"(?:.*/)?({re.escape(place)}/[^/:]+):", places[-1])
        found[int(address, 16)] = inside[1] if inside else NOWHERE
    return {name: found[address] for name, address in entry.items()}


def body(cell: Cell, rows: list[Row], made: Graph) -> Iterator[str]:
    """Cost lines, by function, with the calls after the instruction that makes them."""
    whole, shares = made.shares()
    sites = {site.address: site for site in made.sites}
    place = cell.snapshot.path.relative_to(ladder.ROOT).as_posix()
    line = {row["address"]: row["line"] for row in rows}
    home = homes(cell, made.entry)
    symbol = file = ""
    for row in rows:
        at = f"{place}/{row['file']}" if row["file"] else NOWHERE
        if row["symbol"] != symbol:
            symbol, file = row["symbol"], home[row["symbol"]]
            yield f"\nfl={file}\nfn={symbol}"
        if at != file:
            yield f"{'fe' if at == home[symbol] else 'fi'}={at}"
            file = at
        numbers = " ".join(str(row[name]) for name in EVENTS.values())
        yield f"{row['address']:#x} {row['line']} {numbers}"
        site = sites.get(row["address"])
        if site:
            entry = made.entry[site.callee]
            yield f"cfi={home[site.callee]}\ncfn={site.callee}"
            yield f"calls={site.calls} {entry:#x} {line.get(entry, 0)}"
            yield f"{row['address']:#x} {row['line']} {' '.join(map(str, shares[site.address]))}"
    for name in sorted(set(made.own) - {row["symbol"] for row in rows}):
        cost = " ".join(map(str, made.own[name]))
        yield f"\nfl={NOWHERE}\nfn={name}\n{made.entry.get(name, 0):#x} 0 {cost}"
    yield f"\nfl={NOWHERE}\nfn={HARNESS}"
    for name, n in made.outside.items():
        spent = [shares[site.address] for site in made.calls_of(name)]
        rest = [cost - sum(parts) for cost, *parts in zip(whole[name], *spent)]
        if n:
            entry = made.entry[name]
            yield f"cfi={home[name]}\ncfn={name}\ncalls={n} {entry:#x} {line[entry]}"
            yield f"0x0 0 {' '.join(map(str, rest))}"


def text(cell: Cell, folder: Path) -> str:
    """The whole file.  Raises Failure, and ValueError or OSError for results that are not whole."""
    facts, found, costs = read(cell, folder)
    rows, made = build(cell, found, costs)
    total = tuple(map(sum, zip(*made.own.values())))
    if total != costs.get("total"):
        raise Failure(f"{folder}: lines.csv and counts.csv are not of one run; {again(cell)}")
    case, n = found[0]["case"], found[0]["n"]
    counted = Cell(cell.snapshot, cell.level, facts.get("messages", "default"))
    runs = [" ".join(task.arguments) for task in counted.tasks if task.case == case]
    head = [
        "# callgrind format",
        "version: 1",
        "creator: exact counts of rsalab",
        f"cmd: {'; '.join(runs)}",
        f"desc: Workload: {n} round trips of {case}; the numbers are totals of all of them",
        *description(cell, facts, made),
        "positions: instr line",
        "event: Ir : Instructions executed",
        "event: Dr : Load accesses",
        "event: Dw : Store accesses",
        f"events: {' '.join(EVENTS)}",
        f"summary: {' '.join(map(str, total))}",
        "",
        f"ob={cell.program}",
    ]
    end = f"\ntotals: {' '.join(map(str, total))}"
    return "\n".join([*head, *body(cell, rows, made), end]) + "\n"


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
