"""What README shows of the cores: `pages.py` writes its tables and the chart from results/."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from functools import cached_property
from math import isnan
from pathlib import Path
from statistics import median

import cores
import units

from records import ladder
from records.commands import command
from records.files import replace
from records.results import Results, load, reference
from records.rows import read_rows
from records.tables import whole
from rsalab.charts import picture
from rsalab.charts.picture import Chart
from rsalab.markdown import between
from studies.hardware.cores.cortex_m4 import published

HERE = Path("studies/hardware/cores")
# What a factor is of: at -O0 a product, because a round trip takes minutes there.
SHOWN = {level: "mont_mul" if level == "O0" else "roundtrip" for level in ladder.LEVELS}
ARM_WORKLOADS = {"mont_mul": "mont_mul", "roundtrip": "roundtrip-small"}
ARM = "arm"  # which has instructions alone
M4 = published.CORE  # a model
# What a factor is of: a core, and what of it.
COUNTS = [
    (ARM, "instructions"),
    (M4, "cycles"),
    ("picorv32", "instructions"),
    ("picorv32", "cycles"),
    ("vexriscv", "cycles"),
]
STUDIED_BESIDE = "alone/masked-addition"


class Ladder:
    """The factors of the ladder's steps, by the reference's instructions and by the cores."""

    def __init__(self, root: Path = ladder.ROOT) -> None:
        self.root = root
        self.cycles: dict[tuple[str, ...], dict[str, int]] = {}
        columns = ("core", "study", "snapshot", "level", "operation")
        for folder in (*cores.FOLDERS, f"core-{M4}"):
            for row in read_rows(root / "results" / folder / "cycles.csv"):
                cell = tuple(row[column] for column in columns)
                self.cycles[cell] = row

    @cached_property
    def arm(self) -> Results:
        """The reference's counts."""
        return load(reference(self.root), self.root)

    def cell(self, core: str, path: str, level: str, what: str) -> float | None:
        """Return what is shown of this level: cycles or instructions on a core, or instructions of
        the ARM; None where it was not measured."""
        study, name = path.split("/")[-2:]
        operation = SHOWN[level]
        if core == ARM:
            workload = ARM_WORKLOADS[operation]
            return self.arm.means(study, name, level, workload).get(what)
        if core == M4:
            operation = ARM_WORKLOADS[operation]
        row = self.cycles.get((core, study, name, level, operation))
        return row[what] / row["n"] if row else None

    def factors(self, parent: str, child: str, level: str) -> list[float]:
        """Return parent / child of all COUNTS; NaN where one was not measured."""
        found = []
        for core, what in COUNTS:
            above = self.cell(core, parent, level, what)
            below = self.cell(core, child, level, what)
            found.append(above / below if above and below else float("nan"))
        return found

    @cached_property
    def rungs(self) -> list[str]:
        """The rungs that were measured, in ladder order."""
        paths = [f"{rung.study}/{rung.name}" for rung in ladder.snapshots()]
        return [path for path in paths if self.cell(M4, path, "O1", "cycles")]

    @cached_property
    def steps(self) -> list[tuple[str, str]]:
        """Paths of parent and child, in ladder order, then the study and its parent."""
        study, _, name = STUDIED_BESIDE.partition("/")
        parents = {one.name: one.parent for one in ladder.snapshots(study)}
        found = list(zip(self.rungs, self.rungs[1:]))
        found.append((str(parents[name]), STUDIED_BESIDE))
        return found


