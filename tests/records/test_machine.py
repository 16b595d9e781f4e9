"""machine.json, front matter and the sources' tables: a spoilt file is refused in one line that
names it, or taken; another exception is never seen."""

import json
from collections.abc import Callable
from pathlib import Path

import made_snapshot
import pytest
from mutations import mutations

from records import faults, ladder, published
from records.faults import Failure
from records.machine import NEEDED, read_machine

WHOLE = dict.fromkeys(NEEDED, "said")


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="machine.json: missing"):
        read_machine(tmp_path)
    (tmp_path / "machine.json").write_text(json.dumps({**WHOLE, "cpu": "A7"}))
    assert read_machine(tmp_path) == {**WHOLE, "cpu": "A7", "programs": {}}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{\n"platform": ', ":2: not whole"),
        ("[]", ": it or its 'programs' is not an object"),
        ("\udcff", ": cannot be read"),
        (json.dumps({**WHOLE, "compiler": None}), ": no 'compiler'"),
        (json.dumps({**WHOLE, "programs": []}), ": it or its 'programs' is not an object"),
        (json.dumps({**WHOLE, "cpu": "A" * 1001}), ": '"),
        (json.dumps({**WHOLE, "cpu": ["<b>"]}), ": '<' is more than text"),
        (json.dumps({**WHOLE, "cpu": "a\x9b2J"}), r": '\x9b' is more than text"),
        (json.dumps({**WHOLE, "rounds": 7}).replace("7", "1e999"), ": cannot be read"),
    ],
)
def test_a_fault_is_one_line_that_names_the_file(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "machine.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Failure) as refused:
        read_machine(tmp_path, "given")
    assert str(refused.value).startswith(f"given/machine.json{fault}")
    assert "\n" not in str(refused.value)


def readers(root: Path) -> dict[Path, Callable[[], object]]:
    """File -> what reads it."""
    predicts = {"predicts": "O0 0.9..1.1, O3 1.8..2.2", "disclosed": "O1", "width": "64"}
    made_snapshot.add(root, "v0")
    readme = made_snapshot.add(root, "v1", parent="v0", **predicts) / "README.md"
    claims = "\nclaims:\n  - [1] O1: own() < 2\n---\n"
    readme.write_text(readme.read_text().replace("\n---\n", claims))
    index = root / published.FOLDER / published.INDEX
    index.parent.mkdir(parents=True)
    index.write_bytes((ladder.ROOT / published.FOLDER / published.INDEX).read_bytes())
    return {
        readme: lambda: ladder.snapshots(root=root),
        index: lambda: published.read_csv(published.INDEX, root),
    }


@pytest.mark.parametrize("number", [60, pytest.param(5000, marks=pytest.mark.long)])
def test_spoilt_files_are_refused_in_a_line(tmp_path: Path, number: int) -> None:
    for path, read in readers(tmp_path).items():
        good, refused = path.read_bytes(), 0
        read()
        for spoilt in mutations(good, number, path.name):
            path.write_bytes(spoilt)
            try:
                read()
            except faults.EXPECTED as fault:
                assert faults.line(fault) and "\n" not in faults.line(fault)
                refused += 1
        path.write_bytes(good)
        assert refused > number / 10
