"""Which of the two counters counts: the plugin of qemu-arm, or Unicorn.

Both give the same rows to the unit (tests/harness/test_unicorn.py), so which one it was is a note in
machine.json and never a column of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.count import counts
from harness.count.unicorn import counts as unicorn_counts
from harness.count.unicorn import selftest as unicorn_selftest
from harness.count.unicorn.tally import HOOKS

PLUGIN = Path("build/count.so")


@dataclass(frozen=True)
class Backend:
    """A counter.  ``count`` takes a program, the driver's arguments, the width in bits, the file
    to write and a limit in seconds and returns rows; ``selftest`` takes the self-test program and
    its table and returns the number of values compared.  Both raise Failure."""

    name: str
    count: Callable[[Path, Sequence[str], int, Path, float], list[counts.Row]]
    selftest: Callable[[str, str], int]


def _plugin(program: Path, args: Sequence[str], width: int, out: Path, limit: float) -> list:
    return counts.count(program, args, plugin=PLUGIN, out=out, timeout=limit)


def _unicorn(program: Path, args: Sequence[str], width: int, out: Path, limit: float) -> list:
    return unicorn_counts.count(program, args, width=width, out=out, timeout=limit)


def _plugin_selftest(program: str, table: str) -> int:
    return counts.selftest(program, table, plugin=PLUGIN)


def _why_no_plugin() -> str:
    return counts.why_unsupported() or _missing(PLUGIN)


def _why_no_unicorn() -> str:
    return unicorn_counts.why_unsupported() or _missing(HOOKS)


def _missing(path: Path) -> str:
    return "" if path.exists() else f"{path} is not built"


# name -> (counter, why it does not work here, or an empty string)
BACKENDS = {
    "plugin": (Backend("plugin", _plugin, _plugin_selftest), _why_no_plugin),
    "unicorn": (Backend("unicorn", _unicorn, unicorn_selftest.selftest), _why_no_unicorn),
}


def pick(wanted: str = "") -> tuple[Backend | None, str]:
    """The counter to use and, where there is none, one line that says why.

    ``wanted`` is COUNTER of the command line: plugin, unicorn, or nothing for the first that works.
    Raises ValueError for another word, and when the one that was asked for does not work here."""
    if wanted and wanted not in BACKENDS:
        raise ValueError(f"COUNTER={wanted}: say {' or '.join(BACKENDS)}")
    reasons = []
    for name, (backend, why_unsupported) in BACKENDS.items():
        if wanted in ("", name):
            reason = why_unsupported()
            if not reason:
                return backend, ""
            reasons.append(reason)
    if wanted:
        raise ValueError(f"COUNTER={wanted}: {reasons[0]}")
    return None, "no counts: " + "; ".join(reasons)
