"""lines.csv: counts by instruction and by line, against counts.csv, the object and the source."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from clone import Clone

from harness import cells
from harness.elf import read_elf, words
from records import ladder
from records.faults import Failure


@pytest.fixture(scope="module")
def table(measured: Clone) -> dict[cells.Cell, list[dict]]:
    """The rows of every cell of the ladder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(measured.path)
        found = [
            cells.Cell(snapshot, level, "small")
            for snapshot in ladder.snapshots(root=measured.path)
            for level in cells.LEVELS
        ]
        return {cell: list(cell.line_rows()) for cell in found}


@pytest.fixture
def at_clone(measured: Clone, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The clone's root, and the working directory."""
    monkeypatch.chdir(measured.path)
    return measured.path


SAME = {"instructions": "instructions", "taken": "branches_taken"}
SAME |= {name: name for name in ("load_accesses", "store_accesses")}


def test_every_sum_is_that_of_counts_csv(at_clone: Path, table: dict) -> None:
    for cell, rows in table.items():
        n, symbols = cell.totals("roundtrip-small")
        assert {row["n"] for row in rows} == {n}
        for ours, theirs in SAME.items():
            total = sum(row[ours] for row in rows)
            assert total == symbols["snapshot"][theirs], (cell.name, ours)
        classes: Counter = Counter()
        for row in rows:
            classes["class_" + row["class"]] += row["instructions"]
        named = {k: v for k, v in symbols["snapshot"].items() if k.startswith("class_")}
        assert classes == named, cell.name


def test_every_instruction_has_a_line_with_code(at_clone: Path, table: dict) -> None:
    for cell, rows in table.items():
        texts = {p.name: p.read_text().splitlines() for p in cell.snapshot.path.glob("*.[chS]")}
        for row in rows:
            text = texts[row["file"]][row["line"] - 1].strip()
            assert text and not text.startswith(("/*", "* ", "*/", "#")), (cell.name, row)


@pytest.mark.parametrize("level", cells.LEVELS)
def test_lines_of_the_assembly_are_those_of_its_instructions(table: dict, level: str) -> None:
    (cell,) = (c for c in table if c.name == f"v8 {level}")
    source = (cell.snapshot.path / "mont.S").read_text().splitlines()
    seen: Counter = Counter()
    for row in table[cell]:
        if row["class"] in ("umaal", "mul"):
            text = source[row["line"] - 1]
            assert re.search(r"\b(umaal|mul|product_row|reduction_row)\b", text), row
            seen[row["class"]] += 1
    assert seen == {"umaal": 28, "mul": 4}


def test_headers_of_the_compiler_count_for_who_asks(table: dict) -> None:
    """vaddq_u64 and its like are functions of arm_neon.h, which is no file of a snapshot."""
    (cell,) = (c for c in table if c.name == "v3 O0")
    neon = {(row["file"], row["line"]) for row in table[cell] if row["class"] == "neon_arith"}
    source = (cell.snapshot.path / "nat.h").read_text().splitlines()
    lines_of_nat_h = [source[line - 1] for file, line in neon if file == "nat.h"]
    assert sum(bool(re.search(r"\bv\w+_[us]64\(", text)) for text in lines_of_nat_h) > 5


def test_offsets_are_those_of_the_object(at_clone: Path, table: dict) -> None:
    """What objdump shows at an offset of snapshot.o is what the program executed there."""
    for name in ("v0 O0", "v5 O3", "v7 O1"):
        (cell,) = (c for c in table if c.name == name)
        found = {word.address: word.text for word in words(cell.folder / "snapshot.o")}
        kinds = {"umaal": "umaal", "call": "bl", "store_multiple": "push|stm", "mul_long": "[us]m"}
        compared = 0
        for row in table[cell]:
            if row["class"] in kinds:
                assert re.match(kinds[row["class"]], found[int(row["offset"], 16)]), row
                compared += 1
        assert compared


@pytest.mark.parametrize("rung", ["v2", "v3", "v6"])
def test_functions_are_those_of_the_source(table: dict, rung: str) -> None:
    """Without inlining they are the symbols; inlined ones are found, the compiler's own never."""
    plain, inlined = (
        {row["function"] for cell in table if cell.name == f"{rung} {level}" for row in table[cell]}
        for level in ("O0", "O3")
    )
    symbols = {at[2] for cell in table if cell.name == f"{rung} O0" for at in functions_of(cell)}
    assert plain <= symbols and {"add", "less", "mod_exp"} <= inlined & plain
    assert not any(name.startswith(("v", "__")) for name in inlined)


def functions_of(cell: cells.Cell) -> list[tuple[int, int, str]]:
    """The functions of the snapshot, by the symbol table."""
    root = cell.snapshot.path.parents[1]
    return read_elf(root / cell.program).functions


@pytest.fixture
def cell(at_clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cells.Cell:
    """v8 O3 with what is kept of it, in a checkout of its own."""
    made = cells.Cell(ladder.find("v8", root=at_clone), "O3", "small")
    shutil.copytree(at_clone / made.folder, tmp_path / made.folder)
    for path in (at_clone / "data", at_clone / "harness", *(at_clone / "build").glob("*.so")):
        (tmp_path / path.relative_to(at_clone)).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return made


def test_raw_file_that_does_not_fit_its_sums_is_named(cell: cells.Cell) -> None:
    assert len(list(cell.line_rows())) > 100
    raw = cell.folder / "roundtrip-small.small.tsv"
    text = raw.read_text()
    raw.write_text("".join(text.splitlines(keepends=True)[:-1]))
    with pytest.raises(Failure, match="roundtrip-small"):
        list(cell.line_rows())
    raw.write_text(text[:-3].rpartition("\t")[0])
    with pytest.raises(Failure, match="cut short.*measure again"):
        list(cell.line_rows())
    raw.unlink()
    with pytest.raises(Failure, match="missing"):
        list(cell.line_rows())


def test_what_was_not_measured_has_no_rows(cell: cells.Cell) -> None:
    (cell.folder / "roundtrip-small.small.json").unlink()
    assert list(cell.line_rows()) == []
