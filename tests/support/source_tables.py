"""The tables of the five sources as their texts print them beside our files."""

import re

import needs

from records.published import INDEX, about, read_csv

SEED = {
    "Bishop & Austin 2021": "000_6fe602272b7e36c0.txt",
    "Dirk 2019": "001_5fc88ab7435f12ed.txt",
    "Lee 2021": "002_6400d094161a2f02.txt",
    "Markovic et al.": "003_9d4e8b17dab83c4d.txt",
    "OpenSSL ARM assembly": "004_96bb4ec2142a8169.txt",
}
TABLES = [row["file"] for row in read_csv(INDEX) if row["source"] in SEED]
COUNTED = re.compile("figures|unit|listings")  # tables of what we counted in their listings
OURS = {"implementation", "output", "entry", "role"}  # columns that are our words
PLAIN = re.compile(r"</?i>|%|N/A")
Rows = list[list[str]]


def lines(source: str) -> list[str]:
    """The source's text, or skip."""
    return needs.source(SEED[source])


def printed(name: str) -> tuple[Rows, Rows]:
    """The rows of a file, and those of them whose cells stand on a line of the text, both in
    order."""
    rows = [
        [PLAIN.sub("", cell) for key, cell in row.items() if key not in OURS]
        for row in read_csv(name)
    ]
    text, end, there = PLAIN.sub("", "\n".join(lines(about(name)["source"]))), 0, []
    for row in rows:
        spaced = (re.sub(r"(?<=\d)(?=\d)", " ?", re.escape(cell)) for cell in row if cell)
        form = ".*?".join(rf"(?<!\d){cell}(?!\d)" for cell in spaced)
        if found := re.compile(form).search(text, end):
            end = found.end()
            there.append(row)
    return rows, there
