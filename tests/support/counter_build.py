"""The counter and ARM programs for it, built in a folder of the test's
own."""

import re
import subprocess
from pathlib import Path

HARNESS = Path(__file__).resolve().parents[2] / "harness"
WARN = "-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror".split()
HOST = ["gcc", "-std=c11", "-O2", "-I", str(HARNESS / "plugin"), *WARN]
SHARED = ["-fPIC", "-shared"]
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


OTHER = {
    "plugin": ("unicorn", "tally"),
    "unicorn": ("count", "flow", "route", "qemu_plugin"),
}


def library(name: str, folder: Path, *changes: tuple[str, str]) -> Path:
    """The counter `plugin` or `unicorn`, with changes to its text, each in
    a place of its own."""
    files = sorted((HARNESS / "plugin").glob("*.[ch]"))
    texts = {path: path.read_text() for path in files if path.stem not in OTHER[name]}
    for old, new in changes:
        assert sum(text.count(old) for text in texts.values()) == 1, old
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    for path, text in texts.items():
        (folder / path.name).write_text(text)
    made = folder / {"plugin": "count.so", "unicorn": "unicorn"}[name]
    sources = (folder / path.name for path in texts if path.suffix == ".c")
    run(*HOST, *SHARED * (name == "plugin"), *sources, "-o", made)
    return made


def class_names() -> list[str]:
    """The classes of a32.h."""
    return re.findall(
        r"^    X\((\w+)\)", (HARNESS / "plugin" / "a32.h").read_text(), re.M
    )
