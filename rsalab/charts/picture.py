"""What every chart has: its look, its words, and a picture that is the same bytes each time.

A chart's title is its question with one computed number; its caption says
platform, compiler and metric.  Below are what charts draw with: axes of rungs
and numbers, lines over the rungs, labels.
"""

import io
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import matplotlib
import matplotlib.style
import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox
from PIL import Image

from records.ladder import LADDER, Snapshot
from records.results import FULL, Results
from records.tables import whole
from rsalab.frames import main_line

# Okabe and Ito's colours, which colour-blind readers tell apart; and marks for print in grey.
COLOUR = {"O0": "#d55e00", "O1": "#0072b2", "O3": "#00795a"}
MARKER = {"O0": "o", "O1": "s", "O3": "^"}
HATCH = {"O0": "", "O1": "////", "O3": "xx"}
GREY, PALE = "#5c5c5c", "#e2e2e2"
FAMILY = "DejaVu Sans of matplotlib"  # the system's may be another version
LOOK = {
    "svg.hashsalt": "rsalab",
    "svg.fonttype": "path",
    "font.family": FAMILY,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.labelcolor": GREY,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "figure.facecolor": "white",
}
DPI = 130
MOST, COLOURS = 45_000, 24  # bytes of a notebook's picture, 60 kB as its text; and its colours
WIDTH = 7.5  # inches: as wide as a page of the report, so that its text has the size of the text
SPREAD = "spread"  # the mark of texts that move apart
TRIPS = "round trips (encrypt and decrypt a message, exponents of full length)"
Encoded = bytes  # Chart has a method of this name


def own_fonts() -> None:
    """Makes FAMILY known: the four faces that matplotlib brings, whatever else is installed."""
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    for path in sorted(Path(matplotlib.get_data_path(), "fonts", "ttf").glob("DejaVuSans*.ttf")):
        entry = font_manager.ttfFontProperty(font_manager.get_font(str(path)))
        if entry.name == "DejaVu Sans" and FAMILY not in known:
            font_manager.fontManager.ttflist.append(replace(entry, name=FAMILY))


own_fonts()


def style() -> AbstractContextManager[None]:
    """The look, whatever the reader's own settings."""
    return matplotlib.style.context(["default", LOOK])


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
        """What stands above the picture, and for it where no picture is shown."""
        return f"{self.question} {self.answer}"

    def __repr__(self) -> str:
        return f"{self.title}. {self.caption}"

    def bytes(self, form: str, dpi: int = DPI) -> bytes:
        """The picture as `svg` or `png`, without date or version; an `svg`
        has its title for who cannot see it."""
        svg = {"Date": None, "Creator": None, "Title": repr(self)}
        words = svg if form == "svg" else {"Software": None}
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=form, dpi=dpi, metadata=words)
        return file.getvalue()

    def _repr_png_(self) -> tuple[Encoded, dict[str, int]]:
        """What a notebook shows, at its size on the page; a rich chart is
        less fine, so that none takes more than MOST."""
        width = int(self.figure.get_figwidth() * 100)
        for dpi in (DPI, 115, 100, 85):
            data = of_few_colours(self.bytes("png", dpi))
            if len(data) <= MOST:
                break
        return data, {"width": width}


def of_few_colours(png: Encoded) -> Encoded:
    """The picture in its most frequent colours, which are the flat ones."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    colours: Any = image.getcolors(image.width * image.height)
    common = sorted(colours, reverse=True)[:COLOURS]
    palette, file = Image.new("P", (1, 1)), io.BytesIO()
    palette.putpalette([part for _, colour in common for part in colour])
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return file.getvalue()


def settle(figure: Figure) -> None:
    """Fix the layout, so that drawing twice gives the same picture."""
    if isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def spread(figure: Figure) -> None:
    """Moves the texts with the mark SPREAD up until none covers another.  The layout is settled."""
    for axes in figure.axes:
        texts = [text for text in axes.texts if isinstance(text, Annotation)]
        boxes = [(text.get_window_extent(), text) for text in texts if text.get_gid() == SPREAD]
        placed: list[Bbox] = []
        for box, text in sorted(boxes, key=lambda pair: (pair[0].y0, pair[1].get_text())):
            up = 0.0
            for other in sorted(placed, key=lambda other: other.y0):
                if box.translated(0, up).overlaps(other):
                    up = other.y1 + 1 - box.y0
            placed.append(box.translated(0, up))
            text.xyann = text.xyann[0], text.xyann[1] + up * 72 / figure.dpi


@contextmanager
def drawing(
    name: str, question: str, answer: str, caption: str, size: tuple[float, float], **panels: Any
) -> Iterator[tuple[Chart, Any]]:
    """A chart, its title above and its caption below, and its axes to draw
    on; at the end the layout is settled.  `size` is in inches, `panels` as
    of Figure.subplots; several axes come row by row."""
    with style():
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        axes = figure.subplots(**panels, squeeze=False).flat
        chart = Chart(name, question, answer, caption, figure)
        above = "\n".join(textwrap.fill(part, int(size[0] * 10)) for part in (question, answer))
        figure.suptitle(above, x=0.01, ha="left", fontsize=12, fontweight="bold")
        note = textwrap.fill(caption, int(size[0] * 16))
        figure.supxlabel(note, x=0.01, ha="left", fontsize=8, color=GREY)
        yield chart, axes[0] if len(axes) == 1 and not panels else list(axes)
        settle(figure)
        spread(figure)


def caption(results: Results, study: str = LADDER, case: str = FULL) -> str:
    """Platform, compiler, width, case and metric of a study's exact counts."""
    what = TRIPS if case == FULL else f"operations of {case}"
    return (
        f"{results.platform}, {results.compiler}; {study}, numbers of"
        f" {results.rungs(study)[0].width} bits; exact counts of the snapshot and the run-time that"
        f" it calls, mean of {whole(results.trips(case, study))} {what}."
    )


