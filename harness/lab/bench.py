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

from harness.count import counters, counts, scopes
from harness.count.elf import read_elf
from harness.lab import explain, operands
from harness.lab.confined import Confinement, Ran
from harness.lab.labs import Lab, Sources
from records.faults import Failure
from records.files import replace
from records.platform import read_flags, read_platform

BUILD = Path("build/labs")
BUILDER, CHECKER = "harness/lab/build.sh", "harness/driver/check.sh"
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
    """The files of vectors and questions of a run, drawn from a source; `folder` gets them."""

    def __init__(self, folder: Path, width: int, source: random.Random) -> None:
        self.folder, self.width = folder, width
        new = operands.drawn(width, source)
        self.drawn = len(new)
        self.sets = {"check": operands.known(width) + new}
        self.sets["count"] = operands.to_count(width, source)
        call = self.sets["count"][0][1]
        for name, e in (("low", 1 << (width - 1)), ("high", (1 << width) - 1)):
            self.sets[name] = [("counted", operands.power(call.n, call.x, e))]
        for name, vectors in self.sets.items():
            operands.write(self.vectors(name), vectors)
            operands.ask(self.questions(name), vectors, width)

    def vectors(self, name: str) -> Path:
        """The file of a set with its results."""
        return self.folder / f"{name}.txt"

    def questions(self, name: str) -> Path:
        """The same without them."""
        return self.folder / f"{name}.ask"


@dataclass(frozen=True)
class Bench:
    """Where programs are judged: on these operands, confined like this."""

    operands: Operands
    confinement: Confinement

    def build(self, folder: Path, level: str) -> None:
        """Compiles folder/src into folder/LEVEL.  Raises Wrong."""
        words: list[str | Path] = [BUILDER, folder / "src", level, str(self.operands.width)]
        made = [f"{level}/{name}" for name in ("snapshot.o", "rsa", "answer")]
        ran = self.confinement.run([*words, folder / level], folder, made=made)
        if ran.late:
            fault = f"the compiler takes more than {self.confinement.seconds} s at -{level}"
            raise Wrong("late", fault)
        if ran.status:
            raise Wrong("refused", f"it does not compile at -{level}: {complaint(ran, folder)}")

    def check(self, folder: Path, level: str) -> None:
        """The contract, all vectors, and those that check.sh draws.  Raises Wrong."""
        vectors = self.operands.vectors("check")
        place = folder / level
        words: list[str | Path] = ["sh", CHECKER, place / "rsa", place / "check.ok", vectors]
        ran = self.confinement.run(words, folder, vectors)
        if ran.status == 0:
            return
        said = ran.stderr.splitlines() or [f"status {ran.status}"]
        if "breaks the contract" in ran.stderr:
            raise Wrong("refused", said[0].removeprefix("contract: "))
        self._explain(folder, level, said[0])

    def _explain(self, folder: Path, level: str, said: str) -> None:
        """Raises Wrong, with the reason as well as it can be known from all answers."""
        known = self.operands.sets["check"]
        found, ran = self.answer(folder, level, "check")
        last = explain.operands_of(known[len(found) : len(found) + 1])
        if ran.late:
            raise Wrong("late", f"no end after {self.confinement.seconds} s at -{level}", last)
        if ran.status:
            how = f"signal {ran.signal}" if ran.signal else f"status {ran.status}"
            raise Wrong("crashed", f"{how} at -{level}", last)
        mistakes = explain.Mistakes(known, found, self.operands.width)
        if mistakes.failed:
            raise Wrong("wrong", f"at -{level}: {mistakes.summary}", mistakes.case)
        raise Wrong("wrong", f"at -{level}: {re.sub(r'^[^ ]*: ', '', said)}")

    def answer(self, folder: Path, level: str, name: str) -> tuple[list[int], Ran]:
        """The answers to a set's questions, uncounted, and how the program ended."""
        out, questions = folder / level / f"{name}.answers", self.operands.questions(name)
        out.unlink(missing_ok=True)
        words: list[str | Path] = [
            *read_platform().runner,
            folder / level / "answer",
            questions,
            out,
        ]
        ran = self.confinement.run(words, folder, questions, made=[f"{level}/{out.name}"])
        return operands.answers(out), ran

    def count(self, folder: Path, level: str, name: str = "count") -> list[counts.Row]:
        """What the program executes for a set of operands.  Raises Wrong unless all its answers are
        right, and Failure where nothing counts."""
        plugin, out = counter().name == "plugin", folder / level / f"{name}.tsv"
        answers = out.with_name(f"{out.name}.answers")
        for old in (out, answers):
            old.unlink(missing_ok=True)
        questions, vectors = self.operands.questions(name), self.operands.vectors(name)
        words: list[str | Path] = [os.environ.get("PYTHON", "python3"), "-m", "harness.lab.count"]
        words += [folder / level, str(self.operands.width), questions, vectors, out]
        made = [f"{level}/{path.name}" for path in (out, answers)]
        ran = self.confinement.run(words, folder, questions if plugin else vectors, made=made)
        expected = [call.z for _, call in self.operands.sets[name]]
        if ran.late:
            raise Wrong("late", f"no end after {self.confinement.seconds} s at -{level}")
        wrong = plugin and out.exists() and operands.answers(answers) != expected
        if wrong or "expected" in ran.stderr:
            said = "right where the check looks, wrong for operands drawn to be counted"
            raise Wrong("wrong", f"at -{level}: {said}")
        if ran.status:
            raise Wrong("crashed", f"at -{level}: {(ran.stderr.splitlines() or ['no word'])[0]}")
        return counts.read_rows(out, program(folder, level))

    def spent(self, folder: Path, level: str) -> Functions:
        """Instructions by function.  Raises Wrong and Failure."""
        return by_function(self.count(folder, level), program(folder, level), folder / "src")

    def varies(self, lab: Lab, folder: Path, level: str) -> str:
        """A function that executes another number of instructions for another exponent, though it
        must not; else an empty string.  Raises Wrong and Failure."""
        if not lab.may_vary:
            return ""
        seen = [self.count(folder, level, name) for name in ("low", "high")]
        found = [by_function(rows, program(folder, level), folder / "src") for rows in seen]
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
            if not (folder / level / "answer").exists():
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


def program(folder: Path, level: str) -> Path:
    """The program that is counted: both have the same snapshot at other addresses."""
    return folder / level / ("answer" if counter().name == "plugin" else "rsa")


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
