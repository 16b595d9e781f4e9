"""Files that are written whole or not at all, and their hashes."""

from __future__ import annotations

import hashlib
import os
import threading
from functools import cache
from pathlib import Path

NEW = ".new"  # the end of the name of a file that is not yet whole


def digest(*paths: Path) -> str:
    """The SHA-256 of a file; of several, the SHA-256 of theirs, in this order."""
    facts = [(path, path.stat()) for path in paths]
    parts = [_digest(path, stat.st_mtime_ns, stat.st_size) for path, stat in facts]
    return (parts[0] if len(parts) == 1 else hashlib.sha256(b"".join(parts)).digest()).hex()


@cache
def _digest(path: Path, mtime_ns: int, size: int) -> bytes:
    """Of one file, read again only when it has changed."""
    return hashlib.sha256(path.read_bytes()).digest()


def read(path: Path) -> str:
    """The text of a small file of the system, "" when it cannot be read."""
    try:
        return path.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def replace(path: Path, text: str | bytes) -> None:
    """Write a whole file or nothing: to a neighbour first, then renamed.  A file that already says
    the same is left alone.  Raises OSError that names the file."""
    data = text.encode() if isinstance(text, str) else text
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = neighbour(path)
    try:
        with new.open("wb") as file:
            file.write(data)
        settle(new, path)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    finally:
        new.unlink(missing_ok=True)


def neighbour(path: Path) -> Path:
    """A name beside a file that no other process or thread writes to."""
    return path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident():x}{NEW}")


def settle(new: Path, path: Path) -> None:
    """Give a finished file its name, once its contents are on the disk."""
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(path)


def sweep(folder: Path) -> None:
    """Remove what killed runs left half written.  Only for who holds the lock (records/lock.py)."""
    for left in folder.glob(f"*.*-*{NEW}"):
        left.unlink(missing_ok=True)
