"""`make doctor`: is this machine ready to build, run and measure?  Looks, and changes nothing.

Each line is `ok`, `note` (all runs, but something is not measured or less
well) or `fix` (without it `make all-iterations` does not run), with the
command to type under it.  Status 1 if there is a fix, else 0.
"""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from harness import target
from harness.counters import QEMU as EMULATOR
from harness.counters import no_plugins
from harness.target import ask
from harness.unicorn import why_unsupported
from records.files import read

QEMU = EMULATOR[0]
CC = "arm-linux-gnueabihf-gcc"
BUILD = "harness/setup/setup.sh build"
SMALL = sys.maxsize < 2**32  # a 32-bit Python: its .venv has no Unicorn of its own
UNICORN = "harness/setup/setup.sh unicorn" if SMALL else "make venv"
GOVERNOR = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
INSTALL = "sudo apt-get install linux-perf"
PERMIT = "sudo sysctl kernel.perf_event_paranoid=2"
HOT = 80_000  # m°C: from here on Raspberry Pis slow down
NEEDED, ROOMY = 100, 1000  # MB: build/ takes 40, .venv 450
COLOURS = {"ok": "32", "note": "33", "fix": "31"}


class Line(NamedTuple):
    """What is found about one thing; `command` is what to type."""

    kind: str  # ok, note, fix
    name: str
    says: str
    command: str = ""

    def text(self, colour: bool) -> str:
        """As printed."""
        kind = f"\033[{COLOURS[self.kind]}m{self.kind:<4}\033[0m" if colour else f"{self.kind:<4}"
        line = f"{kind}  {self.name:<12}  {self.says}"
        return f"{line}\n{' ' * 20}type: {self.command}" if self.command else line


def judged(
    name: str, good: object, says: str, otherwise: str, command: str = "", bad: str = "note"
) -> Line:
    """`ok` and what it says, or `bad` with what it says otherwise and what to type."""
    return Line("ok", name, says) if good else Line(bad, name, otherwise, command)


def examine(root: Path = Path("/")) -> Iterator[Line]:
    """All lines about the machine whose /proc and /sys are under `root`,
    whose commands are those of PATH, and whose checkout is the working
    directory."""
    kernel = ask("uname", "-m")
    arm = kernel.startswith(("arm", "aarch64")) and not kernel.startswith("armv6")
    model = read(root / "proc/device-tree/model")
    yield platform(model or kernel or "unknown", arm)
    yield from toolchain(arm)
    yield from perf(root)
    yield from speed(root, "Raspberry Pi" in model)
    yield from words(kernel or "?")
    yield Line("ok", "python", ".".join(map(str, sys.version_info[:3])))
    if find_spec("tqdm") is None:
        install = "sudo apt-get install python3-tqdm"
        yield Line("note", "tqdm", "not installed: lines instead of a progress bar", install)
    version = ask(".venv/bin/python", "-V") if Path(".venv/stamp").exists() else ""
    needs = "not there, or half made: tests, notebooks and make diff need it (0.5 GB)"
    yield judged(".venv", version, version, needs, "make venv")
    free = shutil.disk_usage(".").free // 1_000_000
    says, needs = f"{free} MB free", f"{free} MB free; {NEEDED} are needed"
    room = judged("disk", free >= ROOMY, says, says)
    yield room if free >= NEEDED else Line("fix", "disk", needs, "make clean")


def platform(model: str, arm: bool) -> Line:
    """How ARM programs run, from make's own probe; without it, what that is going to find."""
    if probed := re.search(r"^platform=(.+)$", read(Path("build/platform")), re.M):
        return Line("ok", "platform", probed[1])
    if not arm and not shutil.which(QEMU):
        return Line("fix", "platform", f"{model} needs {QEMU} to run ARM programs", BUILD)
    directly, under = "make will try to run ARM programs directly", "ARM programs will run under "
    return Line("note", "platform", f"{model}: {directly if arm else under + QEMU}")


