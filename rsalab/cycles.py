"""Does a step's gain survive in clock cycles?  For each step and level, how many times less than
its parent a rung takes: in A32 instructions, and in cycles of the cores of studies/hardware/cores.

`make cores` writes the cycles, results/core-*/cycles.csv: exact ones of two simulated RISC-V cores,
and those of a Cortex-M4 by a model, whose error `make cores-validate` measures.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot
from records.results import Results, load, reference
from records.rows import MODEL
from records.settings import CORE_TABLE
from records.statistics import THRESHOLD
from records.tables import NONE, Column, Row, Table, factor, named, pivot
from records.workloads import MULTIPLICATION, TRIP_SMALL

DIGITS = 3  # of a number of a model, whose error is some per cent
PUBLISHED = "studies/hardware/cores/published.csv"
INSTRUCTIONS = "A32 instructions"
# The cores of records/cores.csv that are no controls, by what texts call them.
CORES = {core.label: core for core in CORE_TABLE if core.marker}
if len(CORES) < sum(core.marker != "" for core in CORE_TABLE):
    raise Failure("records/cores.csv: label: two cores have the same")
MODELS = [label for label, core in CORES.items() if core.kind == MODEL]
HEADLINES = [label for label in MODELS if CORES[label].headline == "yes"]
if len(HEADLINES) != 1:
    raise Failure(
        "records/cores.csv: headline: expected yes in one line of kind model with a marker;"
        f" found {len(HEADLINES)}"
    )
# The model of which every rung's cycles are shown.
MODELLED = HEADLINES[0]
MODEL_FOLDER = f"results/core-{CORES[MODELLED].core}"
MEASURES = (INSTRUCTIONS, *CORES)
# The operations of a step, the best first; of the same operation a core may have two names.
TRIP = "round trip"
PRODUCT = "product"
OPERATIONS = {
    TRIP_SMALL: TRIP,
    "roundtrip": TRIP,
    MULTIPLICATION: PRODUCT,
}
# (measure, study, snapshot, level, operation) -> mean.
Means = dict[tuple[str, str, str, str, str], float]


class Gain(NamedTuple):
    """What a step gains by one measure at one level."""

    snapshot: str
    level: str
    measure: str  # one of MEASURES
    operation: str  # TRIP, or PRODUCT where no round trip was simulated
    factor: float  # parent / rung

    @property
    def survives(self) -> bool:
        """Return whether the factor is above 1 by more than its error can make it."""
        return self.factor > least_gain(self.measure)


@cache
def least_gain(measure: str, root: Path = ROOT) -> float:
    """Return the factor above which a gain is certain.

    Counts and simulated cycles are exact: the threshold of every verdict.  A number of a model
    may err by each of its measured errors, so parent / rung by the largest of them against the
    smallest: (1 + most) / (1 + least)."""
    if measure not in MODELS:
        return 1 + THRESHOLD
    low, high = error_of(CORES[measure].core, root)
    return max(1 + THRESHOLD, (1 + high) / (1 + low))


def error_of(core: str, root: Path = ROOT) -> tuple[float, float]:
    """Return the lowest and the highest error of a core's model, as fractions.  Raises Failure
    where nothing was measured on silicon."""
    results = load(reference(root), root)
    not_modelled = """select function from silicon where core = ?
        except select function from validations where core = ?"""
    for row in results.query(not_modelled, core, core):
        raise Failure(
            f"{PUBLISHED}: {row['function']}: results/core-{core}/cycles.csv has no row of it"
        )
    for row in results.query("select low, high from core_errors where core = ?", core):
        return row["low"], row["high"]
    raise Failure(f"{PUBLISHED}: no measured code of {core}, whose error is unknown")


@cache
def means(root: Path = ROOT) -> Means:
    """Return cycles and instructions of an operation, by measure, snapshot, level and operation."""
    results = load(reference(root), root)
    labels = {core.core: label for label, core in CORES.items()}
    found: Means = {}
    for row in results.query(
        "select core, study, snapshot, level, operation, cycles, kind from cores"
    ):
        operation = OPERATIONS.get(row["operation"])
        if row["core"] in labels and operation:
            measure = labels[row["core"]]
            if row["kind"] != CORES[measure].kind:
                raise Failure(
                    f"records/cores.csv: {row['core']}: its cycles.csv says {row['kind']}"
                )
            key = (measure, row["study"], row["snapshot"], row["level"], operation)
            found[key] = row["cycles"]
    return found | instructions_of(results)


def instructions_of(results: Results) -> Means:
    """Return the instructions of an operation by the committed reference."""
    question = "select study, snapshot, level, workload, instructions from cells where workload in (?, ?)"
    found: Means = {}
    for row in results.query(question, TRIP_SMALL, MULTIPLICATION):
        operation = OPERATIONS[row["workload"]]
        key = (INSTRUCTIONS, row["study"], row["snapshot"], row["level"], operation)
        found[key] = row["instructions"]
    return found


def trip(snapshot: Snapshot, level: str, root: Path = ROOT) -> float | None:
    """Return the Cortex-M4's cycles of a round trip; None where it did not run the snapshot."""
    key = (MODELLED, snapshot.study, snapshot.name, level, TRIP)
    return means(root).get(key)


