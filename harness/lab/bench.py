"""Where an exercise is built, checked and counted, one level at a time, on operands of a run."""

from __future__ import annotations

import hashlib
import os
import random
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from harness import operands
from harness.count import counters, counts, scopes
from harness.count.elf import read_elf
from harness.lab import explain
from harness.lab import operands as drawn
from harness.lab.confined import Confinement, Ran
from harness.lab.labs import Lab, Sources
from records.faults import Failure
from records.files import replace
from records.platform import read_flags, read_platform

BUILD = Path("build/labs")
BUILDER = "harness/lab/build.sh"
INTO = ["sh", "-c", 'out=$1; shift; exec "$@" >"$out"', "sh"]
Functions = Counter[str]  # instructions of TRIPS round trips by function


@dataclass
class Verdict:
    """`status` is right, slow, wrong, crashed, late or refused; `fault` is one line and `case` says
    more of it.  `spent` has the counts of the levels that were reached."""

    status: str = "right"
    fault: str = ""
    case: list[str] = field(default_factory=list)
    spent: dict[str, Functions] = field(default_factory=dict)


class Wrong(Exception):
    """What ends a judgement: a Verdict's status, fault and case."""

    def __init__(self, status: str, fault: str, case: list[str] | None = None) -> None:
        super().__init__(fault)
        self.verdict = Verdict(status, fault, case or [])


class Operands:
    """The calls of a run, drawn from a source, and their files, which `folder` gets."""

    def __init__(self, folder: Path, width: int, source: random.Random) -> None:
        self.width = width
        new = drawn.drawn(width, source)
        self.drawn = len(new)
        self.sets = {"check": drawn.known(width) + new, "count": drawn.to_count(width, source)}
        call = self.sets["count"][0]
        for name, e in (("low", 1 << (width - 1)), ("high", (1 << width) - 1)):
            self.sets[name] = [operands.power(call.n, call.x, e, "counted")]
        self.files = {
            name: operands.write(folder / f"{name}.txt", calls, width)
            for name, calls in self.sets.items()
        }


