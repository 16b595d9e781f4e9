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
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from harness import operands, target
from harness.cells import Cell, keep, recall
from records import faults, files, ladder, workloads
from records.faults import Failure
from records.machine import HOST, PLATFORM, cpu, read_platform
from records.rows import TIMED, Row
from records.statistics import Interval, difference, noise_floor, ratio_interval
from records.tables import aligned

PARTS = 10  # of the default workload; a run takes one, so as many rounds take each message once
SEED = 1  # of the order
RUN_SECONDS = 60  # of processor time that one run may take
WAKE_SECONDS = 0.1
REAL = "clock_gettime()"
PROCESSOR = "clock()"
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
    and the same whenever it is taken again.  Return the run of each.  Raises
    Failure."""
    if "frequency" in target.state():
        wake()
    order = random.Random(f"{SEED}/{number}").sample(sorted(programs), len(programs))
    taken = {}
    before = target.state()
    for name in order:
        program, inputs = programs[name]
        width = int(inputs.name.removeprefix("width-"))
        command = operands.command(arguments(inputs, number, most), width, "time")
        samples = run(name, [str(program), *command])
        after = target.state()
        taken[name] = {"samples": samples, "tainted": target.tainted(before, after)}
        before = after
    return taken


def wake() -> None:
    """Work for a moment: an idle board is slow, and would taint the first program."""
    end = time.monotonic() + WAKE_SECONDS
    while time.monotonic() < end:
        pass


def arguments(inputs: Path, number: int, most: int | None = None) -> list[str]:
    """Return the driver's words for a round's part of the default workload of
    a width's inputs, of each kind of message at most `most`.  One message
    comes before the part, for caches and pages; its times are no sample."""
    folder = inputs / "key-full"
    part = number % PARTS
    messages = workloads.first(folder, "default")
    warm_up, _ = messages[0]
    words = ["roundtrip", str(folder / "key.txt"), "-n", "1", str(warm_up)]
    for path, total in messages:
        first = total * part // PARTS
        n = total * (part + 1) // PARTS - first
        words += ["-s", str(first), "-n", str(min(n, most or n)), str(path)]
    return words


def run(name: str, words: Sequence[str]) -> list[Sample]:
    """Return the samples of one run of `rsa time`, without the message that
    warms up.  Raises Failure, one line that begins with `name`, unless the
    program ends well within RUN_SECONDS."""
    calls = []
    try:
        for line in faults.run(words, faults.limit(RUN_SECONDS), env={}).splitlines():
            _, ns, us = line.split()
            calls.append((int(us), int(ns)))
        trips = list(zip(calls[2::2], calls[3::2], strict=True))
    except (Failure, OSError) as fault:
        raise Failure(f"{name}: not timed: {faults.line(fault)}") from None
    except ValueError:
        raise Failure(
            f"{name}: not timed: what it printed is no table of times"
        ) from None
    return [dict(zip(UNITS, encrypted + decrypted)) for encrypted, decrypted in trips]


# ---- a collection: as many rounds as begin in the time allowed.  Each takes the next part of the
# ---- workload and is kept when it is finished, so that an interrupted collection goes on with the
# ---- round at work.  A warm-up round comes first and is no sample.  What was taken while the board
# ---- changed its speed has `_tainted` behind its metric: it stays in times.csv, and whoever asks
# ---- for the metric does not meet it.

COLLECTION_SECONDS = 50  # after which no further round begins
FEWEST = 3  # rounds, however slow the machine
TAINTED = "_tainted"


def kept_run(cell: Cell, number: int) -> tuple[Path, str]:
    """Return where a cell's run of a round is kept, and what it depends on."""
    return cell.folder / f"times-{number}.json", cell.depends(
        arguments(cell.inputs, number)
    )