def markdown(head: Sequence[str], sides: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table of these lines."""
    top = "|"
    for name in head:
        top += f" {name} |" if name else " |"
    rule = f"|{'|'.join(sides)}|"
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([top, rule, *rows])


def steps_table(found: Ladder) -> str:
    """Return the steps' factors as Markdown: a row a step and level, a column a count."""
    lines = []
    for parent, child in found.steps:
        for level in ladder.LEVELS:
            factors = found.factors(parent, child, level)
            cells = [factor_text(factor) for factor in factors]
            lines.append([Path(child).name, f"-{level}", SHOWN[level], *cells])
    head = ["step", "level", "of", *(text for text, _, _ in LOOKS)]
    return markdown(head, ["---"] * 3 + ["--:"] * len(LOOKS), lines)


def factor_text(factor: float) -> str:
    """Return a factor with two digits behind the point; a dash where nothing was measured."""
    return "-" if isnan(factor) else f"{factor:.2f}"


def model_table() -> str:
    """Return the published code with its cycles on silicon and by the model, as Markdown, and the
    range of the model's error."""
    rows = read_rows(ladder.ROOT / f"results/core-{M4}/validation.csv")
    table = published.table(rows)
    sides = ["---"] * 3 + ["--:"] * 3
    lines = markdown(table.head, sides, table.rows)
    errors = [published.error_percent(row) for row in rows]
    least = min(errors)
    most = max(errors)
    return f"{lines}\n\nThe error lies between {least:+.1f} and {most:+.1f} %."


def products() -> dict[tuple[str, int, str], float]:
    """Return cycles of a product by kernel, width and core."""
    found = {}
    for folder in cores.FOLDERS:
        for row in read_rows(ladder.ROOT / "results" / folder / "units.csv"):
            if row["operation"] == "mont_mul":
                key = row["kernel"], row["width"], row["core"]
                found[key] = row["cycles"] / row["n"]
    return found


def pairs_table() -> str:
    """Return the clocks of each pair of instructions, as Markdown: a row a core."""
    cycles = products()
    lines = []
    for core in cores.CORES:
        line = [core]
        for kernel in units.PROBES:  # the call and its return are less than 64 clocks
            line.append(str(int(cycles[kernel, 32, core]) // 64))
        lines.append(line)
    sides = ["---", *["--:"] * len(units.PAIRS)]
    return markdown(["", *units.PAIRS], sides, lines)


def units_table() -> str:
    """Return cycles of a product, PicoRV32 / VexRiscv, as Markdown: a row a kernel, a column a
    width."""
    cycles = products()
    lines = []
    for kernel, unit in {**units.ONE, **units.LONG}.items():
        line = [kernel, unit]
        for width in units.WIDTHS:
            pair = [cycles.get((kernel, width, core)) for core in cores.CORES]
            line.append(" / ".join(map(whole, filter(None, pair))))
        lines.append(line)
    head = ["kernel", "unit", *map(str, units.WIDTHS)]
    return markdown(head, ["---", "---", *["--:"] * len(units.WIDTHS)], lines)


def rates_table() -> str:
    """Return MHz of PicoRV32 on an ECP5, alone and with a unit: the median of the seeds and the
    range."""
    by_unit: dict[str, list[float]] = {}
    with (ladder.ROOT / "results/hardware/rates.csv").open() as file:
        for row in csv.DictReader(file):
            by_unit.setdefault(row["unit"], []).append(float(row["mhz"]))
    lines = []
    for unit, found in by_unit.items():
        spread = f"{min(found):.1f} to {max(found):.1f}; {len(found)}"
        lines.append([unit, f"{median(found):.1f} ({spread})"])
    return markdown(["unit", "MHz (range; seeds)"], ["---", "--:"], lines)


LOOKS = [  # of COUNTS
    ("A32 instructions", "#5c5c5c", "o"),
    ("cycles of Cortex-M4 (model)", "#cc79a7", "v"),
    ("RISC-V instructions", "#0072b2", "s"),
    ("cycles of PicoRV32", "#d55e00", "D"),
    ("cycles of VexRiscv", "#00795a", "^"),
]
DRAWN = (0, 2, 4, 3, 1)  # the order of the lines


def chart(found: Ladder) -> Chart:
    """Counts by rung, a panel for each level, a line for each count."""
    first, last = found.rungs[0], found.rungs[-1]
    gains = []
    for (text, _, _), gain in zip(LOOKS, found.factors(first, last, "O1")):
        if not isnan(gain):
            gains.append(f"{picture.times(gain)} in {text}")
    question = "Does a step's gain survive in clock cycles?"
    answer = f"{Path(last).name} against {Path(first).name} at -O1: {', '.join(gains)}"
    note = (
        "128 bits; a product at -O0, a round trip with exponents of full length at -O1 and -O3."
        " Unchanged sources; RISC-V: rv32im."
    )
    with picture.drawing("cores", question, answer, note, (9, 4), ncols=3) as (made, panels):
        for axes, level in zip(panels, ladder.LEVELS):
            for line in DRAWN:
                core, what = COUNTS[line]
                text, colour, mark = LOOKS[line]
                values = [found.cell(core, path, level, what) for path in found.rungs]
                axes.plot(values, label=text, color=colour, marker=mark, markersize=5)
            axes.set_yscale("log")
            picture.numbers(axes, "y", picture.brief, few=True)
            picture.names(axes, "x", [Path(path).name for path in found.rungs])
            picture.title(axes, f"-{level}, {SHOWN[level]}", picture.COLOUR[level])
        panels[-1].legend(frameon=False, fontsize=8)
    return made


def pages() -> None:
    """Write README's tables and the chart.  Raises Failure and OSError."""
    found = Ladder()
    readme = HERE / "README.md"
    text = readme.read_text("utf-8")
    blocks = {
        "steps": steps_table(found),
        "pairs": pairs_table(),
        "rates": rates_table(),
        "model": model_table(),
        "units": units_table(),
    }
    for name, block in blocks.items():
        text = between(text, name, block, str(readme))
    replace(readme, text)
    replace(HERE / "ladder.svg", chart(found).bytes("svg"))


if __name__ == "__main__":
    sys.exit(command("pages", pages))
