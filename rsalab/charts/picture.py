"""What every chart has: its look, its words, and a picture that is the same bytes each time."""

import io
import textwrap
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib
import matplotlib.style
import pandas as pd
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind readers tell apart; a marker each for print in grey.
COLOUR = {"O0": "#d55e00", "O1": "#0072b2", "O3": "#00795a"}
MARKER = {"O0": "o", "O1": "s", "O3": "^"}
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


def own_fonts() -> None:
    """Makes FAMILY known: the four faces that matplotlib brings, whatever else is installed."""
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    for path in sorted(Path(matplotlib.get_data_path(), "fonts", "ttf").glob("DejaVuSans*.ttf")):
        entry = font_manager.ttfFontProperty(font_manager.get_font(str(path)))
        if entry.name == "DejaVu Sans" and FAMILY not in known:
            font_manager.fontManager.ttflist.append(replace(entry, name=FAMILY))


own_fonts()


def style() -> AbstractContextManager:
    """The look, whatever the reader's own settings."""
    return matplotlib.style.context(["default", LOOK])


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture with its words.  `name` is the file's, without an ending."""

    name: str
    question: str
    answer: str
    caption: str
    figure: Figure

    def __repr__(self) -> str:
        """The words, for readers without pictures."""
        return f"{self.answer}. {self.caption}"

    def bytes(self, form: str) -> bytes:
        """The picture as `svg` or `png`, without date or version."""
        nothing = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=form, dpi=DPI, metadata=nothing)
        return file.getvalue()

    def _repr_png_(self) -> tuple[bytes, dict]:
        """What a notebook shows, at its size on the page."""
        width = int(self.figure.get_figwidth() * 100)
        return self.bytes("png"), {"width": width}


def frame(answer: str, caption: str, size: tuple[float, float], **panels: object) -> tuple:
    """A figure with the answer above and the caption below, and its axes."""
    figure = Figure(figsize=size, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)
    axes = figure.subplots(**panels)
    width = int(size[0] * 10.5)
    lines = textwrap.wrap(answer, width)
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=12, fontweight="bold")
    note = "\n".join(textwrap.wrap(caption, int(size[0] * 17)))
    figure.supxlabel(note, x=0.01, ha="left", fontsize=7.5, color=GREY)
    return figure, axes


def settle(figure: Figure) -> None:
    """Fix the layout, so that drawing twice gives the same picture."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def label_points(axes: Axes, x: pd.Series, y: pd.Series, names: pd.Series) -> None:
    """A name beside each point, on the first side where it covers no point and no other name."""
    sides = [(8, -3), (-22, -3), (-6, 8), (-6, -16), (8, 8), (-22, 8), (8, -16), (-22, -16)]
    points = axes.transData.transform(list(zip(x, y)))
    scale = axes.figure.dpi / 72
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    for (px, py), place, name in zip(points, zip(x, y), names):
        boxes = [(px + dx * scale, py + dy * scale) for dx, dy in sides]
        free = [
            all(bx + 20 < left or bx > r or by + 11 < b or by > t for left, b, r, t in taken)
            for bx, by in boxes
        ]
        best = free.index(True) if True in free else 0
        bx, by = boxes[best]
        taken.append((bx, by, bx + 20, by + 11))
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.8}
        axes.annotate(
            name, place, sides[best], textcoords="offset points", fontsize=8.5, bbox=ground
        )
