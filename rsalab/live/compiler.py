"""The assembly that the compiler of this checkout makes, as the live page shows it."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from records import machine
from records.faults import Failure
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
NONE_BUILT = "no rung is built here; `make check` builds them"


def compiled(source: Path, level: str, width: int, headers: Iterable[Path] = ()) -> str:
    """Return what the compiler makes of a file in C for numbers of `width` bits.

    What the file includes is beside it, or else in one of the folders `headers`.
    Raises Failure where it does not compile.
    """
    words = [*compiler(), *INCLUDES]
    words += [f"-I{folder}" for folder in headers]
    words += [f"-DWIDTH={width}", f"-ffile-prefix-map={ROOT}=."]
    words += [f"-{level}", "-g", "-S", str(source), "-o", "-"]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if made.returncode:
        raise Failure(f"{source}: it does not compile; `make check` says why")
    code = VIEW.sub(r"\1", DEBUGGING.sub("", made.stdout))
    lines = [line for line in code.splitlines() if not NOISE.match(line)]
    return OVERRULED.sub("", "\n".join(lines) + "\n")


def compiler() -> list[str]:
    """Return the compiler of the programs that make has built, and its flags; the usual
    compiler where they are clang's.  Raises Failure where it has built none."""
    if not machine.FLAGS.exists():
        raise Failure(NONE_BUILT)
    version, options, *_ = machine.read_flags().splitlines()
    name, *_ = version.split()
    command = name if name.startswith("arm-") else USUAL_TOOLCHAIN.command
    if not shutil.which(command):
        raise Failure(NONE_BUILT)
    flags = [word for word in shlex.split(options) if word.startswith(("-std", "-m"))]
    return [command, *flags]
