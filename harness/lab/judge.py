"""The verdict on one exercise, and what it is compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from harness.lab.bench import Bench, Functions, Verdict, Wrong, put
from harness.lab.labs import Lab, Sources, sources
from records import ladder

SLACK = 1.2  # where the solution costs more than the start: how many times its count still passes


def judge(lab: Lab, files: Sources, folder: Path, bench: Bench) -> Verdict:
    """Builds, checks and counts sources in a folder of their own.  Raises Failure where nothing
    counts here."""
    put(files, folder)
    spent: dict[str, Functions] = {}
    try:
        for level in ladder.levels():
            bench.build(folder, level)
            bench.check(folder, level)
            spent[level] = bench.spent(folder, level)
            if function := bench.varies(lab, folder, level):
                fault = f"at -{level}: {function} executes other instructions for another exponent"
                raise Wrong("wrong", fault)
    except Wrong as wrong:
        wrong.verdict.spent = spent
        return wrong.verdict
    return Verdict(spent=spent)


@dataclass(frozen=True)
class Scale:
    """What an exercise is compared with, on the same operands: the start, the solution and the best
    that is known."""

    start: dict[str, Functions]
    solution: dict[str, Functions]
    best: dict[str, Functions]

    def grade(self, verdict: Verdict) -> None:
        """Calls a right program slow that is not half of the way from the start to the solution."""
        if verdict.status != "right":
            return
        way = factor(self.start, self.solution)
        allowed = math.sqrt(way) if way > 1 else SLACK
        behind = factor(verdict.spent, self.solution)
        if behind > allowed:
            verdict.status = "slow"
            half = " (half of the way from the start)" if way > 1 else ""
            behind_by = f"x{behind:.2f} the instructions of the solution"
            verdict.fault = f"{behind_by}; x{allowed:.2f} or less passes{half}"


def factor(over: dict[str, Functions], under: dict[str, Functions]) -> float:
    """How many times the instructions of `under` those of `over` are: the geometric mean over the
    levels."""
    ratios = [over[level].total() / under[level].total() for level in under if level in over]
    return math.prod(ratios) ** (1 / len(ratios))


def scale(lab: Lab, bench: Bench) -> Scale:
    """The three programs of an exercise, counted.  Raises Failure."""

    def of(files: Sources) -> dict[str, Functions]:
        return {level: bench.reference(files, level) for level in ladder.levels()}

    solution = lab.solution()
    best = sources(ladder.ROOT / lab.best) if lab.best else solution
    found = [of(files) for files in (lab.starter(), solution, best)]
    return Scale(*found)
