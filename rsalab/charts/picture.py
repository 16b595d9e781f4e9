"""What every chart has: its look, its words, and a picture that is the same bytes each time.

A chart's title is its question with one computed number; its caption says
platform, compiler and metric: words.md has them.  Below are what charts draw with: axes of rungs
and numbers, lines over the rungs, labels.
"""

import io
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib
import matplotlib.style
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, NullLocator
from matplotlib.transforms import Bbox
from PIL import Image

from records.ladder import LADDER, Snapshot
from records.results import FULL, Results
from records.settings import LEVEL_TABLE
from records.tables import NONE, whole
from rsalab.charts import theme
from rsalab.frames import main_line
from rsalab.templates import Names

# Okabe and Ito's colours, which colour-blind readers tell apart; levels have marks for grey print.
LEVEL = {row.level: row for row in LEVEL_TABLE}
# How a level's points are drawn: arguments of Axes.plot.
LOOK: dict[str, dict[str, Any]] = {
    name: {"color": look.colour, "marker": look.marker, "label": f"-{name}"}
    for name, look in LEVEL.items()
}
COLOUR = theme.COLOUR
GREY = COLOUR["soft"]
PALE = COLOUR["pale"]
COLOURS = 128  # of a notebook's picture
WIDTH = 7.5  # inches: as wide as a page of the report, so that its text has the size of the text
LETTER = 0.075  # inches, of the text in a bar
SPREAD = "spread"  # the mark of texts that move apart
TRIPS = "round trips (encrypt and decrypt a message, exponents of full length)"
WORDS = Path(__file__).with_name("words.md")  # questions and captions
Facts = Mapping[str, object]
Form = Callable[[float], str]  # how a number is written
Encoded = bytes  # Chart has a method of this name


def style() -> AbstractContextManager[None]:
    """Return the look of a chart, whatever the reader's own settings."""
    return matplotlib.style.context(["default", theme.CHART])


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture with its words.  `name` is the file's, without an ending;
    `answer` is the number that the title has beside the question."""

    name: str
    question: str
    answer: str
    caption: str
    figure: Figure

    @property
    def title(self) -> str:
        """Return what stands above the picture, and for it where no picture is
        shown."""
        return f"{self.question} {self.answer}"

    def __repr__(self) -> str:
        return f"{self.title}. {self.caption}"

    def bytes(self, form: str) -> bytes:
        """Return the picture as `svg` or `png`, without date or version; an `svg`
        has its title for who cannot see it."""
        words: dict[str, str | None] = {"Software": None}
        if form == "svg":
            words = {"Date": None, "Creator": None, "Title": repr(self)}
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=form, metadata=words)
        return file.getvalue()

    def _repr_png_(self) -> tuple[Encoded, dict[str, int]]:
        """Return what a notebook shows, at its size on the page, in few colours to be small."""
        small = in_few_colours(self.bytes("png"))
        return small, {"width": Image.open(io.BytesIO(small)).width}


def in_few_colours(png: bytes) -> bytes:
    """Return the same picture in so few colours that it is small."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image = image.quantize(
        COLOURS,
        Image.Quantize.MAXCOVERAGE,
        dither=Image.Dither.NONE,
    )
    small = io.BytesIO()
    image.save(small, "png", optimize=True)
    return small.getvalue()


