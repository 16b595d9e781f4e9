"""rsalab.sources: what our counts add to the sources, and notebook 05, which has their tables."""

import pytest

from records import ladder
from records.published import read_csv
from rsalab import markdown
from rsalab.sources import tables


@pytest.mark.parametrize(("rung", "row"), [("v1", 5), ("v2", 2), ("v5", 1)])
def test_the_factors_of_lee_in_a_rung_are_his_table_s(rung: str, row: int) -> None:
    before, after = read_csv("lee-2021-table-1.csv")[row - 1 : row + 1]
    said = markdown.parts(ladder.find(rung))["The source says"]
    for level in ("O0", "O1", "O3"):
        factor = float(before[level]) / float(after[level])
        assert f"{factor:.2f}" in said or f"{1 / factor:.2f}" in said


def test_a_sum_without_room_for_a_carry_is_right_below_127_bits() -> None:
    """The bit-serial product in 128 bits: all of them, about half, about
    one in two thousand."""
    count = {bits: tables.right_without_carries(bits, 2000) for bits in (126, 127, 128)}
    assert count[126] == 2000 and 850 < count[127] < 1020 and count[128] < 10
    assert tables.right_without_carries(128, 200, width=130) == 200
    assert f"{tables.right_without_carries(127):,}" in tables.dropped()
