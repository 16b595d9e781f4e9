"""Two studies that are no ladders: long numbers (where Karatsuba's method
pays, which window is best, what the Chinese remainder theorem saves), and our
Montgomery product in OpenSSL.

Each chart raises Failure where its study was not counted.
"""

import itertools
from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes

from records.faults import Failure
from records.ladder import ROOT
from records.published import about
from records.results import Results
from records.tables import factor
from rsalab import long_numbers as long
from rsalab import openssl
from rsalab.charts import picture
from rsalab.charts.picture import GREY, PALE, Chart, drawing
from rsalab.openssl import COLUMNS, OPERATIONS, PUBLISHED, published

SHADES = {1: "#0072b2", 2: "#00795a", 3: "#d55e00", 4: "#cc79a7"}  # by levels of the method
POINTS = {1: "s", 2: "^", 3: "o", 4: "D"}
LONGEST = 1.7  # the axis ends here: a ratio above it needs no exact place
BUILDS = {"ours": "ours", "assembly": "assembly", "neon": "NEON", "c": "C"}  # of OpenSSL
LOOKS = dict(zip(BUILDS, zip(("#0072b2", "#d55e00", "#00795a", "#cc79a7"), "os^D")))


def _counted(results: Results) -> long.Counts:
    counts = long.load(results.folder)
    if not counts:
        raise Failure(f"{results.label}: no long numbers; `make width-1024` counts them")
    return counts


def _caption(results: Results, what: str) -> str:
    return (
        f"{results.platform}, {results.compiler}; studies/width-1024, exact instructions of {what},"
        " random operands, the compiler's run-time included."
    )


def crossover(results: Results) -> Chart:
    """Instructions with one to four levels of Karatsuba's method over those without, by size."""
    counts = _counted(results)
    programs = [long.BEST, ("plain", "O3")]
    size = long.crossover(counts, long.BEST, long.PRODUCT)
    kind, level = long.BEST
    note = (
        f"{_caption(results, 'a Montgomery product or square')} The ratio is with the method /"
        f" without it: below 1 the method pays. Ratios above {LONGEST} are not shown."
    )
    with drawing(
        "long-crossover", "From which size on does Karatsuba's method pay?",
        f"Products, {kind} -{level}: {f'from {size} bits' if size else 'never here'}", note,
        (11, 6), nrows=2, ncols=2, sharex=True, sharey=True,
    ) as (chart, panels):  # fmt: skip
        cases = itertools.product(programs, (long.PRODUCT, long.SQUARE))
        for axes, (program, operation) in zip(panels, cases):
            axes.set_title(f"{operation}, {program[0]} -{program[1]}: with / without")
            _ratios(axes, counts, program, operation)
        for axes in panels[2:]:
            axes.set_xlabel("bits")
        panels[-1].legend(frameon=False, loc="upper left")
    return chart


