"""Platform `host`: the C rungs built by this machine's own compiler, checked and timed.

`python3 -m harness.time.host [--seconds S] FOLDER...` where FOLDER is a snapshot's.  Called by make,
which builds what can be built here: not the rungs in ARM assembly, and NEON only through SIMDe.
Writes results/local/host, a folder of its own, because these numbers are of another machine, with
another compiler, than any count.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from harness.cells import Cell
from harness.time import timing
from records import faults, ladder, lock
from records.faults import Failure
from records.files import digest
from records.machine import machine_facts, write_machine
from records.platform import HOST, read_platform
from records.rows import write_rows

BUILD = Path("build/host")
OUT = Path("results/local/host")
PLAN = timing.Plan(kept=BUILD / "times")


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
    texts = [path.read_text() for path in snapshot.path.glob("*.[ch]")]
    if any("__asm__" in text for text in texts):
        return "ARM assembly inside C"
    if any("arm_neon.h" in text for text in texts):
        return "NEON, which needs libsimde-dev here"
    return "not built"


def cells_of(folders: list[Path]) -> list[HostCell]:
    """The cells of snapshot folders, in ladder order.  Raises Failure."""
    wanted = {folder.resolve() for folder in folders}
    studies = dict.fromkeys([ladder.LADDER, *ladder.studies()])
    found = [s for study in studies for s in ladder.snapshots(study) if s.path in wanted]
    return [HostCell(snapshot, level, "default") for snapshot in found for level in ladder.levels()]


def facts(cells: list[HostCell], plan: timing.Plan) -> dict:
    """machine.json of the host's results."""
    platform = read_platform(HOST).name
    flags = (BUILD / "flags").read_text()
    programs = {cell.label: digest(cell.program) for cell in cells}
    made = machine_facts(platform, [], flags, programs)
    simde = "".join(flags.splitlines()[2:])
    return {**made, "qemu": "", "arm_neon.h": simde, "timing": timing.facts(plan)}


def collect(folders: list[Path], plan: timing.Plan) -> None:
    """Time what is built and checked, say what is not, write the results.  Raises Failure."""
    asked = cells_of(folders)
    cells = [cell for cell in asked if cell.checked]
    for snapshot in dict.fromkeys(cell.snapshot for cell in asked if not cell.checked):
        print(f"  HOST    {snapshot.name}: not available here: {why_not(snapshot)}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    rows = timing.collect(cells, plan, timing.said)
    made = facts(cells, plan)
    write_rows(OUT / "times.csv", rows)
    write_machine(OUT, made)


def main() -> int:
    """Command line; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=PLAN.seconds)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    plan = PLAN._replace(seconds=options.seconds)
    try:
        with lock.alone():
            collect(options.folders, plan)
    except faults.EXPECTED as fault:
        print(f"host: {faults.line(fault)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nhost: interrupted; {faults.AGAIN}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
