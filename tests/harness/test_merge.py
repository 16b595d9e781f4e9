"""What stays in a results folder when new rows come."""

import json
from pathlib import Path

import pytest

from harness import merge
from harness.cells import flags_hash
from records.machine import write_machine
from records.rows import Row, read_rows, write_rows

FLAGS = ("gcc 12", "-marm")
FACTS = {"platform": "qemu-gcc12", "compiler": FLAGS[0], "flags": FLAGS[1]}
MOMENT = {"date": "2026-01-02T03:04:05Z", "git_revision": "unknown"}
OLD, NEW = "0" * 64, "1" * 64


def row(name: str, value: int | None, case: str = "mont_mul", level: str = "O1") -> Row:
    """A row of counts.csv."""
    cell = {"study": "iterations", "snapshot": name, "level": level, "repeat": 0}
    number = {"metric": "instructions", "symbol": "total", "value": value, "n": 1}
    return {**cell, "case": case, **number, "unit": "instructions" if value else "not supported"}


def group(name: str, program: str, case: str = "mont_mul") -> Row:
    """A row of provenance.csv."""
    how = flags_hash("\n".join(FLAGS), "O1", 128)
    cell = {"study": "iterations", "snapshot": name, "level": "O1"}
    return {**cell, "case": case, "n": 1, "program": program, "inputs": OLD, "flags": how}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of v2 and v4, of v4 in two cases."""
    monkeypatch.setattr(merge, "EARLIER", tmp_path / "earlier")
    path = tmp_path / "local"
    save(
        path, [row("v2", 2), row("v4", 4), row("v4", 44, "roundtrip-full")], {"v2": OLD, "v4": OLD}
    )
    return path


def save(folder: Path, rows: list[Row], programs: dict[str, str]) -> None:
    """Writes a folder as collect does."""
    groups = [group(r["snapshot"], programs[r["snapshot"]], r["case"]) for r in rows]
    write_rows(folder / "provenance.csv", groups)
    write_rows(folder / "counts.csv", rows)
    cells = {f"iterations/{name}/O1": program for name, program in programs.items()}
    write_machine(folder, {**FACTS, **MOMENT, "programs": cells})


def merged(
    folder: Path, rows: list[Row], program: str = NEW, **facts: str
) -> dict[str, int | None]:
    """`v4 mont_mul` -> value of what is to be written when these rows are made."""
    programs = {merge.label(made): program for made in rows}
    found, said = merge.merged(
        folder, {"counts.csv": rows}, {**FACTS, **facts, "programs": programs}
    )
    assert {merge.label(r) for r in found["counts.csv"]} <= said["programs"].keys()
    assert programs.items() <= said["programs"].items()
    return {f"{r['snapshot']} {r['case']}": r["value"] for r in found["counts.csv"]}


def test_other_cells_stay(folder: Path) -> None:
    found = merged(folder, [row("v3", 3)])
    assert found == {"v2 mont_mul": 2, "v3 mont_mul": 3, "v4 mont_mul": 4, "v4 roundtrip-full": 44}


def test_a_case_that_is_not_made_stays_while_the_program_does(folder: Path) -> None:
    same = merged(folder, [row("v4", 5)], OLD)
    assert (same["v4 mont_mul"], same["v4 roundtrip-full"]) == (5, 44)
    changed = merged(folder, [row("v4", 5)], NEW)
    assert changed == {"v2 mont_mul": 2, "v4 mont_mul": 5}


def test_rows_of_a_folder_that_is_gone_are_set_aside(folder: Path) -> None:
    save(folder, [row("v2", 2), row("v77", 77)], {"v2": OLD, "v77": OLD})
    write_rows(folder / "models.csv", [row("v77", 7)])
    found, said = merge.merged(folder, {"counts.csv": []}, {**FACTS, "programs": {}})
    assert [r["value"] for r in found["counts.csv"]] == [2] and found["models.csv"] == []
    assert said["programs"].keys() == {"iterations/v2/O1"}
    (kept,) = merge.EARLIER.iterdir()
    assert len(read_rows(kept / "counts.csv")) == 2 and folder.exists()


def test_what_has_no_value_keeps_none(folder: Path) -> None:
    write_rows(folder / "perf.csv", [row("v2", None)])
    facts = {**FACTS, "programs": {"iterations/v4/O1": OLD}}
    found, _ = merge.merged(folder, {"perf.csv": [row("v4", 4)]}, facts)
    assert [made["value"] for made in found["perf.csv"]] == [None, 4]


@pytest.mark.parametrize("key", merge.SAME)
def test_another_compiler_begins_anew(
    folder: Path, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert merged(folder, [row("v4", 5)], **{key: "another"}) == {"v4 mont_mul": 5}
    (kept,) = merge.EARLIER.iterdir()
    assert before == {path.name: path.read_bytes() for path in kept.iterdir()}
    assert str(kept) in capsys.readouterr().out and not folder.exists()
    save(folder, [row("v2", 3)], {"v2": OLD})
    merged(folder, [row("v4", 5)], **{key: "a third"})
    assert len(list(merge.EARLIER.iterdir())) == 2


@pytest.mark.parametrize("text", ["", "{", "[]", '{"platform": null}', None])
def test_a_spoilt_machine_json_loses_nothing(folder: Path, text: str | None) -> None:
    """provenance.csv says of which programs the rows are; without it the folder is set aside."""
    machine = folder / "machine.json"
    machine.unlink() if text is None else machine.write_text(text)
    assert merged(folder, [row("v8", 8)])["v2 mont_mul"] == 2
    (folder / "provenance.csv").unlink()
    assert merged(folder, [row("v8", 8)]) == {"v8 mont_mul": 8}
    (kept,) = merge.EARLIER.iterdir()
    assert len(read_rows(kept / "counts.csv")) == 3


def test_what_a_killed_run_wrote_stays(folder: Path) -> None:
    """It writes provenance.csv first and machine.json last."""
    rows = [*read_rows(folder / "counts.csv"), row("v8", 8)]
    groups = [*read_rows(folder / "provenance.csv"), group("v8", NEW)]
    write_rows(folder / "provenance.csv", groups)
    write_rows(folder / "counts.csv", rows)
    assert "iterations/v8/O1" not in json.loads((folder / "machine.json").read_text())["programs"]
    assert merged(folder, [row("v3", 3)])["v8 mont_mul"] == 8
