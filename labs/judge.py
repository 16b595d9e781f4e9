"""The verdict on a program: built, checked and counted at each level, on
operands of one run.

The program that is counted holds no answer: what it prints is compared here,
outside the sandbox that it runs in (labs/box.py).

`python3 -m labs.judge count PROGRAM WIDTH CALLS SOURCES` counts, in the sandbox, and prints two
things as JSON: what the program has printed, and the number of instructions by function of the
sources, inlined ones too; the run-time's by their symbol.  `trace PROGRAM WIDTH CALLS SOURCES NAME...`:
the hashes of the calls' traces, which leave out what these functions do.
"""

import hashlib
import json
import math
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from harness import counters, elf, kinds, operands
from harness.check import fault
from harness.operands import power
from harness.unicorn import Traced
from labs.box import IDLE_SECONDS, LATE, Box, Ran
from labs.explain import mistakes, operands_of
from records import faults, files
from records.commands import building
from records.faults import Failure, Late
from records.ladder import levels
from records.machine import FLAGS, read_platform

# What every command has, and beside it TIMES as much as the start has taken.
LEAST_SECONDS = 5
TIMES = 10
# In a line of a compiler that says why it fails.
TOLD = re.compile("[Ee]rror|undefined")

# --- operands -------------------------------------------------------------------------------------

DRAWN = {"mont_mul": 250, "mod_exp": 2}  # of each kind; mod_exp is slow


EXPONENTS = 30  # that are drawn
EDGES = 7  # beside them
AT_ONCE = 6  # that one command traces, so that it ends within its limit
# Where a trace takes 20 times as long as at other levels; there, all.
COMMANDS = {"O0": 3}


def exponents(width: int, source: kinds.Stream) -> list[int]:
    """Return exponents for programs that must treat all of them alike: some at the edges, and
    others that nobody knows, of every length and with few, half or most bits 1."""
    full = (1 << width) - 1
    half = 1 << width // 2
    top = 1 << (width - 1)
    every_other = full // 3
    found = [0, 1, 2, half | 1, top, every_other, full]
    while len(found) < EDGES + EXPONENTS:
        drawn = source.bits(width)
        thin = drawn & source.bits(width)
        dense = full ^ thin
        short = drawn >> source.below(width)
        found += [drawn, thin, dense, short]
    return found[: EDGES + EXPONENTS]


# --- judge ----------------------------------------------------------------------------------------

BUILD = Path("build/labs")
BUILDER = Path("labs/build.sh")
TRIPS = 2  # round trips that are counted, each of them two exponentiations
Sources = dict[str, str]  # file name -> text
Functions = Counter[str]  # instructions of TRIPS round trips by function
Costs = dict[str, Functions]  # by level


@dataclass(eq=False)
class Verdict(Exception):
    """What ends a judgement.  `status` is right, slow, wrong, crashed, late
    or refused; `fault` is one line and `case` says more of it.  `costs` has
    the levels that were reached.  `starved`: it is late on a busy machine."""

    status: str = "right"
    fault: str = ""
    case: Sequence[str] = ()
    costs: Costs = field(default_factory=dict)
    starved: bool = False


def seed() -> int:
    """Return what operands are drawn from: SEED of the environment, to repeat them, or a number that
    nobody knows.  Raises Failure."""
    text = os.environ.get("SEED") or str(secrets.randbits(32))
    if not re.fullmatch("[0-9]{1,18}", text):
        raise Failure(f"SEED={text}: say a whole number, such as SEED=1")
    return int(text)


