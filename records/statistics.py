"""What numbers say: the verdict of a step by instructions; of times summaries,
the confidence interval of a ratio, and when two of them differ.

Pure standard library.  tests/records/test_statistics.py has how often the rule
is right, on recorded and on made-up noise.
"""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from records.faults import Failure

THRESHOLD = 0.01  # of the parent's instructions
VERDICTS = ("helps", "no difference", "hurts")
CONFIDENCE = 0.95
LEAST = 0.005  # of the time: where code happens to lie in memory moves times by as much
DIFFERENCES = ("faster", "no difference seen", "slower")


class Interval(NamedTuple):
    """A median, of times or of ratios of two times, with the ends of its confidence interval,
    low <= high."""

    ratio: float
    low: float
    high: float


def verdict(child: float, parent: float) -> str:
    """Return `helps` or `hurts` when the child executes at least 1 % fewer or more
    instructions than its parent, else `no difference`.  Both are means of one
    operation at the same level."""
    change = child / parent - 1
    if change <= -THRESHOLD:
        return "helps"
    return "hurts" if change >= THRESHOLD else "no difference"


def ratio_interval(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Return the median of b[i] / a[i] with its confidence interval.

    `a[i]` and `b[i]` are times of round i, positive, in one unit; what
    slows both programs of a round does not count.  Needs as many samples of
    one as of the other.  Raises Failure unless they are so many that the
    least and the greatest ratio are such an interval.
    """
    n = len(a)
    if n != len(b) or not n:
        raise ValueError(f"{n} and {len(b)} samples do not make pairs")
    if min(*a, *b) <= 0:
        raise Failure(
            "a time that is not positive: the clock is too coarse for the program"
        )
    return median_interval([y / x for x, y in zip(a, b)])


def median_interval(samples: Sequence[float]) -> Interval:
    """Return the median of samples with its confidence interval, that of the sign test: two of
    the samples themselves, which noise of any distribution leaves valid.  Raises Failure
    where they are too few."""
    n = len(samples)
    # As many samples lie outside at each end as leave the interval at least CONFIDENCE, when each
    # lies on either side of the truth with equal chance.
    outside = -1
    tail = 0.5**n
    while 2 * tail <= 1 - CONFIDENCE:
        outside += 1
        tail += math.comb(n, outside + 1) / 2**n
    if outside < 0:
        raise Failure(f"{n} pairs are too few for an interval")
    in_order = sorted(samples)
    low = in_order[outside]
    high = in_order[-1 - outside]
    return Interval(statistics.median(in_order), low, high)


def noise_floor(*same: Interval) -> float:
    """Return how far from 1 a ratio may lie without a cause, as a fraction:
    the farthest of the ratios of equal programs, and never below LEAST."""
    floor = LEAST
    for one in same:
        distance = max(one.ratio, 1 / one.ratio) - 1
        floor = max(floor, distance)
    return floor


def difference(ratio: Interval, floor: float, identical: bool = False) -> str:
    """Return the word for the second program: `faster` or `slower` when the
    interval of its ratio to the first lies beyond the noise floor, else `no
    difference seen`.  `identical` programs, those with one SHA-256, never
    differ."""
    faster, nothing, slower = DIFFERENCES
    if identical:
        return nothing
    if ratio.high < 1 / (1 + floor):
        return faster
    return slower if ratio.low > 1 + floor else nothing
