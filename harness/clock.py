"""Times, taken in rounds: of a collection, of the host's own programs, and in a duel of two rungs.

    python3 -m harness.clock host FOLDER...        builds of this machine's own compiler
    python3 -m harness.clock duel A B --level O1   do two programs differ in time?

In a round each program runs once, in an order drawn for that round, so that a disturbance meets any
of them alike.  The samples of a message are encrypt and decrypt, two calls of `rsa time`, each one
exponentiation, by the real-time clock (ns) and by clock() (us) beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from harness import merge, operands, target
from harness.cells import Cell, cells_of
from harness.kept import keep, recall
from records import command, faults, files, ladder, workload
from records.faults import Failure, command_line
from records.files import digest, replace
from records.machine import cpu, machine_facts, write_machine
from records.platform import FILE, HOST, read_platform
from records.rows import Row, write_rows
from records.statistics import Interval, difference, noise_floor, ratio_interval
from records.tables import aligned

PARTS = 10  # of the default workload; a run takes one, so as many rounds take each message once
SEED = 1  # of the order
LIMIT = 60  # seconds for one run
WAKE = 0.1  # seconds
REAL, PROCESSOR = "clock_gettime()", "clock()"
CLOCKS = {REAL: ("encrypt", "decrypt"), PROCESSOR: ("encrypt_clock", "decrypt_clock")}
Sample = list[Any]  # metric, unit, value, index of the message
Run = dict[str, Any]  # place in the round's order, samples, and tainted: why they are, or ""
Round = dict[str, Run]  # by program

# ---- a round


def state_awake() -> target.State:
    """The board's state now.  A board that tells its frequency works for a moment before it is
    asked: an idle one is slow, and would taint the first program that it runs."""
    if "frequency" in target.state():
        end = time.monotonic() + WAKE
        while time.monotonic() < end:
            pass
    return target.state()


def order(names: Sequence[str], number: int) -> list[str]:
    """The names in the order of this round: drawn anew for each, and the same whenever it is taken
    again, whatever the order in which they are given."""
    shuffled = sorted(names)
    random.Random(f"{SEED}/{number}").shuffle(shuffled)
    return shuffled


def take_round(commands: Mapping[str, Sequence[str]], number: int) -> Round:
    """Run every command once.  Name -> its run.  Raises Failure."""
    before, taken = state_awake(), {}
    for place, name in enumerate(order(list(commands), number)):
        samples = run(name, commands[name])
        after = target.state()
        why = target.tainted(before, after)
        taken[name] = {"place": place, "samples": samples, "tainted": why}
        before = after
    return taken


def arguments(inputs: Path, number: int, most: int | None = None) -> list[str]:
    """The command for a round's part of the default workload of a width's inputs, of each kind of
    message at most `most`.  One message comes before the part, for caches and pages; its times are
    no sample.  Raises Failure where there are no messages."""
    folder, part = inputs / "key-full", number % PARTS
    files = workload.first(folder, "default")
    if not files:
        raise Failure(f"{folder}: no messages, so nothing can be timed")
    words = ["roundtrip", str(folder / "key.txt"), "-n", "1", str(files[0][0])]
    for path, n in files:
        first, end = n * part // PARTS, n * (part + 1) // PARTS
        words += ["-s", str(first), "-n", str(min(end - first, most or n)), str(path)]
    return words


def run(name: str, words: Sequence[str]) -> list[Sample]:
    """The samples of one run.  Raises Failure, one line that begins with `name`, unless the program
    ends well within LIMIT seconds."""
    try:
        return read_times(command.run(words, env={}, timeout=LIMIT))
    except subprocess.TimeoutExpired:
        raise Failure(f"{name}: not timed: no end after {LIMIT:g} s, so it hangs") from None
    except (ValueError, OSError) as fault:
        raise Failure(f"{name}: not timed: {faults.line(fault)}") from None


def read_times(text: str) -> list[Sample]:
    """What `rsa time` prints for round trips, without the message that warms up; the others count
    from 0.  Raises ValueError for anything else."""
    lines = [line.split() for line in text.splitlines()]
    if len(lines) < 4 or len(lines) % 2 or any(len(words) != 3 for words in lines):
        raise ValueError("what it printed is no table of times")
    samples: list[Sample] = []
    for i, (_, ns, us) in enumerate(lines[2:]):
        way = ("encrypt", "decrypt")[i % 2]
        samples += [[f"{way}_clock", "us", int(us), i // 2], [way, "ns", int(ns), i // 2]]
    return samples


def trips(samples: Sequence[Sample], clock: str = REAL) -> list[int]:
    """The time of each round trip, encrypt and decrypt of one message: ns by the real-time clock,
    us by clock()."""
    total: Counter[int] = Counter()
    for metric, _, value, index in samples:
        if metric in CLOCKS[clock]:
            total[index] += value
    return list(total.values())


# ---- a collection: as many rounds as fit into the time allowed.  Each takes the next part of the
# ---- workload and is kept when it is finished: an interrupted collection goes on with the round
# ---- that was at work.  A warm-up round comes first and is no sample.  Everything else is; what
# ---- was taken while the board changed its speed has `_tainted` behind its metric: it stays in
# ---- times.csv, and whoever asks for the metric does not meet it.

KEPT = Path("build/times")
SECONDS = 50  # that all rounds may take; the last one that fits ends them
FEWEST = 3  # rounds, however slow the machine
TAINTED = "_tainted"


def take(cells: Sequence[Cell], number: int, most: int | None = None) -> Round:
    """A round of the cells' programs: label -> what is kept of its run.  Raises Failure."""
    keys, commands = {cell.label: key(cell, number) for cell in cells}, {}
    for cell in cells:
        words = arguments(cell.inputs, number, most)
        driver = operands.command(words, cell.snapshot.width, "time")
        commands[cell.label] = [str(cell.program), *driver]
    taken = take_round(commands, number)
    return {label: {**run, "key": keys[label]} for label, run in taken.items()}


