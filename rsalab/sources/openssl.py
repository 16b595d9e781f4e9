"""OpenSSL with assembly of its own: its times beside the ARM1176 model's."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from records.ladder import ROOT
from records.published import about
from records.tables import percent
from records.workload import RSA_SIZES as SIZES
from rsalab import openssl
from rsalab.charts import picture
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.openssl import COLUMNS, OPERATIONS, PUBLISHED, published

SOURCE = "OpenSSL ARM assembly"
MODEL = "#cc79a7"  # modelled points: a colour that no level has
CODES = {openssl.THEIRS: "assembly", openssl.C: "C"}  # counted here, and timed by the source
LINES, DOTS = ["-", "--"] * 2, ["o", "s"] * 2  # by code, for each operation


def text(root: Path = ROOT) -> str:
    """The table of times, with what it is of.  Raises Failure."""
    facts = about(PUBLISHED, root)
    return (
        f"{facts['section']}: {facts['platform']}, {facts['compiler']}; times are elapsed time over"
        " operations. Modelled: instructions + 2 x long multiplies of the whole operation, with"
        " padding and blinding, at 1 GHz. The model knows no cache and no misprediction."
        " Notebook 07 has the times of the new assembly beside ours.\n\n"
        f"{openssl.times(openssl.committed(root), root)}"
    )


def chart(root: Path = ROOT) -> Chart:
    """Their times by bits, and how far the model is from them.  Raises Failure."""
    theirs, ours = times(root)
    ratio = ours / theirs
    errors = {name: ratio.xs(name, axis=1, level=1).stack() - 1 for name in CODES.values()}
    spans = [
        f"{name}: {percent(some.min(), some.max())}" for name, some in errors.items() if len(some)
    ]
    said = f"The model's error by code, {'; '.join(spans)}" if spans else openssl.MISSING
    facts = about(PUBLISHED, root)
    caption = (
        f"Grey: {SOURCE}, {facts['section']}, as published: {facts['platform']}, time of an RSA"
        " operation, OpenSSL's own assembly and C. Violet: ARM1176 model at 1 GHz of our counts of"
        " the same operations. Modelled time / published time, baseline 1."
    )
    with drawing(
        "beside-openssl", "How far does the ARM1176 model reproduce OpenSSL's times?",
        said, caption, (11, 4.8), nrows=1, ncols=2,
    ) as (made, (left, right)):  # fmt: skip
        times_panel(left, theirs, ours)
        error_panel(right, ratio)
    return made


def times(root: Path = ROOT) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Milliseconds of OpenSSL's own code, published and modelled: a row for each length, a column
    for each operation and kind of code; not a number where it was not counted.  Raises Failure."""
    measured, counts = published(root), openssl.committed(root)
    theirs, ours = {}, {}
    for what in OPERATIONS:
        for name, code in CODES.items():
            source, found = COLUMNS[name][3], {n: counts.get((name, what, n)) for n in SIZES}
            theirs[what, code] = {n: 1000 * measured[source, n, what] for n in SIZES}
            ours[what, code] = {n: 1000 * c.seconds if c else nan for n, c in found.items()}
    return pd.DataFrame(theirs), pd.DataFrame(ours)


def ends(lines: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """The place of each line's name: right of all lines, at the height where it ends."""
    return {", ".join(name): (lines.index[-1], line.dropna().iloc[-1], GREY)
            for name, line in lines.dropna(axis=1, how="all").items()}  # fmt: skip


def times_panel(axes: Axes, theirs: pd.DataFrame, ours: pd.DataFrame) -> None:
    """Milliseconds of an operation, published and modelled."""
    theirs.plot(ax=axes, style=LINES, color=GREY, linewidth=1.5, legend=False, logy=True)
    ours.plot(ax=axes, style=DOTS, color=MODEL, markersize=5, legend=False)
    picture.numbers(axes, "y", lambda y: f"{y:,g}")
    picture.title(axes, "time of an operation, ms: published (lines), modelled (dots)")
    picture.bit_axis(axes, theirs.index, "bits of n")
    picture.line_ends(axes, ends(theirs), fontsize=8)


def error_panel(axes: Axes, ratio: pd.DataFrame) -> None:
    """Modelled over published, a line for each kind of code and operation."""
    ratio.plot(ax=axes, style=[d + line for d, line in zip(DOTS, LINES)], color=MODEL, legend=False)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, 1.2)
    picture.numbers(axes, "y", lambda y: f"x{y:.1f}")
    picture.title(axes, "modelled time / published time")
    picture.bit_axis(axes, ratio.index, "bits of n")
    picture.line_ends(axes, ends(ratio), fontsize=8)
