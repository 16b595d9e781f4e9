"""Whether a program may be measured: its code keeps the contract,
harness/snapshot.h, and every result over its check vectors and over operands
drawn anew is right.

`python3 -m harness check PROGRAM WIDTH VECTORS...` writes check.ok beside the program only then.
LIMIT: seconds of processor time that this may take (the slowest program, v0 at -O0, takes 8 under
the emulator on a laptop; a board may be 200 times slower).  PLATFORM: another file that says how
programs run.  SEED: draw the same operands again.  `python3 -m harness contract FOLDER` looks at
the contract alone.
"""

import os
import re
import secrets
import shlex
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from harness import elf, kinds, operands
from harness.operands import Call
from records import faults
from records.faults import Failure, Late
from records.files import digest, read, replace
from records.machine import PLATFORM, read_platform

# ---- The contract ----
#
# It guards against mistakes.  What a snapshot does to memory and registers is for `rsa check` to
# find; the counters stop at a system call and at code of the harness.

EXPORTED = "mont_mul", "mod_exp"
HEADER = "harness/snapshot.h"
READ_ONLY = re.compile(r"\.rodata(\..*)?|\.eh_frame|\.ARM\.(exidx|extab)(\..*)?")
# What a compiler says of a function that asks for another level, by an attribute or a pragma: gcc above
# the function, before it optimises anything (-fdump-tree-gimple); clang below (-ast-dump).
DUMP = ".gimple"
ANOTHER_LEVEL = re.compile(
    r"^__attribute__\(\(.*\b(optimize \(.*?\))|\b(OptimizeNone|MinSize)Attr", re.M
)
SYSTEM = re.compile("/(usr|opt)/(.*/)?include(-fixed)?/")


