"""What times say: summaries, the confidence interval of a ratio, and when two times differ.

Pure standard library.  The bootstrap is thirty lines here; scipy has it ready, but no 32-bit ARM
wheel, so a Pi would fetch a distribution's numerical stack for the sake of these lines.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from typing import NamedTuple

RESAMPLES = 2000
CONFIDENCE = 0.95
LEAST = 0.005  # of the time: where code happens to lie in memory moves times by as much
DIFFERENCES = ("faster", "no difference seen", "slower")


class Summary(NamedTuple):
    """The columns of Bishop & Austin's (2021) table of times, in the unit of the samples."""

    total: float
    mean: float
    minimum: float
    maximum: float
    median: float


class Interval(NamedTuple):
    """A ratio of two times with the ends of its confidence interval, low <= high."""

    ratio: float
    low: float
    high: float


def summary(values: Sequence[float]) -> Summary:
    """Of at least one sample.  Raises ValueError when there is none."""
    if not values:
        raise ValueError("no sample to summarise")
    total = math.fsum(values)
    return Summary(total, total / len(values), min(values), max(values), statistics.median(values))


def ratio_interval(
    a: Sequence[float], b: Sequence[float], seed: int = 1, resamples: int = RESAMPLES
) -> Interval:
    """median(b) / median(a) with its percentile bootstrap interval (Efron 1979).

    `a[i]` and `b[i]` are times of round i, positive, in one unit.  Whole rounds are drawn again, so
    a disturbance that hits both programs of a round does not widen the interval.  Raises ValueError
    unless both have the same number of samples, at least one.
    """
    if len(a) != len(b) or not a:
        raise ValueError(f"{len(a)} and {len(b)} samples do not make pairs")
    if min(*a, *b) <= 0:
        raise ValueError("a time that is not positive: the clock is too coarse for the program")
    source = random.Random(seed)
    pairs = list(zip(a, b))
    ratios = []
    for _ in range(resamples):
        drawn = source.choices(pairs, k=len(pairs))
        ratios.append(_ratio([x for x, _ in drawn], [y for _, y in drawn]))
    ratios.sort()
    outside = int(resamples * (1 - CONFIDENCE) / 2)
    return Interval(_ratio(a, b), ratios[outside], ratios[-1 - outside])


def noise_floor(*same: Interval) -> float:
    """How far from 1 a ratio may lie without a cause, as a fraction: the farthest end of the
    intervals of equal programs against each other, and never below LEAST."""
    ends = [end for interval in same for end in (interval.high, 1 / interval.low)]
    return max(*ends, 1 + LEAST) - 1


def difference(ratio: Interval, floor: float, identical: bool = False) -> str:
    """The word for the second program: `faster` or `slower` when the interval of its ratio to the
    first lies beyond the noise floor, else `no difference seen`.  `identical` programs, those with
    one SHA-256, never differ."""
    faster, nothing, slower = DIFFERENCES
    if identical:
        return nothing
    if ratio.high < 1 / (1 + floor):
        return faster
    return slower if ratio.low > 1 + floor else nothing


def _ratio(a: Sequence[float], b: Sequence[float]) -> float:
    return statistics.median(b) / statistics.median(a)