def of_step(
    snapshot: Snapshot, level: str, root: Path = ROOT
) -> tuple[float, float] | None:
    """Return the Cortex-M4's cycles of a round trip of the parent and of a
    snapshot; None where it did not run both."""
    above = ladder.parent_of(snapshot, root)
    parent = trip(above, level, root) if above else None
    own = trip(snapshot, level, root)
    return (parent, own) if parent and own else None


def rounded(value: float, digits: int = DIGITS) -> str:
    """Return cycles of a model, or a time that follows from them, with as many digits as its error
    allows: `49,300,000`, `54.3`, and with two digits `0.11`."""
    kept = float(f"{value:.{digits}g}")
    return f"{kept:,.{decimals_of(kept, digits)}f}"


def rounded_factor(value: float, digits: int = DIGITS) -> str:
    """Return a ratio of cycles of a model with as many digits, and at most two decimals: `x988`,
    `x4.74`, `x0.99`."""
    kept = float(f"{value:.{digits}g}")
    decimals = min(2, decimals_of(kept, digits))
    return f"x{kept:,.{decimals}f}"


def decimals_of(value: float, digits: int) -> int:
    """Return how many decimals a number has whose first `digits` digits are known."""
    before_the_point = math.floor(math.log10(value)) + 1 if value > 0 else 1
    return max(0, digits - before_the_point)


def trips(level: str, root: Path = ROOT) -> dict[str, float]:
    """Return the Cortex-M4's cycles of a round trip, by rung."""
    found = {}
    for (measure, study, snapshot, at_level, operation), mean in means(root).items():
        if (measure, study, at_level, operation) == (
            MODELLED,
            LADDER,
            level,
            TRIP,
        ):
            found[snapshot] = mean
    return found


@cache
def gains(snapshot: Snapshot, root: Path = ROOT) -> list[Gain]:
    """Return the gain of a step, by level and measure.  Of a core that ran no
    round trip at a level it is that of a product, if the step changes the
    product at all."""
    found = []
    for level in ladder.LEVELS:
        for measure in MEASURES:
            for operation in (TRIP, PRODUCT):
                gain = gain_of(snapshot, level, measure, operation, root)
                if gain:
                    found.append(gain)
                    break
    return found


def gain_of(
    snapshot: Snapshot, level: str, measure: str, operation: str, root: Path = ROOT
) -> Gain | None:
    """Return the gain in one operation; None where it was not counted, and
    for a product that executes the same instructions as the parent's."""
    counted = means(root)
    above = (*snapshot.parent_key, level, operation)
    here = (snapshot.study, snapshot.name, level, operation)
    parent = counted.get((measure, *above))
    own = counted.get((measure, *here))
    if not parent or not own:
        return None
    if (
        operation == PRODUCT
        and counted[INSTRUCTIONS, *above] == counted[INSTRUCTIONS, *here]
    ):
        return None
    return Gain(snapshot.name, level, measure, operation, parent / own)


def steps(root: Path = ROOT, study: str = LADDER) -> list[Snapshot]:
    """Return the rungs whose cycles were counted beside their parent's, in ladder order."""
    return [
        rung for rung in ladder.snapshots(study, root) if in_cycles(gains(rung, root))
    ]


def in_cycles(found: Iterable[Gain]) -> list[Gain]:
    """Return the gains in cycles among others."""
    return [gain for gain in found if gain.measure != INSTRUCTIONS]


