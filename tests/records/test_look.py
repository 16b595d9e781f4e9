"""The place that a front matter names."""

import re

import pytest

from records import ladder
from records.ladder import Look


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("O1 shr", Look("O1", "shr", "shr", "c", "")),
        ("O0 shr asm", Look("O0", "shr", "shr", "asm", "")),
        ("O3 shr mmm c 13-18", Look("O3", "shr", "mmm", "c", "13-18")),
        ("", None),
        ("O1 shr 13-18", None),
        ("O2 shr", None),
    ],
)
def test_a_place_is_read(text: str, place: Look | None) -> None:
    assert ladder.parse(text) == place


@pytest.mark.parametrize("rung", [rung for rung in ladder.snapshots() if rung.parent])
def test_the_lines_of_a_place_change(rung: ladder.Snapshot) -> None:
    """They stand in the child's file that has the function, and not as they are in the parent's."""
    place, parent = ladder.parse(rung.look), ladder.parent_of(rung)
    assert place and parent
    if not place.lines:
        return
    first, last = map(int, place.lines.split("-"))
    begins = re.compile(rf"(?:static|void) .*\b{place.after}\(|        \.macro|{place.after}:")
    for name in ("mont.S", "rsa.c", "nat.h"):
        file = rung.path / name
        lines = file.read_text().splitlines() if file.is_file() else []
        if any(map(begins.match, lines[:last])):
            before = parent.path / name
            old = before.read_text() if before.is_file() else ""
            assert any(line not in old for line in lines[first - 1 : last])
            return
    raise AssertionError(f"{rung.name}: no file with {place.after}")
