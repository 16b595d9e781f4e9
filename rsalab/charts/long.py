"""Long numbers: where Karatsuba's method pays, which window is best, what the Chinese remainder
theorem saves."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from records.results import Results
from rsalab import long_numbers as long
from rsalab.charts import marks
from rsalab.charts.picture import GREY, PALE, Chart, drawing

SHADES = {1: "#0072b2", 2: "#00795a", 3: "#d55e00", 4: "#cc79a7"}  # by levels of the method
POINTS = {1: "s", 2: "^", 3: "o", 4: "D"}
NAMES = {"standard": "standard", "crt": "CRT"}
LONGEST = 1.7  # the axis ends here: a ratio above it needs no exact place


def caption(results: Results, what: str) -> str:
    """Platform, compiler and what is counted."""
    return (
        f"{results.platform}, {results.compiler}; studies/width-1024, exact instructions of {what},"
        " random operands, the compiler's run-time included."
    )


def crossover(results: Results) -> Chart:
    """Instructions with one to four levels of Karatsuba's method over those without, by size."""
    counts = long.load(results.folder)
    programs = [long.BEST, ("plain", "O3")]
    said = []
    for kind, level in programs:
        sizes = (long.crossover(counts, (kind, level), of) for of in (long.PRODUCT, long.SQUARE))
        words = (f"{of}s {_from(size)}" for of, size in zip((long.PRODUCT, long.SQUARE), sizes))
        said.append(f"{kind} -{level}, {', '.join(words)}")
    note = caption(results, "a Montgomery product or square") + (
        " The ratio is with the method / without it: below 1 the method pays. Ratios above"
        f" {LONGEST} are not shown."
    )
    with drawing(
        "long-crossover", "From which size on does Karatsuba's method pay?",
        "It pays: " + "; ".join(said), note, (11, 6), nrows=2, ncols=2, sharex=True, sharey=True,
    ) as (chart, panels):  # fmt: skip
        for row, program in zip(panels, programs):
            for axes, operation in zip(row, (long.PRODUCT, long.SQUARE)):
                axes.set_title(f"{operation}, {program[0]} -{program[1]}")
                _ratios(axes, counts, program, operation)
            row[0].set_ylabel("with / without")
        for axes in panels[-1]:
            axes.set_xlabel("bits")
        panels[-1][-1].legend(frameon=False, loc="upper left")
    return chart


def _from(size: int | None) -> str:
    return "never here" if size is None else f"from {size} bits"


def _ratios(axes: Axes, counts: long.Counts, program: long.Program, operation: str) -> None:
    numbers = [long.by_level(counts, program, operation, bits) for bits in long.SIZES]
    for level, shade in SHADES.items():
        pairs = [(bits, of[level], of[0]) for bits, of in zip(long.SIZES, numbers)]
        points = [(bits, n / plain) for bits, n, plain in pairs if n and plain]
        points = [(bits, ratio) for bits, ratio in points if ratio <= LONGEST]
        label = f"{level} level{'s' * (level > 1)}"
        if points:
            axes.plot(*_columns(points), color=shade, marker=POINTS[level], label=label)
    axes.axhline(1, color=GREY, linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(long.SIZES, [str(bits) for bits in long.SIZES])
    axes.set_ylim(0.85, LONGEST)


def _columns(points: Iterable[tuple[float, float]]) -> list[list[float]]:
    return [list(column) for column in zip(*points)] or [[], []]


def windows(results: Results) -> Chart:
    """Instructions of a power by window size, counted and by the cost model."""
    counts = long.load(results.folder)
    sizes = [bits for bits in long.SIZES if long.windows(counts, long.BEST, bits)]
    best = []
    for method in ("sliding", "fixed"):
        found = (long.windows(counts, long.BEST, bits)[method] for bits in sizes)
        bits_ = ", ".join(str(min(counted, key=counted.__getitem__)) for counted in found)
        best.append(f"{method} windows of {bits_} bits")
    note = caption(results, "a power with an exponent of full width, assembly -O3") + (
        " Model: bits squares, and 2^(w-1) - 1 + bits / (w + 1) products. Fixed windows read their"
        " whole table at each step, so that no address depends on the exponent."
    )
    with drawing(
        "long-windows", "Which window needs the fewest instructions?",
        f"At {', '.join(map(str, sizes))} bits: {'; '.join(best)}", note, (11, 4),
        ncols=len(sizes), squeeze=False,
    ) as (chart, panels):  # fmt: skip
        for axes, bits in zip(panels[0], sizes):
            of = long.windows(counts, long.BEST, bits)
            product, square = (
                long.by_level(counts, long.BEST, operation, bits)[0] or 0
                for operation in (long.PRODUCT, long.SQUARE)
            )
            for name, shade, point in (("sliding", SHADES[1], "s"), ("fixed", SHADES[3], "o")):
                axes.plot(
                    *_columns(sorted(of[name].items())), color=shade, marker=point, label=name
                )
            modelled = [(w, long.modelled_window(product, square, bits, w)) for w in of["sliding"]]
            axes.plot(*_columns(modelled), color=GREY, linestyle=":", label="sliding, model")
            axes.axhline(of["binary"][1], color=GREY, linewidth=1, label="binary")
            axes.set_title(f"{bits} bits")
            axes.set_xlabel("window in bits")
            marks.numbers(axes, "y", marks.brief)
            axes.legend(frameon=False)
        panels[0][0].set_ylabel("instructions")
    return chart


def remainder(results: Results) -> Chart:
    """The private operation of 1024 bits, plain and by the Chinese remainder theorem."""
    counts = long.load(results.folder)
    ways = long.WAYS | long.OWN_WAYS
    names = list(ways.values())
    numbers = {
        of: [
            long.instructions(counts, long.BEST, long.PRIVATE, 1024, f"{of}-{way}") or 0
            for way in ways
        ]
        for of in long.HOW
    }
    ratios = sorted(long.ratio(*pair) for pair in zip(*numbers.values()))
    what = "the private operation, 1024 bits, assembly -O3"
    note = caption(results, what) + (
        " By CRT the result is verified with e, which is counted, too. In constant time the windows"
        " are fixed, else they slide."
    )
    with drawing(
        "long-crt", "What does the Chinese remainder theorem save?",
        f"With it the operation needs {ratios[0]} to {ratios[-1]} fewer instructions", note,
        (11, 3.8),
    ) as (chart, axes):  # fmt: skip
        for shift, (of, shade) in zip((-0.2, 0.2), {"standard": PALE, "crt": SHADES[1]}.items()):
            places = [place + shift for place in range(len(names))]
            bars = axes.barh(places, numbers[of], height=0.36, color=shade, label=NAMES[of])
            axes.bar_label(bars, [marks.brief(n) for n in numbers[of]], padding=4)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.margins(x=0.3)
        axes.set_xlabel("instructions")
        marks.numbers(axes, "x", marks.brief)
        axes.legend(frameon=False, loc="center right")
    return chart