def settle(figure: Any) -> None:
    """Fix the layout of a figure, so that drawing twice gives the same picture."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def spread(figure: Figure) -> None:
    """Move the texts with the mark SPREAD up until none covers another.  The layout is settled."""
    for axes in figure.axes:
        placed: list[Bbox] = []
        texts: list[Any] = [text for text in axes.texts if text.get_gid() == SPREAD]
        for text in sorted(texts, key=_height_and_words):
            start = Text.get_window_extent(text)
            box = start
            while above := [other.y1 for other in placed if box.overlaps(other)]:
                top = max(above) + 1
                box = start.translated(0, top - start.y0)
            placed.append(box)
            right, up = text.xyann
            points = (box.y0 - start.y0) * 72 / figure.dpi
            text.xyann = right, up + points


def _height_and_words(text: Text) -> tuple[float, str]:
    """Return the lower edge of a text and what it says: texts are placed in this order."""
    without_arrow = Text.get_window_extent(text)
    return without_arrow.y0, text.get_text()


@contextmanager
def drawing(
    name: str,
    question: str,
    answer: str,
    caption: str,
    size: tuple[float, float],
    **panels: Any,
) -> Iterator[tuple[Chart, Any]]:
    """Give a chart, its title above and its caption below, and its axes to
    draw on; at the end the layout is settled.  `size` is in inches, `panels` as
    of Figure.subplots; several axes come row by row."""
    with style():
        figure = Figure(figsize=size)
        axes = figure.subplots(**panels, squeeze=False).flat
        chart = Chart(name, question, answer, caption, figure)
        width = size[0]
        lines = [textwrap.fill(part, int(width * 10)) for part in (question, answer)]
        figure.suptitle("\n".join(lines), x=0.01, ha="left")
        note = textwrap.fill(caption.replace("`", ""), int(width * 16))
        figure.supxlabel(note, x=0.01, ha="left", color=GREY)
        yield chart, list(axes) if panels else axes[0]
        settle(figure)
        spread(figure)


def asking(name: str, answer: str, size: tuple[float, float], facts: Facts, **panels: Any
           ) -> AbstractContextManager[tuple[Chart, Any]]:  # fmt: skip
    """Return a drawing whose question and caption are in words.md, with `facts` in
    their places.  Of another study than the ladder its name says so."""
    words = Names(WORDS)
    words.know(facts)
    question, note = words.paragraphs(name)
    study = facts.get("study", LADDER)
    full = name if study == LADDER else f"{name}-{study}"
    return drawing(full, question, answer, note, size, **panels)


def facts_of(
    results: Results, study: str = LADDER, workload: str = FULL, **more: object
) -> Facts:
    """Return the facts of a chart of results, and more."""
    what = TRIPS if workload == FULL else f"operations of {workload}"
    where = f"{results.platform}, {results.compiler}"
    rungs = results.rungs(study)
    bits = rungs[0].width if rungs else 0
    repeated = whole(results.trips(workload, study))
    exact = (
        f"{where}; {study}, numbers of {bits} bits; exact counts of the snapshot and the"
        f" run-time that it calls, mean of {repeated} {what}."
    )
    return {"where": where, "study": study, "exact": exact, **more}


def times(ratio: float) -> str:
    """Return a factor in the digits that a picture needs: x1.48, x10.7, x2,477."""
    if ratio < 10:
        return f"x{ratio:.2f}"
    if ratio < 100:
        return f"x{ratio:.1f}"
    return f"x{whole(ratio)}"


def brief(value: float) -> str:
    """Return a count in three digits: 132 M, 12.4 M, 53.3 k; below 10,000 whole, below 100 with a
    decimal where it has one."""
    if value < 100 and value % 1:
        return f"{value:.1f}"
    if value < 1e4 or pd.isna(value):
        return whole(value)
    rounded = float(f"{value:.3g}")
    if rounded < 1e6:
        return f"{rounded / 1e3:g} k"
    return f"{rounded / 1e6:,g} M"


def at_levels(numbers: Mapping[str, float] | pd.Series, form: Form) -> str:
    """Return what was measured of the numbers of some levels: `x4,225 at -O0, x688 at -O3`."""
    measured = pd.Series(numbers, dtype=float).dropna()
    texts = []
    for level, number in measured.items():
        texts.append(f"{form(number)} at -{level}")
    if not texts:
        return "not measured"
    return ", ".join(texts)


def ink(colour: Any) -> str:
    """Return a dark or a light colour of text, whichever is read more easily on this colour."""
    red, green, blue = to_rgb(colour)
    brightness = 0.299 * red + 0.587 * green + 0.114 * blue
    return COLOUR["dark-ink" if brightness > 0.45 else "light-ink"]


def label(
    axes: Axes,
    text: str,
    at: tuple[float, float],
    by: tuple[float, float] = (4, 0),
    **look: Any,
) -> None:
    """Write a text beside a place, `by` so many points to the right and up."""
    look.setdefault("va", "center")
    axes.annotate(text, at, by, textcoords="offset points", **look)


def numbers(axes: Axes, along: str, form: Form, few: bool = False) -> None:
    """Write the numbers along `x` or `y` in a form; `few`: none between the main ones."""
    axis = axes.xaxis if along == "x" else axes.yaxis
    axis.set_major_formatter(lambda value, _: form(value))
    if few:
        axis.set_minor_locator(NullLocator())


def names(
    axes: Axes, along: Literal["x", "y"], texts: Sequence[str], **look: Any
) -> None:
    """Write a name at each whole number along `x`, or `y` downwards, without grid and ticks."""
    look.setdefault("color", "black")
    places = range(len(texts))
    if along == "x":
        axes.set_xticks(places, texts, **look)
    else:
        axes.set_yticks(places, texts, **look)
        rows = max(1, len(texts))
        axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(False, axis=along)
    axes.tick_params(axis=along, length=0)


def title(axes: Axes, text: str, colour: str = GREY) -> None:
    """Head a panel with what it shows; a level is in its colour."""
    weight = "normal" if colour == GREY else "bold"
    axes.set_title(text, color=colour, fontweight=weight)


def end(
    axes: Axes,
    text: str,
    at: tuple[Any, float],
    colour: str,
    by: int = 10,
    **look: Any,
) -> None:
    """Write a text to the right of a point.  `drawing` moves apart those that meet."""
    white = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    label(axes, text, at, (by, 0), color=colour, gid=SPREAD, bbox=white, **look)


def rung_names(snapshots: list[Snapshot]) -> list[tuple[str, str]]:
    """Return the snapshots' names, in brackets those off the main line, and ideas."""
    line = main_line(snapshots)
    pairs = []
    for snapshot in snapshots:
        name = snapshot.name
        if name not in line:
            name = f"({name})"
        idea, _, _ = snapshot.idea.partition(":")
        pairs.append((name, idea))
    return pairs


