"""The counter and ARM programs for it, built in a folder of the test's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

HARNESS = Path(__file__).resolve().parents[2] / "harness"
WARN = "-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror".split()
HOST = ["gcc", "-std=c11", "-O2", "-fPIC", "-shared", "-I", str(HARNESS / "plugin"), *WARN]
ARM = (
    "arm-linux-gnueabihf-gcc -std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
    " -static -Wl,-z,max-page-size=65536 -Wl,-z,separate-code"
).split()


def run(*command: str | Path) -> None:
    """Runs a command that must succeed."""
    subprocess.run([str(part) for part in command], check=True)


def selftest(folder: Path) -> Path:
    """The self-test program."""
    run(*ARM, "-nostdlib", HARNESS / "plugin" / "selftest.S", "-o", folder / "selftest")
    return folder / "selftest"


def changed(folder: Path, sources: list[Path], changes: tuple[tuple[str, str], ...]) -> list[Path]:
    """Copies of C files in a folder, with changes to texts of which each occurs once."""
    texts = {path: path.read_text() for path in sources}
    for old, new in changes:
        assert sum(text.count(old) for text in texts.values()) == 1, old
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    for path, text in texts.items():
        (folder / path.name).write_text(text)
    return [folder / path.name for path in sources if path.suffix == ".c"]


def plugin(folder: Path, *changes: tuple[str, str]) -> Path:
    """The counter in qemu-arm, with changes to its text."""
    files = {*(HARNESS / "plugin").glob("*.[ch]")} - {HARNESS / "plugin/hooks.c"}
    sources = changed(folder, sorted(files), changes)
    run(*HOST, *sources, "-o", folder / "count.so")
    return folder / "count.so"


def unicorn(folder: Path, *changes: tuple[str, str]) -> Path:
    """The counter in Unicorn, with changes to its text."""
    names = "hooks.c", "a32.c", "predict.c", "predict.h"
    sources = changed(folder, [HARNESS / "plugin" / name for name in names], changes)
    run(*HOST, *sources, "-o", folder / "unicorn.so")
    return folder / "unicorn.so"


def class_names() -> list[str]:
    """The classes of a32.h."""
    return re.findall(r"^    X\((\w+)\)", (HARNESS / "plugin" / "a32.h").read_text(), re.M)
