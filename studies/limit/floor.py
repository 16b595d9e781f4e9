"""How far every program is from the floor: the 32-bit multiplications that x^e mod n needs.

With n limbs a product is n^2 multiplications, its reduction n^2 + n, and a square n (n + 1) / 2.
No carry, no load and no branch is in the floor.  The programs are the rungs, by a results folder,
and the libraries of studies/limit/peers, by its CSV.
"""

import csv
import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import Results
from records.tables import NONE, Table, whole
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing
from studies.limit.crt import recorded

PEERS = ROOT / "studies/limit/peers/peers.csv"
OURS_OF_A_WIDTH = ("v8", "limit")  # peers that are rungs, too
CONSTANT = "constant"
VARIABLE = "variable"
BY_CRT = "constant, p and q known"
LOOKS = {
    VARIABLE: ("#0072b2", "o"),
    CONSTANT: ("#d55e00", "s"),
    BY_CRT: ("#d55e00", "D"),
}
BITS = 128
GMP = "GMP for ARMv6"  # the fastest of its builds here
TWO_MESSAGES = (
    "two-at-once",
    "lazy-digits",
    "odd-powers",
)  # PEERS has the last of them
LONGEST_WINDOW = 10  # bits


@cache
def floor(bits: int, time: str = CONSTANT) -> float:
    """Return the multiplications of a power, e as long as n, by the best window; into the
    Montgomery domain and out of it, too.  By the Chinese remainder theorem both halves, and what is
    around them."""
    if time == BY_CRT:
        n = bits / 64
        recombination = 3 * n * n + n
        return 2 * (floor(bits // 2) + n * n + n) + recombination
    n = bits / 32
    reduction = n * n + n
    product = n * n + reduction
    square = n * (n + 1) / 2 + reduction
    least = math.inf
    for window in range(1, LONGEST_WINDOW + 1):
        squares, products = operations(bits, window, time)
        into_the_domain = product
        power = squares * square + products * product
        least = min(least, power + into_the_domain + reduction)
    return least


def operations(bits: int, window: int, time: str) -> tuple[float, float]:
    """Return squares and products of a power: in constant time with all powers and fixed windows,
    else with odd powers and sliding windows."""
    half_of_table = 2.0 ** (window - 1) - 1
    if time == CONSTANT:
        later_digits = math.ceil(bits / window) - 1
        squares = window * later_digits + half_of_table
        return squares, later_digits + half_of_table
    square_of_x = 1 if window > 1 else 0
    later_windows = bits / (window + 1) - 1
    squares = bits - window + square_of_x
    return squares, later_windows + half_of_table


class Point(NamedTuple):
    """An exponentiation of a program: instructions, and cycles of an ARM1176 by model
    (records/views.sql), without mispredictions in libraries; None where multiplications are not
    known."""

    program: str
    time: str
    instructions: float
    cycles: float | None

    @property
    def ratio(self) -> float:
        """Return instructions over multiplications of the floor."""
        return self.instructions / floor(BITS, self.time)


def rungs(results: Results) -> Iterator[Point]:
    """Yield every rung of 128 bits at its best level, half a round trip each; and crt."""
    for study in (LADDER, "limit"):
        for rung in results.rungs(study):
            if rung.width != BITS or rung.name in TWO_MESSAGES:
                continue
            means = [results.means(study, rung.name, level) for level in LEVELS]
            counted = [mean for mean in means if "instructions" in mean]
            if not counted:
                continue
            best = min(counted, key=lambda mean: mean["instructions"])
            time = CONSTANT if rung.constant_time else VARIABLE
            cycles = best.get("model_cycles_arm1176")
            half = cycles / 2 if cycles else None
            yield Point(rung.name, time, best["instructions"] / 2, half)
    yield Point("crt", BY_CRT, recorded.instructions(), None)


def power(results: Results, rung: Snapshot, level: str) -> float | None:
    """Return the instructions of one exponentiation, half a round trip; None where it was not
    counted."""
    trip = results.means(rung.study, rung.name, level).get("instructions")
    return trip / 2 if trip else None


def share_of_floor(results: Results, rung: Snapshot, level: str) -> str | None:
    """Return how large the floor is in per cent of a rung's instructions."""
    instructions = power(results, rung, level)
    if not instructions:
        return None
    share = 100 * floor(BITS, VARIABLE) / instructions
    return f"{share:.0f} %" if share >= 1 else f"{share:.1g} %"


def against_gmp(results: Results, rung: Snapshot, level: str) -> str | None:
    """Return how many times fewer instructions than GMP a rung executes for the same power, its
    set-up of n included."""
    instructions = power(results, rung, level)
    gmp = next((point for point in libraries() if point[:2] == (GMP, VARIABLE)), None)
    if not instructions or not gmp:
        return None
    ratio = gmp.instructions / instructions
    return f"x{ratio:.2f}" if ratio >= 0.1 else f"x{ratio:.1g}"


def libraries() -> list[Point]:
    """Return every library, its set-up excluded where that can be kept; ours of a fixed width
    apart."""
    first: dict[tuple[str, str], Point] = {}
    with PEERS.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["bits"] != str(BITS) or row["peer"] in OURS_OF_A_WIDTH:
                continue
            powers = int(row["powers"])
            instructions = int(row["instructions"])
            cycles = None
            if multiplies := int(row["multiplies"] or 0):  # each takes two cycles more
                cycles = (instructions + 2 * multiplies) / powers
            point = Point(row["peer"], row["way"], instructions / powers, cycles)
            first.setdefault((point.program, point.time), point)
    return list(first.values())


def table(results: Results) -> str:
    """Return every program, the floor, and how many times the floor it is."""
    rows = []
    for point in (*rungs(results), *libraries()):
        numbers = [
            whole(point.instructions),
            whole(point.cycles),
            picture.times(point.ratio),
        ]
        rows.append([point.program, point.time, *numbers])
    for time in LOOKS:
        rows.append(["the floor", time, whole(floor(BITS, time)), NONE, "x1.00"])
    head = [
        "program",
        "time",
        "instructions",
        "cycles of an ARM1176, by model",
        "/ floor",
    ]
    return Table(head, rows).markdown


def cores(results: Results) -> str:
    """Return the floor in cycles of each core whose multiply-accumulate was published; crt's
    stalls."""
    rows = []
    for row in results.query("select core, cycles, source from multiply_accumulate"):
        of_floor = float(row["cycles"]) * floor(BITS)
        rows.append([row["core"], row["cycles"], whole(of_floor), row["source"]])
    table = Table(["core", "cycles each", "cycles of the floor", "source"], rows)
    said = "A product of crt before and after its order was changed, by a model:"
    return "\n\n".join([table.markdown, said, recorded.stalls()])


def chart(results: Results) -> Chart:
    """Return the instructions and modelled cycles of every program, and its floor."""
    points = [*rungs(results), *libraries()]
    names = list(dict.fromkeys(point.program for point in points))
    near = next(point for point in points if point.time == CONSTANT)
    note = (
        f"{results.platform}, {results.compiler}; instructions of one x^e mod n of {BITS} bits."
        " Rungs: at their best level. Libraries: studies/limit/peers, set-up of n excluded where it"
        " can be kept. Strokes: the floor. Crosses: cycles of an ARM1176 by model."
    )
    answer = f"{near.program}, in constant time: {picture.times(near.ratio)}"
    question = "How far is every program from the floor?"
    with drawing("floor", question, answer, note, (7.5, 7.5)) as (chart, axes):
        for time, (shade, marker) in LOOKS.items():
            some = [point for point in points if point.time == time]
            rows = [names.index(point.program) for point in some]
            cycles = [point.cycles or math.nan for point in some]
            floors = [floor(BITS, time)] * len(rows)
            instructions = [point.instructions for point in some]
            axes.scatter(
                cycles,
                rows,
                color=shade,
                marker="x",
                s=14,
            )
            axes.scatter(
                floors,
                rows,
                color=GREY,
                marker="|",
                s=60,
            )
            axes.scatter(
                instructions,
                rows,
                color=shade,
                marker=marker,
                label=time,
                zorder=3,
            )
        beside = axes.get_yaxis_transform()
        for row, name in enumerate(names):
            ratios = sorted(point.ratio for point in points if point.program == name)
            text = ", ".join(picture.times(ratio) for ratio in ratios)
            picture.label(
                axes,
                text,
                (1, row),
                xycoords=beside,
                fontsize=8,
            )
        axes.set_xscale("log")
        picture.names(axes, "y", names)
        picture.numbers(axes, "x", picture.brief)
        axes.legend(frameon=False, loc="center right", title="time")
    return chart
