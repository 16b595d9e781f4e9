"""Do two programs differ in time?  `python3 -m harness.time.duel A B --level O1`.

Each round runs A, a copy of A and B in an order drawn for it, on the same messages.  A against its
copy says how far apart equal programs come out in this very run: the noise floor, which B has to
pass before a word is said.  Every raw sample is kept in build/duel/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from harness import operands
from harness.cells import Cell
from harness.time import clock_samples
from harness.time.clock_samples import Run
from harness.time.host import HostCell, why_not
from records import ladder, lock
from records.faults import Failure, command_line
from records.files import digest, replace
from records.machine import cpu
from records.platform import FILE, HOST, read_platform
from records.statistics import Interval, difference, noise_floor, ratio_interval
from records.tables import aligned

FOLDER = Path("build/duel")
ROUNDS = 81
FEWEST = 11  # clean rounds; with fewer nothing is said
SECONDS = 25  # that all rounds may take together
MOST = 8  # messages of a kind in a run
WARM_UP = 2  # rounds; the first says how many messages a run may have
COARSE = 400  # us a round trip; below, the two ticks of clock() pass the least noise floor
A, COPY, B = "A", "copy of A", "B"
Round = dict[str, Run]  # by program


class Outcome(NamedTuple):
    """What a duel found: microseconds a round trip and by which clock, ratios to A, the word for
    B, and how many rounds were clean and how many tainted."""

    medians: dict[str, float]
    clock: str
    ratio: Interval
    same: Interval
    floor: float
    word: str
    rounds: int
    tainted: int


def fight(
    programs: Mapping[str, Sequence[str]],
    inputs: Path,
    *,
    rounds: int = ROUNDS,
    seconds: float = SECONDS,
    seed: int = 1,
    limit: float = clock_samples.LIMIT,
) -> list[Round]:
    """The rounds of a duel without the warm-up.  `programs` maps A, COPY and B to
    commands.  Raises Failure."""

    def take(number: int, most: int) -> Round:
        part = clock_samples.arguments(inputs, number % clock_samples.PARTS, most)
        words = operands.command(part, int(inputs.name.removeprefix("width-")), "time")
        commands = {name: [*command, *words] for name, command in programs.items()}
        return clock_samples.take_round(commands, number, seed, limit)

    started = time.monotonic()
    take(0, 1)
    single = time.monotonic() - started  # s for a round of the fewest messages
    most = max(1, min(MOST, int(seconds / (rounds + WARM_UP) / single)))
    fought: list[Round] = []
    for number in range(1, WARM_UP + rounds):
        late = time.monotonic() - started > seconds
        if late and len(fought) >= FEWEST:
            break
        found = take(number, most)
        if number >= WARM_UP:
            fought.append(found)
    return fought


def judge(fought: Sequence[Round], identical: bool) -> Outcome:
    """The outcome by the rule in docs/measuring.md.  Time is the processor's, clock(), which stands
    still while another program has the core; where a round trip is too short for that clock, real
    time.  Tainted rounds are left out.  Raises Failure when too few are left."""
    reasons = [{run["tainted"] for run in found.values()} - {""} for found in fought]
    clean = [found for found, why in zip(fought, reasons) if not why]
    if len(clean) < FEWEST:
        why = ", ".join(sorted(set().union(*reasons))) or "too slow"
        raise Failure(
            f"{len(clean)} clean rounds of {len(fought)} ({why}): {FEWEST} are needed;"
            " see `make doctor`, then repeat"
        )
    times, clock = by_round(clean, clock_samples.PROCESSOR), clock_samples.PROCESSOR
    if min(map(min, times.values())) < COARSE:
        times, clock = by_round(clean, clock_samples.REAL), clock_samples.REAL
    ratio, same = (ratio_interval(times[A], times[name]) for name in (B, COPY))
    floor = noise_floor(same, ratio) if identical else noise_floor(same)
    medians = {name: median(values) for name, values in times.items()}
    word, tainted = difference(ratio, floor, identical), len(fought) - len(clean)
    return Outcome(medians, clock, ratio, same, floor, word, len(clean), tainted)


def by_round(clean: Sequence[Round], clock: str) -> dict[str, list[float]]:
    """Program -> its microseconds a round trip in each round, the median over the messages."""
    unit = 1000 if clock == clock_samples.REAL else 1
    return {
        name: [median(clock_samples.trips(found[name]["samples"], clock)) / unit for found in clean]
        for name in (A, COPY, B)
    }


def cell_of(snapshot: ladder.Snapshot, level: str, direct: bool) -> Cell:
    """A checked cell of this machine.  Raises Failure."""
    cell = (Cell if direct else HostCell)(snapshot, level, "default")
    if not cell.checked:
        why = "not built and checked" if direct else why_not(snapshot)
        raise Failure(f"{cell.name} cannot be timed on this machine: {why}")
    return cell


def report(a: str, b: str, outcome: Outcome) -> str:
    """What is printed."""
    us = {name: f"{median:,.2f}" for name, median in outcome.medians.items()}
    same, ratio = (
        f"x{x.ratio:.4f}  ({x.low:.4f} to {x.high:.4f})" for x in (outcome.same, outcome.ratio)
    )
    rows = [
        (a, us[A], f"us a round trip by {outcome.clock}, median"),
        (f"copy of {a}", us[COPY], same),
        (b, us[B], ratio),
    ]
    rounds = f"{outcome.rounds} rounds, {outcome.tainted} tainted"
    than = "" if outcome.word.startswith("no") else f" than {a}"
    said = [f"noise floor {outcome.floor:.2%}, {rounds}", f"{b}: {outcome.word}{than}"]
    return "\n".join([*aligned(rows, left=(0, 2)), *said])


def main() -> None:
    """Command line: fight, keep every sample, judge.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(prog="duel", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="RUNG")
    parser.add_argument("--level", default="O1")
    parser.add_argument("--study", default=ladder.LADDER)
    o = parser.parse_args()
    names = [name for name in o.names if name]
    if len(names) != 2:
        raise Failure("name two rungs: make duel A=v2 B=v4 LEVEL=O1")
    if o.level not in ladder.levels():
        raise Failure(f"LEVEL={o.level}: say one of {', '.join(ladder.levels())}")
    parted = [name.rpartition("/") for name in names]  # alone/masked-addition is of study alone
    found = [ladder.find(name, study or o.study) for study, _, name in parted]
    direct = read_platform().direct
    a, b = (cell_of(snapshot, o.level, direct) for snapshot in found)
    platform = read_platform(FILE if direct else HOST).name
    called = "-".join([o.study, *names, o.level]).replace("/", "-")
    copy, place = FOLDER / "copy", FOLDER / f"{called}.json"
    hashes = [digest(cell.program) for cell in (a, b)]
    with lock.alone():
        FOLDER.mkdir(parents=True, exist_ok=True)
        shutil.copy2(a.program, copy)
        fought = fight({A: [str(a.program)], COPY: [str(copy)], B: [str(b.program)]}, a.inputs)
    kept = {"platform": platform, "programs": hashes, "rounds": fought}
    replace(place, json.dumps(kept, sort_keys=True) + "\n")
    identical = hashes[0] == hashes[1]
    said = report(names[0], names[1], judge(fought, identical))
    print(f"{' against '.join(names)} at -{o.level}, platform {platform}, {cpu()}")
    if not direct:
        machine = os.uname().machine
        print(f"{machine} programs, built by this computer's own gcc: no times of ARM programs")
    if identical:
        print("the same program: one SHA-256; its spread is part of the noise floor")
    print(f"\n{said}\n\nsamples    {place}")


if __name__ == "__main__":
    sys.exit(command_line("duel", main))
