"""The charts of calls and of where the instructions are, one function each."""

from typing import Union

import numpy as np
import pandas as pd
from IPython.display import Markdown
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter

from records.ladder import LADDER, Snapshot
from rsalab.charts.callgraphs import MISSING, TOTAL, totals
from rsalab.charts.charts import level_rows, rung_axis
from rsalab.charts.picture import COLOUR, GREY, MARKER, PALE, Chart, frame, settle, style
from rsalab.frames import Results, main_line
from rsalab.steps.table import LEVELS, whole

FULL, WITH_ONE = ("mmm", "mont_mul"), ("mmm_1",)  # Montgomery products, and those by 1
# Colours that are no level's; what has none of its own is grey.
HELPER = {"add": "#56b4e9", "shr": "#e69f00", "halve": "#f0e442", "less": "#cc79a7",
          "odd": "#b9dfb0", "mmm": "#707070", "mont_mul": "#404040",
          "mod_mul": "#bdb4a0"}  # fmt: skip
Shown = Union[Chart, Markdown]


def provenance(results: Results, what: str) -> str:
    """Platform, compiler and metric."""
    return (
        f"{results.platform}, {results.compiler}; {what}: exact, counted by gprof in a build with"
        " -pg, mean of its round trips (encrypt and decrypt a message with a 128-bit key,"
        " full-length exponents). An inlined call is none."
    )


def by_rung(results: Results, found: pd.DataFrame, rungs: list[Snapshot]) -> Shown:
    """All calls a round trip, by rung, a line for each level; branches off the line."""
    if found.empty:
        return Markdown(MISSING)
    every = (
        found[found["caller"] == TOTAL].groupby(["level", "rung"], as_index=False)["calls"].sum()
    )
    ends = {level: rows.set_index("rung")["calls"] for level, rows in level_rows(every)}
    line = [rung for rung in main_line(rungs) if all(rung in n for n in ends.values())]
    first, last = line[0], line[-1]
    said = ", ".join(
        f"{whole(n[first])} to {whole(n[last])} at -{level}" for level, n in ends.items()
    )
    answer = f"From {first} to {last}: {said}"
    caption = provenance(results, "calls a round trip") + " Logarithmic."
    if len(line) < len(rungs):
        caption += " Dotted, in brackets: a branch that no rung continues."
    with style():
        figure, axes = frame(answer, caption, (11, 5.4))
        for level, n in ends.items():
            draw_line(axes, n, rungs, line, {"color": COLOUR[level], "marker": MARKER[level]})
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: whole(y)))
        rung_axis(axes, rungs, line)
        axes.set_title("calls a round trip", color=GREY)
        settle(figure)
        place = next(x for x, rung in enumerate(rungs) if rung.name == last)
        end_labels(axes, place, {level: n[last] for level, n in ends.items()})
    question = "How many calls does a round trip make at each rung?"
    return Chart("calls-by-rung", question, answer, caption, figure)


def draw_line(axes: Axes, n: pd.Series, rungs: list[Snapshot], line: list[str], mark: dict) -> None:
    """The rungs of the line joined, and each branch dotted from its parent."""
    place = {rung.name: x for x, rung in enumerate(rungs)}
    axes.plot([place[r] for r in line], [n[r] for r in line], linewidth=2, markersize=6, **mark)
    for side in (rung for rung in rungs if rung.name not in line and rung.name in n):
        pair = [side.parent, side.name] if side.parent in n else [side.name]
        axes.plot([place[r] for r in pair], [n[r] for r in pair], linestyle=":", markersize=6,
                  markerfacecolor="white", markevery=[-1], **mark)  # fmt: skip


def end_labels(axes: Axes, x: float, ends: dict[str, float]) -> None:
    """Level and number beside the last point of each line, one above the other where they meet."""
    height = 13  # points of a line of text
    low, high = np.log10(axes.get_ylim())
    points = 72 * axes.get_position().height * axes.figure.get_figheight() / (high - low)
    free = -np.inf
    for level, n in sorted(ends.items(), key=lambda end: (end[1], end[0])):
        at = np.log10(n) * points
        up = max(at, free) - at
        free = at + up + height
        axes.annotate(
            f"-{level}  {whole(n)}", (x, n), xytext=(10, up), textcoords="offset points",
            va="center", color=COLOUR[level], fontweight="bold",
        )  # fmt: skip


def products(
    results: Results, found: pd.DataFrame, rungs: list[Snapshot], level: str = "O0"
) -> Shown:
    """Montgomery products of one exponentiation, by rung: those of two operands and those by 1."""
    if found.empty or level not in set(found["level"]):
        return Markdown(MISSING)
    table = totals(found, level).fillna(0) / 2
    shown = [rung for rung in rungs if rung.name in table]
    names = [rung.name for rung in shown]
    full, one = (table.reindex(list(part))[names].sum() for part in (FULL, WITH_ONE))
    every = full + one
    answer = f"Products: {runs(every[[name for name in main_line(rungs) if name in every]])}"
    caption = provenance(results, "Montgomery products an exponentiation") + (
        f" At -{level}, where no product is inlined. Pale: mmm_1, one operand is known to be 1."
    )
    with style():
        figure, axes = frame(answer, caption, (11, 4.4))
        draw_products(axes, full, one, COLOUR[level])
        rung_axis(axes, shown, main_line(rungs))
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_title("Montgomery products an exponentiation", color=GREY)
        settle(figure)
    question = "How many Montgomery products does one exponentiation take?"
    return Chart("products", question, answer, caption, figure)


