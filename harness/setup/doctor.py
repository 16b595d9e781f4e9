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
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from harness.count import qemu as plugin
from harness.time import board_state, perf_stat
from harness.time.board_state import ask, read

CC = "arm-linux-gnueabihf-gcc"
BUILD = "harness/setup/setup.sh build"
GOVERNOR = "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
NOT_CORES = {"breakpoint", "kprobe", "msr", "power", "software", "tracepoint", "uprobe"}
HOT = 80_000  # m°C: from here on Raspberry Pis slow down
NEEDED, ROOMY = 100, 1000  # MB: build/ takes 40, .venv 450
COLOURS = {"ok": "32", "note": "33", "fix": "31"}


@dataclass(frozen=True)
class Line:
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


def version(command: str) -> str:
    """What a command says of its version, "" when it says nothing."""
    return ask(command, "--version").partition("\n")[0]


def is_arm() -> bool:
    """Whether this machine may run ARMv7 programs itself, by the kernel's name for it."""
    machine = ask("uname", "-m")
    return machine.startswith(("arm", "aarch64")) and not machine.startswith("armv6")


def platform(root: Path) -> Line:
    """How ARM programs run, from make's own probe; without it, what that is going to find."""
    found = re.search(r"^platform=(.+)$", read(Path("build/platform")), re.M)
    if found:
        return Line("ok", "platform", found.group(1))
    model = read(root / "proc/device-tree/model") or ask("uname", "-m") or "unknown"
    if is_arm():
        return Line("note", "platform", f"{model}: make will try to run ARM programs directly")
    if shutil.which(plugin.QEMU[0]):
        return Line("note", "platform", f"{model}: ARM programs will run under {plugin.QEMU[0]}")
    return Line("fix", "platform", f"{model} needs {plugin.QEMU[0]} to run ARM programs", BUILD)


def compiler(root: Path) -> Line:
    """The compiler of every snapshot, and the C library that it links."""
    if shutil.which(CC) is None:
        return Line("fix", "compiler", f"no {CC}", BUILD)
    if not ask(CC, "-print-file-name=libc.a").startswith("/"):
        return Line("fix", "compiler", f"{CC} finds no libc.a to link", BUILD)
    return Line("ok", "compiler", version(CC))


def tools(root: Path) -> Line:
    """What else a build needs."""
    missing = [name for name in ("make", "git", "gcc") if shutil.which(name) is None]
    if missing:
        return Line("fix", "tools", f"missing: {', '.join(missing)}", BUILD)
    return Line("ok", "tools", "make, git, gcc")


def unicorn(root: Path) -> bool:
    """Whether the second counter is here: for .venv, for this Python, or for the whole system."""
    return (
        any(Path(".venv").glob("lib/python3*/site-packages/unicorn"))
        or find_spec("unicorn") is not None
        or any((root / "usr/lib").glob("*/libunicorn.so.2*"))
    )


def counters(root: Path) -> list[Line]:
    """What gives exact counts: qemu-arm with plugins, or Unicorn."""
    qemu, other = plugin.QEMU[0], unicorn(root)
    said = version(qemu)
    why = plugin.why_unsupported()
    if not why:
        lines = [Line("ok", "qemu", f"{said}; loads plugins: exact counts")]
    elif shutil.which(qemu) is None and not is_arm():
        lines = [Line("fix", "qemu", why, BUILD)]
    else:
        instead = "Unicorn counts instead" if other else "no exact counts without Unicorn"
        lines = [Line("note", "qemu", f"{why}; {instead}", "" if other else "make venv")]
    if other:
        return [*lines, Line("ok", "unicorn", "a second counter is here")]
    return [*lines, Line("note", "unicorn", "not here; a second way to exact counts", "make venv")]


def perf_tool(root: Path) -> Line:
    """perf itself."""
    if shutil.which("perf") is None:
        return Line("note", "perf", "not installed: no hardware counters", perf_stat.INSTALL)
    said = version("perf")
    if not said:
        says = "is there, but has no version for this kernel: no hardware counters"
        return Line("note", "perf", says, "sudo apt-get install linux-tools-$(uname -r)")
    return Line("ok", "perf", said)


def permission(root: Path) -> Line:
    """Whether perf may count this user's own programs."""
    level = read(root / "proc/sys/kernel/perf_event_paranoid")
    if not re.fullmatch(r"-?\d+", level):
        return Line("note", "perf allowed", "this kernel has no performance events")
    says = f"perf_event_paranoid {level}"
    if int(level) <= 2:
        return Line("ok", "perf allowed", f"{says}: own programs in user space")
    if ask("id", "-u") == "0":
        return Line("ok", "perf allowed", f"{says}, but you are root")
    return Line("note", "perf allowed", f"{says} forbids it", perf_stat.PERMIT)


