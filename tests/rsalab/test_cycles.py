"""Whether a step's gain survives in clock cycles."""

import csv

import pytest

from records import ladder
from records.ladder import ROOT
from records.results import load, reference
from rsalab import cycles
from rsalab.steps import why

M4 = cycles.MODELLED


def test_a_factor_is_the_parents_cycles_divided_by_the_rungs() -> None:
    with (ROOT / "results/core-cortex-m4/cycles.csv").open() as file:
        counted = {
            (row["snapshot"], row["level"], row["workload"]): int(row["value"])
            / int(row["n"])
            for row in csv.DictReader(file)
            if row["metric"] == "cycles"
        }
    parent = counted["v7", "O1", "roundtrip-small"]
    rung = counted["v8", "O1", "roundtrip-small"]
    (gain,) = [
        gain
        for gain in cycles.gains(ladder.find("v8"))
        if (gain.level, gain.measure) == ("O1", M4)
    ]
    assert gain.factor == parent / rung


def test_a_gain_that_the_models_error_may_have_made_is_not_certain() -> None:
    least = cycles.least_gain(M4)
    assert 1.05 < least < 1.10
    assert not cycles.Gain("v4", "O3", M4, cycles.TRIP, least - 0.001).survives
    assert cycles.Gain("v4", "O3", M4, cycles.TRIP, least + 0.001).survives
    assert cycles.Gain("v4", "O3", "PicoRV32", cycles.TRIP, 1.011).survives


@pytest.mark.parametrize(
    ("value", "digits", "shown", "as_factor"),
    [
        (49_321_000, 3, "49,300,000", "x49,300,000"),
        (987.6, 3, "988", "x988"),
        (16.84, 3, "16.8", "x16.8"),
        (1.0149, 3, "1.01", "x1.01"),
        (0.9951, 3, "0.995", "x0.99"),
        (99.96, 3, "100", "x100"),
        (0.1084, 2, "0.11", "x0.11"),
        (1.149, 2, "1.1", "x1.1"),
        (131_469_529, 2, "130,000,000", "x130,000,000"),
        (0.0, 3, "0.00", "x0.00"),
    ],
)
def test_a_number_of_a_model_has_the_digits_that_are_known(
    value: float, digits: int, shown: str, as_factor: str
) -> None:
    assert cycles.rounded(value, digits) == shown
    assert cycles.rounded_factor(value, digits) == as_factor


def test_why_begins_with_the_cycles_beside_the_instructions() -> None:
    child = ladder.find("v8")
    found = cycles.of_step(child, "O1")
    assert found
    lines = why.text(load(reference()), child, 80).split("\n\n")[1].splitlines()
    (line,) = [line for line in lines if line.startswith("-O1")]
    before, after = map(cycles.rounded, found)
    assert f"{before} -> {after}" in line
    assert "M4 cycles (model, gcc 12" in lines[0]
    assert max(map(len, lines)) <= 80
