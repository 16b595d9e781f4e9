"""One number of ours beside one of a source's: its value, and what kind of number it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure
from records.ladder import ROOT, study_path
from records.rows import read_rows
from rsalab.frames import Results
from rsalab.models import model_errors, models
from rsalab.models.model_table import percent
from rsalab.steps.table import whole

MEASURED, MODELLED = "measured", "modelled"
NOT_MEASURED, NOT_AVAILABLE = "not measured in these results", "not available here"
TRIP = "roundtrip-full"
NONE = "-"


@dataclass(frozen=True)
class Own:
    """One number of ours.  `value` is None where there is none; `metric` says what it is, with its
    unit; `error` is a model's lowest and highest relative error."""

    status: str
    metric: str
    value: float | None = None
    error: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """The number as tables show it."""
        if self.value is None:
            return NONE
        return whole(self.value) if self.value >= 1000 else f"{self.value:#.3g}".rstrip(".")


def exact(
    results: Results, study: str, rung: str, level: str, metrics: Iterable[str], case: str = TRIP
) -> Own:
    """The sum of exact metrics, a mean of an operation, from counts.csv."""
    counts, wanted = results.counts, tuple(metrics)
    here = (counts["study"] == study) & (counts["snapshot"] == rung) & (counts["level"] == level)
    rows = counts[here & (counts["case"] == case) & (counts["symbol"] == "total")]
    found = {row["metric"]: row["value"] / row["n"] for row in rows.to_dict("records")}
    name = " + ".join(wanted).replace("_", " ")
    if not set(wanted) <= set(found):
        return Own(NOT_MEASURED, name)
    return Own(MEASURED, name, sum(found[metric] for metric in wanted))


def cycles(
    results: Results, study: str, rung: str, level: str, case: str = TRIP, root: Path = ROOT
) -> Own:
    """Cycles of an operation by the ARM1176 model, with its error for that kind of code."""
    name = "cycles, ARM1176 model"
    instructions = exact(results, study, rung, level, ("instructions",), case)
    long = exact(results, study, rung, level, models.LONG, case)
    if instructions.value is None or long.value is None:
        return Own(NOT_MEASURED, name)
    by_hand = (study_path(study, root) / rung / "mont.S").is_file()
    kind = model_errors.ASSEMBLY if by_hand else model_errors.C
    error = model_errors.ranges(model_errors.arm1176_checks())["arm1176", kind]
    return Own(MODELLED, name, models.arm1176(instructions.value, long.value), error)


def noisy_rows(results: Results, name: str) -> list[dict]:
    """The rows of perf.csv or times.csv; none where no board was measured.  Raises Failure."""
    try:
        return read_rows(results.folder / name)
    except (OSError, ValueError) as fault:
        said = str(fault).splitlines()[0].replace(str(results.folder), results.label)
        raise Failure(said) from None


def error_text(owns: Iterable[Own]) -> str:
    """`-42 to +3 %` over all models' errors, or nothing."""
    ends = [end for own in owns if own.error for end in own.error]
    return percent(min(ends), max(ends)) if ends else ""


def said(owns: Iterable[Own]) -> str:
    """One status of several cells, the error beside a model's; `mixed` is told in full."""
    cells = list(owns)
    words = list(dict.fromkeys(own.status for own in cells))
    error = error_text(cells)
    return "; ".join(f"{word}, error {error}" if word == MODELLED else word for word in words)
