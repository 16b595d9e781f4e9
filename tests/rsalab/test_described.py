"""docs/results.md: what stands in it is what a reader gets."""

import re

from records.results import OTHER_VIEWS, OWN_VIEWS, load, reference
from records.rows import COLUMNS
from rsalab.report import described

TEXT = (described.OWN_VIEWS.parents[1] / described.PAGE).read_text(encoding="utf-8")


def test_the_page_is_as_its_files_and_examples_say() -> None:
    assert described.page(load(reference())) == TEXT


def test_every_view_is_described_and_none_changes_rows() -> None:
    headings = re.findall(r"(?m)^### (.+)$", TEXT)
    described_names = ", ".join(headings).split(", ")
    assert {file.removesuffix(".csv") for file in COLUMNS} <= set(described_names)
    for path in (OWN_VIEWS, *OTHER_VIEWS):
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"(?m)^create \w+ (\w+)", text)) <= set(described_names)
        assert not re.search(r"(?mi)^\s*(delete|update|insert)\b", text)


def test_every_column_has_a_remark() -> None:
    assert not re.findall(r"(?m)^\| `\w+` \| +\|$", TEXT)


def test_a_cell_that_is_said_to_be_null_is_no_empty_text() -> None:
    """A reader who asks for the one finds nothing of the other."""
    results = load(reference())
    for name, view in described.dictionary(results).items():
        for column, remark in view.remarks.items():
            if "NULL" in remark:
                empty = results.query(f"select 1 from {name} where {column} = ''")
                assert empty == [], (name, column)