def key(cell: Cell, number: int) -> str:
    """What a cell's run in a round depends on: the program and its inputs by their hash, and the
    command."""
    words = arguments(cell.inputs, number)
    files = [Path(word) for word in words if word.endswith(".txt")]
    return " ".join([digest(cell.program, *files), *words])


def kept_round(kept: Path, number: int) -> Round:
    """What is kept of a round: label -> what is kept of that cell's run."""
    return recall(kept / f"round-{number}.json", "round") or {}


def collect(cells: Sequence[Cell], kept: Path = KEPT, seconds: float = SECONDS) -> list[Row]:
    """Rows for times.csv of the cells, which have passed their check.  What is kept is not run
    again.  Raises Failure; finished rounds stay."""
    if not cells:
        return []
    agreed, depends = kept / "plan.json", f"{seconds} {sorted(cell.label for cell in cells)}"
    rounds, virtual = recall(agreed, depends) or PARTS, target.virtual()
    started, longest, warm = time.monotonic(), 0.0, False
    for number in range(rounds):
        before = kept_round(kept, number)
        missing = [c for c in cells if before.get(c.label, {}).get("key") != key(c, number)]
        if not missing:
            continue
        if not warm:
            take(missing, number, most=1)
            warm = True
        begun = time.monotonic()
        late = begun - started + longest > seconds
        if number >= FEWEST and late or number and virtual:
            rounds = number
            break
        taken = take(missing, number, most=1 if virtual else None)
        keep(kept / f"round-{number}.json", "round", {**before, **taken})
        longest = max(longest, time.monotonic() - begun)
        print(f"  TIME    round {number + 1} of {rounds}", flush=True)
    keep(agreed, depends, rounds)
    return [row for cell in cells for row in rows(cell, kept, rounds)]


def rows(cell: Cell, kept: Path, rounds: int) -> Iterator[Row]:
    """Rows for times.csv of one cell from its kept rounds.  `repeat` counts its messages."""
    first = 0
    for number in range(rounds):
        run = kept_round(kept, number)[cell.label]
        mark = TAINTED if run["tainted"] else ""
        for metric, unit, value, index in run["samples"]:
            columns = {"metric": metric + mark, "symbol": "total", "value": value, "unit": unit}
            yield cell.row(case=workload.TRIP_FULL, **columns, n=1, repeat=first + index)
        first += 1 + max(index for *_, index in run["samples"])


def facts(kept: Path = KEPT) -> dict[str, Any]:
    """How the kept rounds were taken, for machine.json: seeds, number, tainted runs by reason."""
    taken = list(filter(None, (kept_round(kept, number) for number in range(PARTS))))
    reasons = Counter(run["tainted"] for runs in taken for run in runs.values() if run["tainted"])
    return {"seeds": [SEED] if taken else [], "rounds": len(taken), "tainted": dict(reasons)}


# ---- platform `host`: the C rungs built by this machine's own compiler.  Make builds what can be
# ---- built here: not the rungs in ARM assembly, and NEON only through SIMDe.  The results have a
# ---- folder of their own, because these numbers are of another machine, with another compiler,
# ---- than any count.

