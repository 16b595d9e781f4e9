"""Files that are written whole or not at all, tables among them, their hashes, and locks."""

import csv
import fcntl
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from io import StringIO
from pathlib import Path

NEW = ".new"  # the end of the name of a file that is not yet whole


def digest(*paths: Path) -> str:
    """Return the SHA-256 of a file; of several, the SHA-256 of theirs, in this
    order."""
    parts = [_digest(path, (s := path.stat()).st_mtime_ns, s.st_size) for path in paths]
    return (
        parts[0] if len(parts) == 1 else hashlib.sha256(b"".join(parts)).digest()
    ).hex()


@cache
def _digest(path: Path, mtime_ns: int, size: int) -> bytes:
    """Return the SHA-256 of one file, which is read again only when it has changed."""
    return hashlib.sha256(path.read_bytes()).digest()


def read(path: Path) -> str:
    """Return the text of a small file of the system, "" when it cannot be read."""
    try:
        return path.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def replace(path: Path, text: str | bytes) -> None:
    """Write a whole file or nothing: to a neighbour first, then renamed.  A
    file that already says the same is left alone.  Raises OSError that
    names the file."""
    data = text.encode() if isinstance(text, str) else text
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident():x}{NEW}")
    try:
        new.write_bytes(data)
        new.replace(path)
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from None
    finally:
        new.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove what killed runs left half written."""
    for left in folder.glob(f"*.*-*{NEW}"):
        process = left.name.removesuffix(NEW).rpartition(".")[2].partition("-")[0]
        if has_ended(process):
            left.unlink(missing_ok=True)


def has_ended(process: str) -> bool:
    """Return whether there is no longer a process of this number."""
    return not Path("/proc", process).exists()


@contextmanager
def scratch(folder: Path, name: str) -> Iterator[Path]:
    """Yield an empty folder in this one to make something in; it goes at the end,
    and now what killed commands have left of this name."""
    for left in folder.glob(f"{name}-*-*"):
        process = left.name.removeprefix(f"{name}-").partition("-")[0]
        if has_ended(process):
            shutil.rmtree(left, ignore_errors=True)
    prefix = f"{name}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=folder) as made:
        yield Path(made)


# --- locks: a command waits for another one only where both would write the same, or measure time ---

RESULTS = Path("build/results.lock")  # to merge rows into results/local
TIMES = Path("build/times.lock")  # to have this machine for oneself


@contextmanager
def alone(path: Path = RESULTS) -> Iterator[None]:
    """Hold a lock.  Another command that holds it is waited for, after a line that says what
    was typed, and since when it holds it.  Raises OSError that names the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "a command that has just begun"
            print(f"  WAIT    for {holder}", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as fault:  # a network share without locks
            raise OSError(fault.errno, fault.strerror, str(path)) from None
        file.truncate(0)
        since = time.strftime("%H:%M:%S")
        file.write(f"{typed()}, process {os.getpid()}, since {since}\n")
        file.flush()
        yield


def typed() -> str:
    """Return the command at work: what was typed to make, else how Python was started."""
    return os.environ.get("RSALAB_TYPED") or shlex.join(sys.orig_argv)


def write_table(path: Path, lines: Iterable[Sequence[str]]) -> None:
    """Write a study's CSV file, the head first.  Raises OSError."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    replace(path, text.getvalue())