class Judge:
    """Judges programs of a width on operands drawn from a seed; `folder` gets all files."""

    def __init__(self, folder: Path, width: int, seed: int, box: Box) -> None:
        source = kinds.Stream(f"{seed} {width}")
        self.folder = folder
        self.width = width
        self.seed = seed
        self.box = box
        # What is limited, such as `count O1` -> seconds, once the start is measured.
        self.seconds: dict[str, int] = {}
        full = [source.odd(width) for _ in range(4 * TRIPS)]
        self.calls: dict[str, list[operands.Call]] = {
            "check": [],
            "count": [],
        }
        for function, number in DRAWN.items():
            self.calls["check"] += kinds.calls(function, width, f"{seed} ", number)
        # Exponents of full length, as in the tables.
        for n, e in zip(full, full[2 * TRIPS :]):
            self.calls["count"].append(power(n, source.below(n), e))
        secret = kinds.Stream(f"{seed} {width} exponents")
        n = secret.odd(width)
        x = secret.below(n)
        powers = [power(n, x, e) for e in exponents(width, secret)]
        self.files: dict[str, Path] = {}
        for name, calls in self.calls.items():
            self.files[name] = operands.write(
                folder / f"operands/{name}.txt", calls, width
            )
        # The calls that have to be alike, as many as a command traces, with the file of each lot.
        self.alike: list[tuple[list[operands.Call], Path]] = []
        for i in range(0, len(powers), AT_ONCE):
            lot = powers[i : i + AT_ONCE]
            file = operands.write(folder / f"operands/alike-{i}.txt", lot, width)
            self.alike.append((lot, file))

    @staticmethod
    def ready(may_vary: Sequence[str]) -> None:
        """Raise Failure where there is nothing to trace with, and traces are
        compared."""
        if may_vary and (why := counters.no_unicorn()):
            raise Failure(f"this exercise compares traces of addresses: {why}")

    def judge(self, sources: Sources, name: str, may_vary: Sequence[str]) -> Verdict:
        """Build, check and count sources in a folder of this name.
        `may_vary` are the functions that may execute another number of
        instructions for another exponent; none: all may."""
        folder = self.folder / name
        costs = Costs()
        put(sources, folder)
        try:
            for level in levels():
                self.build(folder, level)
                self.check(folder, level)
                costs[level] = self.count(folder, level)
                if may_vary:
                    self.compare_exponents(folder, level, may_vary)
        except Verdict as end:
            return replace(end, costs=costs)
        except Failure as why:
            what = f"not counted: {faults.line(why).partition(';')[0]}"
            return Verdict("crashed", what, costs=costs)
        return Verdict(costs=costs)

    def build(self, folder: Path, level: str, *host: str) -> Path:
        """Compile folder/src into folder/LEVEL/rsa, or for this machine
        itself into folder/LEVEL/host.  Raises Verdict."""
        words = ["sh", BUILDER, folder / "src", level, self.width, *host]
        ran = self.box.run(words, folder / "src")
        self.ended(ran, level, self.box.seconds)
        if refusal := re.match(r"contract: (.*)", ran.stderr):
            raise Verdict("refused", refusal[1].replace(f"{folder}/src/", ""))
        if ran.status:
            complaints = ran.stderr.replace(f"{folder}/src/", "")
            lines = complaints.splitlines()
            told = [one for one in lines if TOLD.search(one)]
            first, *others = told or lines or ["no word"]
            complaint = f"it does not compile at -{level}: {first}"
            raise Verdict("refused", complaint, others)
        program = folder / level / (host[0] if host else "rsa")
        files.replace(program, ran.stdout)
        program.chmod(0o755)
        return program

    def check(self, folder: Path, level: str) -> None:
        """Check every call, between guard words.  Raises Verdict, with the reason
        as well as all results tell it."""
        calls = self.calls["check"]
        file = self.files["check"]
        program = folder / level / "rsa"
        words = [*read_platform().runner, program, "check", file]
        seconds = self.seconds.get(f"check {level}", self.box.seconds)
        ran = self.box.run(words, program, file, seconds=seconds)
        printed = ran.stdout.decode(errors="replace")
        results = operands.results(printed)
        if any(z.bit_length() > self.width for z in results):
            what = f"a result has more than {self.width} bits"
            raise Verdict("wrong", f"at -{level}: {what}")
        last: list[str] = []
        if len(results) < len(calls):
            last = operands_of(calls[len(results)])
        self.ended(ran, level, seconds, last)
        summary, case = mistakes(calls, results, self.width)
        if not summary:
            summary = fault(calls, printed, ran.stderr, ran.status, seconds)
        if summary:
            status = "crashed" if ran.status > 1 else "wrong"
            raise Verdict(status, f"at -{level}: {summary}", case or last)

    def count(self, folder: Path, level: str) -> Functions:
        """Return the instructions of the calls that are counted, by function.  Raises
        Verdict unless all answers are right."""
        return self.counted(folder, level, self.calls["count"], self.files["count"])

    def counted(
        self, folder: Path, level: str, calls: Sequence[operands.Call], file: Path
    ) -> Functions:
        """Return the same of calls that stand in a file."""
        printed, functions = self.looked_at("count", folder, level, file)
        if operands.wrong(calls, operands.results(printed)):
            where = (
                "right where the check looks, wrong for operands drawn to be counted"
            )
            raise Verdict("wrong", f"at -{level}: {where}")
        found = Functions(functions)
        if not found.total():
            what = "its results are right, but no instruction of it was counted"
            raise Verdict("refused", f"at -{level}: {what}")
        return found

    def looked_at(
        self, what: str, folder: Path, level: str, calls: Path, *more: str
    ) -> Any:
        """Return what this module prints of a file of calls; see above.  Raises
        Verdict."""
        program = folder / level / "rsa"
        python = os.environ.get("PYTHON", "python3")
        sources = folder / "src"
        words = [python, "-m", "labs.judge", what, program, self.width, calls, sources]
        seconds = self.seconds.get(f"{what} {level}", self.box.seconds)
        ran = self.box.run([*words, *more], program, calls, sources, seconds=seconds)
        self.ended(ran, level, seconds)
        if ran.status:
            what = ran.first_line.replace(f"{folder}/", "") or "no word"
            raise Verdict("crashed", f"at -{level}: {what}")
        return json.loads(ran.stdout)

    def ended(
        self, ran: Ran, level: str, seconds: int, case: Sequence[str] = ()
    ) -> None:
        """Raise Verdict where a limit of time ended it."""
        if not ran.late:
            return
        if ran.idle:
            what = f"at -{level} it waits for something and did nothing for {IDLE_SECONDS} s"
            raise Verdict("late", what, case, starved=ran.starved)
        what = f"no end after {seconds} s of processor time, its limit, at -{level}"
        why = f"an endless loop, or much slower than the start; LIMIT={4 * seconds} allows more"
        raise Verdict("late", f"{what}: {why}", case, starved=ran.starved)

    def compare_exponents(
        self, folder: Path, level: str, may_vary: Sequence[str]
    ) -> None:
        """Raise Verdict where another exponent makes a function that must not vary execute another
        instruction, or access another address."""
        seen: dict[int, operands.Call] = {}  # hash of a trace -> a call that has it
        for calls, file in self.alike[: COMMANDS.get(level)]:
            hashes = self.looked_at("trace", folder, level, file, *may_vary)
            seen = dict(zip(hashes, calls, strict=True)) | seen
            if len(seen) > 1:
                first, second, *_ = seen.values()
                what = self.what_differs(folder, level, may_vary, first, second)
                raise Verdict("wrong", f"at -{level}: {what}")

    def what_differs(
        self,
        folder: Path,
        level: str,
        may_vary: Sequence[str],
        first: operands.Call,
        second: operands.Call,
    ) -> str:
        """Return what two exponents make the program do otherwise, in words.  Raises Verdict."""
        counted = []
        for call in (first, second):
            file = operands.write(folder / f"{call.y:x}.txt", [call], self.width)
            counted.append(self.counted(folder, level, [call], file))
        usual, other = counted
        exponents = f"for e = {second.y:#x} than for e = {first.y:#x}"
        for function in sorted(set(usual | other).difference(may_vary)):
            if usual[function] != other[function]:
                return f"{function} executes other instructions {exponents}"
        return f"it branches to or accesses other addresses {exponents}"

    def reference(self, sources: Sources) -> Path:
        """Return the folder of a program that is known to be right, which is built
        once.  Raises Verdict."""
        driver = sorted(Path(f"build/harness/{self.width}").glob("*.o"))
        tools = files.digest(BUILDER, FLAGS, *driver)
        key = "\n".join([*sources.values(), tools])
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        folder = BUILD / "reference" / name
        with files.alone(BUILD / "reference.lock"):
            put(sources, folder)
            for level in levels():
                if not (folder / level / "rsa").exists():
                    self.build(folder, level)
        return folder

    def time_start(self, folder: Path, may_vary: Sequence[str]) -> None:
        """Derive how much processor time each command may take from what it takes of the start, of
        several exercises of the slowest, unless LIMIT says it.  Raises Verdict."""
        if os.environ.get("LIMIT"):
            return
        others = self.seconds
        self.seconds = {}  # the start itself has as long as the box allows
        allowed = {}

        def time(what: str, command: Callable[[], object]) -> None:
            before = faults.seconds_of_children()
            command()
            taken = faults.seconds_of_children() - before
            seconds = math.ceil(LEAST_SECONDS + TIMES * taken)
            allowed[what] = max(seconds, others.get(what, 0))

        for level in levels():
            time(f"check {level}", partial(self.check, folder, level))
            time(f"count {level}", partial(self.count, folder, level))
            if may_vary:
                _, file = self.alike[0]
                trace = partial(self.looked_at, "trace", folder, level, file)
                time(f"trace {level}", partial(trace, *may_vary))
        self.seconds = others | allowed

    def costs(
        self, sources: Sources, is_start: bool = False, may_vary: Sequence[str] = ()
    ) -> Costs:
        """Return those of a program that is known to be right; limits are derived from the start.
        Raises Failure."""
        try:
            folder = self.reference(sources)
            if is_start:
                self.time_start(folder, may_vary)
            return {level: self.count(folder, level) for level in levels()}
        except Verdict as end:
            again = "remove build/labs and type the same again"
            raise Failure(f"{BUILD}/reference: {end.fault}; {again}") from None


