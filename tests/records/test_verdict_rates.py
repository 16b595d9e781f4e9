"""How often a duel's verdict is right, on noise recorded on a busy machine and on made-up noise.

Every trial is a duel of three equal programs.  Its noise is multiplied by 1, 1.05 and 1.005: so the
planted differences of 5 % and 0.5 %.
"""

import csv
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.clock import ROUNDS
from records.statistics import DIFFERENCES, difference, noise_floor, ratio_interval

RECORDED = Path(__file__).with_name("noise.csv")
QUICK, LONG = 300, 10_000  # trials
NOTHING, SLOWER = DIFFERENCES[1:]
Times = tuple[list[float], list[float], list[float]]  # of A, its copy and B, round by round


def recordings() -> dict[str, list[list[float]]]:
    """Program -> the times of three copies of it in each round."""
    lines = [line for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
    found: dict[str, list[list[float]]] = {}
    for row in csv.DictReader(lines):
        times = [float(row[name]) for name in ("first", "second", "third")]
        found.setdefault(row["program"], []).append(times)
    return found


def in_a_row(rounds: list[list[float]]) -> Callable[[random.Random], Times]:
    """Rounds as they followed each other, the programs in an order drawn anew."""

    def draw(source: random.Random) -> Times:
        start = source.randrange(len(rounds) - ROUNDS + 1)
        columns = list(zip(*rounds[start : start + ROUNDS]))
        return tuple(map(list, source.sample(columns, 3)))  # type: ignore[return-value]

    return draw


def drawn(rounds: list[list[float]]) -> Callable[[random.Random], Times]:
    """Rounds drawn at random, and the programs of each in an order drawn for it."""

    def draw(source: random.Random) -> Times:
        chosen = [source.sample(times, 3) for times in source.choices(rounds, k=ROUNDS)]
        return tuple(map(list, zip(*chosen)))  # type: ignore[return-value]

    return draw


def made(
    sigma: float, drift: float = 0.0, disturbed: float = 0.0, quantum: float = 0.0
) -> Callable[[random.Random], Times]:
    """Log-normal times of 1000 us on a machine whose speed drifts from run to run, where some runs
    take much longer, by a clock that has ticks."""

    def run(source: random.Random, speed: float) -> float:
        late = (source.random() < disturbed) * source.expovariate(2)
        us = 1000 * speed * math.exp(source.gauss(0, sigma)) * (1 + late)
        return round(us / quantum) * quantum if quantum else us

    def draw(source: random.Random) -> Times:
        speed, times = 1.0, ([], [], [])
        for _ in range(ROUNDS):
            for program in source.sample(range(3), 3):
                speed *= math.exp(source.gauss(0, drift))
                times[program].append(run(source, speed))
        return times

    return draw


NOISES = {
    **{f"{name} in a row": in_a_row(rounds) for name, rounds in recordings().items()},
    **{f"{name} drawn": drawn(rounds) for name, rounds in recordings().items()},
    "quiet": made(0.002),
    "quiet, coarse clock": made(0.001, quantum=2.0),
    "noisy": made(0.03),
    "drifting": made(0.01, drift=0.02),
    "disturbed": made(0.01, disturbed=0.3),
}


def verdicts(noise: Callable[[random.Random], Times], trials: int) -> Iterator[dict[float, str]]:
    """Planted ratio -> the word, for each trial."""
    source = random.Random(1)
    for _ in range(trials):
        a, copy, b = noise(source)
        floor = noise_floor(ratio_interval(a, copy))
        yield {
            planted: difference(ratio_interval(a, [planted * x for x in b]), floor)
            for planted in (1, 1.05, 1.005)
        }


@pytest.mark.parametrize("trials", [QUICK, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("noise", NOISES)
def test_a_verdict_is_right_in_95_of_100_duels(noise: str, trials: int) -> None:
    """Of each kind."""
    words = list(verdicts(NOISES[noise], trials))
    assert sum(word[1] != NOTHING for word in words) <= 0.05 * trials
    assert sum(word[1.05] == SLOWER for word in words) >= 0.95 * trials
    assert sum(word[1.005] == NOTHING for word in words) >= 0.95 * trials