def runs(numbers: pd.Series) -> str:
    """`772 from v0 to v5, 196 from v6 to v8`: neighbours that are equal said once."""
    parts = []
    for _, part in numbers.groupby((numbers != numbers.shift()).cumsum(), sort=False):
        first, last = part.index[0], part.index[-1]
        where = f"from {first} to {last}" if first != last else f"in {first}"
        parts.append(f"{whole(part.iloc[0])} {where}")
    return ", ".join(parts)


def draw_products(axes: Axes, full: pd.Series, one: pd.Series, colour: str) -> None:
    """A bar for each rung, its number above it and its products by 1 in a paler shade."""
    x, every = np.arange(len(full)), full + one
    axes.bar(x, full, color=colour, width=0.62)
    axes.bar(x, one, bottom=full, color=[0.35 * c + 0.65 for c in to_rgb(colour)], width=0.62)
    for at, name in zip(x, full.index):
        axes.annotate(whole(every[name]), (at, every[name]), (0, 4), ha="center",
                      textcoords="offset points", fontweight="bold")  # fmt: skip
        if one[name] > 0.05 * every.max():
            axes.annotate(f"mmm_1 {whole(one[name])}", (at, full[name] + one[name] / 2),
                          ha="center", va="center", fontsize=8)  # fmt: skip
    axes.set_ylim(0, every.max() * 1.12)


def shares(results: Results, rungs: list[Snapshot], case: str = "roundtrip-full") -> Chart:
    """Share of the instructions in each function, by rung, a panel for each level."""
    rows = results.counts[(results.counts["study"] == LADDER) & (results.counts["case"] == case)]
    rows = rows[(rows["metric"] == "instructions") & ~rows["symbol"].isin(["total", "snapshot"])]
    panels = [level for level in LEVELS if (rows["level"] == level).any()]
    most = {level: functions(rows[rows["level"] == level]) for level in panels}
    said = ", ".join(f"{n} at -{level}" for level, n in most.items())
    answer = f"Functions that execute anything, at most: {said}"
    caption = (
        f"{results.platform}, {results.compiler}; share of the instructions of"
        f" {results.trips(case)} round trips by function: exact, in the measured build, without"
        " -pg. A function holds what was inlined into it, and has its name where there is room."
    )
    with style():
        figure, axes = frame(answer, caption, (11, 4.8), ncols=len(panels), sharey=True,
                             squeeze=False)  # fmt: skip
        for axis, level in zip(axes[0], panels):
            for at, rung in enumerate(rungs):
                own = rows[(rows["level"] == level) & (rows["snapshot"] == rung.name)]
                stack(axis, at, own.set_index("symbol")["value"])
            axis.set_title(f"-{level}", color=COLOUR[level], fontweight="bold")
            axis.set_xlim(0, 100)
            axis.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f} %"))
            axis.grid(False)
        axes[0][0].set_yticks(range(len(rungs)))
        axes[0][0].set_yticklabels([rung.name for rung in rungs], color="black")
        axes[0][0].invert_yaxis()
        settle(figure)
        for axis in axes[0]:
            name_parts(axis)
    question = "In which functions are the instructions?"
    return Chart("instruction-shares", question, answer, caption, figure)


def functions(rows: pd.DataFrame) -> int:
    """The most functions that any rung of these rows has."""
    return int(rows.groupby("snapshot")["symbol"].nunique().max())


def stack(axes: Axes, at: int, own: pd.Series) -> None:
    """One bar, the largest function first."""
    start, every = 0.0, own.sum()
    for name, n in own.sort_values(ascending=False, kind="stable").items():
        colour = HELPER.get(str(name).partition(".")[0], PALE)
        (part,) = axes.barh(at, 100 * n / every, left=start, color=colour, height=0.74,
                            edgecolor="white")  # fmt: skip
        part.set_gid(name)
        start += 100 * n / every


def name_parts(axes: Axes) -> None:
    """Each function's name in its part of a bar, where it fits.  The layout is settled."""
    for part in axes.patches:
        middle = part.get_x() + part.get_width() / 2, part.get_y() + part.get_height() / 2
        dark = sum(part.get_facecolor()[:3]) < 1.5
        for size in (7.5, 6.2):
            text = axes.text(*middle, part.get_gid(), ha="center", va="center", fontsize=size,
                             color="white" if dark else "black")  # fmt: skip
            if text.get_window_extent().width < 0.96 * part.get_window_extent().width:
                break
            text.remove()
