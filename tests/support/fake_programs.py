"""Programs that pretend to be the driver, and cells of them, for tests of the timing."""

from pathlib import Path

from harness.cells import Cell
from records.ladder import Snapshot

TABLE = "0 90000 90\n" * 2 + "0 {us}000 {us}\n" * 4


def write_program(path: Path, body: str = "", us: int = 5) -> Path:
    """A script that does `body` and prints the times of three messages, the first a warm-up."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\ncat <<'END'\n{TABLE.format(us=us)}END\n")
    path.chmod(0o755)
    return path


def made_cell(name: str, body: str = "", us: int = 5) -> Cell:
    """A cell at -O1 whose program is such a script, in the working directory."""
    snapshot = Snapshot("iterations", name, Path(name), "", None, "", 128, "")
    cell = Cell(snapshot, "O1", "default")
    write_program(cell.program, body, us)
    return cell
