"""Pictures of the units that tools draw: a waveform and schematics."""

import re
from pathlib import Path

from rsalab.charts import picture
from rsalab.charts.picture import PALE, Chart, drawing
from rsalab.charts.theme import POINTS
from studies.hardware import hardware
from studies.hardware.hardware import UNITS

SIGNALS = ("start", "slot", "kind", "kind1", "kind2", "kind3", "kind4", "turn", "done")
STEPS = ("", "x y", "q", "q n")  # of h6
SHADES = ("white", "#9ecae1", "#fdae6b", "#a1d99b")


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
                    fontsize=POINTS["crowded"],
                )
        picture.names(axes, "y", SIGNALS)
        axes.set(xlim=(0, len(found)), xlabel="clocks")
    return chart


def schematic(unit: str) -> str:
    """Return a processor's unit, drawn by yosys and Graphviz, as SVG.  Raises Failure."""
    prefix = hardware.BUILD / unit
    read = f'read_verilog "{hardware.HERE}/cores/units/{unit}.v"'
    show = f"prep -top {unit}; opt_clean; show -format dot -prefix {prefix} {unit}"
    hardware.tool(["yosys", "-q", "-p", f"{read}; {show}"], 60)
    return hardware.tool(["dot", "-Tsvg", f"{prefix}.dot"], 60)
