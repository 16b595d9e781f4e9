"""data/published/: every table is the source's text, cell for cell, is in
the index, and its arithmetic holds."""

import re

import needs

from records.ladder import ROOT
from records.published import FOLDER, INDEX, OURS, about, read_csv

CLAIMS, ERRATA = "claims.csv", "errata.csv"
SEED = {
    "Bishop & Austin 2021": "000_6fe602272b7e36c0.txt",
    "Dirk 2019": "001_5fc88ab7435f12ed.txt",
    "Lee 2021": "002_6400d094161a2f02.txt",
    "Markovic et al.": "003_9d4e8b17dab83c4d.txt",
    "OpenSSL ARM assembly": "004_96bb4ec2142a8169.txt",
}
TABLES = [row["file"] for row in read_csv(INDEX) if row["source"] in SEED]
COUNTED = re.compile(
    "figures|unit|listings"
)  # tables of what we counted in their listings
WORDS = {"implementation", "output", "entry", "role"}  # columns that are our words
PLAIN = re.compile(r"</?i>|%|N/A")
Rows = list[list[str]]


def lines(source: str) -> list[str]:
    """The source's text, or skip."""
    return needs.source(SEED[source])


def printed(name: str) -> tuple[Rows, Rows]:
    """The rows of a file, and those of them whose cells stand on a line of
    the text, both in order."""
    rows = [
        [PLAIN.sub("", cell) for key, cell in row.items() if key not in WORDS]
        for row in read_csv(name)
    ]
    text, end, there = PLAIN.sub("", "\n".join(lines(about(name)["source"]))), 0, []
    for row in rows:
        spaced = (
            re.sub(r"(?<=\d)(?=\d)", " ?", re.escape(cell)) for cell in row if cell
        )
        form = ".*?".join(rf"(?<!\d){cell}(?!\d)" for cell in spaced)
        if found := re.compile(form).search(text, end):
            end = found.end()
            there.append(row)
    return rows, there


def test_the_index_lists_every_file_and_no_other() -> None:
    there = sorted(path.name for path in (ROOT / FOLDER).glob("*.csv"))
    assert sorted([*(row["file"] for row in read_csv(INDEX)), INDEX]) == there
    for row in read_csv(INDEX):
        cells = [
            cell
            for found in read_csv(row["file"])
            for cell in (*found, *found.values())
        ]
        assert None not in cells, row["file"]  # every row is as long as the head
        assert row["source"] in (*SEED, OURS, "all") and row["title"]
        if row["source"] in SEED:
            assert row["section"] and row["unit"] and row["platform"]


def test_every_table_is_its_sources_text() -> None:
    for name in (name for name in TABLES if not COUNTED.search(name)):
        here, there = printed(name)
        assert here and here == there, name


def cells(source: str) -> set[str]:
    """Every cell of a source's tables."""
    names = [name for name in TABLES if about(name)["source"] == source]
    return {
        cell for name in names for row in read_csv(name) for cell in row.values()
    } | {
        part
        for row in read_csv("lee-2021-gprof.csv")
        for part in row["called"].split("/")
    }


def worked_out(arithmetic: str, source: str) -> float:
    """The value of an expression whose long numbers are all in the
    source's tables."""
    assert re.fullmatch(r"(?:[\d\s.+*/(),%-]|1e6|pow)+", arithmetic)
    for number in re.findall(r"[\d.]+", arithmetic):
        assert len(number) < 5 or number in cells(source), number
    return float(eval(arithmetic, {"__builtins__": {}, "pow": pow}))


def test_claims_follow_from_the_tables_or_are_errata() -> None:
    wrong = {row["place"] for row in read_csv(ERRATA) if row["file"] == CLAIMS}
    assert wrong <= {row["claim"] for row in read_csv(CLAIMS)}
    for row in read_csv(CLAIMS):
        if row["arithmetic"]:
            found = worked_out(row["arithmetic"], row["source"])
            assert f"{found:.3g}" == row["gives"]
            off = found / float(row["value"]) - 1
            assert (abs(off) > 0.101) == (row["claim"] in wrong), row["claim"]


def test_claims_are_numbers_of_the_text() -> None:
    words = {"5": "(?:5|five)"}
    for row in read_csv(CLAIMS):
        number = words.get(row["value"], re.escape(row["value"]))
        assert re.search(
            rf"(?<![\d.]){number}(?!\d)", "\n".join(lines(row["source"]))
        ), row


def test_errata_are_right() -> None:
    for row in read_csv(ERRATA):
        rows = read_csv(row["file"])
        if row["file"] == CLAIMS:
            rows = [claim for claim in rows if claim["claim"] == row["place"]]
        else:
            assert about(row["file"])["source"] == row["source"]
        assert row["published"] in {cell for found in rows for cell in found.values()}
        digits = len(row["gives"].partition(".")[2])
        assert row["why"]
        assert (
            f"{worked_out(row['arithmetic'], row['source']):.{digits}f}" == row["gives"]
        )
