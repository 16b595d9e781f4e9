"""The charts of the ladder, one function each.

A chart answers a question: the question stands above it in the text, the answer is its title, and
its caption says platform, compiler and metric.  Equal numbers give equal bytes.
"""

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import FuncFormatter

from records.ladder import ROOT, Snapshot
from rsalab.charts.picture import COLOUR, GREY, MARKER, Chart, frame, label_points, settle, style
from rsalab.frames import Results, cell, main_line, published, rungs
from rsalab.steps.table import LEVELS, factor, whole


def provenance(results: Results, what: str = "instructions a round trip") -> str:
    """Platform, compiler and metric of the exact counts."""
    return (
        f"{results.platform}, {results.compiler}; {what}: exact mean of {results.trips()} round"
        " trips (encrypt and decrypt a message with a 128-bit key, full-length exponents), counted"
        " in the snapshot and the run-time that it calls."
    )


def short(snapshot: Snapshot) -> str:
    """The idea in the few lines that fit under a rung."""
    idea = snapshot.idea.partition(":")[0] if ":" in snapshot.idea else snapshot.idea
    return "\n".join(textwrap.wrap(idea, 16, break_on_hyphens=False))


def times(ratio: float) -> str:
    """A factor in the digits that a picture needs: x1.48, x10.7, x2,477."""
    return f"x{ratio:.2f}" if ratio < 10 else f"x{ratio:.1f}" if ratio < 100 else f"x{whole(ratio)}"


