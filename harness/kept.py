"""What build/ keeps: programs, and what was computed, each with what it depends on."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

from records.faults import end_children
from records.files import replace

WORKERS = len(os.sched_getaffinity(0))
TICK = 1.0  # seconds between two looks at what is at work


class Task(NamedTuple):
    """Something to compute: `key` changes with all that the answer depends on, which is kept in the
    file `path` as JSON.  `compute` runs in a thread: it starts programs, or waits for them."""

    path: Path
    key: str
    compute: Callable[[], Any]


def on_all_cores(
    tasks: Sequence[Task], look: Callable[[list[Task]], None] = lambda ended: None
) -> list[Any]:
    """The answers of tasks, in their order: recalled where they are kept, else computed, as many at
    a time as there are processors, and kept.  `look` hears of the computed ones that have ended, at
    least once a second.  Raises what a task raises: then nothing new begins, and the programs that
    are at work are killed."""
    answers = [recall(task.path, task.key) for task in tasks]

    def compute(at: int) -> None:
        answers[at] = tasks[at].compute()
        keep(tasks[at].path, tasks[at].key, answers[at])

    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        places = {
            pool.submit(compute, at): at for at, answer in enumerate(answers) if answer is None
        }
        pending: set[Future[None]] = set(places)
        try:
            while pending:
                ended, pending = wait(pending, TICK, FIRST_COMPLETED)
                for future in ended:
                    future.result()
                look([tasks[places[future]] for future in ended])
        except BaseException:
            for future in places:
                future.cancel()
            while any(future.running() for future in places):
                end_children()
                time.sleep(0.02)
            raise
    return answers


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
    """Keep something, the whole of it or nothing."""
    replace(path, json.dumps({"key": key, "what": what}, sort_keys=True) + "\n")


def made_of(path: Path, parts: Iterable[Path]) -> bool:
    """Whether a file and its parts are there, and none of these is younger."""
    files = [path, *parts]
    if not all(file.exists() for file in files):
        return False
    return max(file.stat().st_mtime for file in files) <= path.stat().st_mtime
