"""The driver built for this machine with a snapshot in C, for tests that
need no ARM."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from hangs import HANGS

from harness import operands
from harness.operands import Call
from records.ladder import ROOT

INPUTS = ROOT / "data" / "inputs" / "width-128"
REFERENCE = ROOT / "tests/support/reference.c"

# From copies of sources, too, whose relative path leads nowhere.
INCLUDE = [
    f"-I{ROOT / name}"
    for name in ("harness", "harness/driver", "data/inputs/width-128")
]
DRIVER = tuple(path.stem for path in sorted((ROOT / "harness/driver").glob("*.c")))
WARNINGS = (
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wmissing-prototypes",
    "-Werror",
)


def compile_driver(folder: Path, width: int = 128) -> list[Path]:
    """The driver's objects, compiled into `folder` without a single
    warning."""
    objects = [folder / f"{name}-{width}.o" for name in DRIVER]
    for name, target in zip(DRIVER, objects):
        source = ROOT / "harness" / "driver" / f"{name}.c"
        cc("-O2", *WARNINGS, f"-DWIDTH={width}", "-c", source, "-o", target)
    return objects


def link(
    program: Path, objects: Sequence[Path], *snapshot: object, width: int = 128
) -> Path:
    """The driver with a snapshot: its C file and the compiler's options
    for it."""
    cc("-O1", f"-DWIDTH={width}", *snapshot, *objects, "-o", program)
    return program


def cc(*arguments: object) -> None:
    """Runs the host's C compiler."""
    command = ["cc", "-std=c11", *INCLUDE, *map(str, arguments)]
    subprocess.run(command, check=True)


def run(program: object, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Runs the driver."""
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS)


def vectors(width: int = 128) -> list[Call]:
    """The committed vectors of a width."""
    folder = ROOT / f"data/inputs/width-{width}/vectors"
    return [
        call for path in sorted(folder.glob("*.txt")) for call in operands.vectors(path)
    ]


def wrong(
    todo: list[Call],
    folder: Path,
    *command: object,
    width: int = 128,
    way: str = "check",
) -> str:
    """What is wrong with a program's results of these calls, in one line,
    or an empty string; `command` starts the program."""
    calls = folder / "calls.txt"
    calls.write_text(operands.text(todo, width))
    ran = run(*command, way, calls)
    said = ran.stderr or ("" if ran.returncode == 0 else f"status {ran.returncode}")
    found = operands.results(ran.stdout)
    return (
        operands.wrong(todo[: len(found)], found) or said or operands.wrong(todo, found)
    )
