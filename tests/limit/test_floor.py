"""studies/limit/floor.py: the floor by hand, and every program above it."""

import pytest

from records.results import load, reference
from studies.limit import floor


def test_the_floor_by_hand() -> None:
    """Two limbs: a product has 10 multiplications, a square 9, a reduction 6."""
    by_fours = (60 + 7) * 9 + (15 + 7 + 1) * 10 + 6
    assert floor.floor(64) == by_fours == 839
    assert floor.floor(128, floor.BY_CRT) == 2 * (by_fours + 6) + 14
    assert floor.floor(128, floor.VARIABLE) < floor.floor(128) == pytest.approx(5350, rel=0.01)


def test_no_program_is_below_the_floor() -> None:
    points = [*floor.rungs(load(reference())), *floor.libraries()]
    assert len({p.program for p in points}) >= 25 and min(p.ratio for p in points) > 1.2
