"""A picture for each source: its published numbers beside ours."""

import textwrap

import pandas as pd

from records.ladder import LEVELS
from records.results import Results
from records.tables import factor, questions
from rsalab.charts import picture
from rsalab.charts.picture import COLOUR, GREY, WIDTH, Chart, asking, facts_of
from rsalab.frames import ask, check_name


def answers(results: Results, name: str, *values: object) -> pd.DataFrame:
    """Return the rows of a question of charts.sql."""
    return ask(results, questions(__file__)[name], *values)


def of_bishop(results: Results, level: str = "O0") -> Chart:
    """Return Figure 9, in ms, beside our instructions for the mapped rungs.
    Raises Failure where there is no such level."""
    check_name("level", level, LEVELS)
    rows = answers(results, "bishop", level).astype({"here": float})
    first = rows["here"].iloc[0]
    last = rows["here"].iloc[-1]
    here = "not measured here"
    if pd.notna(first / last):
        here = f"{factor(first / last)} in instructions here"
    there_gain = factor(rows["factor"].iloc[-1])
    answer = f"First row to last: {there_gain} in time there, {here}"
    size = (WIDTH, 5.8)
    facts = facts_of(results, level=level)
    drawn = asking(
        "beside-bishop-austin-2021", answer, size, facts, ncols=2, sharey=True
    )
    with drawn as (made, (there, mine)):
        descriptions = rows["description"].str.rstrip(".").str.replace(" ,", ",")
        names = [
            textwrap.fill(name, 30) for name in rows["iteration"] + "  " + descriptions
        ]
        words = []
        for row in rows.itertuples():
            text = row.counterpart
            if pd.notna(row.here):
                text = f"{row.here:.2f}  {row.ours}"
            words.append(text)
        picture.title(there, "published: time, ms")
        picture.bars(there, names, rows["ms"], rows["ms"].map("{:.2f}".format), GREY)
        picture.title(mine, "here: instructions, millions")
        picture.bars(mine, names, rows["here"], words, COLOUR[level])
    return made