def level_rows(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """(level, its rows in ladder order) for each level that is there."""
    for level in LEVELS:
        rows = table[table["level"] == level]
        if len(rows):
            yield level, rows


def speed_up(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Factor against the first rung, by rung, a line for each level; branches off the line."""
    line = main_line(snapshots)
    first, last = line[0], line[-1]
    place = {snapshot.name: x for x, snapshot in enumerate(snapshots)}
    ends = {level: rows.set_index("rung")["versus_base"] for level, rows in level_rows(table)}
    best = ", ".join(f"{times(ends[level][last])} at -{level}" for level in ends)
    answer = f"{last} executes fewer instructions than {first}: {best}"
    caption = provenance(results) + f" Factor against {first} at the same level, logarithmic."
    if len(line) < len(snapshots):
        caption += " Dotted, in brackets: a branch that no rung continues."
    with style():
        figure, axes = frame(answer, caption, (11, 6))
        for level, ratio in ends.items():
            main = [rung for rung in line if rung in ratio]
            mark = {"color": COLOUR[level], "marker": MARKER[level], "markersize": 6}
            axes.plot([place[r] for r in main], [ratio[r] for r in main], linewidth=2, **mark)
            axes.annotate(
                f"-{level}  {times(ratio[last])}", (place[last], ratio[last]), xytext=(10, 0),
                textcoords="offset points", va="center", color=COLOUR[level], fontweight="bold",
            )  # fmt: skip
            for side in (s for s in snapshots if s.name not in line and s.name in ratio):
                pair = [side.parent, side.name] if side.parent in ratio else [side.name]
                axes.plot([place[r] for r in pair], [ratio[r] for r in pair], linestyle=":",
                          markerfacecolor="white", markevery=[-1], **mark)  # fmt: skip
        rung_axis(axes, snapshots, line)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"x{y:,.0f}"))
        axes.set_title(f"instructions of {first} / instructions of the rung", color=GREY)
        axes.axhline(1, color=GREY, linewidth=1)
        settle(figure)
    question = f"How many times fewer instructions than {first} does each rung execute?"
    return Chart("speed-up", question, answer, caption, figure)


def rung_axis(axes: Axes, snapshots: list[Snapshot], line: list[str]) -> None:
    """Rungs along x with their ideas; a rung that nobody continues is said to be one."""
    axes.set_xticks(range(len(snapshots)))
    names = [s.name if s.name in line else f"({s.name})" for s in snapshots]
    labels = [f"{name}\n{short(s)}" for name, s in zip(names, snapshots)]
    axes.set_xticklabels(labels, fontsize=8, color="black")
    axes.set_xlim(-0.4, len(snapshots) - 0.15)
    axes.grid(False, axis="x")
    axes.tick_params(axis="x", length=0)


def size_against_work(results: Results, table: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Assembly lines against instructions, a panel for each level, the rungs joined in order."""
    line = main_line(snapshots)
    levels = list(level_rows(table))
    rank = [rows[["asm_lines", "instructions"]].corr("spearman").iloc[0, 1] for _, rows in levels]
    said = ", ".join(f"{r:.2f} at -{level}" for (level, _), r in zip(levels, rank))
    most = max(abs(r) for r in rank)
    word = "Hardly" if most < 0.5 else "In part" if most < 0.8 else "Mostly"
    answer = f"{word}: rank correlation of lines and instructions {said}"
    caption = (
        provenance(results) + " Lines: the compiler's -S output without debugging information, and"
        " mont.S before its macros are expanded."
    )
    with style():
        figure, panels = frame(
            answer, caption, (11, 5), nrows=1, ncols=len(levels), sharey=True, squeeze=False
        )
        for axes, (level, rows) in zip(panels[0], levels):
            known = rows.set_index("rung")
            main = known.loc[[rung for rung in line if rung in known.index]]
            axes.plot(main["asm_lines"], main["instructions"], color=COLOUR[level], alpha=0.35)
            for rung, row in known.iterrows():
                fill = COLOUR[level] if rung in line else "white"
                axes.plot(row["asm_lines"], row["instructions"], marker=MARKER[level],
                          color=COLOUR[level], markerfacecolor=fill)  # fmt: skip
            axes.set_yscale("log")
            axes.set_xlim(0, rows["asm_lines"].max() * 1.15)
            axes.set_xlabel("lines of assembly")
            axes.set_title(f"-{level}", color=COLOUR[level], fontweight="bold")
        panels[0][0].set_ylabel("instructions a round trip")
        settle(figure)
        for axes, (_, rows) in zip(panels[0], levels):
            label_points(axes, rows["asm_lines"], rows["instructions"], rows["rung"])
    question = "Does shorter assembly execute fewer instructions?"
    return Chart("lines-and-instructions", question, answer, caption, figure)


def beside_bishop_austin(
    results: Results, table: pd.DataFrame, theirs: pd.DataFrame, level: str = "O0"
) -> Chart:
    """Figure 9 of Bishop & Austin 2021, in ms, beside our instructions for the mapped rungs."""
    ours = [cell(table, rung, level) for rung in theirs["ours"]]
    counts = [None if row is None else row["instructions"] / 1e6 for row in ours]
    first, last = counts[0], counts[-1]
    here = f"{factor(first / last)} in instructions here" if first and last else "not measured here"
    answer = (
        f"From the first row to the last: {factor(theirs['factor'].iloc[-1])} in time there, {here}"
    )
    caption = (
        "Left: Bishop & Austin 2021, Table 1 and Figure 9, as published: Raspberry Pi 3 B+, gcc"
        f" 8.3.0 without -O, clock(), 2000 strings. Right: {provenance(results)} -{level}, their"
        " level. Time and instructions are different things: compare the steps, not the bars. Pale:"
        " the rung holds this technique and another."
    )
    with style():
        figure, (left, right) = frame(answer, caption, (11, 5.6), nrows=1, ncols=2, sharey=True)
        y = list(range(len(theirs)))
        left.barh(y, theirs["milliseconds"], color=GREY, height=0.62)
        for at, ms in zip(y, theirs["milliseconds"]):
            left.annotate(f"{ms:.2f}", (ms, at), (4, 0), textcoords="offset points", va="center")
        names = [f"{n}  {text.rstrip('.')}" for n, text in enumerate(theirs["description"])]
        names = [textwrap.fill(text.replace(" ,", ","), 46) for text in names]
        left.set_yticks(y)
        left.set_yticklabels(names, color="black", fontsize=8)
        left.invert_yaxis()
        left.set_title("published: time of a round trip, ms", color=GREY)
        for at, count in enumerate(counts):
            draw_ours(right, at, count, theirs.iloc[at], COLOUR[level])
        right.set_title("here: instructions of a round trip, millions", color=COLOUR[level])
        for axes in (left, right):
            axes.grid(False, axis="y")
            axes.tick_params(axis="y", length=0)
            axes.set_xlim(0, axes.get_xlim()[1] * 1.18)
        settle(figure)
    question = "Do the first source's nine iterations and our rungs fall in the same places?"
    return Chart("beside-bishop-austin-2021", question, answer, caption, figure)


def draw_ours(axes: Axes, at: int, count: object, row: pd.Series, colour: str) -> None:
    """Our bar for one of their rows, or the reason why there is none."""
    if not count:
        axes.annotate(row["counterpart"], (0, at), (4, 0), textcoords="offset points", va="center",
                      color=GREY, style="italic")  # fmt: skip
        return
    part = row["counterpart"] != "rung"
    shade = tuple(0.35 * c + 0.65 for c in to_rgb(colour)) if part else colour
    axes.barh(at, count, color=shade, height=0.62)
    text = f"{count:.2f}  {'part of ' if part else ''}{row['ours']}"
    axes.annotate(text, (count, at), (4, 0), textcoords="offset points", va="center")


def all_charts(results: Results, table: pd.DataFrame, root: Path = ROOT) -> list[Chart]:
    """Every chart of the ladder."""
    snapshots = rungs(results, root=root)
    return [
        speed_up(results, table, snapshots),
        size_against_work(results, table, snapshots),
        beside_bishop_austin(results, table, published(root)),
    ]