def step_names(steps: pd.DataFrame) -> pd.Series:
    """Return the name of each step: its idea, its parent and its rung."""
    return steps["idea"] + "   " + steps["parent"] + " to " + steps["snapshot"]


def by_rung(
    axes: Axes,
    wide: pd.DataFrame,
    snapshots: list[Snapshot],
    form: Form,
    ticks: Form,
) -> None:
    """Draw a line for each level, a column of `wide`, over the rungs, on a
    logarithmic axis: the main line, dotted what branches off it, and level
    and number at the end; `form` and `ticks` write the numbers there and on
    the axis."""
    order = [snapshot.name for snapshot in snapshots]
    axes.xaxis.update_units(order)  # type: ignore[no-untyped-call]
    for level in wide:
        measured = wide[level].dropna()
        last = _line_of_level(axes, level, measured, snapshots)
        for rung, number in last.items():
            text = f"-{level}  {form(number)}"
            end(axes, text, (rung, number), COLOUR[level], fontweight="bold")
    axes.set_yscale("log")
    numbers(axes, "y", ticks, few=True)
    inches = axes.figure.bbox.width / axes.figure.dpi
    characters = max(10, int(13 * inches / len(snapshots)))
    wrapper = textwrap.TextWrapper(
        characters, break_on_hyphens=False, break_long_words=False
    )
    texts = []
    for name, idea in rung_names(snapshots):
        texts.append(f"{name}\n{wrapper.fill(idea)}")
    names(axes, "x", texts, fontsize=theme.POINTS["labels"])
    axes.set_xlim(-0.4, len(snapshots) - 0.15)