def put(sources: Sources, folder: Path) -> None:
    """Put source files into folder/src, which has no others then."""
    there = sorted((folder / "src").glob("*"))
    if {path.name: path.read_text() for path in there} == sources:
        return  # another command may be compiling them
    shutil.rmtree(folder / "src", ignore_errors=True)
    for name, text in sources.items():
        files.replace(folder / "src" / name, text)


def count(program: Path, width: int, calls: str, sources: Path) -> int:
    """Do what the sandbox runs to count; see above.  Return LATE where the program is.  Raises
    Failure."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counts")
        try:
            rows = counters.chosen().count(program, ("call", calls), width, out=out)
        except Late:
            return LATE
        printed = counters.results_of(out).read_text(encoding="ascii", errors="replace")
    inside = elf.functions(program, (row.address for row in rows), sources)
    spent = Functions()
    for row in rows:
        spent[inside[row.address]] += row.executions
    json.dump([printed, spent], sys.stdout)
    return 0


def trace(program: Path, width: int, calls: str, sources: Path, *may_vary: str) -> None:
    """Do what the sandbox runs to trace.  Raises Failure."""
    traced = Traced(program, width)
    traced.leave_out(program, sources, may_vary)
    hashes = []
    for call in operands.read(Path(calls)):
        right = power(call.n, call.x, call.y)
        hashes.append(traced.trace(right).hash)
    json.dump(hashes, sys.stdout)


if __name__ == "__main__":
    sys.exit(building("labs.judge", {"count": count, "trace": trace}))
