"""RSA operations of OpenSSL by length of key: what each build executes, and the source's times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import ROOT
from records.published import about
from records.results import Results
from records.tables import factor
from rsalab import openssl
from rsalab.charts import marks
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.openssl import COLUMNS, OPERATIONS, PUBLISHED, published

SHORT = {"ours": "ours", "assembly": "assembly", "neon": "NEON", "c": "C"}
SHADES = dict(zip(SHORT, ("#0072b2", "#d55e00", "#00795a", "#cc79a7")))
POINTS = dict(zip(SHORT, "os^D"))


def operations(results: Results, root: Path = ROOT) -> Chart:
    """Instructions of each operation, and beside them the times of the source."""
    counts = openssl.load(results.query("select * from openssl"))
    bits = openssl.sizes(counts)
    theirs = published(root)
    whose = about(PUBLISHED, root)["source"]
    caption = (
        f"Left: {results.platform}, {results.compiler}; studies/openssl, exact instructions of an"
        " RSA operation of OpenSSL 3.1.1, with padding and blinding. Right, grey: times of the"
        f" {whose} on a Pi Zero W at 1 GHz, as published. Both axes are logarithmic."
    )
    with drawing(
        "openssl-operations", "How many instructions does an RSA operation of OpenSSL execute?",
        answer(counts, bits), caption, (11, 7.5), nrows=2, ncols=2, sharex=True,
    ) as (chart, panels):  # fmt: skip
        for (left, right), what in zip(panels, OPERATIONS):
            for name, shade in SHADES.items():
                numbers = pd.Series({n: counts[name, what, n].instructions for n in bits})
                line(left, SHORT[name], numbers, shade, POINTS[name])
                source = COLUMNS[name][3]
                if source:
                    times = pd.Series({n: 1000 * theirs[source, n, what] for n in bits})
                    title = "the source's" if name == openssl.OURS else SHORT[name]
                    line(right, title, times, GREY, POINTS[name])
            finish(left, bits, f"{what}: instructions", marks.power)
            finish(right, bits, f"{what}: ms on a Pi Zero W, published", lambda y: f"{y:,g}")
        for axes in panels[0]:
            axes.set_xlabel("")
    return chart


def answer(counts: openssl.Counts, bits: list[int]) -> str:
    """Factors of a signature of 2048 bits, or of the longest."""
    if not bits:
        return openssl.MISSING
    size = 2048 if 2048 in bits else bits[-1]
    ours, *others = (counts[name, "sign", size].instructions for name in COLUMNS)
    ratios = [f"{SHORT[name]} {factor(n / ours)}" for name, n in zip([*COLUMNS][1:], others)]
    return f"Instructions of a signature of {size} bits, others / ours: {', '.join(ratios)}"


def line(axes: Axes, name: str, numbers: pd.Series, shade: str, point: str) -> None:
    """A line, and its name at its end."""
    if len(numbers):
        axes.plot(numbers.index, numbers, color=shade, marker=point, markersize=4, linewidth=1.3)
        marks.line_ends(axes, {name: (numbers.index[-1], numbers.iloc[-1], shade)}, fontsize=8)


def finish(axes: Axes, bits: list[int], title: str, form: Callable[[float], str]) -> None:
    """Both axes logarithmic, with their names."""
    axes.set_yscale("log")
    marks.numbers(axes, "y", form, few=True)
    marks.grey_title(axes, title)
    if bits:
        marks.bit_axis(axes, bits, "bits of n")
