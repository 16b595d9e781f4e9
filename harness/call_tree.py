"""Who calls whom, and what a call costs with all that it calls: exact counts as a tree.

Calls are exact, from the branches that the measured program executed.  A call
is an executed bl or blx, or any executed branch, to the first instruction of
another function (a tail call counts for the function that makes it); a
conditional one as often as it was taken.  Instructions that the compiler moved
from one function into another belong to where they stand.

A function that is called in one place only costs there what it costs.  One that is called in several
costs in each what its calls are of all its calls.  That is exact for a function that executes each of
its instructions once a call; for any other it is a share, and its frame says so.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, NamedTuple

from harness.elf import read_elf, words
from records.rows import Row

Cost = tuple[int, ...]  # one number for each event that is counted


class Site(NamedTuple):
    """An instruction that calls, the function it stands in, the one it calls, and how often."""

    address: int
    caller: str
    callee: str
    calls: int


def calls(
    rows: Iterable[Row], entry: Mapping[str, int], targets: Mapping[int, int]
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


def entries(
    program: Path, rows: Iterable[Row], outside: Collection[str]
) -> tuple[dict[str, int], dict[int, Site]]:
    """Return the first address of each function that was executed, in the order of the code, and
    where functions are called.  `outside` names those that are not of the snapshot."""
    elf = read_elf(program)
    entry: dict[str, int] = {}
    for row in rows:
        entry.setdefault(row["symbol"], row["address"])
    targets = {word.address: word.target for word in words(program) if word.target}
    for target in targets.values():
        if elf.function(target) in outside:
            entry[elf.function(target)] = target
    return entry, calls(rows, entry, targets)


def shares(
    own: Mapping[str, Cost], sites: Iterable[Site]
) -> tuple[dict[str, Cost], dict[int, Cost]]:
    """Return the cost of each function with all that it calls, and of the calls at
    each site: the callee's by numbers of calls, in whole numbers that add
    up to it.  Raises ValueError where a function calls itself: then what its
    calls cost cannot be told apart."""
    whole: dict[str, Cost] = {}
    at: dict[int, Cost] = {}
    callees: dict[str, list[str]] = {name: [] for name in own}
    for site in sites:
        if site.caller in callees:
            callees[site.caller].append(site.callee)
    for name in TopologicalSorter(callees).static_order():  # after all that it calls
        parts = [at[site.address] for site in sites if site.caller == name]
        whole[name] = tuple(map(sum, zip(own[name], *parts)))
        of_name = [site for site in sites if site.callee == name]
        every = sum(site.calls for site in of_name)
        before = 0
        for site in of_name:
            # The difference of two running shares, so that the parts add up to the whole.
            after = before + site.calls
            parts_of_site = []
            for cost in whole[name]:
                part = cost * after // every - cost * before // every
                parts_of_site.append(part)
            at[site.address] = tuple(parts_of_site)
            before = after
    return whole, at


# ---- A tree of frames


@dataclass
class Frame:
    """A function where it is called: how often, its own instructions, and those with all that it
    calls.  Code that the compiler put into another function is a frame there, called as often as
    nobody knows.  Where not `exact`, the instructions are a share by calls."""

    name: str
    calls: int | None
    own: int = 0
    whole: int = 0
    exact: bool = True
    callees: list["Frame"] = field(default_factory=list)

    def as_data(self) -> dict[str, Any]:
        """Return the frame as a page reads it."""
        callees = [callee.as_data() for callee in self.callees]
        return {**vars(self), "callees": callees}


Shares = dict[str, Fraction]


class Tree:
    """The frames of a program, from its rows (address, symbol, function, instructions) in the order
    of the code, the instructions of functions outside the snapshot, and its sites."""

    def __init__(
        self, rows: Sequence[Row], outside: Mapping[str, int], sites: Mapping[int, Site]
    ) -> None:
        self.parts: dict[str, Counter[str]] = defaultdict(Counter)
        self.sites: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.calls: Counter[str] = Counter()
        self.given: Shares = defaultdict(Fraction)
        first: dict[str, int] = {}
        for row in rows:
            symbol = row["symbol"]
            inner = row["function"] or symbol
            first.setdefault(symbol, row["instructions"])
            self.parts[symbol][inner] += row["instructions"]
            if site := sites.get(row["address"]):
                self.sites[symbol, inner][site.callee] += site.calls
                self.calls[site.callee] += site.calls
        for symbol in first.keys() - self.calls.keys():  # called by the harness
            self.calls[symbol] = first[symbol]
        for name, instructions in outside.items():
            self.parts[name][name] += instructions
        self.steady = steady(rows, self.calls)

    def frame(self, symbol: str) -> Frame:
        """Return the frame of a function that only the harness calls.  Raises ValueError where a
        function calls itself: then what its calls cost cannot be told apart."""
        graph: dict[str, list[str]] = defaultdict(list)
        for (caller, _), callees in self.sites.items():
            graph[caller] += callees
        TopologicalSorter(graph).prepare()
        return self._frame(symbol, Fraction(1), True)[0]

    def _frame(
        self, symbol: str, share: Fraction, certain: bool
    ) -> tuple[Frame, Shares]:
        """Return the frame of a function for this share of its calls, and the functions in it whose
        cost is a share, with their shares.  `certain` says that this function's is exact."""
        made = Frame(symbol, int(self.calls[symbol] * share))
        doubts: Shares = defaultdict(Fraction)
        if not certain:
            doubts[symbol] = share
        before = self.given[symbol]
        after = before + share
        self.given[symbol] = after
        for inner, instructions in self.parts[symbol].items():
            inside = made
            if inner != symbol.partition(".")[0]:
                inside = Frame(inner, None, exact=certain)
                made.callees.append(inside)
            inside.own = int(instructions * after) - int(instructions * before)
            for callee, calls in self.sites[symbol, inner].items():
                of_callee = share * calls / self.calls[callee]
                is_certain = of_callee == 1 or (certain and callee in self.steady)
                frame, more = self._frame(callee, of_callee, is_certain)
                inside.callees.append(frame)
                for name, part in more.items():
                    doubts[name] += part
        add_up(made)
        made.exact = all(part == 1 for part in doubts.values())
        return made, doubts


def add_up(frame: Frame) -> None:
    """Sum what a frame and the inlined code in it cost, and put the largest callees first."""
    for callee in frame.callees:
        if callee.calls is None:
            add_up(callee)
    frame.callees.sort(key=lambda callee: -callee.whole)
    frame.whole = frame.own + sum(callee.whole for callee in frame.callees)


def steady(rows: Sequence[Row], calls: Mapping[str, int]) -> set[str]:
    """Return the functions that execute each of their instructions once a call."""
    found = {row["symbol"] for row in rows}
    for row in rows:
        symbol = row["symbol"]
        if row["instructions"] != calls[symbol]:
            found.discard(symbol)
    return found


def stacks(
    frame: Frame, above: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], int]]:
    """Return each frame's own instructions by its stack of names, the outermost first."""
    name = frame.name
    if frame.calls is None:
        name += " (inlined)"
    if not frame.exact:
        name += " (a share)"
    here = (*above, name)
    found = [(here, frame.own)] if frame.own else []
    for callee in frame.callees:
        found += stacks(callee, here)
    return found