def _ratios(axes: Axes, counts: long.Counts, program: long.Program, operation: str) -> None:
    by_size = {bits: long.by_level(counts, program, operation, bits) for bits in long.SIZES}
    wide = pd.DataFrame(by_size, dtype=float).T
    for level, shade in SHADES.items():
        ratio = (wide[level] / wide[0]).dropna()
        ratio = ratio[ratio <= LONGEST]
        if len(ratio):
            axes.plot(ratio, color=shade, marker=POINTS[level],
                      label=f"{level} level{'s' * (level > 1)}")  # fmt: skip
    axes.axhline(1, color=GREY, linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_xticks(long.SIZES, [str(bits) for bits in long.SIZES])
    axes.set_ylim(0.85, LONGEST)


def windows(results: Results) -> Chart:
    """Instructions of a power by window size, counted and by the cost model."""
    counts = _counted(results)
    powers = {bits: long.windows(counts, long.BEST, bits) for bits in long.SIZES}
    powers = {bits: ways for bits, ways in powers.items() if ways}
    most = max(powers)
    best = min(powers[most]["sliding"], key=powers[most]["sliding"].__getitem__)
    what = "a power with an exponent of full width, assembly -O3"
    note = (
        f"{_caption(results, what)} Model: bits squares, and 2^(w-1) - 1 + bits / (w + 1) products."
        " Fixed windows read their whole table at each step, so that no address depends on the"
        " exponent."
    )
    with drawing(
        "long-windows", "Which window needs the fewest instructions?",
        f"Of {most} bits, sliding: {best} bits", note, (11, 4), ncols=len(powers),
    ) as (chart, panels):  # fmt: skip
        for axes, (bits, ways) in zip(panels, powers.items()):
            product, square = (
                long.by_level(counts, long.BEST, operation, bits)[0] or 0
                for operation in (long.PRODUCT, long.SQUARE)
            )
            for name, look in (("sliding", 1), ("fixed", 3)):
                axes.plot(pd.Series(ways[name]).sort_index(), color=SHADES[look],
                          marker=POINTS[look], label=name)  # fmt: skip
            model = {w: long.modelled_window(product, square, bits, w) for w in ways["sliding"]}
            axes.plot(pd.Series(model), color=GREY, linestyle=":", label="sliding, model")
            axes.axhline(ways["binary"][1], color=GREY, linewidth=1, label="binary")
            axes.set_title(f"{bits} bits")
            axes.set_xlabel("window in bits")
            picture.numbers(axes, "y", picture.brief)
            axes.legend(frameon=False)
        panels[0].set_ylabel("instructions")
    return chart


def remainder(results: Results) -> Chart:
    """The private operation of 1024 bits, plain and by the Chinese remainder theorem."""
    counts, ways = _counted(results), long.WAYS | long.OWN_WAYS
    needs = {
        of: [long.instructions(counts, long.BEST, long.PRIVATE, 1024, f"{of}-{way}") or 0
             for way in ways] for of in long.HOW
    }  # fmt: skip
    plain, split = needs.values()
    most = max(a / b for a, b in zip(plain, split) if b)
    note = (
        f"{_caption(results, 'the private operation, 1024 bits, assembly -O3')} By CRT the result"
        " is verified with e, which is counted, too. In constant time the windows are fixed, else"
        " they slide."
    )
    with drawing(
        "long-crt", "What does the Chinese remainder theorem save?", f"At most {factor(most)}",
        note, (11, 3.8),
    ) as (chart, axes):  # fmt: skip
        for shift, name, numbers, shade in (
            (-0.2, "standard", plain, PALE),
            (0.2, "CRT", split, SHADES[1]),
        ):
            places = [place + shift for place in range(len(ways))]
            bars = axes.barh(places, numbers, height=0.36, color=shade, label=name)
            axes.bar_label(bars, [picture.brief(n) for n in numbers], padding=4)
        picture.names(axes, "y", list(ways.values()))
        axes.margins(x=0.3)
        axes.set_xlabel("instructions")
        picture.numbers(axes, "x", picture.brief)
        axes.legend(frameon=False, loc="center right")
    return chart


def openssl_operations(results: Results) -> Chart:
    """Instructions of each RSA operation of OpenSSL, and beside them the times of the source."""
    counts = openssl.load(results.query("select * from openssl"))
    bits, theirs = openssl.sizes(counts), published(ROOT)
    if not bits:
        raise Failure(f"{results.label}: {openssl.MISSING}")
    size = 2048 if 2048 in bits else bits[-1]
    ours, code = (counts[name, "sign", size].instructions for name in (openssl.OURS, "assembly"))
    note = (
        f"Left: {results.platform}, {results.compiler}; studies/openssl, exact instructions of an"
        " RSA operation of OpenSSL 3.1.1, with padding and blinding. Right, grey: times of the"
        f" {about(PUBLISHED, ROOT)['source']} on a Pi Zero W at 1 GHz, as published. Both axes are"
        " logarithmic."
    )
    with drawing(
        "openssl-operations", "How many instructions does an RSA operation of OpenSSL execute?",
        f"Its assembly / ours, a signature of {size} bits: {factor(code / ours)}", note, (11, 7.5),
        nrows=2, ncols=2, sharex=True,
    ) as (chart, panels):  # fmt: skip
        for left, right, what in zip(panels[::2], panels[1::2], OPERATIONS):
            for name, (shade, point) in LOOKS.items():
                numbers = pd.Series({n: counts[name, what, n].instructions for n in bits})
                _line(left, BUILDS[name], numbers, shade, point)
                source = COLUMNS[name][3]
                if source:
                    times = pd.Series({n: 1000 * theirs[source, n, what] for n in bits})
                    title = "the source's" if name == openssl.OURS else BUILDS[name]
                    _line(right, title, times, GREY, point)
            _finish(left, bits, f"{what}: instructions", picture.brief)
            _finish(right, bits, f"{what}: ms on a Pi Zero W, published", lambda y: f"{y:,g}")
        for axes in panels[:2]:
            axes.set_xlabel("")
    return chart


def _line(axes: Axes, name: str, numbers: pd.Series, shade: str, point: str) -> None:
    """A line, and its name at its end."""
    axes.plot(numbers, color=shade, marker=point, markersize=4, linewidth=1.3)
    picture.line_ends(axes, {name: (numbers.index[-1], numbers.iloc[-1], shade)}, fontsize=8)


def _finish(axes: Axes, bits: list[int], title: str, form: Callable[[float], str]) -> None:
    """Both axes logarithmic, with their names."""
    axes.set_yscale("log")
    picture.numbers(axes, "y", form, few=True)
    picture.title(axes, title)
    picture.bit_axis(axes, bits, "bits of n")
