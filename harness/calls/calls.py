"""Which function calls which in the measured program: exact, from the branches that it executed.

A call is an executed bl or blx, or any executed branch, to the first instruction of another
function (a tail call counts for the function that makes it); a conditional one as often as it was
taken.  Instructions that the compiler moved from one function into another belong to where they
stand.  What a function costs with all that it calls is known exactly in some cases and shared out
in the others; Graph.exact tells which.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from records.command import run
from records.faults import Failure
from records.rows import Row

OBJDUMP = "arm-linux-gnueabihf-objdump"
EVENTS = {"Ir": "instructions", "Dr": "load_accesses", "Dw": "store_accesses"}
JUMPS = ("branch", "call", "return")  # classes of lines.csv
MEMORY = ("load", "store", "load_multiple", "store_multiple", "neon_load", "neon_store")
CONTRACT = ("mont_mul", "mod_exp")  # harness/snapshot.h
Cost = tuple[int, ...]  # one number for each of EVENTS


@dataclass(frozen=True)
class Code:
    """What the disassembly of the snapshot's section says: `targets` maps the address of each
    direct branch to where it goes, `conditional` are the addresses of conditional instructions."""

    targets: dict[int, int]
    conditional: frozenset[int]


def disassemble(program: Path) -> Code:
    """Code of section snapshot_text.  Raises Failure."""
    return parse(run([OBJDUMP, "-d", "-j", "snapshot_text", program]))


def parse(said: str) -> Code:
    """The same from objdump's text."""
    form = r"(?m)^ *([0-9a-f]+):\t([0-9a-f]{8}) \t(\S+)(?:\t([0-9a-f]+) <)?"
    found = [(int(at, 16), *words) for at, *words in re.findall(form, said)]
    return Code(
        {at: int(target, 16) for at, _, name, target in found if target and name[0] == "b"},
        frozenset(at for at, opcode, *_ in found if opcode[0] < "e"),
    )


@dataclass(frozen=True)
class Site:
    """An instruction that calls, the function it stands in, the one it calls, and how often."""

    address: int
    caller: str
    callee: str
    calls: int


@dataclass
class Graph:
    """Functions by name: `entry` (address) in the order of the code, `own` cost, and the `sites` of
    calls.  `outside` counts the calls of a function by the harness."""

    entry: dict[str, int]
    own: dict[str, Cost]
    sites: list[Site]
    varying: set[str]  # functions whose cost may differ from call to call
    outside: Counter[str] = field(default_factory=Counter)

    def callees(self, name: str) -> list[str]:
        """The functions that it calls."""
        return list(dict.fromkeys(site.callee for site in self.sites if site.caller == name))

    def calls_of(self, name: str) -> list[Site]:
        """Where it is called."""
        return [site for site in self.sites if site.callee == name]

    def order(self) -> list[str]:
        """Every function after all that it calls.  Raises Failure where one calls itself."""
        try:
            return [*TopologicalSorter({n: self.callees(n) for n in self.own}).static_order()]
        except CycleError as fault:
            said = "calls itself: what its calls cost cannot be told apart"
            raise Failure(f"{fault.args[1][0]} {said}") from None

    def shares(self) -> tuple[dict[str, Cost], dict[int, Cost]]:
        """The cost of each function with all that it calls, and of the calls at each site: the
        callee's by numbers of calls, in whole numbers that add up to it."""
        whole: dict[str, Cost] = {}
        at: dict[int, Cost] = {}
        for name in self.order():
            parts = [at[site.address] for site in self.sites if site.caller == name]
            whole[name] = tuple(map(sum, zip(self.own[name], *parts)))
            sites = self.calls_of(name)
            every, before = self.outside[name] + sum(site.calls for site in sites), 0
            for site in sites:
                after = before + site.calls
                at[site.address] = tuple(
                    cost * after // every - cost * before // every for cost in whole[name]
                )
                before = after
        return whole, at

    def exact(self) -> set[str]:
        """The functions of which the shares are exact: each call costs the same, or one site makes
        all of them.  The others' are a model."""
        steady: set[str] = set()
        found: set[str] = set()
        for name in self.order():
            callees = self.callees(name)
            if name not in self.varying and steady.issuperset(callees):
                steady.add(name)
            once = len(self.calls_of(name)) == 1 and not self.outside[name]
            if name in steady or (once and found.issuperset(callees)):
                found.add(name)
        return found


def graph(rows: Sequence[Row], entry: dict[str, int], code: Code, extra: dict[str, Cost]) -> Graph:
    """The graph of one program.

    `rows` are its instructions: address, symbol, class, taken and the numbers of EVENTS.  `entry`
    are the first addresses of its functions and of those outside the snapshot that it branches to;
    `extra` what the latter cost.  Raises Failure where the branches do not explain the entries.
    """
    at = {address: name for name, address in entry.items()}
    own: dict[str, Counter[str]] = {}
    sites: list[Site] = []
    entered: Counter[str] = Counter()
    varying = set(extra)
    for row in rows:
        name, target = row["symbol"], at.get(code.targets.get(row["address"], -1))
        own.setdefault(name, Counter()).update({e: row[n] for e, n in EVENTS.items()})
        link = row["class"] == "call"
        if row["class"] in (*JUMPS, *MEMORY) and row["address"] in code.conditional:
            varying.add(name)
        if row["class"] == "branch" and row["address"] not in code.targets:  # a computed one
            varying.add(name)
        if link and target is None:
            raise Failure(f"{name}: what it calls at {row['address']:#x} is not known")
        if row["address"] == entry[name]:
            entered[name] += row["instructions"]
        if target and row["taken"] and (link or target != name):
            sites.append(Site(row["address"], name, target, row["taken"]))
        elif target and row["taken"]:
            entered[name] -= row["taken"]  # the top of a loop
    costs = {name: tuple(numbers[e] for e in EVENTS) for name, numbers in own.items()}
    made = Graph(entry, {**costs, **extra}, sites, varying)
    for name in costs:  # the contract and whatever nobody else calls, the harness calls
        called = sum(site.calls for site in made.calls_of(name))
        made.outside[name] = missing = entered[name] - called
        if missing < 0 or (missing and called and name not in CONTRACT):
            said = f"entered {entered[name]:,} times and called {called:,} times"
            raise Failure(f"{name}: {said}; these are no counts of this program")
    return made
