"""Times, taken in rounds: of a collection, and in a duel of two rungs.

    python3 -m harness duel --level O1 A B         do two programs differ in time?

In a round each program runs once, in an order drawn for that round, so that a
disturbance meets any of them alike.  The samples of a message are encrypt and
decrypt, two calls of `rsa time`, each one exponentiation, by the real-time
clock (ns) and by clock() (us) beside it.
"""

import json
import os
import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from harness import operands, target
from harness.cells import Cell, keep, recall
from records import faults, files, ladder, workload
from records.faults import Failure
from records.machine import HOST, PLATFORM, cpu, read_platform
from records.rows import Row
from records.statistics import difference, noise_floor, ratio_interval
from records.tables import aligned

PARTS = 10  # of the default workload; a run takes one, so as many rounds take each message once
SEED = 1  # of the order
LIMIT = 60  # seconds for one run
WAKE = 0.1  # seconds
REAL, PROCESSOR = "clock_gettime()", "clock()"
CLOCKS = {REAL: ("encrypt", "decrypt"), PROCESSOR: ("encrypt_clock", "decrypt_clock")}
UNITS = {"encrypt_clock": "us", "encrypt": "ns", "decrypt_clock": "us", "decrypt": "ns"}
Sample = dict[str, int]  # of a message: metric -> time
Run = dict[str, Any]  # samples, and tainted: why they are, or ""
Round = dict[str, Run]  # by program
Programs = Mapping[str, tuple[Path, Path]]  # name -> program, inputs of its width

# ---- a round


def take_round(programs: Programs, number: int, most: int | None = None) -> Round:
    """Run every program once over the round's part of the workload, of each
    kind of message at most `most`, in an order that is drawn for this round,
    and the same whenever it is taken again.  Name -> its run.  Raises
    Failure.  A board that tells its frequency works for a moment before: an
    idle one is slow, and would taint the first program."""
    end = time.monotonic() + WAKE * ("frequency" in target.state())
    while time.monotonic() < end:
        pass
    before, taken = target.state(), {}
    for name in random.Random(f"{SEED}/{number}").sample(sorted(programs), len(programs)):
        program, inputs = programs[name]
        words = arguments(inputs, number, most)
        command = operands.command(words, int(inputs.name.removeprefix("width-")), "time")
        samples, after = run(name, [str(program), *command]), target.state()
        taken[name] = {"samples": samples, "tainted": target.tainted(before, after)}
        before = after
    return taken


def arguments(inputs: Path, number: int, most: int | None = None) -> list[str]:
    """The driver's words for a round's part of the default workload of a
    width's inputs, of each kind of message at most `most`.  One message
    comes before the part, for caches and pages; its times are no sample."""
    folder, part = inputs / "key-full", number % PARTS
    messages = workload.first(folder, "default")
    words = ["roundtrip", str(folder / "key.txt"), "-n", "1", str(messages[0][0])]
    for path, n in messages:
        first, end = n * part // PARTS, n * (part + 1) // PARTS
        words += ["-s", str(first), "-n", str(min(end - first, most or n)), str(path)]
    return words


def run(name: str, words: Sequence[str]) -> list[Sample]:
    """The samples of one run of `rsa time`, without the message that warms
    up.  Raises Failure, one line that begins with `name`, unless the
    program ends well within LIMIT seconds."""
    try:
        lines = faults.run(words, env={}, timeout=LIMIT).splitlines()
        times = [(int(us), int(ns)) for _, ns, us in map(str.split, lines)]
        trips = list(zip(times[2::2], times[3::2], strict=True))
    except subprocess.TimeoutExpired:
        raise Failure(f"{name}: not timed: no end after {LIMIT:g} s, so it hangs") from None
    except (Failure, OSError) as fault:
        raise Failure(f"{name}: not timed: {faults.line(fault)}") from None
    except ValueError:
        raise Failure(f"{name}: not timed: what it printed is no table of times") from None
    return [dict(zip(UNITS, (*encrypted, *decrypted))) for encrypted, decrypted in trips]


# ---- a collection: as many rounds as begin in the time allowed.  Each takes the next part of the
# ---- workload and is kept when it is finished, so that an interrupted collection goes on with the
# ---- round at work.  A warm-up round comes first and is no sample.  What was taken while the board
# ---- changed its speed has `_tainted` behind its metric: it stays in times.csv, and whoever asks
# ---- for the metric does not meet it.

