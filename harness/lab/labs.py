"""The exercises under labs/: what each starts from, what it leads to, its hints."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from records import ladder
from records.faults import Failure
from records.ladder import ROOT

SOURCES = ("nat.h", "rsa.c", "mont.S")
KEYS = ("title", "starts-from", "leads-to", "best", "width", "may-vary")
Sources = dict[str, str]  # file name -> text


@dataclass(frozen=True)
class Lab:
    """An exercise.  `start` and `best` are folders of snapshots from the root of the repository;
    `leads_to` is another, or empty where the solution is the exercise's own.  `may_vary` are the
    functions that may execute another number of instructions for another exponent; empty means that
    all may."""

    path: Path
    title: str
    start: str
    leads_to: str
    best: str
    width: int
    may_vary: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its folder's name, such as `03-one-factor-is-1`."""
        return self.path.name

    @property
    def rung(self) -> str:
        """What the solution is called."""
        return Path(self.leads_to).name or "solution"

    def starter(self) -> Sources:
        """The files that a student gets: a snapshot's, and those of start/ in their place."""
        return sources(ROOT / self.start) | sources(self.path / "start")

    def solution(self) -> Sources:
        """The files of the solution."""
        if self.leads_to:
            return sources(ROOT / self.leads_to)
        return self.starter() | sources(self.path / "solution")

    def hints(self) -> list[str]:
        """The hints, in their order."""
        text = (self.path / "hints.md").read_text(encoding="utf-8")
        return [part.strip() for part in re.split(r"^## .*$", text, flags=re.M)[1:]]


def sources(folder: Path) -> Sources:
    """The files of a snapshot that are in a folder."""
    paths = [folder / name for name in SOURCES]
    return {path.name: path.read_text(encoding="utf-8") for path in paths if path.is_file()}


def labs(root: Path = ROOT) -> list[Lab]:
    """All of them, in order.  Raises Failure for faulty front matter."""
    return [_read(path.parent, root) for path in sorted(root.glob("labs/*/README.md"))]


def find(wanted: str) -> Lab:
    """The exercise with this number or name.  Raises Failure, naming what there is."""
    known = labs()
    for lab in known:
        number = lab.name.partition("-")[0]
        if wanted in (lab.name, number, number.lstrip("0")):
            return lab
    numbers = " ".join(lab.name.partition("-")[0].lstrip("0") for lab in known)
    raise Failure(f"L={wanted}: there is no such exercise; there are: {numbers}")


def _read(path: Path, root: Path) -> Lab:
    label = (path / "README.md").relative_to(root)
    values = ladder.front_matter(path / "README.md", root, KEYS)
    for key in ("title", "starts-from"):
        if not values.get(key):
            raise Failure(f"{label}: front matter without '{key}'")
    for key in ("starts-from", "leads-to", "best"):
        if values.get(key) and not (root / values[key] / "rsa.c").is_file():
            raise Failure(f"{label}: {key}: {values[key]} is not the folder of a snapshot")
    return Lab(
        path=path,
        title=values["title"],
        start=values["starts-from"],
        leads_to=values.get("leads-to", ""),
        best=values.get("best", ""),
        width=int(values.get("width", ladder.DEFAULT_WIDTH)),
        may_vary=tuple(values.get("may-vary", "").split()),
    )
