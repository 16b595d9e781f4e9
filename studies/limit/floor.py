"""How far every program is from the floor: the 32-bit multiplications that x^e mod n needs.

With n limbs a product is n^2 multiplications, its reduction n^2 + n, and a square n (n + 1) / 2.
No carry, no load and no branch is in the floor.  The programs are those of the view `powers`: the
rungs, by a results folder, and the libraries of studies/limit/peers.
"""

import math
from functools import cache

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import Snapshot
from records.results import Results
from rsalab.charts import picture
from rsalab.charts.picture import PALE, Chart, drawing

CONSTANT = "constant"
VARIABLE = "variable"
BY_CRT = "crt"  # constant, too, and p and q are known
# Colour, mark and name of each kind of time.
LOOKS = {
    VARIABLE: ("#0072b2", "o", "variable"),
    CONSTANT: ("#d55e00", "s", "constant"),
    BY_CRT: ("#d55e00", "D", "constant, p and q known"),
}
BITS = 128
GMP = "GMP for ARMv6"  # the fastest of its builds here
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


def programs(results: Results) -> pd.DataFrame:
    """Return the view `powers` with each rung at its best level, beside each program its `floor`
    and how many times the floor it executes, `distance`."""
    every = results.frame("powers")
    best_first = every.sort_values("instructions", kind="stable")
    best = best_first.drop_duplicates(["program", "time"])
    rows = best.sort_index().reset_index(drop=True)
    rows["floor"] = [floor(BITS, time) for time in rows["time"]]
    rows["distance"] = rows["instructions"] / rows["floor"]
    return rows


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
    asked = "select instructions from powers where (program, time) = (?, ?)"
    gmp = results.query(asked, GMP, VARIABLE)
    if not instructions or not gmp:
        return None
    ratio = gmp[0]["instructions"] / instructions
    return f"x{ratio:.2f}" if ratio >= 0.1 else f"x{ratio:.1g}"


def dots(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the frame `programs`: a line for each program, and on it a mark for each kind of time at
    its distance from the floor, on a logarithmic axis."""
    marks(axes, rows, "program", "distance", picture.times)
    axes.set_xlabel("instructions / multiplications of the floor")
    picture.numbers(axes, "x", lambda distance: f"x{distance:,.0f}")
    axes.legend(title="time", loc="center right")


def marks(
    axes: Axes, rows: pd.DataFrame, name: str, number: str, form: picture.Form
) -> None:
    """Draw a line for each program, by the column of its name, and on it a mark for each kind of
    time at its number, on a logarithmic axis from 1 on; the least and the largest number as
    `form` writes them."""
    names = list(rows[name].unique())
    axes.hlines(range(len(names)), 1, rows[number].max(), color=PALE, linewidth=1)
    for time, (colour, marker, label) in LOOKS.items():
        some = rows[rows["time"] == time]
        if some.empty:
            continue
        heights = [names.index(program) for program in some[name]]
        axes.scatter(
            some[number],
            heights,
            color=colour,
            marker=marker,
            label=label,
            zorder=3,
        )
    for program, numbers in rows.groupby(name)[number]:
        height = names.index(program)
        most = numbers.max()
        picture.label(axes, form(most), (most, height), (7, 0))
        if len(numbers) > 1:
            least = numbers.min()
            picture.label(axes, form(least), (least, height), (-7, 0), ha="right")
    axes.set_xscale("log")
    axes.set_xlim(1, 2 * rows[number].max())
    picture.names(axes, "y", names)


def chart(results: Results) -> Chart:
    """Draw how many times the floor every program executes."""
    rows = programs(results)
    nearest = rows.loc[rows["distance"].idxmin()]
    answer = f"The nearest, {nearest['program']}, is {picture.times(nearest['distance'])} above it"
    for distance in rows.loc[rows["program"] == "v8", "distance"]:
        answer = (
            f"v8 is {picture.times(distance)} above it; {answer[0].lower()}{answer[1:]}"
        )
    caption = (
        f"{results.platform}, {results.compiler}; instructions of one x^e mod n of {BITS} bits over the"
        " 32-bit multiplications that it cannot do without. Rungs: at their best level. Libraries:"
        " studies/limit/peers, set-up of n excluded where it can be kept."
    )
    question = "How far is every program from the floor?"
    with drawing("floor", question, answer, caption, (7.5, 7.5)) as (chart, axes):
        dots(axes, rows)
    return chart