def pmu(root: Path) -> Line:
    """The hardware counters that the kernel has a driver for."""
    devices = sorted(path.name for path in root.glob("sys/bus/event_source/devices/*"))
    cores = [name for name in devices if re.match(r"armv\d|cpu", name)]
    if cores:
        return Line("ok", "PMU", ", ".join(cores))
    others = [name for name in devices if name not in NOT_CORES]
    says = "no counters of the core: perf.csv will say `not supported`"
    return Line("note", "PMU", f"{says} (only {', '.join(others)})" if others else says)


def frequency(root: Path) -> Line:
    """The clock and who sets it."""
    now = board_state.state(root)
    if "governor" not in now:
        return Line("note", "frequency", "the kernel does not show who sets it: times may wander")
    clock = f"{max(now['frequency']) // 1000} MHz, " if "frequency" in now else ""
    if now["governor"] == "performance":
        return Line("ok", "frequency", f"{clock}governor performance")
    says = f"{clock}governor {now['governor']}: the clock changes while timing"
    return Line("note", "frequency", says, GOVERNOR)


def throttling(root: Path) -> Line:
    """What the firmware of a Raspberry Pi says of its supply and heat."""
    value = board_state.throttled(root)
    if value is None:
        if "Raspberry Pi" in read(root / "proc/device-tree/model"):
            permit = "sudo usermod -aG video $USER"
            return Line("note", "throttling", "vcgencmd does not answer this user", permit)
        return Line("ok", "throttling", "not a Raspberry Pi: nothing to ask")
    now, since = board_state.bits(value), board_state.bits(value >> board_state.SINCE)
    if now:
        says = f"{value:#x}: now: {', '.join(now)}: times would be tainted; better supply, cooling"
        return Line("note", "throttling", says, "vcgencmd get_throttled")
    if since:
        says = f"{value:#x}: since the start, not now: {', '.join(since)}"
        return Line("note", "throttling", says, "sudo reboot")
    return Line("ok", "throttling", f"{value:#x}: none since the start")


def heat(root: Path) -> Line:
    """The temperature of the processor."""
    value = board_state.temperature(root)
    if value is None:
        return Line("ok", "temperature", "nothing here tells it")
    says = f"{value / 1000:.1f} °C"
    if value >= HOT:
        return Line("note", "temperature", f"{says}: let it cool before timing")
    return Line("ok", "temperature", says)


def words(root: Path) -> list[Line]:
    """How wide kernel and programs are, and the size of a page."""
    machine, width = ask("uname", "-m"), ask("getconf", "LONG_BIT")
    page = ask("getconf", "PAGESIZE")
    kernel = 64 if "64" in machine else 32
    says = f"kernel {kernel} bits ({machine}), programs {width or '?'} bits"
    lines = [Line("ok", "width", says if machine else "nothing here tells it")]
    if page.isdigit() and int(page) > 4096:
        says = f"{int(page) // 1024} KiB: make links for it; other 32-bit programs may not start"
        return [*lines, Line("note", "page size", says)]
    return [*lines, Line("ok", "page size", f"{page or 'unknown'} bytes")]


def python(root: Path) -> list[Line]:
    """The Python that runs the harness, and the one that makes charts and notebooks."""
    said = ".".join(map(str, sys.version_info[:3]))
    lines = [Line("ok", "python", said)]
    if find_spec("tqdm") is None:
        install = "sudo apt-get install python3-tqdm"
        lines.append(Line("note", "tqdm", "not here: lines instead of a progress bar", install))
    needs = "tests, notebooks and make diff need it (0.5 GB)"
    if not Path(".venv").exists():
        return [*lines, Line("note", ".venv", f"not there: {needs}", "make venv")]
    said = ask(".venv/bin/python", "-V")
    if not said or not Path(".venv/stamp").exists():
        return [*lines, Line("note", ".venv", f"half made: {needs}", "make venv")]
    return [*lines, Line("ok", ".venv", said)]


def disk(root: Path) -> Line:
    """Room for what make builds."""
    free = shutil.disk_usage(".").free // 1_000_000
    if free < NEEDED:
        return Line("fix", "disk", f"{free} MB free; {NEEDED} are needed", "make clean")
    return Line("ok" if free >= ROOMY else "note", "disk", f"{free} MB free")


CHECKS: tuple[Callable[[Path], Line | list[Line]], ...] = (
    platform,
    compiler,
    tools,
    counters,
    perf_tool,
    permission,
    pmu,
    frequency,
    throttling,
    heat,
    words,
    python,
    disk,
)


def examine(root: Path = Path("/")) -> list[Line]:
    """All lines about the machine whose /proc and /sys are under `root`, whose commands are those
    of PATH, and whose checkout is the working directory."""
    lines: list[Line] = []
    for check in CHECKS:
        found = check(root)
        lines += found if isinstance(found, list) else [found]
    return lines


def main() -> int:
    """Print every line; 1 when one is a fix, else 0."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    colour = wanted and sys.stdout.isatty()
    lines = examine()
    print("\n".join(line.text(colour) for line in lines))
    return 1 if any(line.kind == "fix" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
