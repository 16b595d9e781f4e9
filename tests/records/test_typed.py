"""Tables that are written by hand, edited wrongly in every way that a person edits: one line names
the file, the line, the column and what is allowed."""

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from records import published
from records.faults import Failure
from records.ladder import ROOT
from records.results import load, reference
from records.typed import Keyed, every_column, read_table

TABLES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in every_column()
    for path in ROOT.glob(pattern)
    if "local" not in path.parts
)
WRONG = ("", "inf", "nan", "9" * 400, "\x1b[2J", "-1e400", "not that")


def line_of(cells: list[str]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def edits(table: str) -> Iterator[tuple[bytes, str]]:
    """Yield what a hand makes of a table, and what the fault says."""
    data = (ROOT / table).read_bytes()
    head, first, *rest = data.splitlines(keepends=True)
    below = b"".join(rest)
    columns = every_column()[pattern_of(table)]
    yield b"", ":1: expected the columns "
    yield head, ":2: expected at least one line"
    yield head + first[:-1] + b"\xe9\n" + below, ":2: the byte 0xe9 is not UTF-8"
    yield b"\xef\xbb\xbf" + data, ":1: save the file without a byte order mark"
    yield data.replace(b"\n", b"\r\n"), ":1: save the file without carriage returns"
    yield b"other " + data, f":1: expected the columns .* for {columns[0].name!r}"
    yield head[:-1] + b",more\n" + first + below, ":1: .* found 'more' for ''"
    yield (
        head + line_of(next(csv.reader([first.decode()]))[:-1]).encode() + below,
        (f":2: expected {len(columns)} cells, .*; found {len(columns) - 1}"),
    )
    yield head + first[:-1] + b",more\n" + below, ":2: expected .* cells"
    yield head + b"\n" + first + below, ":2: expected .* cells, .*; found 0"
    yield data + b'"' + first, r":\d+: (no line of a CSV file|expected)"
    if any(column.is_key for column in columns):
        yield head + first + first + below, ":3: .*: line 2 has it already"
    cells = next(csv.reader([first.decode()]))
    for number, column in enumerate(columns):
        for wrong in WRONG:
            if not column.kind.fits(wrong):
                changed = [*cells[:number], wrong, *cells[number + 1 :]]
                name, allowed = map(re.escape, (column.name, column.kind.expected))
                yield (
                    head + line_of(changed).encode() + below,
                    (f":2: {name}: expected {allowed}; found "),
                )


def pattern_of(table: str) -> str:
    (pattern,) = (one for one in every_column() if Path(table).match(one))
    return pattern


@pytest.mark.parametrize("table", TABLES)
def test_a_wrong_edit_is_one_line(table: str, tmp_path: Path) -> None:
    assert read_table(ROOT / table)
    copy = tmp_path / "table.csv"
    for data, fault in edits(table):
        copy.write_bytes(data)
        with pytest.raises(Failure) as caught:
            read_table(copy, table)
        said = str(caught.value)
        assert re.match(re.escape(table) + fault, said), (said, data[:200])
        assert said.isprintable() and len(said) < 500
    copy.unlink()
    with pytest.raises(Failure, match=rf"^{re.escape(table)}: No such file"):
        read_table(copy, table)


def test_what_no_number_holds_is_refused_in_every_column_of_numbers() -> None:
    for columns in every_column().values():
        for column in columns:
            if "number" in column.kind.expected:
                assert not any(map(column.kind.fits, ("inf", "nan", "9" * 16, "1e9")))


def test_a_file_that_nobody_has_described_is_named(tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("a\n1\n")
    with pytest.raises(Failure, match="^new.csv: records/columns.csv has no line"):
        read_table(tmp_path / "new.csv")


def test_a_key_that_no_line_has_is_named() -> None:
    with pytest.raises(Failure, match="^t.csv: expected a line of 'b'; there is none$"):
        Keyed("t.csv", {"a": 1})["b"]


# --- what the tables are about --------------------------------------------------------------------

LINES = (  # file, a line that goes, what is said
    ("toolchains.csv", "gcc,", "records/toolchains.csv: expected a line of 'gcc'; "),
    ("levels.csv", "O.,yes", "records/levels.csv: measured: expected yes in some line"),
    ("files.csv", "counts.csv,", "records/files.csv: expected a line of 'counts.csv'"),
    ("columns.csv", "records/levels", "records/levels.csv: records/columns.csv has no"),
    ("columns.csv", ".*,yes | no$", "records/levels.csv:1: expected the columns "),
)


@pytest.mark.parametrize(("file", "gone", "fault"), LINES)
def test_a_command_says_what_is_missing(
    tmp_path: Path, file: str, gone: str, fault: str
) -> None:
    """In one line, although the table is read before the command begins."""
    shutil.copytree(ROOT / "records", tmp_path / "records")
    path = tmp_path / "records" / file
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not re.match(gone, line)))
    ran = subprocess.run(
        [sys.executable, "-c", "import records.results"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode and ran.stderr.startswith(fault)
    assert ran.stderr.count("\n") == 1


def test_a_class_without_a_kind_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whose instructions no kind would count."""
    kept = [row for row in published.CLASS_TABLE if row["class"] != "umaal"]
    monkeypatch.setattr(published, "CLASS_TABLE", kept)
    (tmp_path / "unread").symlink_to(reference())
    results = load(tmp_path / "unread", counted=False)
    for file in ("counts", "lines"):
        with pytest.raises(
            Failure, match=rf"/{file}.csv: the class 'umaal' has no line"
        ):
            results.query(f"select * from {file}")


def test_a_published_table_has_every_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT / published.FOLDER, tmp_path / published.FOLDER)
    for name in ("index.csv", "markovic-table-1.csv", "bishop-austin-2021-map.csv"):
        path = tmp_path / published.FOLDER / name
        whole = path.read_text()
        head, gone, *rest = whole.splitlines(keepends=True)
        path.write_text("".join([head, *rest]))
        with pytest.raises(Failure, match="^data/published/.*: expected "):
            for file in TABLES:
                if file.startswith(published.FOLDER):
                    published.read_csv(Path(file).name, tmp_path)
        path.write_text(whole)
