"""Results as they come from another board: a small part of the reference,
whole in itself."""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from records.ladder import ROOT
from records.machine import write_machine

REFERENCE = ROOT / "results" / "qemu-gcc12"
TABLES = ("asm.csv", "counts.csv", "lines.csv", "provenance.csv", "gprof/calls.csv")


def part(
    folder: Path, *cells: str, tables: Iterable[str] = TABLES, **said: str
) -> Path:
    """These tables of some cells, such as `iterations/v8/O3`, and facts
    that are said otherwise."""
    (folder / "gprof").mkdir(parents=True)
    starts = tuple(cell.replace("/", ",") for cell in cells)
    for name in tables:
        head, *rows = (REFERENCE / name).read_text().splitlines(keepends=True)
        (folder / name).write_text(
            "".join([head, *(r for r in rows if r.startswith(starts))])
        )
    facts = json.loads((REFERENCE / "machine.json").read_text())
    programs = {k: v for k, v in facts["programs"].items() if k.startswith(cells)}
    write_machine(folder, {**facts, **said, "programs": programs})
    return folder


def board_of(folder: Path, platform: str) -> Path:
    """Every table of v8 at -O3, with its call graph."""
    part(folder, "iterations/v8/O3", platform=platform)
    shutil.copy(REFERENCE / "gprof" / "v8-O3.txt", folder / "gprof")
    return folder
