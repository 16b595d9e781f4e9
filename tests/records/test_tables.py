"""What a question in SQL becomes as a table."""

import sqlite3

from records.tables import asked

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
