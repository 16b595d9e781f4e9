"""Counts the programs of studies/width-1024: `python3 -m harness.long.measure [--out RESULTS]`
writes operations.csv.

Each operation is a run of its own under the counter, and what was counted is kept beside the
program with a hash of everything that it depends on.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import sched_getaffinity
from pathlib import Path
from typing import Any

from harness import counts
from harness.cells import COUNTER
from harness.collect import LOCAL, choose_counter
from harness.counters import Counter
from harness.kept import keep, made_of, recall, stamp
from harness.long.operations import FILE, Operation, operations
from records import faults, lock
from records.faults import Failure
from records.files import digest
from records.platform import read_platform
from records.rows import Row, write_rows

STUDY = Path("studies/width-1024")
BUILT = Path("build") / STUDY
METRICS = (
    "instructions",
    "loads",
    "stores",
    "multiplies_32",
    "multiplies_long",
    "multiplies_umaal",
    counts.SIMULATED,
)
LIMIT = 1800.0  # seconds
Counts = dict[str, int]


def checked(program: Path) -> bool:
    """Whether the program is made of the sources that are there, and has passed its check."""
    sources = [*STUDY.glob("*.[ch]"), *(STUDY / program.parts[-3]).glob("*.*")]
    stamps = [stamp(path, Path("build/stamp") / path.parent) for path in sources]
    return made_of(program, stamps) and made_of(program.with_name("check.ok"), [program])


def count(program: Path, line: str, counter: Counter) -> Counts:
    """The metrics of one line.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "line.txt")
        path.write_text(line + "\n")
        out = Path(folder, "counts")
        rows = counter.count(
            program, ("count", str(path)), 2048, out=out, timeout=LIMIT, predict=True
        )
        total = counts.by_symbol(rows, program)["total"]
    return {metric: total[metric] for metric in METRICS}


def of_program(program: Path, wanted: list[Operation], counter: Counter) -> list[Counts]:
    """The counts of all operations by a program, kept beside it.  Raises Failure."""
    if not checked(program):
        raise Failure(f"{program} is not checked; make width-1024 checks it")
    kept = program.with_name("counts.json")
    key = " ".join([digest(program, *(path for path in COUNTER if path.exists())), *METRICS])
    known: Any = recall(kept, key) or {}
    missing = [one.line for one in wanted if one.line not in known]
    if missing:
        print(f"  COUNT   {program.parent}: {len(missing)} operations", flush=True)
        with ThreadPoolExecutor(max_workers=len(sched_getaffinity(0))) as pool:
            found = pool.map(lambda line: count(program, line, counter), missing)
            known.update(zip(missing, found))
        keep(kept, key, known)
    return [known[one.line] for one in wanted]


def rows(counter: Counter) -> list[Row]:
    """The rows of operations.csv.  Raises Failure."""
    wanted = operations()
    programs = sorted(BUILT.glob("*/*/long"))
    if not programs:
        raise Failure(f"no program in {BUILT}; make width-1024 builds them")
    made = []
    for program in programs:
        place = {"implementation": program.parts[-3], "level": program.parts[-2]}
        for one, found in zip(wanted, of_program(program, wanted, counter)):
            words = {name: value for name, value in one._asdict().items() if name != "line"}
            for metric in METRICS:
                numbers = {"metric": metric, "value": found[metric], "unit": counts.unit(metric)}
                made.append({**place, **words, **numbers})
    return made


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=LOCAL)
    out = parser.parse_args().out
    with lock.alone():
        counter = choose_counter(read_platform())
        if counter is None:  # which it has said
            return
        made = rows(counter)
        out.mkdir(parents=True, exist_ok=True)
        write_rows(out / FILE, made)
    print(f"  WROTE   {out / FILE}: {len(made):,} rows", flush=True)


if __name__ == "__main__":
    sys.exit(faults.command_line("measure", main))
