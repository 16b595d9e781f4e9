"""Summaries, the bootstrap interval and the rule, on distributions whose answer is known."""

import math
import random

import pytest

from records.statistics import (
    DIFFERENCES,
    LEAST,
    Interval,
    Summary,
    difference,
    noise_floor,
    ratio_interval,
    summary,
)

FASTER, NOTHING, SLOWER = DIFFERENCES


def lognormal(source: random.Random, scale: float, sigma: float, n: int) -> list[float]:
    """Times with median `scale`."""
    return [scale * math.exp(source.gauss(0, sigma)) for _ in range(n)]


def test_a_summary_has_the_columns_of_the_published_table() -> None:
    assert summary([4, 1, 1, 2]) == Summary(8, 2, minimum=1, maximum=4, median=1.5)
    with pytest.raises(ValueError, match="no sample"):
        summary([])


def test_noise_that_both_share_does_not_widen_the_interval() -> None:
    a = lognormal(random.Random(1), 1, 0.5, 31)
    low, high = ratio_interval(a, [1.25 * x for x in a])[1:]
    assert low == pytest.approx(1.25) == high


@pytest.mark.parametrize("n, rank", [(6, 1), (11, 2), (41, 14), (81, 32)])
def test_the_ends_are_those_of_the_sign_test(n: int, rank: int) -> None:
    """As tables of the sign test have them: of n sorted ratios, the one of this rank from each
    end."""
    _, low, high = ratio_interval([1.0] * n, [float(i) for i in range(1, n + 1)])
    assert (low, high) == (rank, n + 1 - rank)


@pytest.mark.parametrize("n, nominal", [(11, 0.988), (41, 0.972), (81, 0.955)])
def test_the_interval_covers_the_truth_as_often_as_it_says(n: int, nominal: float) -> None:
    """Within 4 sigma in 1000 trials."""
    source, hit = random.Random(3), 0
    for _ in range(1000):
        a, b = lognormal(source, 1, 0.05, n), lognormal(source, 1.1, 0.05, n)
        _, low, high = ratio_interval(a, b)
        hit += low <= 1.1 <= high
    assert abs(hit / 1000 - nominal) < 4 * math.sqrt(nominal * (1 - nominal) / 1000)


@pytest.mark.parametrize(
    "a, b", [([], []), ([1.0], [1.0, 2.0]), ([0.0] * 9, [1.0] * 9), ([1.0] * 5, [1.0] * 5)]
)
def test_what_cannot_be_compared_is_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(ValueError):
        ratio_interval(a, b)


def test_the_noise_floor_is_the_farthest_ratio() -> None:
    assert noise_floor(Interval(0.999, 0.9, 1.1)) == pytest.approx(LEAST)
    assert noise_floor(Interval(0.8, 0.7, 1.03)) == pytest.approx(0.25)
    assert noise_floor(Interval(1.03, 0.99, 1.03), Interval(1.1, 1, 1.2)) == pytest.approx(0.1)


@pytest.mark.parametrize(
    "low, high, floor, word",
    [
        (0.98, 1.01, 0.01, NOTHING),
        (1.005, 1.02, 0.01, NOTHING),  # excludes 1, but not by more than the noise
        (1.011, 1.02, 0.01, SLOWER),
        (0.98, 0.9895, 0.01, FASTER),
    ],
)
def test_the_rule(low: float, high: float, floor: float, word: str) -> None:
    assert difference(Interval((low + high) / 2, low, high), floor) == word
