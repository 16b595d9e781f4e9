"""Numbers in the sentences of a README are those of the results, whatever they were typed as."""

import pytest

from records import ladder
from records.faults import Failure
from records.results import load
from rsalab.steps import figures, spent

REFERENCE = load("results/qemu-gcc12")
V4 = {"O1": spent.compared(REFERENCE, ladder.find("v4"), "O1")}


def test_a_typed_number_becomes_that_of_the_results_with_its_decimals() -> None:
    typed = "7<!-- O1 own() --> and 0.00<!-- O1 gain() -->, 1 %<!-- O1 100 / gain() -->; 5<!-- O0 own() -->"
    gain = V4["O1"].gain
    assert figures.filled(typed, V4) == (
        f"{V4['O1'].child.of():,.0f}<!-- O1 own() --> and {gain:.2f}<!-- O1 gain() -->,"
        f" {100 / gain:.0f} %<!-- O1 100 / gain() -->; 5<!-- O0 own() -->"
    )
    shown = figures.refilled("7<!-- O1 own() -->; 2<!-- O1 own(nobody) -->", V4)
    assert shown == f"{V4['O1'].child.of():,.0f}; ?"


@pytest.mark.parametrize("term", ["own(nobody)", "own(", "__import__('os')"])
def test_a_term_that_means_nothing_is_a_fault(term: str) -> None:
    with pytest.raises(Failure, match="nobody|term|claim"):
        figures.filled(f"7<!-- O1 {term} -->", V4)


def test_each_prediction_has_a_kind_and_each_miss_a_cause() -> None:
    asked = "select * from scores where low is not null"
    for row in REFERENCE.query(asked):
        one = f"{row['study']}/{row['snapshot']} -{row['level']}"
        inside = row["low"] <= round(row["gain"], 2) <= row["high"]
        assert row["kind"], one
        assert (row["cause"] == "") == inside, one
