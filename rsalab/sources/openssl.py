"""The fifth source, OpenSSL with assembly of its own: its times beside the ARM1176 model's."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from records.ladder import ROOT
from rsalab.charts.picture import GREY, Chart, frame, settle, style
from rsalab.models import model_errors
from rsalab.models.model_table import percent
from rsalab.models.models import arm1176
from rsalab.published import about, read_csv
from rsalab.report import markdown
from rsalab.sources.status import MODELLED, NONE, NOT_AVAILABLE, Own

SOURCE = "OpenSSL ARM assembly"
SPEED, RUNS, COUNTS = "openssl-arm-speed.csv", "openssl-arm-runs.csv", "openssl-counts.csv"
OPERATIONS = {"private": "sign", "public": "verify"}  # in the runs, and in the summary
MODEL = "#cc79a7"  # modelled points: a colour that no level has
Place = tuple[str, int, str]  # implementation, bits, sign or verify


def published(root: Path = ROOT) -> dict[Place, float]:
    """Seconds of an operation, from the runs: elapsed time over operations, 15360 bits too."""
    return {
        (row["implementation"], int(row["bits"]), OPERATIONS[row["operation"]]): float(
            row["elapsed_s"]
        )
        / int(row["number"])
        for row in read_csv(RUNS, root)
    }


def modelled(root: Path = ROOT) -> dict[Place, float]:
    """Seconds of an operation by the ARM1176 model, from our counts of OpenSSL's arithmetic."""
    found = {}
    for row in read_csv(COUNTS, root):
        cycles = arm1176(int(row["instructions"]), int(row["multiplies_long"]))
        place = row["implementation"], int(row["bits"]), row["operation"]
        found[place] = cycles / model_errors.PI_ZERO
    return found


def own(place: Place, root: Path = ROOT) -> Own:
    """Our number for one of their times: modelled where OpenSSL's arithmetic was counted."""
    seconds: float | None = modelled(root).get(place)
    if seconds is None:
        return Own(NOT_AVAILABLE, "s")
    error = seconds / published(root)[place] - 1
    return Own(MODELLED, "s, ARM1176 model at 1 GHz", seconds, (error, error))


def table(root: Path = ROOT) -> str:
    """Every published time of an operation beside the model's, with the model's error."""
    rows, theirs = [], published(root)
    for name, bits in dict.fromkeys((name, bits) for name, bits, _ in theirs):
        cells, status = [name, str(bits)], []
        for operation in OPERATIONS.values():
            ours = own((name, bits, operation), root)
            cells += [f"{1000 * theirs[name, bits, operation]:,.3f}"]
            cells += [NONE if ours.value is None else f"{1000 * ours.value:,.3f}"]
            cells += [percent(*ours.error) if ours.error else NONE]
            status.append(ours.status)
        rows.append([*cells, "; ".join(dict.fromkeys(status))])
    head = ["implementation", "bits"]
    for operation in OPERATIONS.values():
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
    theirs, ours = published(root), modelled(root)
    errors = {place: ours[place] / theirs[place] - 1 for place in ours}
    spans = {
        name: percent(min(e), max(e))
        for name in dict.fromkeys(place[0] for place in errors)
        for e in [[error for place, error in errors.items() if place[0] == name]]
    }
    said = "; ".join(f"{name}: {span}" for name, span in spans.items())
    answer = f"The model's error by code, {said}"
    facts = about(SPEED, root)
    caption = (
        f"Grey: {SOURCE}, {facts['section']}, as published: {facts['platform']}, time of an RSA"
        " operation, OpenSSL's own assembly and C. Violet: ARM1176 model at 1 GHz of our counts of"
        " OpenSSL 3.0.20's arithmetic. Modelled time / published time, baseline 1."
    )
    with style():
        figure, panels = frame(answer, caption, (11, 4.8), nrows=1, ncols=2)
        times_panel(panels[0], theirs, ours)
        error_panel(panels[1], errors)
        settle(figure)
    question = "How far does the ARM1176 model reproduce the fifth source's times?"
    return Chart("beside-openssl", question, answer, caption, figure)


def bit_axis(axes: Axes, bits: list[int]) -> None:
    """Key lengths along a logarithmic axis."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(bits)
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
    axes.set_xlim(bits[0] * 0.85, bits[-1] * 2.4)
    axes.tick_params(axis="x", labelsize=7.5)
    axes.set_xlabel("bits of n")


def times_panel(axes: Axes, theirs: dict[Place, float], ours: dict[Place, float]) -> None:
    """Time of an operation, published and modelled."""
    for operation in OPERATIONS.values():
        for name, line in (("OpenSSL assembly", "-"), ("OpenSSL C", "--")):
            points = sorted(
                (b, s) for (n, b, o), s in theirs.items() if (n, o) == (name, operation)
            )
            x, y = zip(*points)
            axes.plot(x, [1000 * s for s in y], color=GREY, linestyle=line, linewidth=1.5)
            up = 8 if name.endswith("C") else -8
            axes.annotate(f"{operation}, {name[8:]}", (x[-1], 1000 * y[-1]), (6, up),
                          textcoords="offset points", va="center", color=GREY,
                          fontsize=8)  # fmt: skip
            model = sorted((b, s) for (n, b, o), s in ours.items() if (n, o) == (name, operation))
            face = MODEL if line == "-" else "white"
            axes.plot(*zip(*((b, 1000 * s) for b, s in model)), marker="o", linestyle="none",
                      color=MODEL, markerfacecolor=face, markersize=5)  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,g}"))
    axes.set_title("time of an operation, ms: published (lines), modelled (dots)", color=GREY)
    bit_axis(axes, sorted({bits for _, bits, _ in theirs}))


def error_panel(axes: Axes, errors: dict[Place, float]) -> None:
    """Modelled over published, a line for each kind of code and operation."""
    for name, line in (("OpenSSL assembly", "-"), ("OpenSSL C", "--")):
        for operation in OPERATIONS.values():
            points = sorted(
                (b, e) for (n, b, o), e in errors.items() if (n, o) == (name, operation)
            )
            x, y = zip(*((bits, 1 + error) for bits, error in points))
            face = MODEL if line == "-" else "white"
            axes.plot(x, y, color=MODEL, linestyle=line, marker="o", markerfacecolor=face)
            below = -10 if operation == "sign" else 0
            axes.annotate(f"{operation}, {name[8:]}", (x[-1], y[-1]), (4, below),
                          textcoords="offset points", va="center", color=GREY,
                          fontsize=8)  # fmt: skip
    axes.axhline(1, color="black", linewidth=1)
    axes.set_ylim(0, 1.2)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"x{y:.1f}"))
    axes.set_title("modelled time / published time", color=GREY)
    bit_axis(axes, sorted({bits for _, bits, _ in errors}))
