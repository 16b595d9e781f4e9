"""Summaries, the interval of a ratio and the rule of a duel: on cases
whose answer is known, on noise recorded on a busy machine and on
made-up noise.

Every trial of the last is a duel of three equal programs. Its noise is
multiplied by 1, 1.05 and 1.005: so the planted differences of 5 % and
0.5 %.
"""

import csv
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.clock import ROUNDS
from records.faults import Failure
from records.statistics import (
    DIFFERENCES,
    LEAST,
    Interval,
    difference,
    noise_floor,
    ratio_interval,
)

FASTER, NOTHING, SLOWER = DIFFERENCES


def test_the_interval_is_that_of_the_sign_test() -> None:
    """Noise that both share does not widen it; its ends are, as tables of
    the test have them, the ratios of this rank from each end."""
    a = [random.Random(1).lognormvariate(0, 0.5) for _ in range(31)]
    low, high = ratio_interval(a, [1.25 * x for x in a])[1:]
    assert low == pytest.approx(1.25) == high
    for n, rank in ((6, 1), (11, 2), (41, 14), (81, 32)):
        _, low, high = ratio_interval([1.0] * n, [float(i) for i in range(1, n + 1)])
        assert (low, high) == (rank, n + 1 - rank)
    for one, other in (([], []), ([1.0], [1.0, 2.0])):
        with pytest.raises(ValueError):
            ratio_interval(one, other)
    for one, other in (([0.0] * 9, [1.0] * 9), ([1.0] * 5,) * 2):
        with pytest.raises(Failure):
            ratio_interval(one, other)


def test_the_rule() -> None:
    assert noise_floor(Interval(0.999, 0.9, 1.1)) == pytest.approx(LEAST)
    assert noise_floor(Interval(0.8, 0.7, 1.03)) == pytest.approx(0.25)
    assert noise_floor(
        Interval(1.03, 0.99, 1.03), Interval(1.1, 1, 1.2)
    ) == pytest.approx(0.1)
    # The second excludes 1, but not by more than the noise.
    words = {(0.98, 1.01): NOTHING, (1.005, 1.02): NOTHING, (1.011, 1.02): SLOWER,
             (0.98, 0.9895): FASTER}  # fmt: skip
    for (low, high), word in words.items():
        assert difference(Interval((low + high) / 2, low, high), 0.01) == word


# --- how often the rule is right ------------------------------------------------------------------

QUICK, LONG = 150, 10_000  # trials
Rounds = list[list[float]]  # of each round, the times of three equal programs
Noise = Callable[[random.Random], Rounds]


def in_a_row(rounds: Rounds) -> Noise:
    """Rounds as they followed each other, the programs in an order drawn
    anew."""

    def draw(source: random.Random) -> Rounds:
        start, order = (
            source.randrange(len(rounds) - ROUNDS + 1),
            source.sample(range(3), 3),
        )
        return [[times[k] for k in order] for times in rounds[start : start + ROUNDS]]

    return draw


def drawn(rounds: Rounds) -> Noise:
    """Rounds drawn at random, and the programs of each in an order drawn
    for it."""
    return lambda source: [
        source.sample(times, 3) for times in source.choices(rounds, k=ROUNDS)
    ]


def made(
    sigma: float, drift: float = 0.0, disturbed: float = 0.0, quantum: float = 0.0
) -> Noise:
    """Log-normal times of 1000 us on a machine whose speed drifts from run
    to run, where some runs take much longer, by a clock that has ticks."""

    def draw(source: random.Random) -> Rounds:
        speed, rounds = 1.0, []
        for _ in range(ROUNDS):
            times = [0.0] * 3
            for program in source.sample(range(3), 3):
                speed *= source.lognormvariate(0, drift)
                late = (source.random() < disturbed) * source.expovariate(2)
                us = 1000 * speed * source.lognormvariate(0, sigma) * (1 + late)
                times[program] = round(us / quantum) * quantum if quantum else us
            rounds.append(times)
        return rounds

    return draw


def noises() -> dict[str, Noise]:
    """All of them, by name."""
    lines = Path(__file__).with_name("noise.csv").read_text().splitlines()
    recorded: dict[str, Rounds] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        times = [float(row[name]) for name in ("first", "second", "third")]
        recorded.setdefault(row["program"], []).append(times)
    return {
        **{f"{name} in a row": in_a_row(rounds) for name, rounds in recorded.items()},
        **{f"{name} drawn": drawn(rounds) for name, rounds in recorded.items()},
        "quiet": made(0.002),
        "quiet, coarse clock": made(0.001, quantum=2.0),
        "noisy": made(0.03),
        "drifting": made(0.01, drift=0.02),
        "disturbed": made(0.01, disturbed=0.3),
    }


@pytest.mark.parametrize("trials", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("noise", noises())
def test_a_verdict_is_right_in_95_of_100_duels(noise: str, trials: int) -> None:
    """Of each kind."""
    source, draw, right = random.Random(1), noises()[noise], {1: 0, 1.05: 0, 1.005: 0}
    for _ in range(trials):
        a, copy, b = zip(*draw(source))
        floor = noise_floor(ratio_interval(a, copy))
        for planted in right:
            word = difference(ratio_interval(a, [planted * x for x in b]), floor)
            right[planted] += word == (SLOWER if planted == 1.05 else NOTHING)
    assert min(right.values()) >= 0.95 * trials
