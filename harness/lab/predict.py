"""A student's prediction: a range for each level, and the function where most changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from records.faults import Failure
from records.ladder import EVERY_LEVEL

FILE = "predict.txt"
WIDEST = 2.0  # high / low of a range that still says something
LINE = re.compile(r"(O\w+)\s+(\d+\.?\d*)\.\.(\d+\.?\d*)\s+(\w+)")

TEMPLATE = """\
# Your prediction, written before you measure.  For each level one line:
#
#     O1  1.2..1.4  shr
#
# How many times fewer instructions than the program that you start from (1.3: start / yours = 1.3;
# below 1 means more), as a range whose ends are at most a factor of 2 apart; and the function in
# which the number of instructions changes most.
"""


@dataclass(frozen=True)
class Prediction:
    """For one level: start / yours is between low and high, and most changes in `function`."""

    low: float
    high: float
    function: str


def template(levels: tuple[str, ...]) -> str:
    """The file that a student fills in."""
    return TEMPLATE + "".join(f"{level}  ?..?  ?\n" for level in levels)


def read(text: str) -> dict[str, Prediction]:
    """Level -> prediction, for the levels that have one.  Raises Failure at a line that cannot be
    understood."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].strip()
        if not words or "?" in words:
            continue
        said = LINE.fullmatch(words)
        if not said or said[1] not in EVERY_LEVEL:
            raise Failure(f"{FILE}:{number}: '{words[:60]}' is not like 'O1  1.2..1.4  shr'")
        low, high = float(said[2]), float(said[3])
        if not 0 < low <= high <= WIDEST * low:
            ends = f"{FILE}:{number}: the ends of {said[2]}..{said[3]}"
            raise Failure(f"{ends} are not in order, or more than a factor of {WIDEST:g} apart")
        found[said[1]] = Prediction(low, high, said[4])
    return found


def hits(prediction: Prediction, gain: float, changed: str) -> tuple[bool, bool]:
    """Whether the range holds the gain, and whether the function is the one."""
    return prediction.low <= gain <= prediction.high, prediction.function == changed
