"""When a prediction was written: the first commit that holds its range, where git knows.

It is printed and never committed: a copy without its history says nothing, and no text changes.
"""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from records import ladder
from records.command import run
from records.faults import Failure
from records.ladder import Snapshot

KEY = "predicts"


def first_commit(snapshot: Snapshot, root: Path = ladder.ROOT) -> str:
    """`6ab937c, 2026-11-21`: the commit that wrote the range as it stands; "" where there is none,
    no prediction, or no whole history to ask."""
    readme = snapshot.path / "README.md"
    said = ladder.front_matter(readme, root).get(KEY, "")
    found = _asked(root, ("-S", f"{KEY}: {said}"), readme) if said and whole(root) else []
    return found[-1] if found else ""


def commits(snapshot: Snapshot, root: Path = ladder.ROOT) -> list[str]:
    """Every commit that wrote or changed the range, the last one first."""
    return _asked(root, ("-G", f"^{KEY}:"), snapshot.path / "README.md")


def whole(root: Path) -> bool:
    """Whether this is a clone with all of its commits."""
    return (root / ".git").exists() and _git(
        root, "rev-parse", "--is-shallow-repository"
    ) == "false"


def _asked(root: Path, pick: tuple[str, str], path: Path) -> list[str]:
    """The commits that `git log` picks for a file, the last one first."""
    return _git(root, "log", "--format=%h, %as", *pick, "--", str(path)).splitlines()


@cache
def _git(root: Path, *words: str) -> str:
    """What git prints; "" where it cannot."""
    try:
        return run(["git", "-C", root, *words], timeout=20).strip()
    except (Failure, OSError, subprocess.TimeoutExpired):
        return ""