BUILD = Path("build/host")
OUT = Path("results/local/host")


class HostCell(Cell):
    """A cell whose program is built for this machine."""

    @property
    def folder(self) -> Path:
        """Its folder under build/host/."""
        return BUILD / super().folder.relative_to("build")


def why_not(snapshot: ladder.Snapshot) -> str:
    """Why no program of this snapshot may be here."""
    text = "".join(path.read_text() for path in snapshot.path.glob("*.[ch]"))
    if "__asm__" in text or any(snapshot.path.glob("*.S")):
        return "ARM assembly"
    return "NEON, which needs libsimde-dev here" if "arm_neon.h" in text else "not built"


def host(folders: Sequence[str]) -> None:
    """Time what is built and checked, say what is not, write the results.  Raises Failure and
    OSError."""
    asked = cells_of([Path(folder) for folder in folders], "default")
    built = [HostCell(cell.snapshot, cell.level, cell.messages) for cell in asked]
    cells = [cell for cell in built if cell.checked]
    for snapshot in dict.fromkeys(cell.snapshot for cell in built if not cell.checked):
        print(f"  HOST    {snapshot.name}: not available here: {why_not(snapshot)}", flush=True)
    if not cells:
        raise Failure("no program is built and checked; `make host` does both")
    with files.alone():
        times = collect(cells, BUILD / "times")
    flags = (BUILD / "flags").read_text()
    programs = {cell.label: digest(cell.program) for cell in cells}
    about = machine_facts(read_platform(HOST).name, (), flags, programs)
    simde = " ".join("".join(flags.splitlines()[2:]).split())
    about |= {"qemu": "", "arm_neon.h": simde, "messages": "default"}
    about["timing"] = facts(BUILD / "times")
    merged, about = merge.merged(OUT, {"times.csv": times}, about)
    write_rows(OUT / "times.csv", merged["times.csv"])
    write_machine(OUT, about)


# ---- a duel.  Each round runs A, a copy of A and B.  A against its copy says how far apart equal
# ---- programs come out in this very run: the noise floor, which B has to pass before a word is
# ---- said.  Every raw sample is kept in build/duel/.

FOLDER = Path("build/duel")
ROUNDS = 81
CLEAN = 11  # rounds; with fewer nothing is said
PATIENCE = 25  # seconds that all rounds may take together
MOST = 8  # messages of a kind in a run
WARM_UP = 2  # rounds; the first says how many messages a run may have
COARSE = 400  # us a round trip; below, the two ticks of clock() pass the least noise floor
A, COPY, B = "A", "copy of A", "B"


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


def fight(programs: Mapping[str, Sequence[str]], inputs: Path, rounds: int = ROUNDS) -> list[Round]:
    """The rounds of a duel without the warm-up.  `programs` maps A, COPY and B to commands.  Raises
    Failure."""
    fought: list[Round] = []
    started, most = time.monotonic(), 1
    for number in range(WARM_UP + rounds):
        if time.monotonic() - started > PATIENCE and len(fought) >= CLEAN:
            break
        part = arguments(inputs, number, most)
        words = operands.command(part, int(inputs.name.removeprefix("width-")), "time")
        commands = {name: [*command, *words] for name, command in programs.items()}
        taken = take_round(commands, number)
        if number == 0:
            single = time.monotonic() - started  # s for a round of the fewest messages
            most = max(1, min(MOST, int(PATIENCE / (rounds + WARM_UP) / single)))
        if number >= WARM_UP:
            fought.append(taken)
    return fought


def judge(fought: Sequence[Round], identical: bool) -> Outcome:
    """The outcome by the rule in docs/measuring.md.  Time is the processor's, clock(), which stands
    still while another program has the core; where a round trip is too short for that clock, real
    time.  Tainted rounds are left out.  Raises Failure when too few are left."""
    reasons = [{run["tainted"] for run in taken.values()} - {""} for taken in fought]
    clean = [taken for taken, why in zip(fought, reasons) if not why]
    if len(clean) < CLEAN:
        why = ", ".join(sorted(set().union(*reasons))) or "too slow"
        raise Failure(
            f"{len(clean)} clean rounds of {len(fought)} ({why}): {CLEAN} are needed;"
            " see `make doctor`, then repeat"
        )
    times, clock = by_round(clean, PROCESSOR), PROCESSOR
    if min(map(min, times.values())) < COARSE:
        times, clock = by_round(clean, REAL), REAL
    ratio, same = (ratio_interval(times[A], times[name]) for name in (B, COPY))
    floor = noise_floor(same, ratio) if identical else noise_floor(same)
    medians = {name: median(values) for name, values in times.items()}
    word, tainted = difference(ratio, floor, identical), len(fought) - len(clean)
    return Outcome(medians, clock, ratio, same, floor, word, len(clean), tainted)


