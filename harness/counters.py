"""The two counters, the plugin of qemu-arm and Unicorn, and the choice between them.

Both give the same rows to the unit (tests/harness/test_counter.py), so which
one it was is a note in machine.json and never a column of a table.  `python3
-m harness counters` prints the name of the one that works here; `... [--width
BITS] PROGRAM ARGUMENTS` prints counts by symbol of one run.
"""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from harness import counts, elf, executed, operands
from records import faults
from records.faults import Failure, Late, first_line, run
from records.ladder import ROOT
from records.machine import CORE

QEMU = ("qemu-arm", "-cpu", CORE)
PLUGIN = Path("build/count.so")
UNICORN = Path("build/unicorn")
VENV = ROOT / ".venv"
MISSING = "Unicorn 2 is not installed: type make venv or, on 32-bit ARM, apt-get install python3-unicorn"
PROGRAM = Path("build/selftest")
TABLE = Path("harness/plugin/selftest.txt")


class Counter:
    """One of the two: `plugin` or `unicorn`, its file, the plugin itself or
    a program, and whether the default workload takes so long with it that
    nobody gets it without asking."""

    def __init__(self, name: str, file: Path) -> None:
        self.name = name
        self.file = file
        self.slow = name == "unicorn"

    def why_unsupported(self) -> str:
        """Return why it cannot count here, or an empty string."""
        missing = "" if self.file.exists() else f"{self.file} is not built"
        why_not = no_unicorn if self.slow else no_plugins
        return why_not() or missing or elf.why_unsupported()

    def seconds(self, instructions: float, level: str) -> float:
        """Return what a run takes on a computer of today.  Every store is slow in
        Unicorn."""
        if self.slow:
            return 0.1 + instructions / (5.5e7 if level == "O0" else 2e8)
        return 0.1 + instructions / 2e9

    def command(
        self,
        program: Path,
        args: Sequence[object],
        width: int,
        out: Path,
        predict: bool,
        core: str = CORE,
    ) -> list[object]:
        """Return the words that count a run; for qemu-arm the program has a fixed
        name, so that its stack begins where it began the last time.  Raises
        Failure."""
        snapshot = elf.snapshot_of(program)
        more = [f"out={out.resolve()}"]
        for start, _, _ in elf.read_elf(program).functions:
            if start in snapshot:
                more.append(f"entry={start:#x}")
        if self.slow:
            return [
                self.file.resolve(),
                libunicorn(),
                f"core={core}",
                *places(program),
                *more,
                program,
                *args,
            ]
        if predict:
            more.append("predict=1")
        name, *processor = emulator(core)
        qemu = [shutil.which(name) or name, *processor, "-0", "program"]
        option = plugin_option(self.file, program, *more)
        return [*qemu, "-plugin", option, program.resolve(), *args]

    def count(
        self,
        program: Path,
        args: Sequence[object] = (),
        width: int = 128,
        *,
        out: Path,
        seconds: int = 0,
        predict: bool = False,
        core: str = CORE,
    ) -> list[executed.Instruction]:
        """Return what the snapshot of a program executes with the driver's
        arguments on this core; `out` keeps the counter's file,
        results_of(out) what the program prints.  `predict`: with simulated
        mispredictions, which Unicorn always has.  Raises Failure unless it
        ends with status 0 within so many seconds of processor time, if that is
        not 0; Late, too."""
        words = [*map(str, self.command(program, args, width, out, predict, core))]
        out.unlink(missing_ok=True)
        try:  # without an environment, which would move the program's stack
            results_of(out).write_text(run(words, seconds, env={}))
        except Late:
            raise Late(f"{program}: not counted: {faults.late(seconds)}") from None
        except Failure as fault:
            raise Failure(f"{program}: not counted: {fault}") from None
        return executed.read_counts(out, program, calls_of(args))

    def selftest(self, program: Path = PROGRAM, table: Path = TABLE) -> int:
        """Count the self-test program, whose counts are known; returns the
        number of values compared.  Raises Failure at the first that is not
        as the table says."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                rows = self._selftest_rows(program, Path(folder, "counts"))
            return compare(counts.sums(rows), table)
        except Failure as fault:
            raise Failure(f"self-test: {fault}") from None

    def _selftest_rows(self, program: Path, out: Path) -> list[executed.Instruction]:
        """Return the rows of the self-test: the plugin's by call-backs, as it
        counts by inline counters."""
        rows = self.count(program, out=out, predict=True)
        if self.slow:
            return rows
        for row in {row._replace(mispredicted=0) for row in rows} ^ {
            *self.count(program, out=out)
        }:
            raise Failure(f"{row.address:#x}: inline counters and call-backs disagree")
        return rows


def calls_of(args: Sequence[object]) -> int:
    """Return how many calls the driver makes by these arguments; 0 where that is not known."""
    way, *more = map(str, args or [""])
    if way != "call":
        return 0
    lines = Path(more[0]).read_text(encoding="ascii").count("\n")
    return min(lines, *map(int, more[1:])) if more[1:] else lines


def emulator(core: str) -> tuple[str, ...]:
    """Return the words of qemu-arm before those of a program for this core."""
    return (*QEMU[:-1], core)


PLACES = {"plugin": PLUGIN, "unicorn": UNICORN}
COUNTERS = {name: Counter(name, path) for name, path in PLACES.items()}


def no_plugins(qemu: str = QEMU[0]) -> str:
    """Return why this qemu-arm cannot load a plugin; empty if it can."""
    if not first_line(qemu, "--version"):
        return f"{qemu} is not installed"
    return (
        ""
        if "-plugin" in run([qemu, "-help"])
        else f"{qemu} was built without plugin support"
    )


def libunicorn() -> str:
    """Return the library of the Python package `unicorn`, this Python's or .venv's,
    else the system's own."""
    package = find_spec("unicorn")
    folders = [*map(Path, (package and package.submodule_search_locations) or [])]
    folders += VENV.glob("lib/python3*/site-packages/unicorn")
    files = [path for folder in folders for path in folder.glob("lib/libunicorn.so.*")]
    return str(files[0]) if files else "libunicorn.so.2"


