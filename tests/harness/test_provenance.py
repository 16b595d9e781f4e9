"""Row groups and their hashes."""

import shutil
from pathlib import Path

import pytest

from harness.cells import Cell
from records import ladder, workload
from records.files import digest
from records.ladder import ROOT


def test_groups_change_with_program_inputs_and_flags(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "data" / "inputs", "data/inputs")
    cell = Cell(ladder.find("v0"), "O1", "default")
    cell.folder.mkdir(parents=True)
    cell.program.write_bytes(b"program")

    def made(text: str = "gcc 12\n-marm\n") -> dict[str, dict]:
        return {g["case"]: g for g in cell.groups(text)}

    first = made()
    assert tuple(first) == workload.CASES
    assert [g["n"] for g in first.values()] == [1000, 20, 10, 100, 10]
    assert first["mod_exp"]["program"] == digest(cell.program)
    assert made() == first
    other = made("gcc 14\n-marm\n")
    assert all(other[c]["flags"] != g["flags"] for c, g in first.items())
    with Path("data/inputs/width-128/key-full/key.txt").open("a") as file:
        file.write("# another key\n")
    differ = {c for c, g in made().items() if g["inputs"] != first[c]["inputs"]}
    assert differ == {"roundtrip-small", "roundtrip-full"}
