"""The time part of a results folder: rounds of samples, as many as fit into the time allowed.

Each round takes the next part of the workload and is kept when it is finished: an interrupted
collection goes on with the round that was at work.  A warm-up round comes first, and each run
begins with a message more; neither is a sample.  Everything else is.  A sample that was taken while
the board changed its speed has `_tainted` behind its metric: it stays in times.csv, and whoever
asks for the metric does not meet it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness import operands
from harness.cells import Cell
from harness.kept import keep, recall
from harness.time import board_state, clock_samples
from harness.time.clock_samples import Run
from records import workload
from records.files import digest
from records.rows import Row

ROUNDS = clock_samples.PARTS  # then every message of the default workload has been timed once
FEWEST = 3  # rounds, however slow the machine
CASE = workload.TRIP_FULL
TAINTED = "_tainted"


class Plan(NamedTuple):
    """How a collection is made: where its rounds are kept, the seconds it may take (it ends with
    the last round that fits), the seed of the order and the seconds that one run may take."""

    kept: Path = Path("build/times")
    seconds: float = 50
    seed: int = 1
    limit: float = clock_samples.LIMIT


def take(cells: Sequence[Cell], number: int, plan: Plan, most: int | None = None) -> dict[str, Run]:
    """A round of the cells' programs: label -> what is kept of its run.  Raises Failure."""
    part = number % clock_samples.PARTS
    commands = {}
    for cell in cells:
        words = clock_samples.arguments(cell.inputs, part, most)
        driver = operands.command(words, cell.snapshot.width, "time")
        commands[cell.label] = [str(cell.program), *driver]
    keys = {cell.label: key(cell, number) for cell in cells}
    taken = clock_samples.take_round(commands, number, plan.seed, plan.limit)
    return {label: {**run, "key": keys[label], "seed": plan.seed} for label, run in taken.items()}


def key(cell: Cell, number: int) -> str:
    """What a cell's run in a round depends on: the program and its inputs by their hash, and the
    command."""
    words = clock_samples.arguments(cell.inputs, number % clock_samples.PARTS)
    files = [Path(word) for word in words if word.endswith(".txt")]
    return " ".join([digest(cell.program, *files), *words])


def kept_round(plan: Plan, number: int) -> dict[str, Run]:
    """What is kept of a round: label -> what is kept of that cell's run."""
    return recall(plan.kept / f"round-{number}.json", "round") or {}


def collect(
    cells: Sequence[Cell],
    plan: Plan = Plan(),  # noqa: B008  (immutable)
    progress: Callable[[int, int], None] = lambda done, rounds: None,
) -> list[Row]:
    """Rows for times.csv of the cells, which have passed their check.  What is kept is not run
    again.  `progress` hears of every round that was run.  Raises Failure; finished rounds stay."""
    if not cells:
        return []
    agreed, stamp = plan.kept / "plan.json", f"{plan.seconds} {sorted(c.label for c in cells)}"
    rounds, virtual = recall(agreed, stamp) or ROUNDS, board_state.virtual()
    started, longest, warm = time.monotonic(), 0.0, False
    for number in range(rounds):
        kept = kept_round(plan, number)
        missing = [c for c in cells if kept.get(c.label, {}).get("key") != key(c, number)]
        if not missing:
            continue
        if not warm:
            take(missing, number, plan, most=1)
            warm = True
        begun = time.monotonic()
        late = begun - started + longest > plan.seconds
        if number >= FEWEST and late or number and virtual:
            rounds = number
            break
        found = take(missing, number, plan, most=1 if virtual else None)
        keep(plan.kept / f"round-{number}.json", "round", {**kept, **found})
        longest = max(longest, time.monotonic() - begun)
        progress(number + 1, rounds)
    keep(agreed, stamp, rounds)
    return [row for cell in cells for row in rows(cell, plan, rounds)]


def rows(cell: Cell, plan: Plan, rounds: int) -> Iterator[Row]:
    """Rows for times.csv of one cell from its kept rounds.  `repeat` counts its messages."""
    first = 0
    for number in range(rounds):
        run = kept_round(plan, number)[cell.label]
        mark = TAINTED if run["tainted"] else ""
        for metric, unit, value, index in run["samples"]:
            columns = {"metric": metric + mark, "symbol": "total", "value": value, "unit": unit}
            yield cell.row(case=CASE, **columns, n=1, repeat=first + index)
        first += 1 + max(index for *_, index in run["samples"])


def facts(plan: Plan = Plan()) -> dict[str, Any]:  # noqa: B008
    """How the kept rounds were taken, for machine.json: seeds, number, tainted runs by reason."""
    kept = [kept_round(plan, number) for number in range(ROUNDS)]
    runs = [run for found in kept for run in found.values()]
    return {
        "seeds": sorted({run["seed"] for run in runs}),
        "rounds": sum(map(bool, kept)),
        "tainted": dict(Counter(run["tainted"] for run in runs if run["tainted"])),
    }


def said(number: int, rounds: int) -> None:
    """One line a round."""
    print(f"  TIME    round {number} of {rounds}", flush=True)