def by_round(clean: Sequence[Round], clock: str) -> dict[str, list[float]]:
    """Program -> its microseconds a round trip in each round, the median over the messages."""
    unit = 1000 if clock == REAL else 1
    return {
        name: [median(trips(taken[name]["samples"], clock)) / unit for taken in clean]
        for name in (A, COPY, B)
    }


def cell_of(snapshot: ladder.Snapshot, level: str, direct: bool) -> Cell:
    """A checked cell of this machine.  Raises Failure."""
    cell = (Cell if direct else HostCell)(snapshot, level, "default")
    if not cell.checked:
        why = "not built and checked" if direct else why_not(snapshot)
        if why == "ARM assembly":
            why += "; time it on an ARM board, or compare exact counts with `make why`"
        raise Failure(f"{cell.name} cannot be timed on this machine: {why}")
    return cell


def report(names: Sequence[str], outcome: Outcome) -> str:
    """What is printed."""
    a, b = names
    us = {name: f"{median:,.2f}" for name, median in outcome.medians.items()}
    same, ratio = (
        f"x{x.ratio:.4f}  ({x.low:.4f} to {x.high:.4f})" for x in (outcome.same, outcome.ratio)
    )
    table = [
        (a, us[A], f"us a round trip by {outcome.clock}, median"),
        (f"copy of {a}", us[COPY], same),
        (b, us[B], ratio),
    ]
    floor = f"noise floor {outcome.floor:.2%}"
    than = "" if outcome.word.startswith("no") else f" than {a}"
    return "\n".join(
        [
            *aligned(table, left=(0, 2)),
            f"{floor}, {outcome.rounds} rounds, {outcome.tainted} tainted",
            f"{b}: {outcome.word}{than}",
        ]
    )


def duel(names: Sequence[str], level: str, study: str) -> None:
    """Fight, keep every sample, judge, print.  Raises Failure and OSError."""
    if len(names) != 2:
        raise Failure("name two rungs: make duel A=v2 B=v4 LEVEL=O1")
    if level not in ladder.levels():
        raise Failure(f"LEVEL={level}: say one of {', '.join(ladder.levels())}")
    parted = [name.rpartition("/") for name in names]  # alone/masked-addition is of study alone
    snapshots = [ladder.find(name, own or study) for own, _, name in parted]
    direct = read_platform().direct
    a, b = (cell_of(snapshot, level, direct) for snapshot in snapshots)
    platform = read_platform(FILE if direct else HOST).name
    called = "-".join([study, *names, level]).replace("/", "-")
    copy, place = FOLDER / "copy", FOLDER / f"{called}.json"
    hashes = [digest(cell.program) for cell in (a, b)]
    with files.alone():
        FOLDER.mkdir(parents=True, exist_ok=True)
        shutil.copy2(a.program, copy)
        fought = fight({A: [str(a.program)], COPY: [str(copy)], B: [str(b.program)]}, a.inputs)
    kept = {"platform": platform, "programs": hashes, "rounds": fought}
    replace(place, json.dumps(kept, sort_keys=True) + "\n")
    identical = hashes[0] == hashes[1]
    text = report(names, judge(fought, identical))
    print(f"{' against '.join(names)} at -{level}, platform {platform}, {cpu()}")
    if not direct:
        machine = os.uname().machine
        print(f"{machine} programs, built by this computer's own gcc: no times of ARM programs")
    if identical:
        print("the same program: one SHA-256; its spread is part of the noise floor")
    print(f"\n{text}\n\nsamples    {place}")


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(prog="clock", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=("host", "duel"))
    parser.add_argument("names", nargs="*", metavar="FOLDER or RUNG")
    parser.add_argument("--level", default="O1")
    parser.add_argument("--study", default=ladder.LADDER)
    options = parser.parse_args()
    names = list(filter(None, options.names))
    if options.what == "host":
        host(names)
    else:
        duel(names, options.level, options.study)


if __name__ == "__main__":
    sys.exit(command_line(sys.argv[1] if len(sys.argv) > 1 else "clock", main))
