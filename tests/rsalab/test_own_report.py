"""A report on each kind of results that the documented commands make: what these lack is the
reference's, and says so; no part is empty."""

import csv
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from representatives import mostly_long

from records.commands import command
from records.ladder import ROOT
from records.results import LOCAL, NOT_YOURS
from records.rows import COLUMNS
from rsalab.report import generate, sentences

REFERENCE = ROOT / "results" / "qemu-gcc12"
Row = dict[str, str]


def of_ladder(row: Row) -> bool:
    """What `make all-iterations` leaves."""
    return row["study"] == "iterations"


def of_one_rung(row: Row) -> bool:
    """What `make v8` leaves."""
    return of_ladder(row) and row["snapshot"] == "v8"


def of_few_messages(row: Row) -> bool:
    """What `make all-iterations MESSAGES=small` leaves."""
    return of_ladder(row) and row["workload"] in (
        "roundtrip-small",
        "mont_mul",
        "mod_exp",
        "static",
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with the reference, and nothing of one's own."""
    root = tmp_path / "tree"
    (root / "results").mkdir(parents=True)
    for name in ("iterations", "studies", "data", "docs", "notebooks", "README.md"):
        (root / name).symlink_to(ROOT / name)
    for folder in (ROOT / "results").iterdir():
        if folder.is_dir() and folder.name != Path(LOCAL).name:
            (root / "results" / folder.name).symlink_to(folder)
    return root


def measure(root: Path, is_kept: Callable[[Row], bool]) -> None:
    """Write results of one's own: some of the reference's rows."""
    folder = root / LOCAL
    folder.mkdir()
    shutil.copy(REFERENCE / "machine.json", folder)
    for name in ("counts.csv", "asm.csv"):
        with (REFERENCE / name).open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if is_kept(row)]
        with (folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS[name], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "is_kept",
    mostly_long([of_ladder, of_one_rung, of_few_messages], [of_one_rung]),
)
def test_no_part_of_a_report_of_ones_own_is_empty(
    tree: Path, is_kept: Callable[[Row], bool]
) -> None:
    measure(tree, is_kept)
    words = ["--root", str(tree), LOCAL, "build/REPORT.md"]
    assert command("report", generate.generate, words) == 0
    text = (tree / "build" / "REPORT.md").read_text()
    assert sentences.MISSING not in text
    for heading, level in re.findall(r"(?m)^(#+) .*\n\n(#*)", text):
        assert not level or len(level) > len(
            heading
        )  # a chapter may begin with its first section
    marked = text.count(NOT_YOURS)
    assert marked >= (15 if is_kept is of_one_rung else 8)
    assert f"*qemu-gcc12: {NOT_YOURS}*" in text
    for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (tree / "build" / link).is_file()
    assert re.search(r"\| 29,694 \|", text)  # of v8, one's own
