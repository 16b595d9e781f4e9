"""What `make models` prints: what each model says of every rung, and how far it is off."""

from __future__ import annotations

from pathlib import Path

from records import ladder
from records.machine import read_machine
from records.rows import read_rows
from rsalab.models import model_errors, models
from rsalab.steps.table import LEVELS, means, whole

NONE = "not available here"


def percent(low: float, high: float) -> str:
    """A range of relative errors: `-17 to +3 %`."""
    ends = [f"{100 * error:+.0f}" for error in (low, high)]
    return " to ".join(dict.fromkeys(ends)) + " %"


def columns(rows: list[list[str]], left: int) -> str:
    """Columns of equal width; the first `left` to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = (
        "  ".join(
            text.ljust(w) if i < left else text.rjust(w)
            for i, (text, w) in enumerate(zip(r, widths))
        )
        for r in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def cycles(found: list[dict]) -> str:
    """A row for each rung and level: cycles a call of mont_mul and a round trip, and the error."""
    cell = {(row["rung"], row["level"], row["model"], row["case"]): row for row in found}
    table = [["rung", "level"]]
    for name in models.MODELS.values():
        table[0] += [f"{name} model: mont_mul", "round trip", "error"]
    for level in LEVELS:
        for rung in dict.fromkeys(row["rung"] for row in found if row["level"] == level):
            line = [rung, f"-{level}"]
            for model in models.MODELS:
                had = [cell.get((rung, level, model, case)) for case in models.CASES]
                line += [whole(row["cycles"]) if row else "-" for row in had]
                row = had[0] or had[1]
                line.append(percent(row["error_low"], row["error_high"]) if row else "-")
            table.append(line)
    return columns(table, 2)


def validation(found: list[model_errors.Check]) -> str:
    """A row for each comparison with a measurement."""
    table = [["model", "code", "compared with", "quantity", "measured", "model", "error"]]
    for check in found:
        unit = check.quantity if check.unit == "x" else check.unit
        numbers = [f"{check.measured:.3g}", f"{check.modelled:.3g}", f"{100 * check.error:+.1f} %"]
        if check.measured >= 1000:
            numbers[:2] = [whole(check.measured), whole(check.modelled)]
        table.append([models.MODELS[check.model], check.kind, check.what, unit, *numbers])
    return columns(table, 4)


def text(folder: Path, rows: list[dict], why: str) -> str:
    """All of it; `why` says why the Cortex-A72 model is missing."""
    facts = read_machine(folder)
    instructions = means(read_rows(folder / "counts.csv"), ladder.LADDER)
    checks = model_errors.checks(rows, instructions)
    parts = [
        f"Cycle models (model, not measured) of {folder}: {facts['platform']}, {facts['compiler']}",
        cycles(model_errors.shown(rows, instructions)),
        "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
        " assembly.",
        validation(checks),
    ]
    shown = [row for row, _ in model_errors.known(rows, instructions)]
    hidden = [row for row in rows if row not in shown]
    for model, board in model_errors.AGAINST.items():
        rungs = dict.fromkeys(r["snapshot"] for r in hidden if models.model_of(r) == model)
        if rungs:
            name = f"the {models.MODELS[model]} model of {', '.join(rungs)}"
            parts.append(f"Not shown: {name}: no source measured its like on a {board}.")
    if why:
        parts.append(f"Cortex-A72 model: {NONE}: {why}")
    return "\n\n".join(parts)
