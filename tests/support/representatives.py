"""Many cases that ask the same: `make test` tries a few of them, `make test-long` all."""

from collections.abc import Iterable
from typing import Any

import pytest


def mostly_long(cases: Iterable[Any], few: Iterable[Any]) -> list[Any]:
    """Parameters of a test: every case; those that are not among the few are
    marked long.  A case of several parameters is a tuple."""
    cases = list(cases)
    few = list(few)
    assert all(case in cases for case in few), few
    made = []
    for case in cases:
        values = case if type(case) is tuple else (case,)
        marks = () if case in few else (pytest.mark.long,)
        made.append(pytest.param(*values, marks=marks))
    return made