SECONDS = 50  # after which no further round begins
FEWEST = 3  # rounds, however slow the machine
TAINTED = "_tainted"


def place(cell: Cell, number: int) -> tuple[Path, str]:
    """Where a cell's run of a round is kept, and what it depends on."""
    return cell.folder / f"times-{number}.json", cell.depends(arguments(cell.inputs, number))


def collect(cells: Sequence[Cell], seconds: float = SECONDS) -> tuple[list[Row], dict[str, Any]]:
    """Rows for times.csv of the cells, which have passed their check, and
    how they were taken, for machine.json.  What is kept is not run again.
    Raises Failure; finished rounds stay."""
    agreed, depends = cells[0].build / "rounds.json", f"{seconds} {[cell.label for cell in cells]}"
    rounds, virtual = recall(agreed, depends) or PARTS, target.virtual()
    end, warm = time.monotonic() + seconds, False
    for number in range(rounds):
        missing = [cell for cell in cells if recall(*place(cell, number)) is None]
        if not missing:
            continue
        programs = {cell.label: (cell.program, cell.inputs) for cell in missing}
        if not warm:
            take_round(programs, number, most=1)
            warm = True
        if number >= FEWEST and time.monotonic() > end or number and virtual:
            rounds = number
            break
        taken = take_round(programs, number, most=1 if virtual else None)
        for cell in missing:
            keep(*place(cell, number), taken[cell.label])
        print(f"  TIME    round {number + 1} of {rounds}", flush=True)
    keep(agreed, depends, rounds)
    made = [(cell, [recall(*place(cell, number)) for number in range(rounds)]) for cell in cells]
    reasons = Counter(run["tainted"] for _, runs in made for run in runs if run["tainted"])
    facts = {"seeds": [SEED], "rounds": rounds, "tainted": dict(reasons)}
    return [row for cell, runs in made for row in rows(cell, runs)], facts


def rows(cell: Cell, runs: Sequence[Run]) -> Iterator[Row]:
    """Rows for times.csv of one cell from its rounds.  `repeat` counts its messages."""
    samples = [
        (sample, TAINTED * bool(run["tainted"])) for run in runs for sample in run["samples"]
    ]
    for repeat, (sample, mark) in enumerate(samples):
        for metric, unit in UNITS.items():
            columns = {"metric": metric + mark, "symbol": "total", "value": sample[metric]}
            yield cell.row(case=workload.TRIP_FULL, **columns, unit=unit, n=1, repeat=repeat)


# ---- a duel.  Each round runs A, a copy of A and B.  A against its copy says how far apart equal
# ---- programs come out in this very run: the noise floor, which B has to pass before a word is
# ---- said.  Every raw sample is kept in build/duel/.

FOLDER = Path("build/duel")
ROUNDS = 81
CLEAN = 11  # rounds; with fewer nothing is said
PATIENCE = 25  # seconds that all rounds may take together
MOST = 8  # messages of a kind in a run
WARM_UP = 2  # rounds; the first says how many messages a run may have
NOT_HERE = "it is ARM assembly, NEON without libsimde-dev, or not built and checked"
COARSE = 400  # us a round trip; below, the two ticks of clock() pass the least noise floor
A, COPY, B = "A", "copy of A", "B"


def fight(a: Path, b: Path, inputs: Path, rounds: int = ROUNDS) -> list[Round]:
    """The rounds of a duel of programs of one width without the warm-up.
    Raises Failure and OSError."""
    fought: list[Round] = []
    with files.alone():
        FOLDER.mkdir(parents=True, exist_ok=True)
        copy = Path(shutil.copy2(a, FOLDER / "copy"))
        programs = {A: (a, inputs), COPY: (copy, inputs), B: (b, inputs)}
        started, most = time.monotonic(), 1
        for number in range(WARM_UP + rounds):
            if time.monotonic() - started > PATIENCE and len(fought) >= WARM_UP + CLEAN:
                break
            fought.append(take_round(programs, number, most))
            if number == 0:
                single = time.monotonic() - started  # s for a round of the fewest messages
                most = max(1, min(MOST, int(PATIENCE / (rounds + WARM_UP) / single)))
    return fought[WARM_UP:]


