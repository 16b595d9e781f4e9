"""Programs that pretend to be the driver, and cells of them, for tests of
the timing."""

from pathlib import Path

from harness.cells import Cell
from records.ladder import Snapshot


def script(path: Path, text: str) -> Path:
    """A command that does what the text says."""
    path.unlink(missing_ok=True)
    path.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


TABLE = "0 90000 90\n" * 2 + "0 {us}000 {us}\n" * 4


def made_cell(name: str, body: str = "", us: int = 5) -> Cell:
    """A cell at -O1 in the working directory, whose program is a script
    that does `body` and prints the times of three messages, the first a
    warm-up."""
    snapshot = Snapshot("iterations", name, Path(name), "", None, "", 128, "")
    cell = Cell(snapshot, "O1", "default")
    cell.folder.mkdir(parents=True, exist_ok=True)
    (cell.build / "flags").write_text("gcc (Debian 12.2.0-14) 12.2.0\n")
    script(cell.program, f"{body}\ncat <<'END'\n{TABLE.format(us=us)}END")
    return cell