def collect(
    cells: Sequence[Cell], seconds: float = COLLECTION_SECONDS
) -> tuple[list[Row], dict[str, Any]]:
    """Return rows for times.csv of the cells, which have passed their check,
    and how they were taken, for machine.json.  What is kept is not run
    again.  Raises Failure; finished rounds stay."""
    agreed = cells[0].build / "rounds.json"
    depends = f"{seconds} {[cell.label for cell in cells]}"
    rounds = recall(agreed, depends) or PARTS
    # Its times say nothing: one round, of single messages, is enough.
    virtual = target.virtual()
    most = 1 if virtual else None
    end = time.monotonic() + seconds
    warm = False
    for number in range(rounds):
        missing = [cell for cell in cells if recall(*kept_run(cell, number)) is None]
        if not missing:
            continue
        programs = {cell.label: (cell.program, cell.inputs) for cell in missing}
        if not warm:
            take_round(programs, number, most=1)
            warm = True
        late = number >= FEWEST and time.monotonic() > end
        if late or (virtual and number > 0):
            rounds = number
            break
        taken = take_round(programs, number, most)
        for cell in missing:
            keep(*kept_run(cell, number), taken[cell.label])
        print(f"  TIME    round {number + 1} of {rounds}", flush=True)
    keep(agreed, depends, rounds)
    made: list[Row] = []
    reasons: Counter[str] = Counter()
    for cell in cells:
        runs = [recall(*kept_run(cell, number)) for number in range(rounds)]
        made += rows(cell, runs)
        reasons.update(run["tainted"] for run in runs if run["tainted"])
    return made, {"seeds": [SEED], "rounds": rounds, "tainted": dict(reasons)}


def rows(cell: Cell, runs: Sequence[Run]) -> Iterator[Row]:
    """Yield rows for times.csv of one cell from its rounds.  `repeat` counts its messages."""
    repeat = 0
    for run in runs:
        mark = TAINTED if run["tainted"] else ""
        for sample in run["samples"]:
            for metric, unit in UNITS.items():
                yield cell.number(
                    workload=workloads.TRIP_FULL,
                    kind=TIMED,
                    metric=metric + mark,
                    symbol="total",
                    value=sample[metric],
                    unit=unit,
                    n=1,
                    repeat=repeat,
                )
            repeat += 1


# ---- a duel.  Each round runs A, a copy of A and B.  A against its copy says how far apart equal
# ---- programs come out in this very run: the noise floor, which B has to pass before a word is
# ---- said.  Every raw sample is kept in build/duel/.

FOLDER = Path("build/duel")
ROUNDS = 81
CLEAN = 11  # rounds; with fewer nothing is said
DUEL_SECONDS = 25  # that all rounds may take together
MOST = 8  # messages of a kind in a run
WARM_UP = 2  # rounds; the first says how many messages a run may have
SIMDE = Path("/usr/include/simde/arm/neon.h")  # translates NEON, as mk/programs.mk asks
NOT_CHECKED = "it is not built and checked"
# Microseconds of a round trip: below, the two ticks of clock() pass the least noise floor.
COARSE = 400
A = "A"
COPY = "copy of A"
B = "B"


def not_here(snapshot: ladder.Snapshot, simde: Path = SIMDE) -> str:
    """Return why this machine has no program of a snapshot that can be timed."""
    if list(snapshot.path.glob("*.S")):
        return "it is ARM assembly"
    code = ""
    for path in snapshot.path.glob("*.[ch]"):
        code += path.read_text(encoding="utf-8")
    if "__asm__" in code:
        return "it is ARM assembly in part"
    if "arm_neon.h" in code and not simde.exists():
        return "it uses NEON, and libsimde-dev, which translates NEON, is not installed"
    return NOT_CHECKED


def fight(a: Path, b: Path, inputs: Path, rounds: int = ROUNDS) -> list[Round]:
    """Return the rounds of a duel of programs of one width without the
    warm-up.  Raises Failure and OSError."""
    fought: list[Round] = []
    with files.alone(files.TIMES):
        FOLDER.mkdir(parents=True, exist_ok=True)
        copy = Path(shutil.copy2(a, FOLDER / "copy"))
        programs = {A: (a, inputs), COPY: (copy, inputs), B: (b, inputs)}
        started = time.monotonic()
        most = 1
        for number in range(WARM_UP + rounds):
            spent = time.monotonic() - started
            if number == 1:  # the first round took the fewest messages
                most = int(DUEL_SECONDS / (rounds + WARM_UP) / spent)
                most = max(1, min(MOST, most))
            if spent > DUEL_SECONDS and number >= WARM_UP + CLEAN:
                break
            fought.append(take_round(programs, number, most))
    return fought[WARM_UP:]


