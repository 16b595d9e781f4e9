"""Whether a picture has room for its words."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from rsalab.charts.picture import Chart


def words(axes: Axes) -> Iterator[Text]:
    """Every text that is drawn in a panel."""
    yield from axes.texts
    yield from (axes.xaxis.label, axes.yaxis.label, *(axes.title, axes._left_title))
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        for tick in axis.get_major_ticks():
            if min(limits) <= tick.get_loc() <= max(limits):
                yield tick.label1


def crowded(chart: Chart) -> list[str]:
    """Texts that are cut by the picture's edge or that run into each
    other; [] in a good one."""
    figure = chart.figure
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [figure._suptitle, figure._supxlabel]
    texts += [
        text for axes in figure.axes if axes.get_visible() for text in words(axes)
    ]
    texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
    boxes = [
        (text.get_text(), Text.get_window_extent(text, renderer)) for text in texts
    ]
    found = []
    for place, (text, box) in enumerate(boxes):
        if min(box.x0, box.y0, figure.bbox.x1 - box.x1, figure.bbox.y1 - box.y1) < -1:
            found.append(f"cut: {text!r}")
        for other, near in boxes[place + 1 :]:
            width = min(box.x1, near.x1) - max(box.x0, near.x0)
            height = min(box.y1, near.y1) - max(box.y0, near.y0)
            if width > 1 and height > 2:
                found.append(f"{text!r} runs into {other!r}")
    return found
