"""Does a step's gain survive in clock cycles?  A panel for each level, a line for each step, and on
it a mark for each measure."""

import pandas as pd
from matplotlib.axes import Axes

from records import ladder
from records.faults import Failure
from records.results import Results
from rsalab import cycles
from rsalab.charts import picture
from rsalab.charts.picture import GREY, PALE, WIDTH, Chart, asking, facts_of
from rsalab.charts.theme import COLOUR, POINTS

# Colour and mark of each measure; the grey line goes to the instructions.
LOOKS = {cycles.INSTRUCTIONS: (GREY, "|")}
LOOKS |= {
    label: (COLOUR[core.core], core.marker) for label, core in cycles.CORES.items()
}
ROW_INCHES = 0.46
APART = 0.19  # of a row, between the marks of two measures


def in_cycles(results: Results) -> Chart:
    """Draw parent / rung of each step, logarithmic: instructions, and cycles of each core."""
    rungs = cycles.steps(results.root)
    if not rungs:
        raise Failure("no cycles were counted; `make cores`")
    gains = [gain for rung in rungs for gain in cycles.gains(rung, results.root)]
    table = pd.DataFrame(gains, columns=cycles.Gain._fields)
    names = [rung.name for rung in rungs]
    surviving = [rung.name for rung in rungs if survives_everywhere(rung, results)]
    answer = f"{len(surviving)} of {len(rungs)} wherever instructions gain: {', '.join(surviving)}"
    size = (WIDTH, 1.9 + ROW_INCHES * len(names))
    drawn = asking(
        "in-cycles",
        answer,
        size,
        facts_of(results),
        ncols=len(ladder.LEVELS),
        sharey=True,
    )
    with drawn as (chart, panels):
        for axes, level in zip(panels, ladder.LEVELS):
            marks(axes, table[table["level"] == level], names)
            picture.title(axes, f"-{level}", picture.COLOUR[level])
        ideas = [f"{rung.idea.split(',')[0]}   {rung.name}" for rung in rungs]
        picture.names(panels[0], "y", ideas, fontsize=POINTS["names"])
        panels[0].legend(loc="upper right", fontsize=POINTS["labels"], borderpad=0.2)
    return chart


def survives_everywhere(rung: ladder.Snapshot, results: Results) -> bool:
    """Return whether a step survives on every core at each level at which instructions gain."""
    verdicts = set()
    found = cycles.gains(rung, results.root)
    for level in ladder.LEVELS:
        of_level = [gain for gain in found if gain.level == level]
        if cycles.in_cycles(of_level):
            verdicts.add(cycles.verdict(of_level))
    return verdicts <= {cycles.ON_ALL, cycles.NO_GAIN}


def marks(axes: Axes, rows: pd.DataFrame, names: list[str]) -> None:
    """Draw the marks of one level: of each step one below the other, so that equal factors do not
    hide each other, and a line from the least to the largest."""
    axes.axvline(1, color=GREY, linewidth=1)
    for name, of_step in rows.groupby("snapshot"):
        height = names.index(str(name))
        factors = of_step["factor"]
        axes.plot(
            [factors.min(), factors.max()], [height, height], color=PALE, linewidth=20,
            solid_capstyle="butt",
        )  # fmt: skip
    middle = (len(LOOKS) - 1) / 2
    for number, (measure, (colour, mark)) in enumerate(LOOKS.items()):
        of_measure = rows[rows["measure"] == measure]
        lower = APART * (number - middle)
        heights = [names.index(name) + lower for name in of_measure["snapshot"]]
        size = 7 if mark == "|" else 4.5
        short = measure.removeprefix("A32 ").removesuffix(" (model)")
        axes.plot(of_measure["factor"], heights, mark, color=colour, label=short,
                  markersize=size, markeredgewidth=1.5, linestyle="none")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xlim(0.85, 40)
    axes.set_xticks([1, 2, 4, 8, 16, 32])
    picture.numbers(axes, "x", lambda factor: f"x{factor:g}", few=True)
    axes.grid(True, axis="x")
    axes.spines[["left", "right", "top"]].set_visible(False)
