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
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from harness import target
from harness.counters import QEMU, no_plugins, no_unicorn
from records.faults import first_line
from records.files import read
from records.machine import SQLITE
from records.settings import TOOLCHAIN_TABLE, USUAL_TOOLCHAIN

SAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# The compiler that make uses.
COMPILER = shlex.split(os.environ.get("RSALAB_COMPILER") or USUAL_TOOLCHAIN.command)
HOT = 80_000  # m°C: from here on Raspberry Pis slow down
NEEDED_MB = 100  # build/ takes 40
ROOMY_MB = 1000  # .venv takes 450
LONGEST_TMPDIR = 60  # characters; the path of a socket has room for 107
COLOURS = {"ok": "32", "note": "33", "fix": "31"}
# Such a Python's .venv has no Unicorn of its own.
SMALL = ", 32 bits" if sys.maxsize < 2**32 else ""


class Line(NamedTuple):
    """What is found about one thing; `command` is what to type."""

    name: str
    kind: str  # ok, note, fix
    says: str
    command: str = ""

    def text(self, colour: bool) -> str:
        """Return the line as it is printed."""
        kind = f"{self.kind:<4}"
        if colour:
            kind = f"\033[{COLOURS[self.kind]}m{kind}\033[0m"
        printed = f"{kind}  {self.name:<12}  {self.says}"
        if self.command:
            printed += f"\n{' ' * 20}type: {self.command}"
        return printed


def line(name: str, case: str, *found: object) -> Line:
    """Return what doctor.toml says of a thing in this case."""
    kind, *texts = SAYS[name][case]
    filled = [text.format(*found) for text in texts]
    return Line(name, kind, *filled)


def examine(root: Path = Path("/")) -> Iterator[Line]:
    """Yield all lines about the machine whose /proc and /sys are under
    `root`, whose commands are those of PATH, and whose checkout is the
    working directory."""
    kernel = first_line("uname", "-m")
    model = read(root / "proc/device-tree/model")
    yield runner(model or kernel or "unknown", kernel)
    yield compiler()
    yield tools()
    yield emulator(kernel)
    yield line("unicorn", f"nothing{SMALL}" if no_unicorn() else "good")
    yield perf()
    yield perf_allowed(read(root / "proc/sys/kernel/perf_event_paranoid"))
    yield hardware_counters(root)
    yield from speed(target.state(root), "Raspberry Pi" in model)
    yield width(kernel)
    yield page_size()
    yield from python()
    yield disk()
    yield temporary()


# ---- what builds and runs programs


def runs_arm(kernel: str) -> bool:
    """Return whether a kernel of this architecture may run the ladder's programs."""
    return kernel.startswith(("arm", "aarch64"))


def runner(model: str, kernel: str) -> Line:
    """Say how ARM programs run, from make's own probe; without it, what that is going to find."""
    probed = re.search(r"^platform=(.+)$", read(Path("build/platform")), re.M)
    if probed:
        return line("platform", "known", probed[1])
    if runs_arm(kernel):
        return line("platform", "direct", model)
    case = "emulated" if shutil.which(QEMU[0]) else "nothing"
    return line("platform", case, model)


def compiler() -> Line:
    """Say whether the compiler of every snapshot is here, and the C library that it links."""
    command = shlex.join(COMPILER)
    version = first_line(*COMPILER, "--version")
    library = first_line(*COMPILER, "-print-file-name=libc.a")
    install = how_to_install()
    if not version:
        case = "nothing" if install else "unknown"
    elif not library.startswith("/"):
        case = "no library"
        install = install or f"make setup CC={shlex.quote(command)}"
    else:
        case = "good"
    return line("compiler", case, version, command, install)


def how_to_install() -> str:
    """Return the command that installs make's compiler and its C library; "" where
    records/toolchains.csv does not have the compiler."""
    if shlex.split(USUAL_TOOLCHAIN.command) == COMPILER:
        return "sh harness/setup/setup.sh build"
    for toolchain in TOOLCHAIN_TABLE:
        if shlex.split(toolchain.command) == COMPILER:
            return f"make setup CC={toolchain.word}"
    return ""


def tools() -> Line:
    """Say what else a build needs and this machine lacks."""
    missing = [name for name in ("make", "git", "gcc") if not shutil.which(name)]
    return line("tools", "missing" if missing else "good", ", ".join(missing))


