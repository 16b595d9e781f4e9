"""What each instruction does, in one line, and how many cycles its issue takes, where published.

instructions.csv has the lines, and below them what a suffix such as `-eq` says.  Cycles until the
next instruction can be issued, with operands ready and caches hit: of the ARM1176 from ARM DDI
0301H, chapter 16; of the Cortex-A72 the inverse of the throughput in its Software Optimization
Guide, ARM UAN 0016A, chapter 3.  ARM has published no such guide for the Cortex-A53.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from records.typed import Keyed, read_table

TABLE = Path(__file__).with_suffix(".csv")
UNPUBLISHED = "not published"


@cache
def table() -> dict[str, tuple[str, str, str]]:
    """Return by mnemonic, or suffix: help, cycles of an ARM1176, cycles of a
    Cortex-A72."""
    explained = {}
    for row in read_table(TABLE):
        cells = row["help"], row["arm1176"], row["cortex-a72"]
        explained[row["mnemonic"]] = cells
    return Keyed("rsalab/explorer/instructions.csv", explained)


def explained(mnemonic: str) -> list[str]:
    """Return help, then cycles of ARM1176, Cortex-A53 and Cortex-A72; [] for one
    that is not known."""
    suffixes = [name[1:] for name in table() if name[0] == "-"]
    suffix = f"({'|'.join(suffixes)})?"
    name = mnemonic if mnemonic.startswith(".") else mnemonic.partition(".")[0]
    for base in sorted(table(), key=len, reverse=True):
        parts = re.fullmatch(re.escape(base) + 2 * suffix, name)
        if parts is None:
            continue
        if parts[1] == "s" and base in ("b", "bl"):  # which set no flags
            continue
        sentence, arm1176, a72 = table()[base]
        for part in parts.groups():
            if part:
                sentence += f"; {table()[f'-{part}'][0]}"
        return [sentence, arm1176, UNPUBLISHED, a72]
    return []


def helps(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return help and cycles by mnemonic, for all that occur in texts of
    instructions."""
    found = {text.split()[0] for text in texts}
    return {mnemonic: explained(mnemonic) for mnemonic in sorted(found)}
