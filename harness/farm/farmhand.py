"""What a board of a farm does: checks and measures the programs that farm.py has sent it.

`python3 -m harness.farm.farmhand prepare` says what the board is; `... measure FOLDER MESSAGES
LOGIN` measures a snapshot and prints one line: LOGIN, FOLDER and the results folder as a tar
archive in base64, with tabs between them.  Everything else goes to stderr.  Needs nothing but
python3 and sh.
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

from harness.cells import Cell, cells_of
from harness.count.qemu import PLUGIN
from harness.count.unicorn.tally import HOOKS
from harness.setup import target
from records import faults
from records.faults import Failure
from records.files import replace
from records.platform import FILE

BUNDLE = Path("build/bundle.json")
PROBE = Path("build/probe")
OUT = Path("results/local")


def prepare() -> None:
    """Find out how ARM programs run here, for build/platform, and print the platform's name.
    Raises Failure when they do not."""
    facts = json.loads(BUNDLE.read_text())
    found = target.platform(PROBE, facts["gcc"])
    if os.uname().machine != facts["machine"]:
        for code in (PLUGIN, HOOKS):  # the counters are code of the machine that sent it
            code.unlink(missing_ok=True)
    replace(FILE, str(found))
    print(found.name)


def check(cell: Cell) -> None:
    """The cell's program over its vectors, here, too.  Raises Failure."""
    stamp, vectors = cell.folder / "check.ok", sorted(cell.inputs.glob("vectors/*.txt"))
    words = ["sh", "harness/driver/check.sh", cell.program, stamp, *vectors]
    if subprocess.run(list(map(str, words)), stdout=sys.stderr).returncode:
        raise Failure(f"{cell.label}: wrong on this board")
    moment = max(time.time(), cell.program.stat().st_mtime)  # a board may not know the time
    os.utime(stamp, (moment, moment))


def measure(folder: Path, messages: str, login: str) -> None:
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
            if path.suffix in (".csv", ".json"):
                archive.add(path, path.name)
    print(login, folder, base64.b64encode(packed.getvalue()).decode(), sep="\t", flush=True)


def main() -> None:
    """Command line.  Raises Failure and OSError."""
    if sys.argv[1:] == ["prepare"]:
        prepare()
    else:
        _, folder, messages, login = sys.argv[1:]
        measure(Path(folder), messages, login)


if __name__ == "__main__":
    sys.exit(faults.command_line(f"farmhand: {os.uname().nodename}", main))
