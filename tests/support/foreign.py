"""Results as they come from another board: a small part of the reference, whole in itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from records.ladder import ROOT
from records.machine import write_machine

REFERENCE = ROOT / "results" / "qemu-gcc12"
PART = "iterations,v8,O3,"


def board_of(folder: Path, platform: str) -> Path:
    """Every table of v8 at -O3, with its call graph."""
    (folder / "gprof").mkdir(parents=True)
    for name in ("asm.csv", "counts.csv", "lines.csv", "provenance.csv", "gprof/calls.csv"):
        head, *rows = (REFERENCE / name).read_text().splitlines(keepends=True)
        (folder / name).write_text("".join([head, *(r for r in rows if r.startswith(PART))]))
    shutil.copy(REFERENCE / "gprof" / "v8-O3.txt", folder / "gprof")
    facts = json.loads((REFERENCE / "machine.json").read_text())
    label = "iterations/v8/O3"
    write_machine(
        folder, {**facts, "platform": platform, "programs": {label: facts["programs"][label]}}
    )
    return folder
