"""What a board of a farm does: checks and measures the programs that farm.py has sent it.

`python3 -m boards.farmhand prepare TOKEN` says what the board is, on a line that begins with
the token; `... measure FOLDER MESSAGES` measures a snapshot and prints one line: the token, FOLDER
and the results folder as a tar archive in base64, with tabs between them.  A line end is printed
before either, because the shell may have left a line without one.  Everything else goes to stderr.
Needs nothing but python3 and sh.
"""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from harness import target
from harness.cells import Cell, cells_of
from harness.counters import PLUGIN
from harness.unicorn import HOOKS
from records import faults, machine
from records.faults import Failure
from records.files import replace
from records.platform import FILE
from records.rows import SCHEMAS

BUNDLE = Path("build/bundle.json")
PROBE = Path("build/probe")
TOKEN = Path("build/token")
OUT = Path("results/local")


def prepare(token: str) -> None:
    """Find out how ARM programs run here, for build/platform, and print the platform's name.
    Raises Failure when they do not."""
    replace(TOKEN, token)
    facts = json.loads(BUNDLE.read_text())
    found = target.platform(PROBE, facts["gcc"])
    if os.uname().machine != facts["machine"]:
        for code in (PLUGIN, HOOKS):  # the counters are code of the machine that sent it
            code.unlink(missing_ok=True)
    replace(FILE, str(found))
    print(f"\n{token}", found.name, sep="\t")


def check(cell: Cell) -> None:
    """The cell's program over its vectors, here, too.  Raises Failure."""
    stamp, vectors = cell.folder / "check.ok", sorted(cell.inputs.glob("vectors/*.txt"))
    words = [sys.executable, "-m", "harness.check", cell.program, cell.snapshot.width, *vectors]
    if subprocess.run(list(map(str, words)), stdout=sys.stderr).returncode:
        raise Failure(f"{cell.label}: wrong on this board")
    moment = max(time.time(), cell.program.stat().st_mtime)  # a board may not know the time
    os.utime(stamp, (moment, moment))


def measure(folder: Path, messages: str) -> None:
    """Check and collect one snapshot; print the line.  Raises Failure and OSError."""
    for cell in cells_of([folder], messages):
        check(cell)
    words = [sys.executable, "-m", "harness.collect", "--no-sizes", "--messages", messages, folder]
    # A job that was cut off from its farm is waited for, as if it were of the same make.
    environment = {**os.environ, "MAKE_PID": "farm"}
    if subprocess.run(list(map(str, words)), stdout=sys.stderr, env=environment).returncode:
        raise Failure(f"{folder}: not measured on this board")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path in sorted(OUT.iterdir()):
            if path.name in (*SCHEMAS, machine.FILE):
                archive.add(path, path.name)
    print(
        f"\n{TOKEN.read_text()}",
        folder,
        base64.b64encode(packed.getvalue()).decode(),
        sep="\t",
        flush=True,
    )


def main() -> None:
    """Command line.  Raises Failure and OSError."""
    if sys.argv[1] == "prepare":
        prepare(sys.argv[2])
    else:
        _, folder, messages = sys.argv[1:]
        measure(Path(folder), messages)


if __name__ == "__main__":
    sys.exit(faults.command_line(f"farmhand: {os.uname().nodename}", main))