def clean_rounds(fought: Sequence[Round]) -> list[Round]:
    """Return the rounds in which no run is tainted.  Raises Failure when they are too few."""
    clean = []
    reasons: set[str] = set()
    for taken in fought:
        why = {run["tainted"] for run in taken.values()} - {""}
        reasons |= why
        if not why:
            clean.append(taken)
    if len(clean) < CLEAN:
        why_not = ", ".join(sorted(reasons)) or "too slow"
        few = f"{len(clean)} clean rounds of {len(fought)} ({why_not}): {CLEAN} are needed"
        raise Failure(f"{few}; see `make doctor`, then repeat")
    return clean


def report(names: Sequence[str], fought: Sequence[Round], identical: bool) -> str:
    """Return what is printed, by the rule in docs/measuring.md.  Time is the
    processor's, clock(), which stands still while another program has the
    core; where a round trip is too short for that clock, real time.
    Tainted rounds are left out.  Raises Failure when too few are left."""
    clean = clean_rounds(fought)
    clock = PROCESSOR
    times = by_round(clean, clock)
    if min(map(min, times.values())) < COARSE:
        clock = REAL
        times = by_round(clean, clock)
    same = ratio_interval(times[A], times[COPY])
    ratio = ratio_interval(times[A], times[B])
    floor = noise_floor(same, ratio) if identical else noise_floor(same)
    word = difference(ratio, floor, identical)
    a, b = names
    table = [
        (a, middle(times[A]), f"us a round trip by {clock}, median"),
        (f"copy of {a}", middle(times[COPY]), interval(same)),
        (b, middle(times[B]), interval(ratio)),
    ]
    rounds = f"{len(clean)} rounds, {len(fought) - len(clean)} tainted"
    lines = aligned(table, left=(0, 2))
    lines.append(f"noise floor {floor:.2%}, {rounds}")
    lines.append(f"{b}: {word}" if word.startswith("no") else f"{b}: {word} than {a}")
    return "\n".join(lines)


def middle(times: Sequence[float]) -> str:
    """Return the median of times as it is printed."""
    return f"{median(times):,.2f}"


def interval(x: Interval) -> str:
    """Return a ratio and its interval as they are printed."""
    return f"x{x.ratio:.4f}  ({x.low:.4f} to {x.high:.4f})"


def by_round(clean: Sequence[Round], clock: str) -> dict[str, list[float]]:
    """Return a program's microseconds a round trip in each round, the median
    over the messages."""
    encrypt, decrypt = CLOCKS[clock]
    unit = 1000 if clock == REAL else 1
    times: dict[str, list[float]] = {A: [], COPY: [], B: []}
    for taken in clean:
        for name, found in times.items():
            trips = [
                sample[encrypt] + sample[decrypt] for sample in taken[name]["samples"]
            ]
            found.append(median(trips) / unit)
    return times


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
    cells = []
    for label in names:
        own_study, _, name = label.rpartition("/")
        cell = Cell(ladder.find(name, own_study or study), level, "default", build)
        if not cell.checked:
            instead = "time it on an ARM board, or compare exact counts with `make why`"
            reason = NOT_CHECKED if direct else not_here(cell.snapshot)
            raise Failure(
                f"{cell.name} cannot be timed on this machine: {reason}; {instead}"
            )
        cells.append(cell)
    a, b = cells
    fought = fight(a.program, b.program, a.inputs)
    hashes = [files.digest(cell.program) for cell in cells]
    facts = {"platform": platform, "programs": hashes, "rounds": fought}
    called = "-".join([study, *names, level]).replace("/", "-")
    kept = FOLDER / f"{called}.json"
    files.replace(kept, json.dumps(facts, sort_keys=True) + "\n")
    identical = hashes[0] == hashes[1]
    text = report(names, fought, identical)
    print(f"{' against '.join(names)} at -{level}, platform {platform}, {cpu()}")
    if not direct:
        kind = f"{os.uname().machine} programs, built by this computer's own gcc"
        print(f"{kind}: no times of ARM programs")
    if identical:
        print("the same program: one SHA-256; its spread is part of the noise floor")
    print(f"\n{text}\n\nsamples    {kept}")