def toolchain(arm: bool) -> Iterator[Line]:
    """The compiler of every snapshot, the C library that it links, what
    else a build needs, and what gives exact counts: qemu-arm with plugins,
    or Unicorn."""
    links = ask(CC, "-print-file-name=libc.a").startswith("/")
    why = f"{CC} finds no libc.a to link" if shutil.which(CC) else f"no {CC}"
    yield judged("compiler", links, ask(CC, "--version"), why, BUILD, "fix")
    missing = ", ".join(name for name in ("make", "git", "gcc") if shutil.which(name) is None)
    yield judged("tools", not missing, "make, git, gcc", f"missing: {missing}", BUILD, "fix")
    why, other = no_plugins(), not why_unsupported()
    if shutil.which(QEMU) is None and not arm:
        yield Line("fix", "qemu", why, BUILD)
    else:
        instead = "Unicorn counts instead" if other else "no exact counts without Unicorn"
        loads = f"{ask(QEMU, '--version')}; loads plugins: exact counts"
        yield judged("qemu", not why, loads, f"{why}; {instead}", "" if other else UNICORN)
    second = "installed: a second counter"
    yield judged("unicorn", other, second, f"not {second}", UNICORN)


def perf(root: Path) -> Iterator[Line]:
    """perf itself; whether it may count this user's own programs; and the
    hardware counters that the kernel has a driver for."""
    why, install = "not installed: no hardware counters", INSTALL
    if shutil.which("perf"):
        why = "is there, but has no version for this kernel: no hardware counters"
        install = "sudo apt-get install linux-tools-$(uname -r)"
    version = ask("perf", "--version")
    yield judged("perf", version, version, why, install)
    level = read(root / "proc/sys/kernel/perf_event_paranoid")
    known = re.fullmatch(r"-?\d+", level)
    permitted = known and (int(level) <= 2 or ask("id", "-u") == "0")
    says = f"perf_event_paranoid {level}"
    own = f"{says}: own programs in user space, or all if you are root"
    why = f"{says} forbids it" if known else "this kernel has no performance events"
    yield judged("perf allowed", permitted, own, why, PERMIT if known else "")
    devices = sorted(path.name for path in root.glob("sys/bus/event_source/devices/*"))
    cores = ", ".join(name for name in devices if re.match(r"armv\d|cpu", name))
    none = "no counters of the core: perf.csv will say `not supported`"
    yield judged("PMU", cores, cores, none)


def speed(root: Path, pi: bool) -> Iterator[Line]:
    """The clock and its governor, the throttling and the temperature of the processor."""
    now = target.state(root)
    governor, value, heat = now.get("governor"), now.get("throttled"), now.get("temperature", 0)
    says = f"{now.get('frequency', 0) // 1000} MHz, governor {governor}"
    vary = f"{says}: the clock changes while timing"
    if not governor:
        vary = "the kernel does not show its governor: times may vary"
    command = GOVERNOR if governor else ""
    yield judged("frequency", governor == "performance", says, vary, command)
    if value is None:
        silent, permit = "vcgencmd does not answer this user", "sudo usermod -aG video $USER"
        other = "not a Raspberry Pi: nothing to check"
        yield judged("throttling", not pi, other, silent, permit)
    elif spoilt := ", ".join(target.bits(value)):
        says = f"{value:#x}: now: {spoilt}: times would be tainted; better supply, cooling"
        yield Line("note", "throttling", says, "vcgencmd get_throttled")
    else:
        since = ", ".join(target.bits(value >> target.SINCE))
        before = f"{value:#x}: since the start, not now: {since}"
        good = f"{value:#x}: none since the start"
        yield judged("throttling", not since, good, before, "sudo reboot")
    says = f"{heat / 1000:.1f} °C" if heat else "this machine does not show it"
    yield judged("temperature", heat < HOT, says, f"{says}: let it cool before timing")


def words(machine: str) -> Iterator[Line]:
    """How wide kernel and programs are, and the size of a page."""
    page, width = ask("getconf", "PAGESIZE"), ask("getconf", "LONG_BIT") or "?"
    kernel = 64 if "64" in machine else 32
    yield Line("ok", "width", f"kernel {kernel} bits ({machine}), programs {width} bits")
    size = int(page) if page.isdigit() else 0
    wide = f"{size // 1024} KiB: make links for it; other 32-bit programs may not start"
    yield judged("page size", size <= 4096, f"{page or 'unknown'} bytes", wide)


def main() -> int:
    """Say whether this machine is ready.  1 when something needs a fix, else 0."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    lines = [*examine()]
    print("\n".join(line.text(wanted and sys.stdout.isatty()) for line in lines))
    return 1 if any(line.kind == "fix" for line in lines) else 0
