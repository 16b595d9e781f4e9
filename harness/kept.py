"""What build/ keeps: programs with the stamps of their sources, and measurements, each with what it
depends on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from records.files import digest, replace


def stamp(source: Path, folder: Path) -> Path:
    """The stamp of a source, whose name has the hash of its contents (mk/snapshots.mk), in the
    folder of its stamps."""
    return folder / f"{source.name}.{digest(source)[:16]}"


def made_of(path: Path, parts: Iterable[Path]) -> bool:
    """Whether a file and its parts are there, and none of these is younger."""
    files = [path, *parts]
    if not all(file.exists() for file in files):
        return False
    return max(file.stat().st_mtime for file in files) <= path.stat().st_mtime


def recall(path: Path, key: str) -> Any:
    """What is kept in a file, if it was kept under this key; else None.  A file that is there and
    not whole is named on stderr, and is as good as none."""
    try:
        found = json.loads(path.read_text())
        key_kept, what = found["key"], found["what"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        print(f"collect: {path}: damaged; it has to be measured again", file=sys.stderr)
        return None
    return what if key_kept == key else None


def keep(path: Path, key: str, what: object) -> None:
    """Keep something measured, the whole of it or nothing."""
    replace(path, json.dumps({"key": key, "what": what}, sort_keys=True) + "\n")
