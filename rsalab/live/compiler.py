"""The assembly that the compiler of this checkout makes, as the live page shows it."""

import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from harness import elf
from harness.compiler import decided
from records import machine
from records.faults import Failure, run
from records.ladder import ROOT
from records.settings import USUAL_TOOLCHAIN

INCLUDES = ("-Iharness", "-Iharness/driver", "-Idata/inputs/width-128")
# What the debugger alone needs follows the code; the lines of C (.loc) stand in the code.
DEBUGGING = re.compile(r"(?m)^\t\.section\t\.debug_.*\Z", re.DOTALL)
# What says nothing to a reader: notes for the linker and the debugger, labels that only these use.
NOISE = re.compile(
    r"\t\.(?:cfi_|eabi_attribute|size|type|ident)|\t@|\.L(?:VL|FB|FE|BB|BE|BI|text|etext)\d+:"
)
# The column, and what a debugger shows there.
VIEW = re.compile(r"(?m)^(\t\.loc \d+ \d+) .*$")
# Of several lines of debug information the last counts.
OVERRULED = re.compile(r"(?m)(?:^\t\.loc .*\n)+(?=\t\.loc )")
FILE = re.compile(r'(?m)^\t\.file (\d+) "(.*)"')
LOCATION = re.compile(r"\t\.loc (\d+) ")
INSTRUCTION = re.compile(r"\t[a-z]")
# Warnings, options for the linker, debug information: they decide no code.
NO_CODE = ("-W", "-static", "-g", "-ffile-prefix-map")
MARK = "code_of_a_header_"
MARKED = re.compile(rf"(?m)^([0-9a-f]+) . {MARK}(\d+)$")
NONE_BUILT = "no rung is built here; `make check` builds them"


def compiled(source: Path, level: str, width: int, headers: Iterable[Path] = ()) -> str:
    """Return what the compiler makes of a file in C for numbers of `width` bits.

    What the file includes is beside it, or else in one of the folders `headers`.
    Raises Failure where it does not compile.
    """
    words = [*compiler(), *INCLUDES]
    for folder in headers:
        words.append(f"-I{folder}")
    words.append(f"-DWIDTH={width}")
    words.append(f"-ffile-prefix-map={ROOT}=.")
    words += [f"-{level}", "-g", "-S", str(source), "-o", "-"]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if made.returncode:
        raise Failure(f"{source}: it does not compile; `make check` says why")
    folder = source.resolve().parent.relative_to(ROOT)
    return readable(at_users_of_headers(made.stdout, folder))


def readable(assembly: str) -> str:
    """Return assembly without what says nothing to a reader."""
    code = DEBUGGING.sub("", assembly)
    code = VIEW.sub(r"\1", code)
    lines = []
    for line in code.splitlines():
        if not NOISE.match(line):
            lines.append(line + "\n")
    return OVERRULED.sub("", "".join(lines))


def at_users_of_headers(assembly: str, folder: Path) -> str:
    """Return assembly in which code of the compiler's headers (arm_neon.h) has the line of
    `folder`, a path from the root, that asks for it, as in lines.csv.  Raises Failure and OSError."""
    names = dict(FILE.findall(assembly))
    numbers = {name: number for number, name in names.items()}
    lines = assembly.splitlines(keepends=True)
    inside = []  # the instructions of headers, by their place in `lines`
    is_header = False
    for place, line in enumerate(lines):
        if location := LOCATION.match(line):
            is_header = names[location[1]].startswith("/")
        elif is_header and INSTRUCTION.match(line):
            inside.append(place)
    users = users_of(lines, inside, folder) if inside else {}
    before = ""  # the last .loc
    for place, line in enumerate(lines):
        user = users.get(place)
        if LOCATION.match(line):
            before = line
        elif user and (number := numbers.get(f"./{folder}/{user.file}")):
            now = f"\t.loc {number} {user.number} 0\n"
            if now != before:
                lines[place] = now + line
            before = now
    return "".join(lines)


def users_of(
    assembly: list[str], inside: Iterable[int], folder: Path
) -> dict[int, elf.Line]:
    """Return the line of `folder` that each of these instructions is of.  Raises Failure and
    OSError."""
    marked = list(assembly)
    for place in inside:
        marked[place] = f"{MARK}{place}:\n{marked[place]}"
    with tempfile.TemporaryDirectory() as temporary:
        program = Path(temporary) / "marked.o"
        words = [*compiler(), "-c", "-x", "assembler", "-", "-o", str(program)]
        text = "".join(marked)
        subprocess.run(words, cwd=ROOT, input=text, text=True, check=True)
        names = run([elf.TOOL + "nm", program])
        addresses = {int(mark): int(at, 16) for at, mark in MARKED.findall(names)}
        lines = elf.lines(program, addresses.values(), folder)
    return {mark: lines[address] for mark, address in addresses.items()}


def compiler() -> list[str]:
    """Return the compiler of the programs that make has built, and the options that decide code; the usual
    compiler where they are clang's.  Raises Failure where it has built none."""
    if not machine.FLAGS.exists():
        raise Failure(NONE_BUILT)
    version, options, *_ = machine.read_flags().splitlines()
    name, *_ = version.split()
    words = shlex.split(options)
    if not name.startswith("arm-"):
        name = USUAL_TOOLCHAIN.command
        words = ["-std=c11", "-marm", *USUAL_TOOLCHAIN.architecture.split()]
        words += decided(name)
    if not shutil.which(name):
        raise Failure(NONE_BUILT)
    return [name, *(word for word in words if not word.startswith(NO_CODE))]
