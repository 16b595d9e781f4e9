"""The verdict on a program: built, checked and counted at each level, on
operands of one run.

The program that is counted holds no answer: what it prints is compared here,
outside the sandbox. A sandbox, where bubblewrap works, sees the tools, the
harness and the files it is given, and no network; time and memory are limited,
and all that outlives it is what the command prints.

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
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from harness import counters, elf, kinds, operands
from harness.check import fault
from harness.operands import power
from harness.unicorn import Traced
from labs.explain import mistakes, operands_of
from records import faults, files
from records.commands import building
from records.faults import Failure, Late
from records.ladder import ROOT, levels
from records.machine import FLAGS, read_platform

MEMORY = 3 << 30  # bytes of data of one process; Unicorn asks for one and more at once
FILES = 16 << 20  # bytes of one file that is written, and of all that leaves a sandbox
SPACE = 64 << 20  # bytes of all files in a sandbox's /tmp
TASKS = 64  # processes and threads at once in a sandbox
RUN_SECONDS = 60  # of processor time, for one command at most
# What every command has, and beside it TIMES as much as the start has taken.
LEAST_SECONDS = 5
TIMES = 10
# Seconds of real time in which a command may do nothing at all: it waits for what never comes.
IDLE_SECONDS = 60
SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc/alternatives /etc/ld.so.cache".split()
HARNESS = """.venv harness records labs/build.sh labs/judge.py labs/explain.py
    build/harness build/host/harness build/platform build/count.so build/unicorn
    build/trace.so""".split()
# What build.sh and the counters read.
PASSED = (
    "CC CODE COUNTER HOST_CC LDFLAGS OBJCOPY PATH PYTHON RSALAB_BINUTILS WARN".split()
)
KILLED = 128 + signal.SIGKILL
LATE = 128 + signal.SIGXCPU


@dataclass(frozen=True)
class Ran:
    """How a command ended: its status as a shell has it, and what it wrote.  `idle`: it did nothing
    any more."""

    status: int
    stdout: bytes
    stderr: str
    idle: bool = False

    @property
    def late(self) -> bool:
        """Return whether a limit of time ended it; one that ignores that is killed."""
        return self.idle or self.status in (LATE, KILLED)

    @property
    def first_line(self) -> str:
        """Return the first line of stderr."""
        return self.stderr.partition("\n")[0]


@dataclass(frozen=True)
class Box:
    """The limits; `sandbox` says whether bubblewrap is used, too."""

    sandbox: bool
    seconds: int = RUN_SECONDS

    def run(self, words: Sequence[object], *read: Path, seconds: int = 0) -> Ran:
        """Run a command at the root of the repository for `seconds`, or as long as the box allows.
        In a sandbox it sees the tools, the harness and the files `read`."""
        seconds = seconds or self.seconds
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment["LIMIT"] = str(seconds)
        command = [
            "prlimit",
            f"--cpu={seconds}:{seconds + 1}",
            f"--data={MEMORY}",
            f"--fsize={FILES}",
        ]
        if self.sandbox:
            command = [*bubblewrap(read), *command, f"--nproc={TASKS}"]
        command += ["--core=0", "--"]
        # Files, to which the limit of a file's size applies.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with subprocess.Popen(
                [*command, *map(str, words)],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            ) as process:
                idle = not worked_to_its_end(process)
            for file in (out, err):
                file.seek(0)
            printed = out.read()
            complaints = err.read().decode(errors="replace")
        plain = "\n".join(printable(line) for line in complaints.strip().splitlines())
        status = process.returncode
        return Ran(status if status >= 0 else 128 - status, printed, plain, idle)


def worked_to_its_end(
    process: subprocess.Popen[bytes], idle: int = IDLE_SECONDS
) -> bool:
    """Wait for the end of a command.  Return whether it has come: a command of which no process
    wants the processor for `idle` seconds is killed.  One that only gets none, on a busy machine,
    wants it."""
    quiet = 0
    ticks = -1
    try:
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)
                return True
            family = faults.family(process.pid)
            before = ticks
            ticks = sum(one.ticks for one in family)
            busy = ticks != before or any(one.state in "RD" for one in family)
            quiet = 0 if busy else quiet + 1
            if quiet == idle:
                return False
    finally:
        faults.end_family(process.pid)


def printable(text: str) -> str:
    """Return a line in which a terminal finds nothing to obey."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def bubblewrap(read: Sequence[Path]) -> list[str]:
    """Return bubblewrap's command line: nothing is there but what is named here.

    The system counts no tasks of root.  So root becomes somebody else
    inside, one for each thread, who has no processes but those of the
    sandbox.
    """
    words = ["bwrap", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    drop: list[str] = []
    if os.geteuid() == 0:
        words += [
            f"--unshare-{what}" for what in ("ipc", "pid", "net", "uts", "cgroup-try")
        ]
        words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        user = 65000 + threading.get_native_id() % 500
        drop = f"setpriv --reuid={user} --regid={user} --clear-groups --inh-caps=-all".split()
    else:
        words += ["--unshare-all"]
    words += ["--proc", "/proc", "--dev", "/dev", "--dir", "/etc"]
    words += ["--perms", "0777", "--size", str(SPACE), "--tmpfs", "/tmp"]
    for name in SYSTEM:
        words += ["--ro-bind-try", name, name]
    for path in [*HARNESS, *map(str, read)]:
        shown = str(ROOT / path)
        # Without --dir the parent of a file is its owner's alone.
        words += ["--dir", os.path.dirname(shown), "--ro-bind-try", shown, shown]
    for name in ("/", "/dev"):
        words += ["--remount-ro", name]
    words += ["--chdir", str(ROOT)]
    return words + drop


def show_to_others() -> None:
    """Let others read what a sandbox of root's shows them, whatever umask it was made with."""
    there = [path for path in HARNESS if (ROOT / path).exists()]
    subprocess.run(
        ["chmod", "-R", "go+rX", "--", *there], cwd=ROOT, stderr=subprocess.DEVNULL
    )


@cache
def why_no_sandbox() -> str:
    """Return why there is no sandbox here, or an empty string."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if os.geteuid() == 0:
        show_to_others()
    ran = Box(True).run(["cat", "harness/snapshot.h"])
    if ran.status == 0:
        return ""
    return f"bubblewrap does not work here ({ran.first_line or ran.status})"


# --- operands -------------------------------------------------------------------------------------

DRAWN = {"mont_mul": 250, "mod_exp": 2}  # of each kind; mod_exp is slow


EXPONENTS = 30  # that are drawn
EDGES = 7  # beside them
AT_ONCE = 6  # that one command traces, so that it ends within its limit
COMMANDS = {
    "O0": 3
}  # where a trace takes 20 times as long as at other levels; there, all


def drawn_seed() -> int:
    """Return the number that all operands of a run are drawn from: a new one, or SEED to repeat a
    run.  Raises Failure."""
    wanted = os.environ.get("SEED") or str(secrets.randbits(64))
    if not wanted.isdecimal():
        raise Failure(f"SEED={wanted}: say the number that a verdict names")
    return int(wanted)


def exponents(width: int, source: kinds.Stream) -> list[int]:
    """Return exponents for programs that must treat all of them alike: some at the edges, and
    others that nobody knows, of every length and with few, half or most bits 1."""
    half = width // 2
    full = (1 << width) - 1
    found = [0, 1, 2, 1 << half | 1, 1 << (width - 1), full // 3, full]
    while len(found) < EDGES + EXPONENTS:
        drawn = source.bits(width)
        thin = drawn & source.bits(width)
        found += [drawn, thin, full ^ thin, drawn >> source.below(width)]
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
    the levels that were reached."""

    status: str = "right"
    fault: str = ""
    case: Sequence[str] = ()
    costs: Costs = field(default_factory=dict)


class Judge:
    """Judges programs of a width on operands drawn from a seed; `folder` gets all files."""

    def __init__(self, folder: Path, width: int, seed: int, box: Box) -> None:
        source = kinds.Stream(f"{seed} {width}")
        self.folder = folder
        self.width = width
        self.seed = seed
        self.box = box
        # Level -> seconds of a command, once the start is measured.
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
            told = re.findall(".*(?:error|undefined|Error).*", complaints)
            first, *others = told or [complaints.partition("\n")[0] or "no word"]
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
        seconds = self.seconds.get(level, self.box.seconds)
        ran = self.box.run(words, program, file, seconds=seconds)
        printed = ran.stdout.decode(errors="replace")
        results = operands.results(printed)
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
        return Counter(functions)

    def looked_at(
        self, what: str, folder: Path, level: str, calls: Path, *more: str
    ) -> Any:
        """Return what this module prints of a file of calls; see above.  Raises
        Verdict."""
        program = folder / level / "rsa"
        python = os.environ.get("PYTHON", "python3")
        sources = folder / "src"
        words = [python, "-m", "labs.judge", what, program, self.width, calls, sources]
        seconds = self.box.seconds
        # The start was timed by its count; a trace takes many times as long.
        if what != "trace":
            seconds = self.seconds.get(level, seconds)
        ran = self.box.run([*words, *more], program, calls, sources, seconds=seconds)
        self.ended(ran, level, seconds)
        if ran.status:
            raise Verdict("crashed", f"at -{level}: {ran.first_line or 'no word'}")
        return json.loads(ran.stdout)

    def ended(
        self, ran: Ran, level: str, seconds: int, case: Sequence[str] = ()
    ) -> None:
        """Raise Verdict where a limit of time ended it."""
        if not ran.late:
            return
        if ran.idle:
            what = f"at -{level} it waits for something and did nothing for {IDLE_SECONDS} s"
            raise Verdict("late", what, case)
        what = f"no end after {seconds} s of processor time, its limit, at -{level}"
        why = f"an endless loop, or much slower than the start; LIMIT={4 * seconds} allows more"
        raise Verdict("late", f"{what}: {why}", case)

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
        put(sources, folder)
        for level in levels():
            if not (folder / level / "rsa").exists():
                self.build(folder, level)
        return folder

    def time_start(self, folder: Path) -> None:
        """Derive how much processor time a command may take at each level from what the start takes
        to be checked and counted (on a board the count is the slow one: it is emulated), of several
        exercises the slowest, unless LIMIT says it.  Raises Verdict."""
        if os.environ.get("LIMIT"):
            return
        others = self.seconds
        self.seconds = {}  # the start itself has as long as the box allows
        allowed = {}
        for level in levels():
            before = faults.seconds_of_children()
            self.check(folder, level)
            self.count(folder, level)
            taken = faults.seconds_of_children() - before
            seconds = math.ceil(LEAST_SECONDS + TIMES * taken)
            allowed[level] = min(self.box.seconds, max(seconds, others.get(level, 0)))
        self.seconds = allowed

    def costs(self, sources: Sources, is_start: bool = False) -> Costs:
        """Return those of a program that is known to be right.  Raises Failure."""
        try:
            folder = self.reference(sources)
            if is_start:
                self.time_start(folder)
            return {level: self.count(folder, level) for level in levels()}
        except Verdict as end:
            again = "remove build/labs and type the same again"
            raise Failure(f"{BUILD}/reference: {end.fault}; {again}") from None


def put(sources: Sources, folder: Path) -> None:
    """Put source files into folder/src, which has no others then."""
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
