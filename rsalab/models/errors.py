"""How far the cycle models are from what the sources measured.

Each comparison is a Check with its error, modelled / measured - 1.  Errors differ between compiled
C and assembly by hand, so a model's error is a range for each kind of code.

- ARM1176 against the Pi Zero W at 1 GHz of the OpenSSL source: cycles of a whole RSA operation of
  OpenSSL 3.1.1, as the committed openssl.csv counts it.  Mispredictions are left out: the error is
  that of instructions + 2 x long multiplies.
- Cortex-A72 against the Raspberry Pi 3, whose Cortex-A53 no scheduling model for A32 describes:
  the error is that of one core standing for another.  Cycles an instruction of Dirk 2019 against
  the rungs that resemble his programs in C; cycles a round trip, at 1.4 GHz, and factors of
  Bishop & Austin 2021 against the rungs that data/published/ maps to their rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from records import ladder
from records.ladder import LADDER, LEVELS
from records.published import MAP, TABLE_1, read_csv
from records.results import FULL, Results
from records.rows import Row
from records.tables import NONE, aligned, percent, whole
from rsalab import openssl
from rsalab.models.cycles import CASES, MODELS, by_count, kept, model_of
from rsalab.openssl import CLOCK, COLUMNS, published

DIRK = "dirk-2019-perf.csv"
PI_3 = 1.4e9  # Hz
LIKE_DIRK = {
    "no-opt C": ("v0", "O0"),
    "optimized C": ("v1", "O0"),
    "O3 no-opt C": ("v0", "O3"),
    "O3 optimized C": ("v1", "O3"),
}
C, ASSEMBLY, WORD = "compiled C", "assembly", "word-serial code"
AGAINST = {"arm1176": "Pi Zero, OpenSSL", "cortex-a72": "Pi 3 (Cortex-A53)"}
Means = dict[tuple[str, str], float]  # (rung, level) -> mean of a round trip of the ladder


@dataclass(frozen=True)
class Check:
    """One comparison; `quantity` is `cycles` (counts for the error shown) or `factor`."""

    model: str
    kind: str
    quantity: str
    what: str
    unit: str
    measured: float
    modelled: float

    @property
    def error(self) -> float:
        """Relative: -0.3 where the model is 30 % too low."""
        return self.modelled / self.measured - 1


def instructions_of(results: Results) -> Means:
    """Instructions of a round trip."""
    rows = results.query('select * from cells where (study, "case") = (?, ?)', LADDER, FULL)
    return {(row["snapshot"], row["level"]): row["instructions"] for row in rows}


def kind(model: str, rung: str, study: str = LADDER) -> str:
    """The kind of code that a rung is.  OpenSSL's assembly speaks for all assembly on an ARM1176;
    what was measured on a Pi 3 is bit-serial and multiplies no words, so code that does, and hence
    uses n0inv, is a kind of its own there."""
    snapshot = ladder.find(rung, study)
    texts = (path.read_text(encoding="utf-8") for path in snapshot.path.glob("*.[chS]"))
    if model == "cortex-a72" and any("n0inv" in text for text in texts):
        return WORD
    return ASSEMBLY if snapshot.has_assembly else C


def arm1176_checks() -> list[Check]:
    """Every RSA operation that the OpenSSL source timed with OpenSSL's own code and we counted."""
    checks, times = [], published()
    kinds = {openssl.THEIRS: ASSEMBLY, openssl.C: C}
    for (name, operation, bits), count in openssl.committed().items():
        if name in kinds:
            source = COLUMNS[name][3]
            pair = (times[source, bits, operation] * CLOCK / 1e6, count.cycles / 1e6)
            what = f"{source}, {operation}, {bits} bits"
            checks.append(Check("arm1176", kinds[name], "cycles", what, "Mcycles", *pair))
    return checks


def dirk_checks(cycles: Means, instructions: Means) -> list[Check]:
    """Cycles an instruction of Dirk's programs in C."""
    table = {row["code being profiled"]: row for row in read_csv(DIRK)}
    checks = []
    for name, cell in LIKE_DIRK.items():
        if cell in cycles:
            theirs = float(table["cycles"][name]) / float(table["instructions"][name])
            ours = cycles[cell] / instructions[cell]
            what = f"{cell[0]} -{cell[1]} and Dirk 2019, {name}"
            sort = kind("cortex-a72", cell[0])
            checks.append(Check("cortex-a72", sort, "cycles", what, "an instruction", theirs, ours))
    return checks