def of_object(snapshot: elf.Elf, exported: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with an object: writable data, code anywhere but in
    .text, symbols that it asks for or exports."""
    if [name for name, _, _ in snapshot.headers].count(elf.SECTION) > 1:
        yield f"two sections {elf.SECTION}: only one is counted"
    for name, size, flags in snapshot.headers:
        if not flags & elf.ALLOC or size == 0:
            continue
        if flags & elf.CODE and name != elf.SECTION:
            yield f"code in section {name}: only .text is counted"
        elif flags & elf.WRITE:
            yield f"writable data in section {name}: a snapshot keeps no state"
        elif not flags & elf.CODE and not READ_ONLY.fullmatch(name):
            yield f"section {name}: a snapshot has code, constants and unwind tables only"
    for name, section, seen in snapshot.symbols:
        if section == elf.UNDEFINED:
            if not elf.RUN_TIME.fullmatch(name):
                yield f"calls {name}: a snapshot calls the compiler's own run-time and nothing else"
        elif seen and name not in exported:
            yield f"exports {name}: a snapshot exports {' and '.join(sorted(exported))} only"
        elif name in EXPORTED and section != elf.SECTION:
            yield f"{name} is in section {section}: it is a function in .text"


def compiler() -> list[str]:
    """Return the command that compiles a source, COMPILE of the environment."""
    usual = f"{elf.TOOL}gcc -Iharness"
    return shlex.split(os.environ.get("COMPILE") or usual)


def of_level(source: Path, dump: Path) -> Iterator[str]:
    """Yield what asks for another level in a source in C, as its compiler has understood it; `dump`
    is what gcc said when it made the object, if it was asked.  Raises Failure."""
    if dump.exists():
        text = dump.read_text(errors="replace")
    else:
        text = understood(source)
    found = ANOTHER_LEVEL.search(text)
    if found:
        what = found[1] or found[0]
        yield f"{source}: {what}: the level is make's"


def understood(source: Path) -> str:
    """Return what the compiler makes of a source before it optimises.  Raises Failure."""
    command = [*compiler(), "-w", str(source)]
    if "clang" in faults.run([*compiler(), "--version"]):
        syntax = ["-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump"]
        return faults.run([*command, *syntax])
    with tempfile.TemporaryDirectory() as temporary:
        dump = Path(temporary) / f"source{DUMP}"
        faults.run([*command, "-S", "-o", os.devnull, f"-fdump-tree-gimple={dump}"])
        return dump.read_text(errors="replace")


def files_of(path: Path) -> list[str]:
    """Return the files that the compiler has read, the source first, as it says in a .d."""
    return path.read_text().partition(": ")[2].replace("\\\n", "").split()


def source_of(path: Path) -> Path:
    """Return the source that a .d is about."""
    return Path(files_of(path)[0])


def of_sources(folder: Path) -> Iterator[str]:
    """Yield what is wrong with a source: files that are no part of the snapshot's
    folder, whose changes nobody would see, by the .d files in which the
    compiler says what it has read; and what asks for another level."""
    for path in sorted(folder.glob("*.d")):
        source, *read = files_of(path)
        if not Path(source).exists():  # gone since
            continue
        own_folder = Path(source).parent
        for name in map(os.path.normpath, (source, *read)):
            if name == HEADER or SYSTEM.match(name):
                continue
            if Path(name).parent != own_folder:
                yield f"{source}: includes {name}: a snapshot's files are in its folder"
        if source.endswith(".c"):
            yield from of_level(Path(source), path.with_suffix(DUMP))


def contract(folder: Path, *exported: str) -> None:
    """Look at FOLDER/snapshot.o, which exports the contract's functions or
    those, and at its sources.  Raises Failure with the first fault."""
    snapshot = elf.read_elf(folder / "snapshot.o")
    found = list(of_sources(folder))
    found += of_object(snapshot, exported or EXPORTED)
    if not found:
        return
    more = f" (and {len(found) - 1} more)" if found[1:] else ""
    option = option_behind(found[0], folder)
    why = f"; without {option} in CC it does not" if option else ""
    raise Failure(f"{found[0]}{more}{why}; {HEADER} is the contract")


def option_behind(wrong: str, folder: Path) -> str:
    """Return the option of the reader's own (OWN of the environment) without which nothing of the kind is
    wrong with the sources in C; "" where there is none."""
    sources = [source_of(path) for path in folder.glob("*.d")]
    for option in os.environ.get("OWN", "").split():
        command = compiler()
        command.remove(option)
        try:
            left = [of_compiled(command, one) for one in sources if one.suffix == ".c"]
        except Failure:  # half of an option, such as `--param`
            continue
        if not any(wrong in found for found in left):
            return option
    return ""


def of_compiled(command: Sequence[str], source: Path) -> list[str]:
    """Return what is wrong with the object that a command makes of a source.  Raises Failure."""
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary) / "source.o"
        faults.run([*command, "-w", "-c", source, "-o", made])
        return list(of_object(elf.read_elf(made), EXPORTED))


# ---- The results ----

RUN_SECONDS = 1800
DRAWN = {"mont_mul": 5, "mod_exp": 1}  # of each kind
STAMP = "check.ok"  # beside a program that has passed
SIGNALS = {  # number -> what the program did
    4: ": an instruction that this processor does not have",
    7: ": an address that is not a multiple of 4",
    8: ": a division by zero",
    11: ": memory that is not its own, or a return to nowhere.  A pointer or an index is wrong; or,"
    " in assembly, push and pop do not match",
}


def ran(words: Sequence[str | Path], seconds: int) -> tuple[str, str, int]:
    """Return what a program printed, what it said on stderr, its status.
    It stays in the foreground, so that Ctrl-C ends it, too.  Raises
    OSError."""
    end = faults.ended(words, seconds, text=True, errors="replace")
    return end.stdout, end.stderr, end.returncode


def fault(
    todo: Sequence[Call],
    printed: str,
    stderr: str,
    status: int,
    seconds: int = RUN_SECONDS,
) -> str:
    """Return what is wrong with a run of `rsa check`, in one line, or an empty
    string.  Raises Late where nothing is, but the run has met its limit."""
    found = operands.results(printed)
    if wrong := operands.wrong(todo[: len(found)], found):
        return wrong
    # A program may write such a line itself, with any number.
    at = re.search(r"(?m)^call ([1-9]\d{0,8}): (.*)", stderr)
    if at and int(at[1]) <= len(todo):
        call = todo[int(at[1]) - 1]
        return f"{call.source_line}: {at[2]}"
    last = ""
    if len(found) < len(todo):
        last = f", {todo[len(found)].source_line}"
    if faults.is_late(status):
        where = last.removeprefix(", ")
        raise Late(f"{where}: {faults.late(seconds)}".removeprefix(": "))
    number = -status if status < 0 else status - 128
    if number > 0:
        what = SIGNALS.get(number, "")
        return f"crashed with signal {number}{last}{what}"
    if status:
        return stderr.partition("\n")[0] or f"status {status}"
    return operands.wrong(todo, found)


def refused(program: Path, why: Failure) -> str:
    """Return that a program is wrong, or has not been checked to its end, and why."""
    what = "NOT CHECKED" if isinstance(why, Late) else "CHECK FAILED"
    return f"{program}: {what}, so it is not measured: {why}"


def check(program: Path, width: int, files: Sequence[Path], seed: str) -> str:
    """Return what has been checked, in words.  Raises Failure with the first fault."""
    # A program of this machine, or one sent to a board, has none.
    if program.with_name("snapshot.o").exists():
        contract(program.parent)
    calls: list[Call] = []
    for path in files:
        calls += operands.vectors(path)
    vectors = len(calls)
    for function, n in DRAWN.items():
        calls += kinds.calls(function, width, seed, n)
    file = operands.write(program.with_name(f"check-{os.getpid()}.calls"), calls, width)
    platform = read_platform(Path(os.environ.get("PLATFORM") or PLATFORM))
    words: list[str | Path] = [*platform.runner, program, "check", file]
    seconds = faults.limit(RUN_SECONDS)
    alone = f"its calls alone (SEED={seed}): {shlex.join(map(str, words))}"
    try:
        wrong = fault(calls, *ran(words, seconds), seconds)
    except Late as late:
        raise Late(f"{late}; {alone}") from None
    if wrong:
        raise Failure(f"{wrong}; {alone}")
    file.unlink()
    return f"{vectors} vectors and {len(calls) - vectors} drawn with seed {seed}"


def stamp(program: Path, of_program: str, checked: str) -> None:
    """Say in check.ok beside a program that what has this hash has passed its check, and what was
    `checked`.  Raises OSError."""
    replace(program.with_name(STAMP), f"{checked}\n{of_program}\n")


def passed(program: Path) -> bool:
    """Return whether a program is what has passed its check.  Not the time of check.ok tells it:
    another make may have put an equal program in the place of the one that was checked."""
    said = read(program.with_name(STAMP)).splitlines()
    return program.exists() and said[1:] == [digest(program)]


def main(program: Path, width: int, *vectors: Path) -> None:
    """Check a program.  Raises Failure and OSError."""
    of_program = digest(program)
    seed = os.environ.get("SEED") or str(secrets.randbits(32))
    try:
        checked = check(program, width, vectors, seed)
    except Failure as wrong:
        program.with_name(STAMP).unlink(missing_ok=True)
        raise Failure(refused(program, wrong)) from None
    stamp(program, of_program, checked)
    print(f"  CHECK   {program.parent}: {checked}", flush=True)
