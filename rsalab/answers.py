"""The right answers of the notebooks' experiments, computed from whatever results are read, and where
a reader looks whose answer is another one.  A notebook shows neither."""

from collections.abc import Callable
from typing import Any, NamedTuple

from records.faults import Failure
from records.results import Results


class Exercise(NamedTuple):
    """An experiment: what computes its answer, and a hint."""

    solve: Callable[[Results], Any]
    hint: str


def faster_with_more_loads(results: Results) -> set[str]:
    """Return the steps that execute fewer instructions than their parents at -O1, but more loads."""
    rows = results.query(
        """select here.snapshot, here.instructions < above.instructions and here.loads > above.loads as found
             from ladder as here
             join ladder as above
               on (above.study, above.snapshot, above.level, above.workload)
                = (here.parent_study, here.parent, here.level, here.workload)
             where (here.study, here.level, here.workload) = ('iterations', 'O1', 'roundtrip-full')"""
    )
    if not rows:
        raise Failure("no step beside its parent; `make all-iterations` measures all")
    return {row["snapshot"] for row in rows if row["found"]}


EXERCISES = {
    "01-ladder": Exercise(
        faster_with_more_loads,
        "A step is compared with its parent, which the column `parent` names: v4 with v2, not with v3.",
    ),
}
