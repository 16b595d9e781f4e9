"""A made-up repository with made-up counts, and whether a picture has room for its words."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from rsalab import frames
from rsalab.charts.picture import Chart

HEAD = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat\n"
LINES = (
    "study,snapshot,level,case,file,line,offset,class,instructions,taken,load_accesses,"
    "store_accesses,n\n"
)
TRIP = "roundtrip-full"


def snapshots(root: Path, study: str, parents: dict[str, str], by_hand: Iterable[str] = ()) -> None:
    """Folders of a study: name -> parent, "" for none; those of by_hand have a mont.S."""
    folder = root / study if study == "iterations" else root / "studies" / study
    for name, parent in parents.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "rsa.c").write_text("")
        above = f"parent: {parent}\n" if parent else ""
        (folder / name / "README.md").write_text(f"---\nidea: Idea of {name}\n{above}---\n")
        if name in by_hand:
            (folder / name / "mont.S").write_text("")


def row(cell: str, metric: str, value: int, symbol: str = "total", case: str = TRIP, n: int = 10,
        ) -> str:  # fmt: skip
    """A line of a results file; `cell` is `study,snapshot,level`."""
    return f"{cell},{case},{metric},{symbol},{value},instructions,{n},0\n"


def whole(cell: str, instructions: int, loads: int = 0, stores: int = 0) -> list[str]:
    """The counts of a cell over ten operations, given as means."""
    values = {"instructions": instructions, "loads": loads, "stores": stores}
    values.update(dict.fromkeys(("branches", "multiplies", "neon"), 0))
    return [row(cell, metric, 10 * value) for metric, value in values.items()]


def parts(cell: str, classes: dict[str, int], runtime: int = 0, case: str = TRIP) -> list[str]:
    """The classes of a cell inside the snapshot, and instructions inside and all in all (means)."""
    inside = sum(classes.values())
    rows = [row(cell, f"class_{cls}", 10 * n, "snapshot", case) for cls, n in classes.items()]
    rows.append(row(cell, "instructions", 10 * inside, "snapshot", case))
    return [*rows, row(cell, "instructions", 10 * (inside + runtime), "total", case)]


def results(
    root: Path, counts: Iterable[str], sizes: Iterable[str] = (), lines: Iterable[str] = ()
) -> frames.Results:
    """A results folder, loaded."""
    folder = root / "results" / "qemu-gcc99"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "counts.csv").write_text(HEAD + "".join(counts))
    some = list(sizes) or [row("iterations,a,O0", "code_bytes", 4, case="static", n=1)]
    (folder / "asm.csv").write_text(HEAD + "".join(some))
    if lines:
        (folder / "lines.csv").write_text(LINES + "".join(lines))
    facts = {"platform": "qemu-gcc99", "compiler": "arm-gcc (Test) 99.1", "flags": "-marm"}
    facts.update({"date": "2030-01-02T03:04:05Z", "git_revision": "0" * 40, "git_clean": True})
    (folder / "machine.json").write_text(json.dumps(facts))
    return frames.load(folder, root)


def words(axes: Axes) -> Iterator[Text]:
    """Every text that is drawn in a panel."""
    yield from axes.texts
    yield from (axes.xaxis.label, axes.yaxis.label, *(axes.title, axes._left_title))
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        for tick in axis.get_major_ticks():
            if min(limits) <= tick.get_loc() <= max(limits):
                yield tick.label1


def crowded(chart: Chart) -> list[str]:
    """Texts that are cut by the picture's edge or that run into each other; [] in a good one."""
    figure = chart.figure
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [figure._suptitle, figure._supxlabel]
    texts += [text for axes in figure.axes if axes.get_visible() for text in words(axes)]
    texts = [text for text in texts if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
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
