"""lines.csv: counts by instruction and by line, against counts.csv, the
object and the source."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from clone import Clone

from harness.cells import Cell, cells_of
from harness.elf import read_elf, words
from records import ladder


@pytest.fixture(scope="module")
def table(measured: Clone) -> Iterator[dict[str, tuple[Cell, list[dict]]]]:
    """The rows of every cell of the ladder by its name; the working
    directory is the clone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(measured.path)
        asked = [snapshot.path for snapshot in ladder.snapshots(root=measured.path)]
        cells = cells_of(asked, "small", ladder.LEVELS)
        yield {cell.name: (cell, list(cell.line_rows())) for cell in cells}


def test_every_sum_is_that_of_counts_csv(table: dict) -> None:
    """And every instruction has a line with code."""
    for cell, rows in table.values():
        n, sums = cell.totals("roundtrip-small")
        snapshot = {
            metric: n for (symbol, metric), n in sums.items() if symbol == "snapshot"
        }
        assert {row["n"] for row in rows} == {n}
        for column in ("instructions", "taken", "load_accesses", "store_accesses"):
            metric = "branches_taken" if column == "taken" else column
            total = sum(row[column] for row in rows)
            assert total == snapshot[metric], (cell.name, column)
        classes: Counter = Counter()
        for row in rows:
            classes["class_" + row["class"]] += row["instructions"]
        assert classes.items() <= snapshot.items(), cell.name
        texts = {
            p.name: p.read_text().splitlines()
            for p in cell.snapshot.path.glob("*.[chS]")
        }
        for file, line in {(row["file"], row["line"]) for row in rows}:
            text = texts[file][line - 1].strip()
            assert text and not text.startswith(("/*", "* ", "*/", "#")), (
                cell.name,
                file,
                line,
            )


def test_lines_of_the_assembly_are_those_of_its_instructions(table: dict) -> None:
    """And what objdump shows at an offset of snapshot.o is what the
    program executed there."""
    kinds = {"umaal": "umaal", "mul": "mul", "call": "bl", "store_multiple": "push|stm"}
    for level in ladder.LEVELS:
        cell, rows = table[f"v8 {level}"]
        source = (cell.snapshot.path / "mont.S").read_text().splitlines()
        texts = {word.address: word.text for word in words(cell.folder / "snapshot.o")}
        products = [row for row in rows if row["class"] in ("umaal", "mul")]
        assert Counter(row["class"] for row in products) == {"umaal": 28, "mul": 4}
        for row in products:
            text = source[row["line"] - 1]
            assert re.search(r"\b(umaal|mul|product_row|reduction_row)\b", text), row
        for row in (row for row in rows if row["class"] in kinds):
            assert re.match(kinds[row["class"]], texts[int(row["offset"], 16)]), row


@pytest.mark.parametrize("rung", ["v2", "v3", "v6"])
def test_functions_are_those_of_the_source(table: dict, rung: str) -> None:
    """Without inlining they are the symbols; inlined ones are found, the
    compiler's own never."""
    plain, inlined = (
        {row["function"] for row in table[f"{rung} {at}"][1]} for at in ("O0", "O3")
    )
    symbols = {
        name for _, _, name in read_elf(table[f"{rung} O0"][0].program).functions
    }
    assert plain <= symbols and {"add", "less", "mod_exp"} <= inlined & plain
    assert not any(name.startswith(("v", "__")) for name in inlined)