def report(names: Sequence[str], fought: Sequence[Round], identical: bool) -> str:
    """What is printed, by the rule in docs/measuring.md.  Time is the
    processor's, clock(), which stands still while another program has the
    core; where a round trip is too short for that clock, real time.
    Tainted rounds are left out.  Raises Failure when too few are left."""
    reasons = [{run["tainted"] for run in taken.values()} - {""} for taken in fought]
    clean = [taken for taken, why in zip(fought, reasons) if not why]
    if len(clean) < CLEAN:
        why = ", ".join(sorted(set().union(*reasons))) or "too slow"
        few = f"{len(clean)} clean rounds of {len(fought)} ({why}): {CLEAN} are needed"
        raise Failure(f"{few}; see `make doctor`, then repeat")
    times, clock = by_round(clean, PROCESSOR), PROCESSOR
    if min(map(min, times.values())) < COARSE:
        times, clock = by_round(clean, REAL), REAL
    ratio, same = (ratio_interval(times[A], times[name]) for name in (B, COPY))
    floor = noise_floor(same, *[ratio] * identical)
    (a, b), word = names, difference(ratio, floor, identical)
    us = {name: f"{median(values):,.2f}" for name, values in times.items()}
    shown = {x: f"x{x.ratio:.4f}  ({x.low:.4f} to {x.high:.4f})" for x in (same, ratio)}
    by = f"us a round trip by {clock}, median"
    table = [(a, us[A], by), (f"copy of {a}", us[COPY], shown[same]), (b, us[B], shown[ratio])]
    than = "" if word.startswith("no") else f" than {a}"
    rounds = f"{len(clean)} rounds, {len(fought) - len(clean)} tainted"
    end = [f"noise floor {floor:.2%}, {rounds}", f"{b}: {word}{than}"]
    return "\n".join([*aligned(table, left=(0, 2)), *end])


def by_round(clean: Sequence[Round], clock: str) -> dict[str, list[float]]:
    """Program -> its microseconds a round trip in each round, the median over the messages."""
    there, back = CLOCKS[clock]
    unit = 1000 if clock == REAL else 1
    return {
        name: [median(s[there] + s[back] for s in one[name]["samples"]) / unit for one in clean]
        for name in (A, COPY, B)
    }


def duel(*names: str, level: str = "O1", study: str = ladder.LADDER) -> None:
    """Say whether two rungs differ in time, `alone/masked-addition` being of study alone.
    Every sample is kept.  Raises Failure and OSError."""
    if len(names) != 2 or not all(names):
        raise Failure("name two rungs: make duel A=v2 B=v4 LEVEL=O1")
    if level not in ladder.levels():
        raise Failure(f"LEVEL={level}: say one of {', '.join(ladder.levels())}")
    direct = read_platform().direct
    platform = read_platform(PLATFORM if direct else HOST).name
    build = Path("build" if direct else "build/host")
    parts = [name.rpartition("/") for name in names]
    snapshots = [ladder.find(name, own or study) for own, _, name in parts]
    a, b = cells = [Cell(snapshot, level, "default", build) for snapshot in snapshots]
    for cell in cells:
        if not cell.checked:
            instead = "time it on an ARM board, or compare exact counts with `make why`"
            raise Failure(f"{cell.name} cannot be timed on this machine: {NOT_HERE}; {instead}")
    called = "-".join([study, *names, level]).replace("/", "-")
    kept, hashes = FOLDER / f"{called}.json", [files.digest(cell.program) for cell in cells]
    fought = fight(a.program, b.program, a.inputs)
    facts = {"platform": platform, "programs": hashes, "rounds": fought}
    files.replace(kept, json.dumps(facts, sort_keys=True) + "\n")
    identical = hashes[0] == hashes[1]
    text = report(names, fought, identical)
    print(f"{' against '.join(names)} at -{level}, platform {platform}, {cpu()}")
    if not direct:
        here = f"{os.uname().machine} programs, built by this computer's own gcc"
        print(f"{here}: no times of ARM programs")
    if identical:
        print("the same program: one SHA-256; its spread is part of the noise floor")
    print(f"\n{text}\n\nsamples    {kept}")