@dataclass(frozen=True)
class Bench:
    """Where programs are judged: on these operands, confined like this."""

    operands: Operands
    confinement: Confinement

    def build(self, folder: Path, level: str) -> None:
        """Compiles folder/src into folder/LEVEL.  Raises Wrong."""
        words: list[str | Path] = [BUILDER, folder / "src", level, str(self.operands.width)]
        made = [f"{level}/rsa"]
        ran = self.confinement.run([*words, folder / level], folder, made=made)
        if ran.late:
            fault = f"the compiler takes more than {self.confinement.seconds} s at -{level}"
            raise Wrong("late", fault)
        if ran.stderr.startswith("contract: "):
            raise Wrong("refused", ran.stderr.splitlines()[0].removeprefix("contract: "))
        if ran.status:
            raise Wrong("refused", f"it does not compile at -{level}: {complaint(ran, folder)}")

    def check(self, folder: Path, level: str) -> None:
        """Every call, between guard words.  Raises Wrong, with the reason as well as all results
        tell it."""
        todo, calls = self.operands.sets["check"], self.operands.files["check"]
        out = folder / level / "check.results"
        out.unlink(missing_ok=True)
        words: list[str | Path] = [*INTO, out, *read_platform().runner]
        words += [folder / level / "rsa", "check", calls]
        ran = self.confinement.run(words, folder, calls, made=[f"{level}/{out.name}"])
        found = results(out)
        last = explain.operands_of(todo[len(found) : len(found) + 1])
        if ran.late:
            raise Wrong("late", f"no end after {self.confinement.seconds} s at -{level}", last)
        if ran.status > 1:
            how = f"signal {ran.signal}" if ran.signal else f"status {ran.status}"
            raise Wrong("crashed", f"{how} at -{level}", last)
        mistakes = explain.Mistakes(todo, found, self.operands.width)
        if mistakes.failed:
            raise Wrong("wrong", f"at -{level}: {mistakes.summary}", mistakes.case)
        if ran.status or len(found) != len(todo):
            said = ran.stderr.partition("\n")[0] or f"it ended after {len(found)} calls"
            raise Wrong("wrong", f"at -{level}: {said}")

    def count(self, folder: Path, level: str, name: str = "count") -> list[counts.Row]:
        """What the program executes for a set of operands.  Raises Wrong unless all its answers are
        right, and Failure where nothing counts."""
        out, calls = folder / level / f"{name}.tsv", self.operands.files[name]
        both = out, counts.results_of(out)
        for old in both:
            old.unlink(missing_ok=True)
        words: list[str | Path] = [os.environ.get("PYTHON", "python3"), "-m", "harness.lab.count"]
        words += [folder / level / "rsa", str(self.operands.width), calls, out]
        made = [f"{level}/{path.name}" for path in both]
        ran = self.confinement.run(words, folder, calls, made=made)
        if ran.late:
            raise Wrong("late", f"no end after {self.confinement.seconds} s at -{level}")
        if ran.status:
            raise Wrong("crashed", f"at -{level}: {(ran.stderr.splitlines() or ['no word'])[0]}")
        if operands.wrong(self.operands.sets[name], results(both[1])):
            said = "right where the check looks, wrong for operands drawn to be counted"
            raise Wrong("wrong", f"at -{level}: {said}")
        return counts.read_rows(out, folder / level / "rsa")

    def spent(self, folder: Path, level: str) -> Functions:
        """Instructions by function.  Raises Wrong and Failure."""
        return by_function(self.count(folder, level), folder / level / "rsa", folder / "src")

    def varies(self, lab: Lab, folder: Path, level: str) -> str:
        """A function that executes another number of instructions for another exponent, though it
        must not; else an empty string.  Raises Wrong and Failure."""
        if not lab.may_vary:
            return ""
        seen = [self.count(folder, level, name) for name in ("low", "high")]
        found = [by_function(rows, folder / level / "rsa", folder / "src") for rows in seen]
        watched = (found[0] | found[1]).keys() - set(lab.may_vary)
        return min((f for f in watched if found[0][f] != found[1][f]), default="")

    def reference(self, files: Sources, level: str) -> Functions:
        """Instructions of a program that is known to be right.  Raises Failure."""
        made_by = read_flags() + Path(BUILDER).read_text()
        key = "\n".join([*files.values(), made_by, str(self.operands.width)])
        folder = BUILD / "reference" / hashlib.sha256(key.encode()).hexdigest()[:16]
        try:
            if not (folder / "src").exists():
                put(files, folder)
            if not (folder / level / "rsa").exists():
                self.build(folder, level)
            return self.spent(folder, level)
        except Wrong as wrong:
            again = "remove build/labs and type the same again"
            raise Failure(f"{folder}: {wrong.verdict.fault}; {again}") from None


@cache
def counter() -> counters.Counter:
    """The one that counts here.  Raises Failure where none does."""
    chosen, why_not = counters.choose(os.environ.get("COUNTER", ""))
    if chosen is None:
        raise Failure(why_not)
    return chosen


def results(path: Path) -> list[int]:
    """What a program has printed into a file: as many numbers as it came to."""
    try:
        return operands.results(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return []


def by_function(rows: list[counts.Row], path: Path, source: Path) -> Functions:
    """Instructions by function of the sources, inlined ones too; the run-time's by their symbol."""
    scope, elf = scopes.functions(path, source), read_elf(path)
    found: Functions = Counter()
    for row in rows:
        found[scope.get(row.address) or elf.function(row.address)] += row.executions
    return found


def complaint(ran: Ran, folder: Path) -> str:
    """The first error of the compiler, with the file as the student knows it."""
    lines = [line for line in ran.stderr.splitlines() if re.search("error|undefined|Error", line)]
    return (lines or ran.stderr.splitlines() or ["no word"])[0].replace(f"{folder}/src/", "")


def put(files: Sources, folder: Path) -> None:
    """Source files into folder/src, which has no others then."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        replace(folder / "src" / name, text)
