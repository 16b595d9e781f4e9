"""Platform `host`: the C rungs built by this machine's own compiler, checked and timed.

`python3 -m harness.time.host FOLDER...` where FOLDER is a snapshot's.  Called by
make, which builds what can be built here: not the rungs in ARM assembly, and NEON only through
SIMDe.  Writes results/local/host, a folder of its own, because these numbers are of another
machine, with another compiler, than any count.
"""

from __future__ import annotations

import sys
from pathlib import Path

from harness import merge
from harness.cells import Cell, cells_of
from harness.time import rounds
from records import ladder, lock
from records.faults import Failure, command_line
from records.files import digest
from records.machine import machine_facts, write_machine
from records.platform import HOST, read_platform
from records.rows import write_rows

BUILD = Path("build/host")
OUT = Path("results/local/host")
PLAN = rounds.Plan(kept=BUILD / "times")


class HostCell(Cell):
    """A cell whose program is built for this machine."""

    @property
    def folder(self) -> Path:
        """Its folder under build/host/."""
        return BUILD / super().folder.relative_to("build")


def why_not(snapshot: ladder.Snapshot) -> str:
    """Why no program of this snapshot may be here."""
    if any(snapshot.path.glob("*.S")):
        return "ARM assembly"
    text = "".join(path.read_text() for path in snapshot.path.glob("*.[ch]"))
    if "__asm__" in text:
        return "ARM assembly inside C"
    if "arm_neon.h" in text:
        return "NEON, which needs libsimde-dev here"
    return "not built"


def main() -> None:
    """Time what is built and checked, say what is not, write the results.  Raises Failure and
    OSError."""
    folders = [Path(folder) for folder in sys.argv[1:]]
    asked = [HostCell(c.snapshot, c.level, c.messages) for c in cells_of(folders, "default")]
    cells = [cell for cell in asked if cell.checked]
    for snapshot in dict.fromkeys(cell.snapshot for cell in asked if not cell.checked):
        print(f"  HOST    {snapshot.name}: not available here: {why_not(snapshot)}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    with lock.alone():
        rows = rounds.collect(cells, PLAN, rounds.said)
    flags = (BUILD / "flags").read_text()
    programs = {cell.label: digest(cell.program) for cell in cells}
    facts = machine_facts(read_platform(HOST).name, (), flags, programs)
    simde = " ".join("".join(flags.splitlines()[2:]).split())
    facts |= {"qemu": "", "arm_neon.h": simde, "messages": "default"}
    facts["timing"] = rounds.facts(PLAN)
    merged, facts = merge.merged(OUT, {"times.csv": rows}, facts)
    write_rows(OUT / "times.csv", merged["times.csv"])
    write_machine(OUT, facts)


if __name__ == "__main__":
    sys.exit(command_line("host", main))
