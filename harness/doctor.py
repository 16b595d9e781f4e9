"""`make doctor`: is this machine ready to build, run and measure?  Looks, and changes nothing.

Each line is `ok`, `note` (all runs, but something is not measured or less
well) or `fix` (without it `make all-iterations` does not run), with the
command to type under it.  Status 1 if there is a fix, else 0.  doctor.toml has
what each line may say; here is found which of it is true.
"""

import os
import platform
import re
import shlex
import shutil
import sqlite3
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from harness import target
from harness.counters import QEMU, no_plugins, no_unicorn
from harness.target import ask
from records.files import read
from records.machine import SQLITE
from records.settings import USUAL_TOOLCHAIN

SAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CC = shlex.split(os.environ.get("COMPILER") or USUAL_TOOLCHAIN.command)
SMALL = ", 32 bits" * (sys.maxsize < 2**32)  # such a Python's .venv has no Unicorn of its own
HOT = 80_000  # m°C: from here on Raspberry Pis slow down
NEEDED, ROOMY = 100, 1000  # MB: build/ takes 40, .venv 450
COLOURS = {"ok": "32", "note": "33", "fix": "31"}


class Line(NamedTuple):
    """What is found about one thing; `command` is what to type."""

    name: str
    kind: str  # ok, note, fix
    says: str
    command: str = ""

    def text(self, colour: bool) -> str:
        """As printed."""
        kind = f"\033[{COLOURS[self.kind]}m{self.kind:<4}\033[0m" if colour else f"{self.kind:<4}"
        line = f"{kind}  {self.name:<12}  {self.says}"
        return f"{line}\n{' ' * 20}type: {self.command}" if self.command else line


def line(name: str, case: str, *found: object) -> Line:
    """What doctor.toml says of a thing in this case."""
    kind, says, *command = SAYS[name][case]
    return Line(name, kind, says.format(*found), *command)


def first(**cases: object) -> str:
    """The name of the first case that is true, `_` standing for a space; `good` where none is."""
    return next((name.replace("_", " ") for name, true in cases.items() if true), "good")


def examine(root: Path = Path("/")) -> Iterator[Line]:
    """All lines about the machine whose /proc and /sys are under `root`,
    whose commands are those of PATH, and whose checkout is the working
    directory."""
    kernel = ask("uname", "-m")
    arm = kernel.startswith(("arm", "aarch64")) and not kernel.startswith("armv6")
    model = read(root / "proc/device-tree/model")
    yield from programs(model or kernel or "unknown", arm)
    yield from perf(root)
    yield from speed(root, "Raspberry Pi" in model)
    bits = f"{64 if '64' in kernel else 32} bits ({kernel or '?'})"
    yield line("width", "good", bits, ask("getconf", "LONG_BIT") or "?")
    page = ask("getconf", "PAGESIZE") or "unknown"
    size = int(page) if page.isdigit() else 0
    yield line("page size", first(large=size > 4096), page, size // 1024)
    old = sqlite3.sqlite_version_info < SQLITE
    yield line("python", first(old=old), platform.python_version(), sqlite3.sqlite_version)
    if find_spec("tqdm") is None:
        yield line("tqdm", "nothing")
    version = ask(".venv/bin/python", "-V") if Path(".venv/stamp").exists() else ""
    yield line(".venv", first(nothing=not version), version)
    free = shutil.disk_usage(".").free // 1_000_000
    yield line("disk", first(nothing=free < NEEDED, little=free < ROOMY), free)


def programs(model: str, arm: bool) -> Iterator[Line]:
    """How ARM programs run, from make's own probe; without it, what that is
    going to find.  The compiler of every snapshot, the C library that it
    links, what else a build needs, and what gives exact counts: qemu-arm
    with plugins, or Unicorn."""
    probed = re.search(r"^platform=(.+)$", read(Path("build/platform")), re.M)
    nothing = not arm and shutil.which(QEMU[0]) is None
    case = first(known=probed, nothing=nothing, direct=arm, emulated=True)
    yield line("platform", case, probed[1] if probed else model)
    version = ask(*CC, "--version")
    library = ask(*CC, "-print-file-name=libc.a")
    case = first(nothing=not version, no_library=not library.startswith("/"))
    yield line("compiler", case, version, shlex.join(CC))
    missing = ", ".join(name for name in ("make", "git", "gcc") if shutil.which(name) is None)
    yield line("tools", first(missing=missing), missing)
    why, second = no_plugins(), not no_unicorn()
    case = first(nothing=nothing, good=not why, Unicorn_instead=second, no_counter=True)
    yield line("qemu", case + SMALL * (case == "no counter"), ask(QEMU[0], "--version"), why)
    yield line("unicorn", "good" if second else "nothing" + SMALL)


def perf(root: Path) -> Iterator[Line]:
    """perf itself; whether it may count this user's own programs; and the
    hardware counters that the kernel has a driver for."""
    version, elsewhere = ask("perf", "--version"), shutil.which("perf")
    case = "good" if version else "another kernel's" if elsewhere else "nothing"
    yield line("perf", case, version)
    level = read(root / "proc/sys/kernel/perf_event_paranoid")
    known = re.fullmatch(r"-?\d+", level)
    forbidden = known and int(level) > 2 and ask("id", "-u") != "0"
    yield line("perf allowed", first(nothing=not known, forbidden=forbidden), level)
    devices = sorted(path.name for path in root.glob("sys/bus/event_source/devices/*"))
    cores = ", ".join(name for name in devices if re.match(r"armv\d|cpu", name))
    yield line("PMU", first(nothing=not cores), cores)


def speed(root: Path, pi: bool) -> Iterator[Line]:
    """The clock and its governor, the throttling and the temperature of the processor."""
    now = target.state(root)
    governor, value, heat = now.get("governor"), now.get("throttled"), now.get("temperature", 0)
    case = first(hidden=not governor, varies=governor != "performance")
    yield line("frequency", case, now.get("frequency", 0) // 1000, governor)
    if value is None:
        yield line("throttling", "hidden" if pi else "nothing")
    else:
        spoilt, since = target.bits(value), target.bits(value >> target.SINCE)
        case = first(now=spoilt, earlier=since)
        yield line("throttling", case, value, ", ".join(spoilt or since))
    yield line("temperature", first(hidden=not heat, hot=heat >= HOT), heat / 1000)


def main() -> int:
    """Say whether this machine is ready.  1 when something needs a fix, else 0."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    lines = [*examine()]
    print("\n".join(line.text(wanted and sys.stdout.isatty()) for line in lines))
    return 1 if any(line.kind == "fix" for line in lines) else 0
