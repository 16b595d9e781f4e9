"""OpenSSL with assembly of its own: its times beside the ARM1176 model's."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from harness.count.arm1176 import arm1176
from harness.openssl.speed import OPERATIONS, Place, published
from records.ladder import ROOT
from records.numbers import NONE, percent
from records.published import about, read_csv
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.models import errors
from rsalab.sources.own import MODELLED, NOT_AVAILABLE, Own

SOURCE = "OpenSSL ARM assembly"
SPEED, COUNTS = "openssl-arm-speed.csv", "openssl-counts.csv"
MODEL = "#cc79a7"  # modelled points: a colour that no level has
CODES = ("OpenSSL assembly", "OpenSSL C")  # counted here
LINES, DOTS = ["-", "--"] * 2, ["o", "s"] * 2  # by code, for each operation


def modelled(root: Path = ROOT) -> dict[Place, float]:
    """Seconds of an operation by the ARM1176 model, from our counts of OpenSSL's arithmetic."""
    found = {}
    for row in read_csv(COUNTS, root):
        cycles = arm1176(int(row["instructions"]), int(row["multiplies_long"]))
        place = row["implementation"], int(row["bits"]), row["operation"]
        found[place] = cycles / errors.PI_ZERO
    return found


def own(place: Place, root: Path = ROOT) -> Own:
    """Our number for one of their times: modelled where OpenSSL's arithmetic was counted."""
    seconds = modelled(root).get(place)
    if seconds is None:
        return Own(NOT_AVAILABLE, "s")
    error = seconds / published(root)[place] - 1
    return Own(MODELLED, "s, ARM1176 model at 1 GHz", seconds, (error, error))


def table(root: Path = ROOT) -> str:
    """Every published time of an operation beside the model's, with the model's error."""
    rows, theirs = [], published(root)
    for name, bits in dict.fromkeys((name, bits) for name, bits, _ in theirs):
        cells, status = [name, str(bits)], []
        for operation in OPERATIONS:
            ours = own((name, bits, operation), root)
            cells += [f"{1000 * theirs[name, bits, operation]:,.3f}"]
            cells += [NONE if ours.value is None else f"{1000 * ours.value:,.3f}"]
            cells += [percent(*ours.error) if ours.error else NONE]
            status.append(ours.status)
        rows.append([*cells, "; ".join(dict.fromkeys(status))])
    head = ["implementation", "bits"]
    for operation in OPERATIONS:
        head += [f"{operation}, ms", "ours, ms", "error"]
    return markdown.table([*head, "status of ours"], rows, (0, len(head)))


def text(root: Path = ROOT) -> str:
    """The table, with what it is of."""
    facts, ours = about(SPEED, root), about(COUNTS, root)
    return (
        f"{facts['section']}: {facts['platform']}, {facts['compiler']}; times are elapsed time over"
        " operations as in the summary, which leaves out 15360 bits. Ours: instructions + 2 a long"
        f" multiply, counted in {ours['title'].partition(' of ')[2]}, {ours['platform']},"
        f" {ours['compiler']}, at 1 GHz. The model leaves out what is not arithmetic, and knows no"
        f" cache. Their new assembly is not built here.\n\n{table(root)}"
    )


def chart(root: Path = ROOT) -> Chart:
    """Their times by bits, and how far the model is from them."""
    theirs, ours = pd.Series(published(root)), pd.Series(modelled(root))
    ratio = ours / theirs[ours.index]
    spans = [
        f"{name}: {percent(some.min() - 1, some.max() - 1)}"
        for name, some in ratio.groupby(level=0, sort=False)
    ]
    facts = about(SPEED, root)
    caption = (
        f"Grey: {SOURCE}, {facts['section']}, as published: {facts['platform']}, time of an RSA"
        " operation, OpenSSL's own assembly and C. Violet: ARM1176 model at 1 GHz of our counts of"
        " OpenSSL 3.0.20's arithmetic. Modelled time / published time, baseline 1."
    )
    with drawing(
        "beside-openssl", "How far does the ARM1176 model reproduce OpenSSL's times?",
        f"The model's error by code, {'; '.join(spans)}", caption, (11, 4.8), nrows=1, ncols=2,
    ) as (made, (left, right)):  # fmt: skip
        times_panel(left, wide(1000 * theirs), wide(1000 * ours))
        error_panel(right, wide(ratio))
    return made


def wide(numbers: pd.Series) -> pd.DataFrame:
    """Numbers by place as a row for each length and a column for each kind of code and operation,
    of the codes that are counted here."""
    found = {
        f"{operation}, {name.removeprefix('OpenSSL ')}": numbers.xs((name, operation), level=(0, 2))
        for operation in OPERATIONS
        for name in CODES
    }
    return pd.DataFrame(found).sort_index()


def ends(lines: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """The place of each line's name: right of all lines, at the height where it ends."""
    return {str(name): (lines.index[-1], line.dropna().iloc[-1], GREY)
            for name, line in lines.items()}  # fmt: skip


def times_panel(axes: Axes, theirs: pd.DataFrame, ours: pd.DataFrame) -> None:
    """Milliseconds of an operation, published and modelled."""
    theirs.plot(ax=axes, style=LINES, color=GREY, linewidth=1.5, legend=False, logy=True)
    ours.plot(ax=axes, style=DOTS, color=MODEL, markersize=5, legend=False)
    marks.numbers(axes, "y", lambda y: f"{y:,g}")
    marks.grey_title(axes, "time of an operation, ms: published (lines), modelled (dots)")
    marks.bit_axis(axes, theirs.index, "bits of n")
    marks.line_ends(axes, ends(theirs), fontsize=8)


def error_panel(axes: Axes, ratio: pd.DataFrame) -> None:
    """Modelled over published, a line for each kind of code and operation."""
    ratio.plot(ax=axes, style=[d + line for d, line in zip(DOTS, LINES)], color=MODEL, legend=False)
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, 1.2)
    marks.numbers(axes, "y", lambda y: f"x{y:.1f}")
    marks.grey_title(axes, "modelled time / published time")
    marks.bit_axis(axes, ratio.index, "bits of n")
    marks.line_ends(axes, ends(ratio), fontsize=8)
