"""gprof's texts in a results folder, gprof/v0-O1.txt for each program, and the pictures beside them."""

import re
import stat
from pathlib import Path

from records.faults import Failure

FOLDER = "gprof"
# Of a text or a picture, without its suffix: a snapshot and a level, a study in front.
NAME = re.compile(r"[A-Za-z0-9_][\w.-]{0,99}-O(?:[0-3gsz]|fast)", re.ASCII)
# What would be more than text in a terminal or a picture.
UNSAFE = re.compile(rb"[^\t\n -~]")


def profiles(folder: Path, label: str) -> list[Path]:
    """Return gprof's texts in a results folder, which texts call `label`.  Raises Failure for one
    that no reader can show: another name, no plain file, a character that is not printed."""
    place = f"{label}/{FOLDER}"
    found = sorted((folder / FOLDER).glob("*.txt"))
    for path in found:
        if not NAME.fullmatch(path.stem):
            raise Failure(
                f"{place}: expected names such as v0-O1.txt; found {path.name[:80]!a}"
            )
        if not stat.S_ISREG(path.lstat().st_mode):
            raise Failure(f"{place}/{path.name}: not a plain file")
        text = path.read_bytes()
        unsafe = UNSAFE.search(text)
        if unsafe:
            number = 1 + text.count(b"\n", 0, unsafe.start())
            raise Failure(
                f"{place}/{path.name}:{number}: the byte {unsafe[0][0]:#04x} is no text"
            )
    return found


def pictures(folder: Path) -> list[Path]:
    """Return the pictures of call graphs in a results folder."""
    found = sorted((folder / FOLDER).glob("*.svg"))
    return [path for path in found if NAME.fullmatch(path.stem)]
