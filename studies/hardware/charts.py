"""Pictures of the units: time, area and clocks from results/; a waveform, schematics from tools."""

import re
from pathlib import Path

from records.ladder import ROOT
from records.rows import read_rows
from records.tables import whole
from rsalab.charts import picture
from rsalab.charts.picture import GREY, PALE, Chart, drawing
from studies.hardware import hardware
from studies.hardware.hardware import ECP5, UNITS

CORES = {"picorv32": ("PicoRV32", "#d55e00"), "vexriscv": ("VexRiscv", "#00795a")}
SIGNALS = ("start", "slot", "kind", "kind1", "kind2", "kind3", "kind4", "turn", "done")
STEPS = ("", "x y", "q", "q n")  # of h6
SHADES = ("white", "#9ecae1", "#fdae6b", "#a1d99b")
BLUE = "#0072b2"


def trade() -> Chart:
    """Time and area of a product against the bits of x in a clock, and area against time."""
    rows = [row for row in hardware.synthesis_rows() if row["target"] == ECP5]
    of_128_bits = [row for row in rows if row["width"] == "128"]
    best = min(of_128_bits, key=lambda row: int(row["ns"]))
    note = (
        f"{ECP5}; clocks / clock rate after routing, the median of up to five seeds; LUTs of the"
        " unit alone. Left: h2 and h3, whose rounds are in a row within a clock. Filled: 128 bits;"
        " hollow: 64 bits."
    )
    question = "What does a product cost?"
    answer = f"The fastest of 128 bits is {best['unit']}: {best['ns']} ns, {best['luts']} LUTs"
    with drawing("hardware", question, answer, note, (9, 4), ncols=2) as (
        chart,
        (left, right),
    ):
        area = left.twinx()
        for width, fill in (("128", "full"), ("64", "none")):
            of_width = [row for row in rows if row["width"] == width]
            by_bits = [row for row in of_width if row["unit"] in ("h2", "h3")]
            bits = [int(row["value"] or 1) for row in by_bits]
            ns = [int(row["ns"]) for row in by_bits]
            luts = [int(row["luts"]) for row in by_bits]
            left.plot(bits, ns, "o-", color=BLUE, fillstyle=fill)
            area.plot(bits, luts, "s:", color=GREY, fillstyle=fill)
            for row in of_width:
                at = int(row["ns"]), int(row["luts"])
                name = (
                    f"{row['unit']}, {row['value']}"
                    if row["unit"] == "h3"
                    else row["unit"]
                )
                right.plot(*at, "o", color=BLUE, fillstyle=fill)
                picture.label(right, name, at, fontsize=8)
        picture.title(left, "Bits of x in a clock: ns (circles), LUTs (squares, right)")
        left.set_xscale("log", base=2)
        picture.numbers(left, "x", whole)
        picture.title(right, "LUTs against ns")
        for axes in (left, area, right):
            axes.set_ylim(bottom=0)
        right.set_xlim(left=0)
        area.grid(False)
    return chart


def kernels() -> Chart:
    """Return the clocks of a product of 128 bits, of 32 for MMM_1, on both cores."""
    rows = []
    for core in CORES:
        for row in read_rows(ROOT / f"results/core-{core}/units.csv"):
            probe = row["kernel"].startswith("probe")
            if (
                row["operation"] == "mont_mul"
                and row["width"] in (32, 128)
                and not probe
            ):
                rows.append(row)
    names = list(
        dict.fromkeys((row["kernel"], row["unit"], row["width"]) for row in rows)
    )
    note = "Mean of 20 products, kernels in C at -O3 (cores/units), simulated; exact."
    words = hardware.gains("words", 128, "serial")
    bits = hardware.gains("serial-carry", 128, "serial")
    question = "What does a unit gain?"
    answer = (
        f"128 bits, PicoRV32 / VexRiscv: words in C {words}, a unit for bits {bits}"
    )
    with drawing("kernels", question, answer, note, (7.5, 4)) as (chart, axes):
        for shift, (core, (label, shade)) in zip((-0.2, 0.2), CORES.items()):
            clocks = [row["cycles"] / row["n"] for row in rows if row["core"] == core]
            heights = [height + shift for height in range(len(names))]
            bars = axes.barh(
                heights,
                clocks,
                0.38,
                color=shade,
                label=label,
            )
            texts = [f"{number:,.0f}" for number in clocks]
            axes.bar_label(bars, texts, padding=3, fontsize=7.5)
        axes.set(xscale="log", xlim=(10, 50_000))
        picture.numbers(axes, "x", picture.brief)
        labels = []
        for kernel, unit, width in names:
            name = f"{kernel} ({unit})" if unit else kernel
            labels.append(f"{name}, {width} bits")
        picture.names(axes, "y", labels)
        axes.legend(frameon=False)
    return chart


