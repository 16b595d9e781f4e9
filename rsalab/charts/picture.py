"""What every chart has: its look, its words, and a picture that is the same bytes each time.

A chart answers a question: the question stands above it in the text, the answer is its title, and
its caption says platform, compiler and metric.
"""

import io
import textwrap
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.style
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox
from PIL import Image

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
MOST, COLOURS = 45_000, 24  # bytes of a notebook's picture, 60 kB as its text; and its colours
WIDTH = 7.5  # inches: as wide as a page of the report, so that its text has the size of the text
SPREAD = "spread"  # the mark of texts that move apart
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
    """A picture with its words.  `name` is the file's, without an ending."""

    name: str
    question: str
    answer: str
    caption: str
    figure: Figure

    def __repr__(self) -> str:
        """The words, for readers without pictures."""
        return f"{self.answer}. {self.caption}"

    def bytes(self, form: str, dpi: int = DPI) -> bytes:
        """The picture as `svg` or `png`, without date or version."""
        nothing = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        file = io.BytesIO()
        with style():
            self.figure.savefig(file, format=form, dpi=dpi, metadata=nothing)
        return file.getvalue()

    def _repr_png_(self) -> tuple[Encoded, dict[str, int]]:
        """What a notebook shows, at its size on the page; a rich chart is less fine, so that none
        takes more than MOST."""
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
    """A chart, its answer above and its caption below, and its axes to draw on; at the end the
    layout is settled.  `size` is in inches, `panels` as of Figure.subplots."""
    with style():
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        axes = figure.subplots(**panels)
        title = textwrap.fill(answer, int(size[0] * 10))
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        note = textwrap.fill(caption, int(size[0] * 16))
        figure.supxlabel(note, x=0.01, ha="left", fontsize=8, color=GREY)
        yield Chart(name, question, answer, caption, figure), axes
        settle(figure)
        spread(figure)
