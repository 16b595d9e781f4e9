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
SHOWN = ("start", "slot", "kind", "kind1", "kind2", "kind3", "kind4", "turn", "done")
STEPS = ("", "x y", "q", "q n")  # of h6
SHADES = ("white", "#9ecae1", "#fdae6b", "#a1d99b")


def trade() -> Chart:
    """Time and area of a product against the bits of x in a clock, and area against time."""
    rows = [row for row in hardware.known() if row["target"] == ECP5]
    best = min((r for r in rows if r["width"] == "128"), key=lambda row: int(row["ns"]))
    note = (
        f"{ECP5}; clocks / clock rate after routing, the median of up to five seeds; LUTs of the"
        " unit alone. Left: h2 and h3, whose rounds are in a row within a clock. Filled: 128 bits;"
        " hollow: 64 bits."
    )
    answer = f"The fastest of 128 bits is {best['unit']}: {best['ns']} ns, {best['luts']} LUTs"
    with drawing("hardware", "What does a product cost?", answer, note, (9, 4), ncols=2) as (
        chart,
        (left, right),
    ):
        area = left.twinx()
        for width, fill in (("128", "full"), ("64", "none")):
            mine = [r for r in rows if r["width"] == width]
            some = [r for r in mine if r["unit"] in ("h2", "h3")]
            bits = [int(r["value"] or 1) for r in some]
            left.plot(bits, [int(r["ns"]) for r in some], "o-", color="#0072b2", fillstyle=fill)
            area.plot(bits, [int(r["luts"]) for r in some], "s:", color=GREY, fillstyle=fill)
            for r in mine:
                right.plot(int(r["ns"]), int(r["luts"]), "o", color="#0072b2", fillstyle=fill)
                name = f"{r['unit']}, {r['value']}" if r["unit"] == "h3" else r["unit"]
                picture.label(right, name, (int(r["ns"]), int(r["luts"])), fontsize=8)
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
    """Clocks of a product of 128 bits, of 32 for MMM_1, on both cores."""
    found = [r for core in CORES for r in read_rows(ROOT / f"results/core-{core}/units.csv")]
    some = [r for r in found if r["operation"] == "mont_mul" and r["kernel"][:5] != "probe"]
    some = [r for r in some if r["width"] in (32, 128)]
    names = list(dict.fromkeys((r["kernel"], r["unit"], r["width"]) for r in some))
    note = "Mean of 20 products, kernels in C at -O3 (cores/units), simulated; exact."
    answer = f"128 bits, PicoRV32 / VexRiscv: words in C {hardware.both('words', 128, 'serial')},"
    answer += f" a unit for bits {hardware.both('serial-carry', 128, 'serial')}"
    with drawing("kernels", "What does a unit gain?", answer, note, (7.5, 4)) as (chart, axes):
        for shift, (core, (label, shade)) in zip((-0.2, 0.2), CORES.items()):
            clocks = [r["cycles"] / r["n"] for r in some if r["core"] == core]
            places = [row + shift for row in range(len(names))]
            bars = axes.barh(places, clocks, 0.38, color=shade, label=label)
            axes.bar_label(bars, [f"{n:,.0f}" for n in clocks], padding=3, fontsize=7.5)
        axes.set(xscale="log", xlim=(10, 50_000))
        picture.numbers(axes, "x", picture.brief)
        texts = [f"{kernel}{f' ({u})' * bool(u)}, {width} bits" for kernel, u, width in names]
        picture.names(axes, "y", texts)
        axes.legend(frameon=False)
    return chart


def states(dump: str) -> list[dict[str, int]]:
    """The signals of SHOWN between clocks: the values in a VCD file at even times."""
    codes = dict(re.findall(r"\$var \w+ \d+ (\S+) (\w+)", dump))
    now: dict[str, int] = {}
    found: list[dict[str, int]] = []
    for line in dump.partition("$enddefinitions")[2].splitlines():
        if line.startswith("#") and int(line[1:]) % 2:
            found.append(dict(now))
        elif change := re.fullmatch(r"b?([01xz]+) ?(\S+)", line):
            value, code = change.groups()
            now[codes.get(code, "")] = int(value, 2) if set(value) <= {"0", "1"} else 0
    return found


def waveform(folder: Path) -> Chart:
    """A product of 64 bits in h6, clock by clock, by Icarus Verilog.  Raises Failure."""
    n = 2**64 - 59
    dump, vectors = folder / "h6.vcd", folder / "vectors.txt"
    hardware.simulate(folder, "h6", 64, 32, [(n - 1, n - 2, n)])
    hardware.tool(["vvp", "-n", folder / "bench", f"+vectors={vectors}", f"+wave={dump}"], 60)
    found = states(dump.read_text())
    note = (
        "h6, 64 bits in words of 32, simulated by Icarus Verilog. A clock begins one multiplication"
        " at most (kind), and four clocks later it ends (kind4): x y, the digit q of the quotient,"
        " or q n. White: nothing. slot counts the clocks of a row; turn is set after the last row."
    )
    begun = sum(state.get("kind", 0) > 0 for state in found)
    answer = f"{UNITS['h6'].clocks(64, 32)} clocks, of which {begun} begin a multiplication"
    with drawing("wave", "What does h6 do in each clock?", answer, note, (11, 4)) as (chart, axes):
        for row, name in enumerate(SHOWN):
            for clock, state in enumerate(found):
                value = state.get(name, 0)
                shade, text = "white" if not value else "#dddddd", ""
                if name.startswith("kind"):
                    shade, text = SHADES[value], STEPS[value]
                elif name == "slot":
                    shade, text = "white", str(value)
                axes.barh(row, 1, 0.8, clock, color=shade, edgecolor=PALE)
                axes.text(clock + 0.5, row, text, ha="center", va="center", fontsize=6)
        picture.names(axes, "y", SHOWN)
        axes.set(xlim=(0, len(found)), xlabel="clocks")
    return chart


def show() -> None:
    """All of it, in a notebook."""
    from IPython.display import SVG, Image, Markdown, display

    display(Markdown(hardware.verdicts()), trade(), kernels())
    display(Image(str(hardware.HERE / "wave.png"), width=1100))
    display(*(SVG(str(hardware.HERE / f"{unit}.svg")) for unit in ("mmm_1_hw", "carry")))


def schematic(unit: str) -> str:
    """A processor's unit, drawn by yosys and Graphviz, as SVG.  Raises Failure."""
    made = hardware.BUILD / unit
    read = f'read_verilog "{hardware.HERE}/cores/units/{unit}.v"'
    show = f"prep -top {unit}; opt_clean; show -format dot -prefix {made} {unit}"
    hardware.tool(["yosys", "-q", "-p", f"{read}; {show}"], 60)
    return hardware.tool(["dot", "-Tsvg", f"{made}.dot"], 60)
