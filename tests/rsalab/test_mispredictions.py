"""A snapshot beside its parent: which is slower by the model, and from which penalty on."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from harness.counts import SIMULATED
from records import ladder
from rsalab.steps import mispredictions
from rsalab.steps.mispredictions import Pair

MARK = "<!-- mispredictions -->"


def counted(instructions: float, wrong: float, long: float = 0) -> dict[str, float]:
    zero = {"multiplies_long": long, "multiplies_umaal": 0}
    return {"instructions": instructions, SIMULATED: wrong, **zero}


def test_the_factor_is_of_model_cycles_and_the_penalty_is_where_they_meet() -> None:
    pair = Pair("O1", counted(1000, 100, 10), counted(1880, 20, 10))
    assert pair.gain() == pytest.approx((1000 + 20 + 500) / (1880 + 20 + 100))
    assert pair.gain(11) == pytest.approx(1) and pair.equal_at == 11
    assert pair.instructions == pytest.approx(1000 / 1880) and pair.sure


def test_an_answer_that_hangs_on_the_penalty_is_not_sure() -> None:
    pair = Pair("O1", counted(1000, 100), counted(1480, 0))
    assert pair.gain() > 1 and not pair.sure
    assert "not at both ends" in mispredictions.sentence(pair, "v1", "v2")


def test_without_a_trade_there_is_no_such_penalty() -> None:
    assert Pair("O1", counted(1000, 100), counted(900, 20)).equal_at is None
    assert Pair("O1", counted(1000, 100), counted(1100, 100)).equal_at is None


def test_the_table_has_both_of_a_pair_at_each_level_that_was_simulated() -> None:
    child = ladder.find("masked-addition", "alone")
    places = [("iterations", "v6"), ("alone", "masked-addition")]
    means = {
        (*place, level, "roundtrip-full"): counted(1000 * i, 50 // i)
        for i, place in enumerate(places, 1)
        for level in ("O0", "O1")
    }
    means["iterations", "v6", "O3", "roundtrip-full"] = {"instructions": 1}
    said = mispredictions.table(
        SimpleNamespace(means=lambda *cell: means.get((*cell, "roundtrip-full"), {})), child
    )
    rows = [line.strip("| ").split(" | ") for line in said.splitlines() if line.startswith("| -")]
    assert [row[:2] for row in rows] == [
        [level, name] for level in ("-O0", "-O1") for _, name in places
    ]
    assert rows[0][2:] == ["1,000", "50", "1,250"] and rows[1][2:] == ["2,000", "25", "2,125"]
    assert mispredictions.table(SimpleNamespace(means=lambda *_: {}), child) == ""


@pytest.mark.parametrize(
    ("study", "name"), [("dead-ends", "predicated-addition"), ("alone", "masked-addition")]
)
def test_the_two_masked_additions_show_it(study: str, name: str) -> None:
    assert MARK in (ladder.find(name, study).path / "README.md").read_text(encoding="utf-8")
