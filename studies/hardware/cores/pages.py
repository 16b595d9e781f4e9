"""What README shows of the cores: `pages.py` writes its tables and the chart from results/."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from records import ladder
from records.commands import command
from records.files import replace
from records.results import load, reference
from records.tables import whole
from records.typed import read_table
from rsalab import cycles
from rsalab.charts.cycles import in_cycles
from rsalab.markdown import between
from studies.hardware.cores import cores, kernels, reasons
from studies.hardware.cores.cortex_m4 import published

HERE = Path("studies/hardware/cores")
M4 = published.CORE  # a model
# A technique alone, which was simulated as the rungs were.
STUDIED_BESIDE = "masked-addition"

LIMIT_LEVEL = "O1"


def markdown(
    head: Sequence[str], sides: Sequence[str], lines: Sequence[Sequence[str]]
) -> str:
    """Return a table of these lines."""
    top = "|"
    for name in head:
        top += f" {name} |" if name else " |"
    rule = f"|{'|'.join(sides)}|"
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([top, rule, *rows])


def steps_table() -> str:
    """Return the steps' factors as Markdown: a row a step and level, a column a measure."""
    beside = ladder.find(STUDIED_BESIDE, "alone")
    return cycles.table([*cycles.steps(), beside]).markdown


def limit_table() -> str:
    """Return the same of the steps past v8, at one level."""
    steps = cycles.steps(study="limit")
    return cycles.table(steps, levels=[LIMIT_LEVEL]).markdown


def model_table() -> str:
    """Return the published code with its cycles on silicon and by the model, as Markdown, and the
    range of the model's error."""
    question = "select * from validations where core = ?"
    rows = load(reference()).query(question, M4)
    table = published.table(rows)
    sides = ["---"] * 2 + ["--:"] * 3
    lines = markdown(table.head, sides, table.rows)
    errors = [published.error_percent(row) for row in rows]
    least = min(errors)
    most = max(errors)
    return f"{lines}\n\nThe error lies between {least:+.1f} and {most:+.1f} %."


def products(kernels: str) -> list[dict[str, Any]]:
    """Return kernels whose names are like this; `clocks` has cycles of a product by width and core."""
    question = """select kernel, unit, holds, width, core, 1.0 * cycles / n as clocks from kernels
        where operation = 'mont_mul' and kernel glob ? order by place"""
    found: dict[str, dict[str, Any]] = {}
    for row in load(reference()).query(question, kernels):
        about = {key: row[key] for key in ("kernel", "unit", "holds")}
        line = found.setdefault(row["kernel"], {**about, "clocks": {}})
        line["clocks"][row["width"], row["core"]] = row["clocks"]
    return list(found.values())


def pairs_table() -> str:
    """Return the clocks of each pair of instructions, as Markdown: a column a core."""
    lines = []
    for probe in products("probe-*"):
        line = [probe["holds"]]
        for core in cores.CORES:  # the call and its return are less than 64 clocks
            line.append(str(int(probe["clocks"][32, core]) // 64))
        lines.append(line)
    sides = ["---", *["--:"] * len(cores.CORES)]
    return markdown(["two instructions", *cores.CORES], sides, lines)


def units_table() -> str:
    """Return cycles of a product, PicoRV32 / VexRiscv, as Markdown: a row a kernel, a column a
    width."""
    lines = []
    for kernel in products("[^p]*"):
        line = [kernel["kernel"], kernel["holds"], kernel["unit"] or ""]
        for width in kernels.WIDTHS:
            pair = [kernel["clocks"].get((width, core)) for core in cores.CORES]
            line.append(" / ".join(map(whole, filter(None, pair))))
        lines.append(line)
    head = ["kernel", "what it does", "unit", *map(str, kernels.WIDTHS)]
    return markdown(head, ["---"] * 3 + ["--:"] * len(kernels.WIDTHS), lines)


def rates_table() -> str:
    """Return MHz of PicoRV32 on an ECP5, alone and with a unit: the median of the seeds and the
    range."""
    by_unit: dict[str, list[float]] = {}
    for row in read_table(ladder.ROOT / "results/hardware/rates.csv"):
        by_unit.setdefault(row["unit"], []).append(float(row["mhz"]))
    lines = []
    for unit, found in by_unit.items():
        spread = f"{min(found):.1f} to {max(found):.1f}; {len(found)}"
        lines.append([unit, f"{median(found):.1f} ({spread})"])
    return markdown(["unit", "MHz (range; seeds)"], ["---", "--:"], lines)


def pages() -> None:
    """Write README's tables and the chart.  Raises Failure and OSError."""
    readme = HERE / "README.md"
    text = readme.read_text("utf-8")
    blocks = {
        "steps": steps_table(),
        "limit": limit_table(),
        "pairs": pairs_table(),
        "reasons": reasons.reasons(),
        "rates": rates_table(),
        "model": model_table(),
        "units": units_table(),
    }
    for name, block in blocks.items():
        text = between(text, name, block, str(readme))
    replace(readme, text)
    chart = in_cycles(load(reference()))
    replace(HERE / "ladder.svg", chart.bytes("svg"))


if __name__ == "__main__":
    sys.exit(command("pages", pages))
