"""How far every program is from the floor: the 32-bit multiplications that x^e mod n needs.

With n limbs a product is n^2 multiplications, its reduction n^2 + n, and a square n (n + 1) / 2.
No carry, no load and no branch is in the floor.  The programs are the rungs, by a results folder,
and the libraries of studies/limit/peers, by its CSV.
"""

import csv
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from records.ladder import LADDER, LEVELS, ROOT
from records.results import Results
from records.tables import NONE, Table, whole
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing

PEERS = ROOT / "studies/limit/peers/peers.csv"
CRT = ROOT / "studies/limit/crt/README.md"
CONSTANT, VARIABLE, BY_CRT = "constant", "variable", "constant, p and q known"
LOOKS = {VARIABLE: ("#0072b2", "o"), CONSTANT: ("#d55e00", "s"), BY_CRT: ("#d55e00", "D")}
BITS = 128
TWO = "two-at-once", "lazy-digits", "odd-powers"  # messages a call; PEERS has the last of them


def floor(bits: int, way: str = CONSTANT) -> float:
    """Multiplications of a power, e as long as n, by the best window: all powers and fixed windows
    in constant time, else odd powers and sliding windows; into the Montgomery domain and out of it,
    too.  By the Chinese remainder theorem both halves, and what is around them."""
    if way == BY_CRT:
        n = bits / 64
        return 2 * (floor(bits // 2) + n * n + n) + 3 * n * n + n
    n = bits / 32
    product, square, reduction = 2 * n * n + n, 1.5 * n * n + 1.5 * n, n * n + n
    least: list[float] = []
    for window in range(1, 11):
        half = 2.0 ** (window - 1) - 1
        if way == CONSTANT:
            digits = -(-bits // window)
            squares, products = window * (digits - 1) + half, digits - 1 + half
        else:
            squares, products = bits - window + (window > 1), bits / (window + 1) - 1 + half
        least.append(squares * square + (products + 1) * product + reduction)
    return min(least)


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
        """Instructions over multiplications of the floor."""
        return self.instructions / floor(BITS, self.time)


def rungs(results: Results) -> Iterator[Point]:
    """Every rung of 128 bits at its best level, half a round trip each; and crt by its page."""
    for study in (LADDER, "limit"):
        for rung in (r for r in results.rungs(study) if r.width == BITS and r.name not in TWO):
            means = [results.means(study, rung.name, level) for level in LEVELS]
            best = min(filter(None, means), key=lambda mean: mean["instructions"], default=None)
            if best is None:
                continue
            time = CONSTANT if rung.constant_time else VARIABLE
            cycles = best.get("model_cycles_arm1176")
            yield Point(rung.name, time, best["instructions"] / 2, cycles and cycles / 2)
    if found := re.search(r"([\d,]+) instructions from c to m", CRT.read_text("utf-8")):
        yield Point("crt", BY_CRT, int(found[1].replace(",", "")), None)


def libraries() -> Iterator[Point]:
    """Every library, its set-up excluded where that can be kept; ours of a fixed width apart."""
    best: dict[tuple[str, str], Point] = {}
    for row in csv.DictReader(PEERS.read_text("utf-8").splitlines()):
        n, spent, long = (int(row[c] or 0) for c in ("powers", "instructions", "multiplies"))
        if row["bits"] == str(BITS) and row["peer"] not in ("v8", "limit"):
            place, cycles = (row["peer"], row["way"]), (spent + 2 * long) / n
            best.setdefault(place, Point(*place, spent / n, cycles if long else None))
    return iter(best.values())


def table(results: Results) -> str:
    """Every program, the floor, and how many times the floor it is."""
    rows = [
        [p.program, p.time, whole(p.instructions), whole(p.cycles), picture.times(p.ratio)]
        for p in (*rungs(results), *libraries())
    ]
    rows += [["the floor", time, whole(floor(BITS, time)), NONE, "x1.00"] for time in LOOKS]
    head = ["program", "time", "instructions", "cycles of an ARM1176, by model", "/ floor"]
    return Table(head, rows).markdown


def cores(results: Results) -> str:
    """The floor in cycles of each core whose multiply-accumulate was published; crt's stalls."""
    table = results.table(__file__, "cores", floor=floor(BITS)).markdown
    stalls = re.findall(r"(?s)```text\n.*?\n```", CRT.read_text("utf-8"))
    said = "A product of crt before and after its order was changed, by a model:"
    return "\n\n".join([table, said, *stalls])


def chart(results: Results) -> Chart:
    """Instructions and modelled cycles of every program, and its floor."""
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
            axes.scatter([p.cycles or math.nan for p in some], rows, color=shade, marker="x", s=14)
            axes.scatter([floor(BITS, time)] * len(rows), rows, color=GREY, marker="|", s=60)
            spent = [point.instructions for point in some]
            axes.scatter(spent, rows, color=shade, marker=marker, label=time, zorder=3)
        for row, name in enumerate(names):
            ratios = sorted(p.ratio for p in points if p.program == name)
            text, across = ", ".join(map(picture.times, ratios)), axes.get_yaxis_transform()
            picture.label(axes, text, (1, row), xycoords=across, fontsize=8)
        axes.set_xscale("log")
        picture.names(axes, "y", names)
        picture.numbers(axes, "x", picture.brief)
        axes.legend(frameon=False, loc="center right", title="time")
    return chart
