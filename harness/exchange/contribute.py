"""Pack a board's results to be handed on: `python3 -m harness.exchange.contribute RESULTS OUT`.

The name of this machine and the user's home do not go along.  What is packed has been checked as
`make import` checks it.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tarfile
import tempfile
from pathlib import Path

from harness.exchange.folder import copy, names
from harness.exchange.import_results import refuse
from harness.exchange.validate import validate
from records import machine
from records.faults import Failure, command_line

TEXTS = ("*.json", "gprof/*.txt")


def anonymous(text: str, host: str, home: str) -> str:
    """The text without the name of the machine, in any form, and the path of the home."""
    text = text.replace(home, "/home/user") if len(home) > 1 else text
    short = host.partition(".")[0]
    for name in filter(None, (host, short)):
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "board", text)
    return text


def member(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry of the archive that tells nothing of its owner."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def pack(folder: Path, out: Path) -> Path:
    """Write OUT/PLATFORM-DATE.tar.gz from a results folder and return it.  Raises Failure, which
    names the first fault of the results, and OSError."""
    if not folder.is_dir():
        raise Failure(f"{folder}: no such folder; `make all-iterations` measures")
    refuse(validate(folder), folder)
    facts = machine.read_machine(folder)
    name = re.sub(r"[^A-Za-z0-9.-]+", "", f"{facts['platform']}-{facts['date']}")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as place:
        new = Path(place, name)
        for file in names(folder):
            copy(folder / file, new / file)
        for path in (path for pattern in TEXTS for path in new.rglob(pattern)):
            said = path.read_text(encoding="utf-8")
            path.write_text(anonymous(said, socket.gethostname(), os.path.expanduser("~")))
        refuse(validate(new, str(folder)), folder)
        archive = Path(place, f"{name}.tar.gz")
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(new, name, filter=member)
        return archive.rename(out / archive.name)


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    path = pack(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"{path}: {path.stat().st_size:,} bytes, to be handed on; its receiver unpacks it and")
    print("types `make import DIR=FOLDER`")


if __name__ == "__main__":
    sys.exit(command_line("contribute", main))