def emulator(kernel: str) -> Line:
    """Say whether qemu-arm gives exact counts, and if not, whether Unicorn does."""
    version = first_line(QEMU[0], "--version")
    why_not = no_plugins()
    if not runs_arm(kernel) and not shutil.which(QEMU[0]):
        case = "nothing"
    elif not why_not:
        case = "good"
    elif not no_unicorn():
        case = "Unicorn instead"
    else:
        case = f"no counter{SMALL}"
    return line("qemu", case, version, why_not)


# ---- what measures times


def perf() -> Line:
    """Say whether perf is here, and is this kernel's."""
    version = first_line("perf", "--version")
    if version:
        return line("perf", "good", version)
    return line("perf", "another kernel's" if shutil.which("perf") else "nothing")


def perf_allowed(level: str) -> Line:
    """Say whether perf may count this user's own programs."""
    if not re.fullmatch(r"-?\d+", level):
        return line("perf allowed", "nothing")
    root = first_line("id", "-u") == "0"
    case = "forbidden" if int(level) > 2 and not root else "good"
    return line("perf allowed", case, level)


def hardware_counters(root: Path) -> Line:
    """Say which counters of the core the kernel has a driver for."""
    devices = sorted(path.name for path in root.glob("sys/bus/event_source/devices/*"))
    cores = [name for name in devices if re.match(r"armv\d|cpu", name)]
    return line("PMU", "good" if cores else "nothing", ", ".join(cores))


def speed(now: target.State, pi: bool) -> Iterator[Line]:
    """Yield what is said of the clock and its governor, the throttling and the temperature."""
    governor = now.get("governor")
    if not governor:
        case = "hidden"
    else:
        case = "good" if governor == "performance" else "varies"
    yield line("frequency", case, now.get("frequency", 0) // 1000, governor)
    yield throttling(now.get("throttled"), pi)
    heat = now.get("temperature", 0)
    if not heat:
        case = "hidden"
    else:
        case = "hot" if heat >= HOT else "good"
    yield line("temperature", case, heat / 1000)


def throttling(value: int | None, pi: bool) -> Line:
    """Say what slows the processor now, or has slowed it since the start; None is not known."""
    if value is None:
        return line("throttling", "hidden" if pi else "nothing")
    spoilt = target.bits(value)
    if spoilt:
        return line("throttling", "now", value, ", ".join(spoilt))
    earlier = target.bits(value >> target.SINCE)
    return line(
        "throttling", "earlier" if earlier else "good", value, ", ".join(earlier)
    )


# ---- the system


def width(kernel: str) -> Line:
    """Say how wide the kernel is, and its programs."""
    bits = 64 if "64" in kernel else 32
    programs = first_line("getconf", "LONG_BIT") or "?"
    return line("width", "good", f"{bits} bits ({kernel or '?'})", programs)


def page_size() -> Line:
    """Say how large a page of memory is."""
    page = first_line("getconf", "PAGESIZE")
    size = int(page) if page.isdigit() else 0
    return line(
        "page size", "large" if size > 4096 else "good", page or "unknown", size // 1024
    )


def python() -> Iterator[Line]:
    """Yield what is said of this Python, what it has, and .venv."""
    old = sqlite3.sqlite_version_info < SQLITE
    versions = platform.python_version(), sqlite3.sqlite_version
    yield line("python", "old" if old else "good", *versions)
    if find_spec("tqdm") is None:
        yield line("tqdm", "nothing")
    whole = Path(".venv/stamp").exists()
    version = first_line(".venv/bin/python", "-V") if whole else ""
    yield line(".venv", "good" if version else "nothing", version)


def disk() -> Line:
    """Say whether programs may run from build/, and how much room is left for it and .venv."""
    folder = "build" if Path("build").exists() else "."
    free = shutil.disk_usage(folder).free // 1_000_000
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        case = "noexec"
    elif free < NEEDED_MB:
        case = "nothing"
    else:
        case = "little" if free < ROOMY_MB else "good"
    return line("disk", case, free)


def temporary() -> Line:
    """Say where temporary files go, and whether the name of a socket has room there."""
    folder = tempfile.gettempdir()
    case = "long" if len(folder) > LONGEST_TMPDIR else "good"
    return line("TMPDIR", case, folder, len(folder))


def main() -> int:
    """Say whether this machine is ready.  Return 1 when something needs a fix, else 0."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colour = wanted and sys.stdout.isatty()
    lines = list(examine())
    for one in lines:
        print(one.text(colour))
    fixes = [one for one in lines if one.kind == "fix"]
    return 1 if fixes else 0
