"""`python3 -m rsalab.models [--keep] RESULTS` prints what each cycle model says of every rung, with
its error beside it, and how it compares with what the sources measured; --keep writes the cycles to
RESULTS/models.csv too."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from records.faults import Failure, command_line
from records.ladder import LEVELS
from records.machine import FILE, none_there, read_machine
from records.rows import Row, read_rows, write_rows
from records.tables import NONE, aligned, percent, whole
from rsalab.models import cycles, errors
from rsalab.models.cycles import CASES, MODELS, model_of

Known = list[tuple[Row, tuple[float, float]]]


def of_rungs(found: Known) -> list[str]:
    """A row for each rung and level: cycles a call of mont_mul and a round trip, and the error."""
    cell = {
        (row["snapshot"], row["level"], model_of(row), row["case"]): (row, error)
        for row, error in found
    }
    table = [["rung", "level"]]
    for name in MODELS.values():
        table[0] += [f"{name} model: mont_mul", "round trip", "error"]
    for level in LEVELS:
        for rung in dict.fromkeys(row["snapshot"] for row, _ in found if row["level"] == level):
            line = [rung, f"-{level}"]
            for model in MODELS:
                had = [cell.get((rung, level, model, case)) for case in CASES]
                line += [whole(one[0]["value"] / one[0]["n"]) if one else NONE for one in had]
                one = had[0] or had[1]
                line.append(percent(*one[1]) if one else NONE)
            table.append(line)
    return aligned(table, (0, 1))


def validation(found: list[errors.Check]) -> list[str]:
    """A row for each comparison with a measurement."""
    table = [["model", "code", "compared with", "quantity", "measured", "model", "error"]]
    for check in found:
        unit = check.quantity if check.unit == "x" else check.unit
        form = whole if check.measured >= 1000 else "{:.3g}".format
        numbers = [form(check.measured), form(check.modelled), f"{100 * check.error:+.1f} %"]
        table.append([MODELS[check.model], check.kind, check.what, unit, *numbers])
    return aligned(table, range(4))


def text(folder: Path, rows: list[Row], why: str) -> str:
    """All of it; `why` says why the Cortex-A72 model is missing."""
    facts = read_machine(folder)
    instructions = errors.of_trips(read_rows(folder / "counts.csv"))
    known = errors.known(rows, instructions)
    parts = [
        f"Cycle models (model, not measured) of {folder}: {facts['platform']}, {facts['compiler']}",
        "\n".join(of_rungs(known)),
        "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
        " assembly.  That of the ARM1176 model is the error without simulated mispredictions, which"
        " nobody counted in OpenSSL.",
        "\n".join(validation(errors.checks(rows, instructions))),
    ]
    shown = [row for row, _ in known]
    for model, board in errors.AGAINST.items():
        hidden = [row["snapshot"] for row in rows if model_of(row) == model and row not in shown]
        if hidden:
            name = f"the {MODELS[model]} model of {', '.join(dict.fromkeys(hidden))}"
            parts.append(f"Not shown: {name}: no source measured its like on a {board}.")
    if why:
        parts.append(f"Cortex-A72 model: not available here: {why}")
    return "\n\n".join(parts)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="models", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write RESULTS/models.csv too")
    parser.add_argument("folder", type=Path, metavar="RESULTS")
    options = parser.parse_args()
    counts = read_rows(options.folder / "counts.csv")
    if not (options.folder / FILE).is_file():
        raise none_there(options.folder)
    if not counts:
        raise Failure(f"{options.folder}: no counts here; `make all-iterations` makes some")
    rows, why = cycles.modelled(options.folder)
    if options.keep:
        known = errors.known(rows, errors.of_trips(counts))
        write_rows(options.folder / cycles.FILE, [row for row, _ in known])
    print(text(options.folder, rows, why))


if __name__ == "__main__":
    sys.exit(command_line("models", main))
