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


def best_against_worst_compiler(results: Results) -> float:
    """Return how many times fewer instructions the best C of the ladder executes with the best
    compiler than with the worst."""
    rows = results.query(
        """select min(instructions) as best
             from compilers join snapshots using (study, snapshot)
             where workload = 'roundtrip-small' and code <> 'assembly'
             group by compiler"""
    )
    best = [row["best"] for row in rows]
    if not best:
        raise Failure("no compiler was measured; `make compilers` measures all")
    return float(max(best) / min(best))


def instructions_a_call(results: Results) -> float:
    """Return the instructions of one call of v0's `shr` at -O0, without what it calls."""
    rows = results.query(
        """select 1.0 * sum(instructions) / max(n) / calls as each
             from spent join entered using (study, snapshot, function)
             where (study, snapshot, level, function) = ('iterations', 'v0', 'O0', 'shr')
             having calls"""
    )
    if not rows:
        raise Failure("v0 was not counted by line; `make all-iterations` counts it")
    return float(rows[0]["each"])


def most_branches(results: Results) -> str:
    """Return the snapshot of width-64 with the largest share of branches at -O1."""
    rows = results.query(
        """select snapshot from ladder
             where (study, workload, level) = ('width-64', 'roundtrip-full', 'O1')
             order by branches / instructions desc limit 1"""
    )
    if not rows:
        raise Failure("width-64 was not counted; `make studies` counts it")
    return str(rows[0]["snapshot"])


EXERCISES = {
    "01-ladder": Exercise(
        faster_with_more_loads,
        "A step is compared with its parent, which the column `parent` names: v4 with v2, not with v3.",
    ),
    "02-levels": Exercise(
        best_against_worst_compiler,
        "First take the minimum of each compiler over all rungs in C and all levels, then divide the"
        " largest of these by the smallest.",
    ),
    "03-call-graphs": Exercise(
        instructions_a_call,
        "`spent` has the instructions of all n round trips, `entered` the calls of one.",
    ),
    "04-instruction-mix": Exercise(
        most_branches,
        "A share is branches / instructions of the same row; the level is O1.",
    ),
}