def named(name: str, study: str) -> str:
    """A chart's name: that of the ladder, and with the study behind it for any other."""
    return name if study == LADDER else f"{name}-{study}"


def times(ratio: float) -> str:
    """A factor in the digits that a picture needs: x1.48, x10.7, x2,477."""
    return f"x{ratio:.2f}" if ratio < 10 else f"x{ratio:.1f}" if ratio < 100 else f"x{whole(ratio)}"


def brief(value: float) -> str:
    """A count in three digits: 132 M, 12.4 M, 53.3 k; below 10,000 as it is."""
    if value < 1e4:
        return whole(value)
    value = float(f"{value:.3g}")
    return f"{value / 1e6:,g} M" if value >= 1e6 else f"{value / 1e3:g} k"


def at_levels(numbers: Mapping[str, float] | pd.Series, form: Callable[[float], str]) -> str:
    """`x4,225 at -O0, x688 at -O3`: what is known of the numbers of some levels."""
    known = pd.Series(numbers, dtype=float).dropna()
    said = [f"{form(number)} at -{level}" for level, number in known.items()]
    return ", ".join(said) or "not measured"


def ink(colour: Any) -> str:
    """Black or white, whichever is read more easily on this colour."""
    red, green, blue = to_rgb(colour)
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"


def title(axes: Axes, text: str, colour: str = GREY) -> None:
    """What a panel shows; a level is in its colour."""
    weight = "bold" if colour in COLOUR.values() else "normal"
    axes.set_title(text, color=colour, fontweight=weight)


def label(
    axes: Axes, text: str, at: tuple[float, float], by: tuple[float, float] = (4, 0), **look: Any
) -> None:
    """A text beside a place, `by` so many points to the right and up."""
    axes.annotate(text, at, by, textcoords="offset points", **{"va": "center", **look})


def numbers(axes: Axes, along: str, form: Callable[[float], str], few: bool = False) -> None:
    """How the numbers along `x` or `y` are written; `few`: none between the main ones."""
    axis = axes.xaxis if along == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    if few:
        axis.set_minor_locator(NullLocator())


def names(axes: Axes, along: Literal["x", "y"], texts: Sequence[str], **look: Any) -> None:
    """A name at each whole number along `x`, or along `y` downwards, without grid and ticks."""
    (axes.set_xticks if along == "x" else axes.set_yticks)(
        range(len(texts)), texts, **{"color": "black", **look}
    )
    axes.grid(False, axis=along)
    axes.tick_params(axis=along, length=0)
    if along == "y":
        axes.set_ylim(max(1, len(texts)) - 0.5, -0.5)


