"""One number of ours beside one of a source's: its value, and what kind of number it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from records.ladder import ROOT, study_path
from records.results import FULL, Results
from records.tables import NONE, percent, whole
from rsalab import markdown
from rsalab.models import errors
from rsalab.models.cycles import LONG, arm1176_of

MEASURED, MODELLED = "measured", "modelled"
NOT_MEASURED, NOT_AVAILABLE = "not measured in these results", "not available here"


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
        exact = isinstance(self.value, int) or self.value >= 1000 or not self.value
        return whole(self.value) if exact else f"{self.value:#.3g}".rstrip(".")


NOTHING = Own(NOT_AVAILABLE, "")


def exact(
    results: Results, study: str, rung: str, level: str, metrics: Sequence[str], case: str = FULL
) -> Own:
    """The sum of exact metrics, a mean of an operation, from counts.csv."""
    found = results.means(study, rung, level, case)
    name = " + ".join(metrics).replace("_", " ")
    if not set(metrics) <= set(found):
        return Own(NOT_MEASURED, name)
    return Own(MEASURED, name, sum(found[metric] for metric in metrics))


def cycles(
    results: Results, study: str, rung: str, level: str, case: str = FULL, root: Path = ROOT
) -> Own:
    """Cycles of an operation by the ARM1176 model, with its error for that kind of code."""
    name = "cycles, ARM1176 model"
    counted = results.means(study, rung, level, case)
    if not counted.keys() >= {"instructions", *LONG}:
        return Own(NOT_MEASURED, name)
    by_hand = (study_path(study, root) / rung / "mont.S").is_file()
    kind = errors.ASSEMBLY if by_hand else errors.C
    error = errors.ranges(errors.arm1176_checks()).get(("arm1176", kind))
    return Own(MODELLED, name, arm1176_of(counted), error) if error else Own(NOT_AVAILABLE, name)


def said(owns: Iterable[Own]) -> str:
    """Each status of several cells once, beside `modelled` the widest error."""
    cells = list(owns)
    ends = [end for own in cells if own.error for end in own.error]
    error = f", error {percent(min(ends), max(ends))}" if ends else ""
    words = dict.fromkeys(own.status for own in cells)
    return "; ".join(f"{word}{error}" if word == MODELLED else word for word in words)


def comparison(
    head: Sequence[str],
    rows: Iterable[tuple[Sequence[str], Sequence[Own]]],
    left: tuple[int, ...] = (0,),
    ours: Sequence[str] = ("ours",),
) -> str:
    """A table (Markdown): in each row cells of theirs, then ours, then what ours are."""
    cells = [[*theirs, *(own.text for own in owns), said(owns)] for theirs, owns in rows]
    last = len(head) + len(ours)
    return markdown.table([*head, *ours, "status of ours"], cells, (*left, last))
