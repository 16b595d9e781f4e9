"""The machine that ARM programs run on: directly or under qemu-arm, and what state it is in.

`python3 -m harness target` builds a probe with the ladder's compiler and options, tries
to run it, and prints `platform=NAME` and `runner='COMMAND'`, lines for a shell to read;
the command is empty when programs run directly.  Only trying tells that: a 64-bit kernel
may run 32-bit programs or refuse them.  The architecture that the options name, ARMv7 or
ARMv6, decides which processor qemu-arm emulates.

The state of a board is its frequency, throttling, temperature and governor,
from /sys and from the Raspberry Pi's `vcgencmd`.  What a machine does not tell
is absent, never a guess.
"""

import errno
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness import compiler
from harness.counters import QEMU, emulator
from records import files, machine
from records.faults import Failure, first_line, line
from records.files import read
from records.machine import Platform

PROBE = Path(__file__).with_name("probe.c")
PROGRAM = Path("build/probe")  # what make farm sends, too
# The kernel's words for a program of another machine (ENOENT: its emulator is gone); any other
# fault says that it could not try.
FOREIGN = (errno.ENOEXEC, errno.EINVAL, errno.ELIBBAD, errno.ENOENT)
# Bits of `vcgencmd get_throttled`: as it is now, and 16 places higher as it was at any time since
# the board was started.
THROTTLED = ("under-voltage", "frequency capped", "throttled", "soft temperature limit")
SINCE = 16
State = dict[str, Any]
FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
MODEL = "sys/firmware/devicetree/base/model"
# The computer of `make board`, whose clock counts instructions.
VIRTUAL = "linux,dummy-virt"
TOLERANCE = 0.01  # of the frequency: readings jitter, steps are far larger

# ---- how a program runs