def _line_of_level(
    axes: Axes,
    level: str,
    measured: pd.Series,
    snapshots: list[Snapshot],
) -> pd.Series:
    """Draw the main line and, dotted, what branches off it; return the last number of the line."""
    look: dict[str, Any] = {"color": COLOUR[level], "marker": LEVEL[level].marker}
    line = main_line(snapshots)
    main = measured[[name for name in line if name in measured]]
    axes.plot(list(main.index), main, linewidth=2, **look)
    dotted: dict[str, Any] = {
        "linestyle": ":",
        "markevery": [-1],
        "markerfacecolor": "white",
    }
    for side in snapshots:
        if side.name in line or side.name not in measured:
            continue
        branch = measured[
            [name for name in (side.parent, side.name) if name in measured]
        ]
        axes.plot(list(branch.index), branch, **dotted, **look)
    return main.tail(1)


def bars(
    axes: Axes,
    rows: Sequence[str],
    values: Iterable[float | None],
    words: Iterable[str],
    colours: Any,
    start: int = 0,
) -> None:
    """Draw a bar for each row with its words at its end; what has no number has words alone."""
    ends = pd.Series(values, dtype=float).fillna(start)
    drawn = axes.barh(range(len(rows)), ends - start, 0.62, left=start, color=colours)
    axes.bar_label(drawn, list(words), padding=4, fontsize=theme.POINTS["texts"])
    names(axes, "y", rows, fontsize=theme.POINTS["texts"])
    axes.margins(x=0.3)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    numbers(axes, "x", whole)


def stacked(
    name: str,
    answer: str,
    size: tuple[float, float],
    facts: Facts,
    along: str,
    form: Form,
    colours: Mapping[str, str],
    frames: Mapping[str, pd.DataFrame],
    **panels: Any,
) -> Chart:
    """Return a chart with a panel for each frame below its heading, a level's or
    none: a bar for each row with a part for each of `colours`, a column of
    the frame; negative parts to the left of 0.  Right of a bar stands its
    text of a column `beside`.  A part shows its name and number, or its
    number, where it has room."""
    with asking(name, answer, size, facts, **panels) as (chart, _):
        for axes, (heading, rows) in zip(chart.figure.axes, frames.items()):
            parts = rows[list(colours)]
            parts.plot.barh(
                ax=axes,
                stacked=True,
                color=list(colours.values()),
                width=0.84,
                edgecolor="white",
                linewidth=0.6,
                legend=False,
                ylabel="",
            )
            axes.axvline(0, color=GREY, linewidth=1)
            axes.grid(False)
            axes.margins(x=0)
            names(axes, "y", list(rows.index))
            numbers(axes, "x", whole)
            title(axes, heading, COLOUR.get(heading.removeprefix("-"), GREY))
            beside = rows.get("beside", pd.Series()).fillna(NONE)
            right_of_panel = axes.get_yaxis_transform()
            for y, text in enumerate(beside):
                label(axes, text, (1, y), xycoords=right_of_panel)
        chart.figure.axes[-1].set_xlabel(along)
        settle(chart.figure)  # which says how wide a part is
        for axes in chart.figure.axes:
            _name_parts(axes, form)
    return chart


def _name_parts(axes: Axes, form: Form) -> None:
    """Write what the parts of bars are called, where there is room."""
    low, high = axes.get_xlim()
    inches = axes.get_window_extent().width / axes.figure.dpi
    letter = LETTER * (high - low) / inches  # in units of the axis
    every: list[Any] = list(axes.containers)
    for part in every:
        words = []
        for value in part.datavalues:
            room = abs(value) / letter
            number = form(value)
            full = f"{part.get_label()} {number}".strip()
            words.append(_first_that_fits(room, full, number))
        shade = ink(part[0].get_facecolor())
        axes.bar_label(
            part,
            words,
            label_type="center",
            fontsize=theme.POINTS["labels"],
            color=shade,
        )


def _first_that_fits(room: float, *texts: str) -> str:
    """Return the first text that has room for its letters, or no text."""
    for text in texts:
        if len(text) < room:
            return text
    return ""
