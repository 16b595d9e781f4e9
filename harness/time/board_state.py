"""The state of the board: frequency, throttling, temperature, governor; and what spoils a sample.

Everything is read from /sys and from the Raspberry Pi's `vcgencmd`; what a machine does not tell is
absent, never a guess.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from records.command import first_line
from records.files import read

# Bits of `vcgencmd get_throttled`: as it is now, and 16 places higher as it was at any time since
# the board was started.
THROTTLED = ("under-voltage", "frequency capped", "throttled", "soft temperature limit")
SINCE = 16
State = dict[str, Any]
FIRMWARE = "sys/devices/platform/soc/soc:firmware/get_throttled"
MODEL = "sys/firmware/devicetree/base/model"
VIRTUAL = "linux,dummy-virt"  # the computer of `make board`, whose clock counts instructions
TOLERANCE = 0.01  # of the frequency: readings jitter, steps are far larger


def ask(*command: str, timeout: float = 0.5) -> str:
    """The first line that a quick command prints; "" when there is none (command.first_line)."""
    return first_line(*command, timeout=timeout)


def per_core(name: str, root: Path) -> list[str]:
    """What each core's cpufreq file of this name says, in the order of the cores."""
    found = {}
    for path in root.glob(f"sys/devices/system/cpu/cpu[0-9]*/cpufreq/{name}"):
        found[int(path.parent.parent.name[3:])] = read(path)
    return [found[core] for core in sorted(found) if found[core]]


def throttled(root: Path) -> int | None:
    """The bits of get_throttled; None where nothing knows them."""
    said = re.fullmatch(r"throttled=(0x[0-9a-fA-F]+)", ask("vcgencmd", "get_throttled"))
    text = said.group(1) if said else read(root / FIRMWARE)
    return int(text, 16) if re.fullmatch(r"(0x)?[0-9a-fA-F]+", text) else None


def temperature(root: Path) -> int | None:
    """Thousandths of a degree Celsius: of the zone named for the processor, else the first."""
    zones = []
    for zone in sorted(root.glob("sys/class/thermal/thermal_zone*")):
        if re.fullmatch(r"-?\d+", read(zone / "temp")):
            is_cpu = re.search(r"cpu|x86_pkg", read(zone / "type")) is not None
            zones.append((not is_cpu, zone.name, int(read(zone / "temp"))))
    if zones:
        return min(zones)[2]
    said = re.fullmatch(r"temp=([0-9.]+)'C", ask("vcgencmd", "measure_temp"))
    return round(1000 * float(said.group(1))) if said else None


def virtual(root: Path = Path("/")) -> bool:
    """Whether this is an emulated computer, whose times say nothing and whose counts repeat."""
    return read(root / MODEL) == VIRTUAL


def state(root: Path = Path("/")) -> State:
    """The board as it is now.  Keys, each absent where unknown: `frequency`, kHz of each core in
    order; `throttled`, the bits of get_throttled; `temperature`, m°C; `governor`, the name, several
    joined by `/` where the cores differ; `virtual`, true where time is."""
    now = {
        "frequency": [int(text) for text in per_core("scaling_cur_freq", root) if text.isdigit()],
        "throttled": throttled(root),
        "temperature": temperature(root),
        "governor": "/".join(sorted(set(per_core("scaling_governor", root)))),
        "virtual": virtual(root) or None,
    }
    return {key: value for key, value in now.items() if value not in (None, [], "")}


def bits(value: int) -> list[str]:
    """The names of the bits that are set, of those in THROTTLED."""
    return [name for bit, name in enumerate(THROTTLED) if value >> bit & 1]


def tainted(before: State, after: State) -> str:
    """Why a sample taken between two states cannot be trusted as a time; "" when it can.

    A bit that tells of now spoils it on either side; one that tells of the time since the start
    only when it appeared in between.  Of the frequencies the highest counts, the busy core's: idle
    cores come and go.
    """
    first, last = before.get("throttled", 0), after.get("throttled", 0)
    reasons = bits(first | last)
    since = bits((last & ~first) >> SINCE)
    reasons += [f"{name} in between" for name in since if name not in reasons]
    reasons += ["virtual time"] * bool(before.get("virtual"))
    if before.get("frequency") and after.get("frequency"):
        old, new = max(before["frequency"]), max(after["frequency"])
        if abs(new - old) > TOLERANCE * old:
            reasons.append(f"frequency changed from {old // 1000} to {new // 1000} MHz")
    return "; ".join(reasons)