def no_unicorn() -> str:
    """Return why Unicorn cannot count here; empty if it can."""
    try:
        _ = ctypes.CDLL(libunicorn()).uc_ctl  # new in version 2
    except (OSError, AttributeError):
        return MISSING
    return ""


def places(program: Path) -> list[str]:
    """Return where the code of a program is, that of its snapshot and that of its
    harness, as both counters are told.  Raises Failure."""
    options = []
    for section, addresses in elf.sections(program).items():
        options.append(f"{section.partition('_')[0]}={ends(addresses)}")
    return [*options, f"code={ends(elf.code_of(program))}"]


def ends(addresses: range) -> str:
    """Return two addresses, as the counters read them."""
    return f"{addresses.start:#x}-{addresses.stop:#x}"


def plugin_option(plugin: Path, program: Path, *more: str) -> str:
    """Return what follows -plugin.  A path may have a comma or a sign = in it.
    Raises Failure."""
    parts = [f"file={plugin.resolve()}", *places(program), *more]
    return ",".join(text.replace(",", ",,") for text in parts)


def results_of(out: Path) -> Path:
    """Return the file beside a counter's file that has what the program has printed."""
    return out.with_name(f"{out.name}.results")


def read_expected(path: Path) -> dict[tuple[str, str], int]:
    """Return the self-test's table: the value by symbol and metric."""
    lines = (
        line.partition("#")[0].split() for line in path.read_text("utf-8").splitlines()
    )
    return {
        (symbol, metric): int(value) for symbol, metric, value in filter(None, lines)
    }


def compare(counted: counts.Sums, table: Path) -> int:
    """Compare counts of the self-test program with its table; returns the
    number of values.

    Raises Failure at the first value that is not as the table says.  What
    the table does not name must be zero, except that ``total`` and
    ``snapshot`` are only looked at where named.
    """
    expected = read_expected(table)
    names = set(expected)
    for symbol, metric in counted:
        if symbol not in ("total", "snapshot"):
            names.add((symbol, metric))
    for symbol, metric in sorted(names):
        n = counted[symbol, metric]
        value = expected.get((symbol, metric), 0)
        if n != value:
            raise Failure(f"{symbol} {metric}: counted {n}, expected {value} ({table})")
    return len(names)


def chosen() -> Counter:
    """Return the counter that COUNTER of the environment names, or the first that
    works here.  Raises Failure where there is none, or COUNTER is `none`."""
    wanted = os.environ.get("COUNTER", "")
    reasons = []
    for counter in COUNTERS.values():
        if wanted in ("", counter.name):
            reasons.append(counter.why_unsupported())
            if not reasons[-1]:
                return counter
    raise Failure(f"no counts: {'; '.join(reasons) or f'COUNTER={wanted}'}")


def main(*words: str, width: int = 128) -> None:
    """Count one run, a program and its words, by symbol; without words, name
    the counter.  Raises Failure."""
    counter = chosen()
    if not words:
        print(counter.name)
        return
    program = Path(words[0])
    args = list(words[1:])
    if args[:1] != ["call"]:
        args = operands.command(args, width)
    with tempfile.TemporaryDirectory() as folder:
        rows = counter.count(
            program, args, width, out=Path(folder, "counts"), predict=True
        )
    for (symbol, metric), value in sorted(counts.sums(rows).items()):
        print(f"{symbol}\t{metric}\t{value}")
