"""The counter and ARM programs for it, built in a folder of the test's own."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

HARNESS = Path(__file__).resolve().parents[2] / "harness"
WARN = "-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror".split()
HOST = ["gcc", "-std=c11", "-O2", "-fPIC", "-shared", "-I", str(HARNESS / "count/plugin"), *WARN]
ARM = (
    "arm-linux-gnueabihf-gcc -std=c11 -g -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
    " -static -Wl,-z,max-page-size=65536"
).split()


def run(*command: str | Path) -> None:
    """Runs a command that must succeed."""
    subprocess.run([str(part) for part in command], check=True)


def selftest(folder: Path) -> Path:
    """The self-test program."""
    run(*ARM, "-nostdlib", HARNESS / "count/plugin" / "selftest.S", "-o", folder / "selftest")
    return folder / "selftest"


def plugin(folder: Path, *changes: tuple[str, str]) -> Path:
    """The counter, with changes to the text of count.c."""
    text = (HARNESS / "count/plugin" / "count.c").read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    source, made = folder / "count.c", folder / "count.so"
    source.write_text(text)
    run(
        *HOST,
        source,
        HARNESS / "count/plugin" / "count_rows.c",
        HARNESS / "count/plugin" / "a32.c",
        "-o",
        made,
    )
    return made


def class_names() -> list[str]:
    """The classes of a32.h."""
    return re.findall(r"^    X\((\w+)\)", (HARNESS / "count/plugin" / "a32.h").read_text(), re.M)
