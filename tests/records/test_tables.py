"""What a question in SQL becomes as a table."""

import sqlite3

from records.tables import asked, factor, pivot, tabulate

GAINS = """select rung, level as "*", gain, said as "" from
    (select 'v0' as rung, 'O0' as level, null as gain, 'first' as said
     union all select 'v0', 'O1', 'x1.50', null
     union all select 'v1', 'O1', 'x2.00', 'helps')"""


def test_values_of_the_spread_column_become_columns() -> None:
    table = asked(sqlite3.connect(":memory:"), GAINS, {})
    assert table.head == ["rung", "gain -O1", "-O0", "-O1"]  # no gain at -O0: no column
    assert table.rows == [["v0", "x1.50", "first", "-"], ["v1", "x2.00", "-", "helps"]]
    assert table.markdown.splitlines()[1] == "| :-- | --: | :-- | :-- |"
    assert table.lines[1] == "v0       x1.50  first  -"


def test_no_rows_are_no_table() -> None:
    assert not asked(
        sqlite3.connect(":memory:"), f"{GAINS} where rung = :rung", {"rung": "v9"}
    ).rows


STEPS = [
    {"snapshot": "v1", "level": "O1", "gain": 1.0, "verdict": None},
    {"snapshot": "v1", "level": "O0", "gain": 1.5, "verdict": "helps"},
    {"snapshot": "v2", "level": "O0", "gain": None, "verdict": None},
]


def test_pivot_makes_a_column_of_each_level() -> None:
    gain = {"gain": lambda row: row["gain"] and factor(row["gain"]), "": "verdict"}
    table = pivot(STEPS, {"rung": "snapshot"}, "level", gain)
    assert table.head == ["rung", "gain -O0", "gain -O1", "-O0"]  # no verdict at -O1: no column
    assert table.rows == [["v1", "x1.50", "x1.00", "helps"], ["v2", "-", "-", "-"]]


def test_a_table_has_the_heads_it_is_given() -> None:
    columns = {"rung": "snapshot", "where": lambda row: f"-{row['level']}", "verdict": "verdict"}
    assert tabulate(STEPS[:2], columns).rows == [["v1", "-O1", "-"], ["v1", "-O0", "helps"]]
    assert tabulate([], columns).head == []