def bishop_checks(cycles: Means) -> list[Check]:
    """Cycles a round trip at -O0, and the factor against row 0, of Bishop and Austin's rows."""
    times = {row["iteration"]: float(row["seconds"]) * PI_3 for row in read_csv(TABLE_1)}
    checks, first = [], ("v0", "O0")
    for row in read_csv(MAP):
        cell = row["ours"], "O0"
        if row["counterpart"] != "rung" or cell not in cycles:
            continue
        theirs = times[row["iteration"]]
        what = f"{cell[0]} -O0 and Bishop & Austin 2021, row {row['iteration']}"
        pair = ("Mcycles", theirs / 1e6, cycles[cell] / 1e6)
        checks.append(Check("cortex-a72", C, "cycles", what, *pair))
        if cell != first and first in cycles:
            pair = ("x", times["0"] / theirs, cycles[first] / cycles[cell])
            checks.append(Check("cortex-a72", C, "factor", what, *pair))
    return checks


def checks(rows: list[Row], instructions: Means) -> list[Check]:
    """All comparisons that rows of models.csv allow."""
    cycles = {
        (row["snapshot"], row["level"]): row["value"] / row["n"]
        for row in rows
        if (row["study"], row["case"], model_of(row)) == (LADDER, FULL, "cortex-a72")
    }
    return [*arm1176_checks(), *dirk_checks(cycles, instructions), *bishop_checks(cycles)]


def ranges(found: list[Check]) -> dict[tuple[str, str], tuple[float, float]]:
    """(model, kind) -> lowest and highest error of its cycles."""
    by_kind: dict[tuple[str, str], list[float]] = {}
    for check in found:
        if check.quantity == "cycles":
            by_kind.setdefault((check.model, check.kind), []).append(check.error)
    return {key: (min(values), max(values)) for key, values in by_kind.items()}


def known(rows: list[Row], instructions: Means) -> list[tuple[Row, tuple[float, float]]]:
    """The rows of models.csv whose error is known, each with its lowest and highest error; a model
    whose error is unknown is not shown."""
    errors = ranges(checks(rows, instructions))
    kinds = [(model_of(row), kind(model_of(row), row["snapshot"], row["study"])) for row in rows]
    return [(row, errors[key]) for row, key in zip(rows, kinds) if key in errors]


def known_in(results: Results) -> list[tuple[Row, tuple[float, float]]]:
    """The same of the ladder in a results folder.  The Cortex-A72 model is read from models.csv:
    the same on every machine."""
    made = by_count(results, LADDER)
    return known(made + kept(results, made, LADDER), instructions_of(results))


def of_rungs(found: list[tuple[Row, tuple[float, float]]]) -> list[str]:
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


def validation(found: list[Check]) -> list[str]:
    """A row for each comparison with a measurement."""
    table = [["model", "code", "compared with", "quantity", "measured", "model", "error"]]
    for check in found:
        unit = check.quantity if check.unit == "x" else check.unit
        form = whole if check.measured >= 1000 else "{:.3g}".format
        numbers = [form(check.measured), form(check.modelled), f"{100 * check.error:+.1f} %"]
        table.append([MODELS[check.model], check.kind, check.what, unit, *numbers])
    return aligned(table, range(4))


def text(results: Results, rows: list[Row], why: str) -> str:
    """What each model says of every rung, with its error beside it, and how it compares with what
    the sources measured; `why` says why the Cortex-A72 model is missing."""
    instructions = instructions_of(results)
    shown = known(rows, instructions)
    where = f"{results.label}: {results.platform}, {results.machine['compiler']}"
    parts = [
        f"Cycle models (model, not measured) of {where}",
        "\n".join(of_rungs(shown)),
        "Error: modelled / measured - 1, lowest and highest of the same kind of code, compiled C or"
        " assembly.  That of the ARM1176 model is the error without simulated mispredictions, which"
        " nobody counted in OpenSSL.",
        "\n".join(validation(checks(rows, instructions))),
    ]
    had = [row for row, _ in shown]
    for model, board in AGAINST.items():
        hidden = [row["snapshot"] for row in rows if model_of(row) == model and row not in had]
        if hidden:
            name = f"the {MODELS[model]} model of {', '.join(dict.fromkeys(hidden))}"
            parts.append(f"Not shown: {name}: no source measured its like on a {board}.")
    if why:
        parts.append(f"Cortex-A72 model: not available here: {why}")
    return "\n\n".join(parts)