def table(
    rungs: Iterable[Snapshot],
    root: Path = ROOT,
    levels: Sequence[str] = ladder.LEVELS,
) -> Table:
    """Return a row for each step and level and a column for each measure; `(product)` stands beside
    a number that is of a product, not of a round trip."""
    rows = []
    for rung in rungs:
        for gain in gains(rung, root):
            if gain.level in levels:
                rows.append(gain._asdict())
    by: dict[str, Column] = {
        "step": "snapshot",
        "level": lambda row: named(row["level"]),
    }
    return pivot(rows, by, "measure", {"": cell})


def table_with_verdicts(rungs: Iterable[Snapshot], root: Path = ROOT) -> Table:
    """Return the table, and in a last column what becomes of the gain."""
    plain = table(rungs, root)
    words: dict[tuple[str, str], str] = {}
    for rung in ladder.snapshots(LADDER, root):
        for level, word in verdicts(rung, root).items():
            words[rung.name, named(level)] = SHORT[word]
    rows = []
    for row in plain.rows:
        step, level = row[:2]
        rows.append([*row, words.get((step, level), NONE)])
    return Table([*plain.head, "gain survives"], rows)


def cell(row: Row) -> str:
    """Return a factor as the table shows it."""
    shown = shown_factor(row["factor"], row["measure"])
    return f"{shown} (product)" if row["operation"] == PRODUCT else shown


def shown_factor(value: float, measure: str) -> str:
    """Return a factor by a measure: one of the model has fewer digits than an exact one."""
    return rounded_factor(value) if measure in MODELS else factor(value)


# ---- in words

ON_ALL = "The gain survives in cycles on every core that ran it"
ON_SOME = "On some cores only, or by less than the model's error, it survives"
ON_NONE = "In cycles nothing of the gain is certain"
NO_GAIN = "There is no gain in instructions that could survive"
SHORT = {ON_ALL: "yes", ON_SOME: "in part", ON_NONE: "not certain", NO_GAIN: "no gain"}


def verdicts(rung: Snapshot, root: Path = ROOT) -> dict[str, str]:
    """Return what becomes of a step's gain, by the levels at which a core ran it."""
    words = {}
    for level in ladder.LEVELS:
        found = [gain for gain in gains(rung, root) if gain.level == level]
        cycles = in_cycles(found)
        if cycles and len(cycles) < len(found):
            words[level] = verdict(found)
    return words


def sentence(rung: Snapshot, root: Path = ROOT) -> str:
    """Return at which levels a step's gain survives in cycles, and how large it is there; "" where
    no core ran it."""
    by_verdict: dict[str, list[str]] = {}
    ran = {gain.measure for gain in in_cycles(gains(rung, root))}
    for level, words in verdicts(rung, root).items():
        cycles = [gain for gain in in_cycles(gains(rung, root)) if gain.level == level]
        levels = by_verdict.setdefault(words, [])
        levels.append(f"-{level} ({at_level(cycles, words, len(ran) > 1)})")
    texts = []
    for words, levels in by_verdict.items():
        texts.append(f"{words} at {listed(levels)}.")
    if len(ran) == 1:
        texts.append(f"Only one core ran it, the {ran.pop()}.")
    return " ".join(texts)


def at_level(cycles: list[Gain], words: str, several: bool) -> str:
    """Return the factors of the cores at one level, the core where it was one
    of several that ran the step at another level, and which exact ones lose
    although there is a gain in instructions."""
    text = span(cycles)
    if several and len(cycles) == 1:
        text += f", only on the {cycles[0].measure}"
    losing = [
        gain.measure
        for gain in cycles
        if gain.measure not in MODELS and gain.factor < 1
    ]
    if losing and words != NO_GAIN:
        text += f"; {listed(losing)} lose"
    return text


def verdict(found: list[Gain]) -> str:
    """Return what becomes of a gain at one level."""
    cycles = in_cycles(found)
    surviving = [gain for gain in cycles if gain.survives]
    instructions = next(gain for gain in found if gain not in cycles)
    if not instructions.survives and not surviving:
        return NO_GAIN
    if not surviving:
        return ON_NONE
    return ON_ALL if len(surviving) == len(cycles) else ON_SOME


def span(found: list[Gain]) -> str:
    """Return the smallest and the largest factor: `x1.10 to x1.15`."""
    by_size = sorted(found, key=lambda gain: gain.factor)
    ends = []
    for gain in (by_size[0], by_size[-1]):
        ends.append(shown_factor(gain.factor, gain.measure))
    return " to ".join(dict.fromkeys(ends))


def listed(texts: list[str]) -> str:
    """Return `a, b and c`."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last
