"""`make doctor`: is this machine ready to build, run and measure?  Looks, and changes nothing.

Each line is `ok`, `note` (all runs, but something is not measured or less well) or `fix` (without
it `make all-iterations` does not run), with the command to type under it.  Status 1 if there is a
fix, else 0.
"""

from __future__ import annotations

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
from harness.perf import INSTALL, PERMIT
from harness.target import ask
from harness.unicorn import why_unsupported
from records.files import read

QEMU = EMULATOR[0]
CC = "arm-linux-gnueabihf-gcc"
BUILD = "harness/setup/setup.sh build"
SMALL = sys.maxsize < 2**32  # a 32-bit Python: its .venv has no Unicorn of its own
UNICORN = "harness/setup/setup.sh unicorn" if SMALL else "make venv"
GOVERNOR = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
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


def is_arm() -> bool:
    """Whether this machine may run ARMv7 programs itself, by the kernel's name for it."""
    machine = ask("uname", "-m")
    return machine.startswith(("arm", "aarch64")) and not machine.startswith("armv6")


def platform(root: Path) -> Line:
    """How ARM programs run, from make's own probe; without it, what that is going to find."""
    probed = re.search(r"^platform=(.+)$", read(Path("build/platform")), re.M)
    model = read(root / "proc/device-tree/model") or ask("uname", "-m") or "unknown"
    if probed:
        return Line("ok", "platform", probed[1])
    if is_arm():
        return Line("note", "platform", f"{model}: make will try to run ARM programs directly")
    if shutil.which(QEMU):
        return Line("note", "platform", f"{model}: ARM programs will run under {QEMU}")
    return Line("fix", "platform", f"{model} needs {QEMU} to run ARM programs", BUILD)


def toolchain() -> Iterator[Line]:
    """The compiler of every snapshot, the C library that it links, and what else a build needs."""
    if shutil.which(CC) is None:
        yield Line("fix", "compiler", f"no {CC}", BUILD)
    elif not ask(CC, "-print-file-name=libc.a").startswith("/"):
        yield Line("fix", "compiler", f"{CC} finds no libc.a to link", BUILD)
    else:
        yield Line("ok", "compiler", ask(CC, "--version"))
    missing = ", ".join(name for name in ("make", "git", "gcc") if shutil.which(name) is None)
    if missing:
        yield Line("fix", "tools", f"missing: {missing}", BUILD)
    else:
        yield Line("ok", "tools", "make, git, gcc")


def counters() -> Iterator[Line]:
    """What gives exact counts: qemu-arm with plugins, or Unicorn."""
    why, other = no_plugins(), not why_unsupported()
    if not why:
        yield Line("ok", "qemu", f"{ask(QEMU, '--version')}; loads plugins: exact counts")
    elif shutil.which(QEMU) is None and not is_arm():
        yield Line("fix", "qemu", why, BUILD)
    else:
        instead = "Unicorn counts instead" if other else "no exact counts without Unicorn"
        yield Line("note", "qemu", f"{why}; {instead}", "" if other else UNICORN)
    if other:
        yield Line("ok", "unicorn", "installed: a second counter")
    else:
        yield Line("note", "unicorn", "not installed: a second counter", UNICORN)


def perf(root: Path) -> Iterator[Line]:
    """perf itself; whether it may count this user's own programs; and the hardware counters that
    the kernel has a driver for."""
    if shutil.which("perf") is None:
        yield Line("note", "perf", "not installed: no hardware counters", INSTALL)
    elif version := ask("perf", "--version"):
        yield Line("ok", "perf", version)
    else:
        says = "is there, but has no version for this kernel: no hardware counters"
        yield Line("note", "perf", says, "sudo apt-get install linux-tools-$(uname -r)")
    level = read(root / "proc/sys/kernel/perf_event_paranoid")
    if not re.fullmatch(r"-?\d+", level):
        yield Line("note", "perf allowed", "this kernel has no performance events")
    elif int(level) <= 2 or ask("id", "-u") == "0":
        says = f"perf_event_paranoid {level}: own programs in user space, or all if you are root"
        yield Line("ok", "perf allowed", says)
    else:
        yield Line("note", "perf allowed", f"perf_event_paranoid {level} forbids it", PERMIT)
    devices = sorted(path.name for path in root.glob("sys/bus/event_source/devices/*"))
    cores = ", ".join(name for name in devices if re.match(r"armv\d|cpu", name))
    none = "no counters of the core: perf.csv will say `not supported`"
    yield Line("ok" if cores else "note", "PMU", cores or none)