def bit_axis(axes: Axes, bits: Sequence[int], name: str) -> None:
    """Lengths of numbers along x, with room for the names of lines on the right."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(bits)
    axes.set_xticks([], minor=True)
    numbers(axes, "x", lambda x: f"{x:.0f}")
    axes.set_xlim(min(bits) * 0.85, max(bits) * 2.4)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set_xlabel(name)


Bars = tuple[str, Sequence[float | None], Sequence[str], Any]  # title, numbers, words, colours


def paired_bars(panels: Sequence[Axes], rows: list[str], *sides: Bars) -> None:
    """A panel for each side and a row for each name, its words at the end
    of its bar; what has no number has words alone."""
    for axes, (text, values, words, colours) in zip(panels, sides):
        widths = [value or 0 for value in values]
        bars = axes.barh(range(len(rows)), widths, color=colours, height=0.62)
        axes.bar_label(bars, words, padding=4, fontsize=8)
        names(axes, "y", rows, fontsize=8)
        axes.set_xlim(0, max(axes.get_xlim()[1], 1) * 1.25)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        numbers(axes, "x", whole)
        title(axes, text)


def rungs_down(axes: Axes, snapshots: list[Snapshot]) -> None:
    """Rungs downwards with their ideas; in brackets those that no rung continues."""
    ideas = (textwrap.shorten(s.idea.partition(":")[0], 36, placeholder="…") for s in snapshots)
    names(axes, "y", [f"{idea}   {name}" for idea, name in zip(ideas, bracketed(snapshots))])


def rungs_along(axes: Axes, snapshots: list[Snapshot]) -> None:
    """Rungs along x with their ideas; in brackets those that no rung continues."""
    width = axes.figure.bbox.width / axes.figure.dpi
    room = max(10, int(13 * width / len(snapshots)))  # characters
    ideas = [textwrap.fill(s.idea.partition(":")[0], room, break_on_hyphens=False,
                           break_long_words=False) for s in snapshots]  # fmt: skip
    texts = [f"{name}\n{idea}" for name, idea in zip(bracketed(snapshots), ideas)]
    names(axes, "x", texts, fontsize=8 if width > WIDTH else 7.5)
    axes.set_xlim(-0.4, len(snapshots) - 0.15)


def bracketed(snapshots: list[Snapshot]) -> list[str]:
    """The snapshots' names, in brackets those off the main line."""
    line = main_line(snapshots)
    return [s.name if s.name in line else f"({s.name})" for s in snapshots]


def by_rung(
    axes: Axes, wide: pd.DataFrame, snapshots: list[Snapshot], form: Callable[[float], str],
    ticks: Callable[[float], str],
) -> None:  # fmt: skip
    """A line for each level, a column of `wide`, over the rungs, on a
    logarithmic axis: the main line, dotted what branches off it, and level
    and number at the end; `form` and `ticks` write the numbers there and on
    the axis."""
    line, place = main_line(snapshots), {s.name: x for x, s in enumerate(snapshots)}
    ends: dict[str, tuple[float, float, str]] = {}
    for level in wide:
        here = wide[level].dropna()
        mark: dict[str, Any] = {"color": COLOUR[level], "marker": MARKER[level], "markersize": 6}
        main = [name for name in line if name in here]
        axes.plot([place[name] for name in main], here[main], linewidth=2, **mark)
        for side in (s for s in snapshots if s.name not in line and s.name in here):
            pair = [str(name) for name in (side.parent, side.name) if name in here]
            axes.plot([place[name] for name in pair], here[pair], linestyle=":", markevery=[-1],
                      markerfacecolor="white", **mark)  # fmt: skip
        for last in main[-1:]:
            ends[f"-{level}  {form(here[last])}"] = place[last], here[last], COLOUR[level]
    axes.set_yscale("log")
    numbers(axes, "y", ticks, few=True)
    rungs_along(axes, snapshots)
    line_ends(axes, ends, fontweight="bold")


def line_ends(axes: Axes, ends: Mapping[str, tuple[float, float, str]], **look: Any) -> None:
    """A text beside the end of each line, x, y and colour.  `drawing` moves
    apart those that meet."""
    look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for text, (x, y, colour) in ends.items():
        label(axes, text, (x, y), (10, 0), color=colour, gid=SPREAD, **look)


def stacked(axes: Axes, rows: pd.DataFrame, colours: Sequence[str]) -> None:
    """A bar for each row, a part for each column, negative ones to the left of 0."""
    rows.plot.barh(ax=axes, stacked=True, color=colours, width=0.84, edgecolor="white",
                   linewidth=0.6, legend=False, ylabel="")  # fmt: skip
    names(axes, "y", list(rows.index))
    axes.grid(False)


def name_parts(axes: Axes, form: Callable[[float], str], room: float) -> None:
    """In each part of stacked bars that has room its number, and its name
    where it first has room for both; `room` is what a character takes, in
    units of the axis."""
    every: list[Any] = list(axes.containers)
    for bars in every:
        words, named_already = [], False
        for value in bars.datavalues:
            number, full = form(value), f"{bars.get_label()} {form(value)}".strip()
            fits = [word for word in (full, number) if abs(value) > room * len(word)]
            words.append(fits[-1 if named_already else 0] if fits else "")
            named_already = named_already or bool(number) and words[-1] == full
        axes.bar_label(bars, words, label_type="center", fontsize=7.5,
                       color=ink(bars[0].get_facecolor()))  # fmt: skip
