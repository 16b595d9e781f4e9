"""Bishop & Austin 2021: its Figure 9 beside our rungs, and its estimate of a
hardware unit.  Its Table 1 stands in rsalab.report.tables."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pandas as pd

from records.ladder import ROOT
from records.published import MAP, TABLE_1, about, read_csv
from records.results import Results
from records.tables import NONE, factor
from rsalab.charts import picture
from rsalab.charts.picture import COLOUR, GREY, WIDTH, Chart, drawing
from rsalab.frames import cell
from rsalab.sources.own import NOTHING, comparison

SOURCE = "Bishop & Austin 2021"
FIGURES, UNIT = "bishop-austin-2021-figures-6-8.csv", "bishop-austin-2021-hardware-unit.csv"


def published(root: Path = ROOT) -> pd.DataFrame:
    """Its Table 1 with our map of its rows, and `milliseconds`, `factor` (against its own row 0)
    and `step` (against the row before)."""
    rows = [{**row, **where} for row, where in zip(read_csv(TABLE_1, root), read_csv(MAP, root))]
    table = pd.DataFrame(rows)
    table["iteration"] = table["iteration"].astype(int)
    table["asm_lines"] = table["asm_lines"].astype(int)
    table["milliseconds"] = table["seconds"].astype(float) * 1000
    table["factor"] = table["milliseconds"].iloc[0] / table["milliseconds"]
    table["step"] = table["milliseconds"].shift(1) / table["milliseconds"]
    return table


def text(root: Path = ROOT) -> str:
    """Both tables of estimates; nothing here runs such a unit."""
    code = [
        ([f"Figure {row['figure']}", row["code"], row["instructions"], row["cycles"] or NONE],
         [NOTHING]) for row in read_csv(FIGURES, root)
    ]  # fmt: skip
    unit = [([row["component"], row["cycles"]], [NOTHING]) for row in read_csv(UNIT, root)]
    return "\n\n".join(
        [
            f"{about(FIGURES, root)['section']}: {about(FIGURES, root)['title']}.",
            comparison(["where", "code", "instructions", "cycles, estimated"], code, (0, 1)),
            f"{about(UNIT, root)['section']}: {about(UNIT, root)['title']}.",
            comparison(["component", "cycles, estimated"], unit),
        ]
    )


def chart(results: Results, ladder: pd.DataFrame, root: Path = ROOT, level: str = "O0") -> Chart:
    """Figure 9, in ms, beside our instructions for the mapped rungs."""
    theirs = published(root)
    ours = [cell(ladder, rung, level) for rung in theirs["ours"]]
    counts = [None if row is None else row["instructions"] / 1e6 for row in ours]
    first, last = counts[0], counts[-1]
    here = f"{factor(first / last)} in instructions here" if first and last else "not measured here"
    answer = (
        f"From the first row to the last: {factor(theirs['factor'].iloc[-1])} in time there, {here}"
    )
    counted = picture.caption(results)
    caption = (
        f"Left: {SOURCE}, Table 1 and Figure 9, as published: Raspberry Pi 3 B+, gcc"
        f" 8.3.0 without -O, clock(), 2000 strings. Right: {counted} -{level}"
        f"{', their level' * (level == 'O0')}. Time and instructions are different things:"
        " compare the steps, not the bars."
    )
    with drawing(
        "beside-bishop-austin-2021",
        "Do Bishop and Austin's nine iterations and our rungs fall in the same places?",
        answer, caption, (WIDTH, 5.8), nrows=1, ncols=2, sharey=True,
    ) as (made, panels):  # fmt: skip
        names = [f"{n}  {text.rstrip('.')}" for n, text in enumerate(theirs["description"])]
        names = [textwrap.fill(text.replace(" ,", ","), 30) for text in names]
        words = [f"{count:.2f}  {rung}" if count else counterpart for count, rung, counterpart in
                 zip(counts, theirs["ours"], theirs["counterpart"])]  # fmt: skip
        times = theirs["milliseconds"]
        picture.paired_bars(
            panels, names,
            ("published: time, ms", times, [f"{ms:.2f}" for ms in times], GREY),
            ("here: instructions, millions", counts, words, COLOUR[level]),
        )  # fmt: skip
    return made