def speed(root: Path) -> Iterator[Line]:
    """The clock and its governor, the throttling and the temperature of the processor."""
    now = target.state(root)
    clock = f"{max(now['frequency']) // 1000} MHz, " if "frequency" in now else ""
    says = f"{clock}governor {now.get('governor')}"
    if "governor" not in now:
        yield Line("note", "frequency", "the kernel does not show its governor: times may vary")
    elif now["governor"] == "performance":
        yield Line("ok", "frequency", says)
    else:
        yield Line("note", "frequency", f"{says}: the clock changes while timing", GOVERNOR)
    yield throttling(root, now.get("throttled"))
    heat = now.get("temperature", 0)
    says = f"{heat / 1000:.1f} °C" if heat else "this machine does not show it"
    hot = ": let it cool before timing" if heat >= HOT else ""
    yield Line("note" if hot else "ok", "temperature", says + hot)


def throttling(root: Path, value: int | None) -> Line:
    """What the firmware of a Raspberry Pi says of its supply and heat."""
    name = "throttling"
    if value is None and "Raspberry Pi" in read(root / "proc/device-tree/model"):
        permit = "sudo usermod -aG video $USER"
        return Line("note", name, "vcgencmd does not answer this user", permit)
    if value is None:
        return Line("ok", name, "not a Raspberry Pi: nothing to check")
    if spoilt := ", ".join(target.bits(value)):
        says = f"{value:#x}: now: {spoilt}: times would be tainted; better supply, cooling"
        return Line("note", name, says, "vcgencmd get_throttled")
    if since := ", ".join(target.bits(value >> target.SINCE)):
        return Line("note", name, f"{value:#x}: since the start, not now: {since}", "sudo reboot")
    return Line("ok", name, f"{value:#x}: none since the start")


def words() -> Iterator[Line]:
    """How wide kernel and programs are, and the size of a page."""
    machine, page = ask("uname", "-m") or "?", ask("getconf", "PAGESIZE")
    kernel, width = 64 if "64" in machine else 32, ask("getconf", "LONG_BIT") or "?"
    yield Line("ok", "width", f"kernel {kernel} bits ({machine}), programs {width} bits")
    if page.isdigit() and int(page) > 4096:
        says = f"{int(page) // 1024} KiB: make links for it; other 32-bit programs may not start"
        yield Line("note", "page size", says)
    else:
        yield Line("ok", "page size", f"{page or 'unknown'} bytes")


def python() -> Iterator[Line]:
    """The Python that runs the harness, and the one that makes charts and notebooks."""
    yield Line("ok", "python", ".".join(map(str, sys.version_info[:3])))
    if find_spec("tqdm") is None:
        install = "sudo apt-get install python3-tqdm"
        yield Line("note", "tqdm", "not installed: lines instead of a progress bar", install)
    version = ask(".venv/bin/python", "-V") if Path(".venv/stamp").exists() else ""
    needs = "not there, or half made: tests, notebooks and make diff need it (0.5 GB)"
    yield Line("ok", ".venv", version) if version else Line("note", ".venv", needs, "make venv")


def disk() -> Line:
    """Room for what make builds."""
    free = shutil.disk_usage(".").free // 1_000_000
    if free < NEEDED:
        return Line("fix", "disk", f"{free} MB free; {NEEDED} are needed", "make clean")
    return Line("ok" if free >= ROOMY else "note", "disk", f"{free} MB free")


def examine(root: Path = Path("/")) -> list[Line]:
    """All lines about the machine whose /proc and /sys are under `root`, whose commands are those
    of PATH, and whose checkout is the working directory."""
    machine = [platform(root), *toolchain(), *counters(), *perf(root), *speed(root)]
    return [*machine, *words(), *python(), disk()]


def main() -> int:
    """Say whether this machine is ready.  1 when something needs a fix, else 0."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colour = wanted and sys.stdout.isatty()
    lines = examine()
    print("\n".join(line.text(colour) for line in lines))
    return 1 if any(line.kind == "fix" for line in lines) else 0