def states(dump: str) -> list[dict[str, int]]:
    """Return the signals between clocks: the values in a VCD file at even times."""
    names = dict(re.findall(r"\$var \w+ \d+ (\S+) (\w+)", dump))
    now: dict[str, int] = {}
    found: list[dict[str, int]] = []
    for line in dump.partition("$enddefinitions")[2].splitlines():
        if line.startswith("#") and int(line[1:]) % 2:
            found.append(dict(now))
        elif change := re.fullmatch(r"b?([01xz]+) ?(\S+)", line):
            value, code = change.groups()
            known = set(value) <= {"0", "1"}
            now[names.get(code, "")] = int(value, 2) if known else 0
    return found


def cell(name: str, value: int) -> tuple[str, str]:
    """Return the colour and the text of a signal in a clock."""
    if name.startswith("kind"):
        return SHADES[value], STEPS[value]
    if name == "slot":
        return "white", str(value)
    return "#dddddd" if value else "white", ""


def waveform(folder: Path) -> Chart:
    """Return a product of 64 bits in h6, clock by clock, by Icarus Verilog.
    Raises Failure."""
    n = 2**64 - 59
    hardware.simulate(
        folder,
        "h6",
        64,
        32,
        [(n - 1, n - 2, n)],
    )
    dump = folder / "h6.vcd"
    options = [f"+vectors={folder / 'vectors.txt'}", f"+wave={dump}"]
    hardware.tool(["vvp", "-n", folder / "bench", *options], 60)
    found = states(dump.read_text())
    note = (
        "h6, 64 bits in words of 32, simulated by Icarus Verilog. A clock begins one multiplication"
        " at most (kind), and four clocks later it ends (kind4): x y, the digit q of the quotient,"
        " or q n. White: nothing. slot counts the clocks of a row; turn is set after the last row."
    )
    begun = sum(state.get("kind", 0) > 0 for state in found)
    question = "What does h6 do in each clock?"
    answer = (
        f"{UNITS['h6'].clocks(64, 32)} clocks, of which {begun} begin a multiplication"
    )
    with drawing("wave", question, answer, note, (11, 4)) as (chart, axes):
        for row, name in enumerate(SIGNALS):
            for clock, state in enumerate(found):
                shade, text = cell(name, state.get(name, 0))
                axes.barh(
                    row,
                    1,
                    0.8,
                    clock,
                    color=shade,
                    edgecolor=PALE,
                )
                axes.text(
                    clock + 0.5,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=6,
                )
        picture.names(axes, "y", SIGNALS)
        axes.set(xlim=(0, len(found)), xlabel="clocks")
    return chart


def show() -> None:
    """Show all of it, in a notebook."""
    from IPython.display import SVG, Image, Markdown, display

    display(Markdown(hardware.verdicts()), trade(), kernels())
    display(Image(str(hardware.HERE / "wave.png"), width=1100))
    for unit in ("mmm_1_hw", "carry"):
        display(SVG(str(hardware.HERE / f"{unit}.svg")))


def schematic(unit: str) -> str:
    """Return a processor's unit, drawn by yosys and Graphviz, as SVG.  Raises Failure."""
    prefix = hardware.BUILD / unit
    read = f'read_verilog "{hardware.HERE}/cores/units/{unit}.v"'
    show = f"prep -top {unit}; opt_clean; show -format dot -prefix {prefix} {unit}"
    hardware.tool(["yosys", "-q", "-p", f"{read}; {show}"], 60)
    return hardware.tool(["dot", "-Tsvg", f"{prefix}.dot"], 60)
