"""What a board of a farm sends: results and nothing else, checked before any of it is kept."""

from __future__ import annotations

import base64
import io
import tarfile
import tempfile
import zlib
from pathlib import Path

from harness import merge
from harness.cells import PROVENANCE, Cell
from harness.exchange.folder import LARGEST, TOTAL
from harness.exchange.validate import validate
from harness.farm.hosts import Board
from records import faults, ladder, machine
from records.faults import Failure
from records.files import digest
from records.platform import read_flags
from records.rows import SCHEMAS, Row, read_rows, write_rows

OUT = Path("results/farm")
Group = tuple[object, ...]  # a row of provenance.csv
FILES = (*(name for name in SCHEMAS if name != "calls.csv"), machine.FILE)
# What a delivery may raise; a long chain of long names is the recursion.
FAULTS = (tarfile.TarError, zlib.error, EOFError, RecursionError, *faults.EXPECTED)


def plain(text: str) -> str:
    """What a board says, in one line that does nothing to a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))[:300]


def opened(sent: str) -> dict[str, bytes]:
    """Name -> contents of a delivery, a tar archive in base64.  Raises one of FAULTS where anything
    but a results file is in it."""
    unpacker = zlib.decompressobj(wbits=31)
    data = unpacker.decompress(base64.b64decode(sent, validate=True), TOTAL)
    if not unpacker.eof:
        raise Failure(f"cut short, or larger than {TOTAL:,} bytes")
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if not member.isreg() or member.name not in FILES or member.name in files:
                raise Failure(f"it sends {member.name[:100]!a}, which is no file of results")
            if member.size > LARGEST[Path(member.name).suffix]:
                raise Failure(f"{member.name} is larger than {LARGEST[Path(member.name).suffix]:,}")
            found = archive.extractfile(member)
            files[member.name] = found.read() if found else b""
    return files


def accept(board: Board, sent: str, revision: tuple[str, bool]) -> None:
    """Put a board's results beside those that it sent before, all of them or none: valid ones.  The
    code sizes are taken here, of the same programs.  Raises one of FAULTS."""
    with tempfile.TemporaryDirectory(prefix="farm-", dir="build") as scratch:
        folder = Path(scratch)
        for name, data in opened(sent).items():
            (folder / name).write_bytes(data)
        facts = machine.read_machine(folder, board.place)
        facts["git_revision"], facts["git_clean"] = revision
        facts["board"] = f"{board.name}, {board.kind}"
        machine.write_machine(folder, facts)
        wrong = validate(folder, board.place)
        if wrong:
            raise Failure(wrong[0] + f" ({len(wrong):,} faults)" * bool(wrong[1:]))
        made = {name: read_rows(folder / name) for name in sorted(SCHEMAS, key=later)}
    made["asm.csv"] = sizes(facts["programs"])
    made = {name: rows for name, rows in made.items() if rows}
    merged, facts = merge.merged(OUT / board.name, made, facts)
    for name, rows in merged.items():
        write_rows(OUT / board.name / name, rows)
    machine.write_machine(OUT / board.name, facts)


def held(board: Board) -> set[Group]:
    """The groups of a board's results; none unless these are valid: a farm that was killed between
    two files has left others.  Raises Failure and OSError."""
    folder = OUT / board.name
    found = set(map(group, read_rows(folder / PROVENANCE)))
    return found if found and not validate(folder) else set()


def wanted(cells: list[Cell]) -> set[Group]:
    """The groups of these cells as they are now.  Raises Failure and OSError."""
    return {group(row) for cell in cells for row in cell.groups(read_flags())}


def group(row: Row) -> Group:
    """A row of provenance.csv, to be compared."""
    return tuple(row[name] for name in SCHEMAS[PROVENANCE].columns)


def later(name: str) -> bool:
    """Whether a table is written after the one that says which programs the rows are of."""
    return name != PROVENANCE


def sizes(programs: dict[str, str]) -> list[Row]:
    """Rows of asm.csv of those programs that are the same here; programs maps study/snapshot/level
    to SHA-256.  Raises Failure and OSError."""
    rows: list[Row] = []
    for label, program in programs.items():
        study, name, level = label.split("/")
        cell = Cell(ladder.find(name, study), level, "default")
        if digest(cell.program) == program:
            rows += cell.size_rows()
    return rows
