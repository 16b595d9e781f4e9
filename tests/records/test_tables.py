"""What rows become as a table."""

from records.tables import Table, factor, fitted, pivot, tabulate

STEPS = [
    {"snapshot": "v1", "level": "O1", "gain": 1.0, "verdict": None},
    {"snapshot": "v1", "level": "O0", "gain": 1.5, "verdict": "helps"},
    {"snapshot": "v2", "level": "O0", "gain": None, "verdict": None},
]


def test_pivot_makes_a_column_of_each_level() -> None:
    gain = {"gain": lambda row: row["gain"] and factor(row["gain"]), "": "verdict"}
    table = pivot(STEPS, {"rung": "snapshot"}, "level", gain)
    assert table.head == [
        "rung",
        "gain -O0",
        "gain -O1",
        "-O0",
    ]  # no verdict at -O1: no column
    assert table.rows == [["v1", "x1.50", "x1.00", "helps"], ["v2", "-", "-", "-"]]


def test_a_table_has_the_heads_it_is_given() -> None:
    columns = {
        "rung": "snapshot",
        "where": lambda row: f"-{row['level']}",
        "verdict": "verdict",
    }
    assert tabulate(STEPS[:2], columns).rows == [
        ["v1", "-O1", "-"],
        ["v1", "-O0", "helps"],
    ]
    assert tabulate([], columns).head == []


def test_a_table_fits_the_terminal() -> None:
    table = Table(
        ["name", "one", "two", "three"], [["long-name", "1,000", "2,000", "3,000"]]
    )
    assert fitted(table, 80) == table.lines
    assert fitted(table, 20) == [
        "name         one",
        "long-name  1,000",
        "",
        "name         two",
        "long-name  2,000",
        "",
        "name       three",
        "long-name  3,000",
    ]
    assert max(map(len, fitted(table, 30))) <= 30
