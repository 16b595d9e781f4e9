"""What is committed: texts and charts as the generator makes them, and the published tables."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")

from madeup import numbers_agree  # noqa: E402

from rsalab import frames, ladder, report  # noqa: E402
from rsalab.published import MAP, TABLE_1, read_csv  # noqa: E402

ROOT = ladder.ROOT
SEED = ROOT.parent / "shared" / "seeds" / "000_6fe602272b7e36c0.txt"


def reference() -> Path:
    """The committed reference results, or skip."""
    try:
        folder = frames.reference()
    except frames.ResultsError:
        folder = ROOT / frames.LOCAL
    if folder.parent != ROOT / "results" or folder.name == "local":
        pytest.skip("no reference results in results/ yet: `make reference` makes them")
    return folder


def test_committed_numbers_are_those_of_the_counts() -> None:
    numbers_agree(ROOT, reference())


def same_matplotlib() -> bool:
    """Whether charts come out as the committed ones: the version that the lock file names."""
    lock = (ROOT / "requirements.lock").read_text()
    return f"matplotlib=={matplotlib.__version__} " in lock


def test_committed_texts_and_charts_are_what_the_generator_makes() -> None:
    files = report.committed(frames.load(reference()))
    stale = []
    for path, data in files.items():
        if path.suffix == ".svg" and not same_matplotlib():
            continue
        if not path.exists() or path.read_bytes() != data:
            stale.append(path.relative_to(ROOT).as_posix())
    assert not stale, f"`make reference` would change {', '.join(stale)}"


def test_published_table_is_the_sources_text() -> None:
    if not SEED.exists():
        pytest.skip("the first source's text is not at hand (../shared/seeds)")
    lines = SEED.read_text(encoding="utf-8").splitlines()
    head = lines.index(next(line for line in lines if line.startswith("Iteration\tInputs")))
    rows = [re.sub(r"</?[a-z]+>|[*]", "", line) for line in lines[head + 1 : head + 10]]
    theirs = [row.split("\t") for row in rows]
    ours = []
    for row in read_csv(TABLE_1):
        percent = f"{row['percent_increase']}%" if row["percent_increase"] else "N/A"
        ours.append([row["iteration"], row["inputs"], row["description"], row["seconds"], percent,
                     row["asm_lines"]])  # fmt: skip
    assert ours == theirs
    assert lines[head + 11].startswith("Table 1:")


def test_every_published_row_has_its_place() -> None:
    table, where = read_csv(TABLE_1), read_csv(MAP)
    assert [row["iteration"] for row in where] == [row["iteration"] for row in table]
    names = {snapshot.name for snapshot in ladder.snapshots()}
    for row in where:
        assert row["counterpart"] in ("rung", "part of a rung", "dead end", "no counterpart")
        assert bool(row["ours"]) == ("rung" in row["counterpart"]) and row["reason"]
        assert {row["ours"], row["against"]} - {""} <= names
    listed = (ROOT / "data" / "published" / "README.md").read_text()
    assert TABLE_1 in listed and MAP in listed