def runs_directly(program: Path) -> bool:
    """Return True if the kernel itself runs the program; False if it cannot, or if
    an emulator that is registered with the kernel (binfmt_misc) runs it
    instead.  Raises Failure where the kernel may not even try."""
    try:
        process = subprocess.Popen(
            [str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as fault:
        if fault.errno in FOREIGN:
            return False
        raise Failure(line(fault)) from None
    assert process.stdout
    answer = process.stdout.readline()
    try:
        image = os.readlink(f"/proc/{process.pid}/exe")
    except OSError:
        image = ""
    process.communicate()
    return answer == b"18\n" and Path(image).name == program.name


def board() -> str:
    """Return a short name for the ARM board this is, from its device tree: `3-model-b-plus`."""
    model = re.sub(
        r"^Raspberry Pi |  *Rev .*$", "", read(Path("/proc/device-tree/model"))
    )
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-") or "unknown"


def build(command: Sequence[str], program: Path) -> None:
    """Build the probe by this compiler and these options.  What the compiler
    says goes to stderr.  Raises Failure where it builds none."""
    if subprocess.run([*command, PROBE, "-o", program]).returncode:
        raise Failure(f"{command[0]} cannot build a program; its message is above")


def platform(program: Path, toolchain: str) -> Platform:
    """Return how the built probe runs here; `toolchain` is
    what toolchain() has returned.  Raises Failure when it cannot."""
    if runs_directly(program):
        return Platform(f"pi-{board()}-{toolchain}", ())
    if shutil.which(QEMU[0]) is None:
        raise Failure(
            "ARM programs do not run here; type: sh harness/setup/setup.sh build"
        )
    emulated = Platform(f"qemu-{toolchain}", QEMU)
    return emulated._replace(runner=emulator(emulated.core))


# ---- the state of the board


# The first line that a command prints which may wait for ever, such as one that asks the firmware.
ask = partial(first_line, timeout=5)


CORES = "sys/devices/system/cpu/cpu[0-9]*/cpufreq"


def texts_of(root: Path, pattern: str) -> set[str]:
    """Return what the files of this pattern say."""
    return {*map(read, root.glob(pattern))} - {""}


def largest(root: Path, pattern: str) -> int:
    """Return the largest number that these files say, 0 where none does."""
    numbers = [
        int(text) for text in texts_of(root, pattern) if re.fullmatch(r"-?\d+", text)
    ]
    return max(numbers, default=0)


def throttled(root: Path) -> int | None:
    """Return the bits of get_throttled; None where nothing knows them."""
    answer = re.fullmatch(
        r"throttled=(0x[0-9a-fA-F]+)", ask("vcgencmd", "get_throttled")
    )
    text = answer[1] if answer else read(root / FIRMWARE)
    if not re.fullmatch(r"(0x)?[0-9a-fA-F]+", text):
        return None
    return int(text, 16)


def virtual(root: Path = Path("/")) -> bool:
    """Return whether this is an emulated computer: times say nothing, counts repeat."""
    return read(root / MODEL) == VIRTUAL


def state(root: Path = Path("/")) -> State:
    """Return the board as it is now.  Keys, each absent where unknown:
    `frequency`, kHz of the fastest core, the busy one; `throttled`, the
    bits of get_throttled; `temperature`, m°C of the hottest zone;
    `governor`, the name, several joined by `/` where the cores differ;
    `virtual`, true where time is."""
    now = {
        "frequency": largest(root, f"{CORES}/scaling_cur_freq"),
        "throttled": throttled(root),
        "temperature": largest(root, "sys/class/thermal/thermal_zone*/temp"),
        "governor": "/".join(sorted(texts_of(root, f"{CORES}/scaling_governor"))),
        "virtual": virtual(root),
    }
    found = {key: value for key, value in now.items() if value}
    if now["throttled"] == 0:  # it is known that nothing is wrong
        found["throttled"] = 0
    return found


def bits(value: int) -> list[str]:
    """Return the names of the bits that are set, of those in THROTTLED."""
    return [name for bit, name in enumerate(THROTTLED) if value >> bit & 1]


def tainted(before: State, after: State) -> str:
    """Return why a sample taken between two states cannot be trusted as a time; ""
    when it can.

    A bit that tells of now spoils it on either side; one that tells of the
    time since the start only when it appeared in between.
    """
    # What is not known on one side has not changed.
    known = {**after, **before}.get("throttled", 0)
    first = before.get("throttled", known)
    last = after.get("throttled", known)
    reasons = bits(first | last)
    appeared = last & ~first
    for name in bits(appeared >> SINCE):
        if name not in reasons:
            reasons.append(f"{name} in between")
    if before.get("virtual"):
        reasons.append("virtual time")
    old: int = before.get("frequency", 0)
    new: int = after.get("frequency", old)
    if abs(new - old) > TOLERANCE * old:
        reasons.append(f"frequency changed from {old // 1000} to {new // 1000} MHz")
    return "; ".join(reasons)


def toolchain(flags: Path, recorded: str) -> str:
    """Return the compiler's part of a platform's name.  Of the environment, COMPILER is its command,
    OPTIONS those that make gives it, USUAL those that make would give it if nobody added any;
    `flags` is the build/flags of this compiler, and `recorded` a pattern of options that decide
    code if a compiler records them unasked.  Raises Failure and OSError."""
    command, options, usual = of_make()
    asked = [*command, *options]
    unasked = [
        word for word in machine.read_recorded(flags) if re.fullmatch(recorded, word)
    ]
    added = compiler.added(asked, [*command, *usual], unasked)
    return compiler.identified(asked) + compiler.suffix(added)


def of_make() -> list[list[str]]:
    """Return the words of COMPILER, OPTIONS and USUAL."""
    texts = [os.environ.get(name, "") for name in ("COMPILER", "OPTIONS", "USUAL")]
    return [shlex.split(text) for text in texts]


def main() -> None:
    """Print the platform of ARM programs and its runner.  Raises Failure when nothing can run here."""
    command, options, _ = of_make()
    named = toolchain(machine.FLAGS, compiler.DECIDES_CODE)
    with files.scratch(PROGRAM.parent, "probe") as folder:
        probe = folder / PROGRAM.name
        build([*command, *options], probe)
        here = platform(probe, named)
        probe.replace(PROGRAM)
    if not here.direct and os.uname().machine.startswith(("arm", "aarch64")):
        note = "this board does not run these programs itself: qemu-arm runs them, without times"
        print(f"target: {note}", file=sys.stderr)
    print(here, end="")


def host() -> None:
    """Print the platform of this machine's own programs: its architecture is what it is.  Raises
    Failure."""
    name = toolchain(machine.FLAGS_OF_HOST, compiler.DECIDES_CODE_OF_HOST)
    print(machine.Platform(f"host-{name}", ()), end="")
