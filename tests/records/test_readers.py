"""Spoilt input files: a reader either takes one or raises a fault of one line, never another."""

from collections.abc import Callable
from pathlib import Path

import made_snapshot
import pytest
from mutations import mutations

from boards import farm
from records import faults, ladder, published

QUICK = 60
LONG = 5000
NUMBERS = [QUICK, pytest.param(LONG, marks=pytest.mark.long)]
Reader = Callable[[], object]


def read_all(path: Path, read: Reader, number: int) -> int:
    """Reads spoilt copies of a file; returns how many were refused.  Every fault is one line."""
    good, refused = path.read_bytes(), 0
    read()
    for spoilt in mutations(good, number, path.name):
        path.write_bytes(spoilt)
        try:
            read()
        except faults.EXPECTED as fault:
            said = faults.line(fault)
            assert said and "\n" not in said
            refused += 1
    path.write_bytes(good)
    return refused


@pytest.mark.parametrize("number", NUMBERS)
def test_front_matter(tmp_path: Path, number: int) -> None:
    predicts = {"predicts": "O0 0.9..1.1, O3 1.8..2.2", "disclosed": "O1", "width": "64"}
    made_snapshot.add(tmp_path, "v0")
    folder = made_snapshot.add(tmp_path, "v1", parent="v0", **predicts)
    readme = folder / "README.md"
    readme.write_text(
        readme.read_text().replace("\n---\n", "\nclaims:\n  - [1] O1: own() < 2\n---\n")
    )
    assert read_all(readme, lambda: ladder.snapshots(root=tmp_path), number) > number / 10


@pytest.mark.parametrize("number", NUMBERS)
def test_boards_of_a_farm(tmp_path: Path, number: int) -> None:
    file = tmp_path / "hosts.txt"
    file.write_text("# two boards\nme@pi4  pi-4\nme@10.0.0.2:2222  pi-zero  # slow\n")
    assert read_all(file, lambda: farm.read(file), number) > number / 10


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", [published.INDEX, published.TABLE_1])
def test_published_tables(tmp_path: Path, name: str, number: int) -> None:
    path = tmp_path / published.FOLDER / name
    path.parent.mkdir(parents=True)
    path.write_bytes((ladder.ROOT / published.FOLDER / name).read_bytes())
    head = published.read_csv(name, tmp_path)[0]

    def read() -> object:
        return [[row[column] for column in head] for row in published.read_csv(name, tmp_path)]

    assert read_all(path, read, number) > number / 10
