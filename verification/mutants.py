"""`make mutants`: every mutant of every mont.S, and of the ladder's nat.h and rsa.c, is judged.

A file's mutants are judged anew when the file, the vectors or the mutations have changed; after a
stop, what is done is done.  tests/mutants.csv has a row a file, tests/mutants-open.csv a row for
each mutant that is neither found by a vector nor proved to compute the same.
"""

from __future__ import annotations

import csv
import hashlib
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from functools import cached_property
from importlib.metadata import version
from io import StringIO
from multiprocessing import Pool
from pathlib import Path
from typing import Any, NamedTuple

from records import ladder
from records.command import first_line
from records.faults import Failure, command_line
from records.files import digest, replace
from records.ladder import ROOT, Snapshot
from verification import a32, c
from verification.code import CC, built
from verification.judges import RANDOM, Program, Sources, files
from verification.prove import every_snapshot, of_assembly, why_not

SUMMARY, OPEN = ROOT / "tests/mutants.csv", ROOT / "tests/mutants-open.csv"
HEAD = ["file", "key", "mutants", "killed", "proved", "missed", "open", "date", "tools"]
OPEN_HEAD = ["file", "verdict", "mutant", "tried"]
HERE = Path(__file__).parent
Row = dict[str, str]


class Unit(NamedTuple):
    """A file of a snapshot whose mutants are judged."""

    snapshot: Snapshot
    file: str

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return str((self.snapshot.path / self.file).relative_to(ROOT))

    def key(self) -> str:
        """Changes with all that the verdicts depend on but the tools: of C the words, of assembly
        the machine code, so that comments count for nothing."""
        parts = [digest(*files(self.snapshot.width)), digest(HERE / "judge.c")]
        if self.file == "mont.S":
            code = built(self.snapshot.path / "mont.S", f"-DWIDTH={self.snapshot.width}")
            parts += [str(sorted(code.words.items())), digest(HERE / "a32.py")]
        else:
            texts = [(self.snapshot.path / name).read_text() for name in ("nat.h", "rsa.c")]
            parts += [*map(c.code, texts), digest(HERE / "c.py")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def units() -> Iterator[Unit]:
    """All of them: assembly, then the ladder's C."""
    for snapshot in every_snapshot():
        if snapshot.has_assembly:
            yield Unit(snapshot, "mont.S")
    for snapshot in ladder.snapshots():
        for file in ("nat.h", "rsa.c"):
            if any(c.mutations((snapshot.path / file).read_text())):
                yield Unit(snapshot, file)


def distinct(code: list[int]) -> set[int]:
    """The places of the words, of code that is repeated word for word only its first and its last
    copy: those with the same two neighbours on either side are copies of one another."""
    copies: dict[tuple[int, ...], list[int]] = {}
    for place in range(len(code)):
        copies.setdefault(tuple(code[max(0, place - 2) : place + 3]), []).append(place)
    return {place for found in copies.values() for place in (found[0], found[-1])}


class Judge:
    """Judges the mutants of a unit, in a process of its own."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        self.machine: Any = None
        if unit.file == "mont.S":
            self.machine = Program(unit.snapshot, folder)
            self.machine.verify()
            self.proof = of_assembly(unit.snapshot) if not why_not() else None
            kept = distinct(self.machine.code)
            every = a32.mutations(self.machine.code)
            self.mutations: list[Any] = [one for one in every if one.place in kept]
        else:
            self.sources = Sources(unit.snapshot, folder, unit.name)
            self.mutations = list(c.mutations(self.sources.texts[unit.file]))

    @cached_property
    def drawn(self) -> Any:
        """A program that judges by random vectors."""
        program = Program(self.unit.snapshot, Path(self.folder.name))
        program.draw(self.unit.name)
        program.verify()
        return program

    def verdict(self, i: int) -> tuple[str, str]:
        """The verdict on a mutant, and its name."""
        mutation = self.mutations[i]
        if self.machine is None:
            text = self.sources.texts[self.unit.file]
            return self.sources.verdict(self.unit.file, mutation), mutation.name(text)
        said = self.machine.verdict(mutation, lambda: self.drawn, self.proof)
        words = " ".join(f"{word:08x}" for word in mutation.words)
        old = f"{self.machine.code[mutation.place]:08x}"
        return said, f"word {mutation.place}: {mutation.name}: {old} -> {words}"


_judge: Judge | None = None


def _prepare(unit: Unit) -> None:
    global _judge
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # how the pool ends a worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pool's process ends for both
    _judge = Judge(unit)


def _verdict(i: int) -> tuple[str, str]:
    assert _judge is not None
    return _judge.verdict(i)


def judged(unit: Unit) -> list[tuple[str, str]]:
    """(verdict, mutant) for each, on every processor."""
    count = len(Judge(unit).mutations)
    workers = min(os.cpu_count() or 1, 8)
    with Pool(workers, _prepare, (unit,)) as pool:
        return list(pool.imap(_verdict, range(count), chunksize=16))


def tools() -> str:
    """The versions that the verdicts depend on."""
    names = ("unicorn", "capstone", "bitwuzla")
    provers = "" if why_not() else ", ".join(f"{name} {version(name)}" for name in names)
    return f"{first_line(CC, '--version')}; {first_line('gcc', '--version')}; {provers}"


def tried(unit: Unit) -> str:
    """What did not settle a mutant that is open."""
    products, powers = RANDOM[unit.snapshot.width]
    return f"all vectors; {products} mont_mul and {powers} mod_exp drawn; proof"


def read(path: Path) -> list[Row]:
    """The rows of a table, none where there is no table."""
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


def write(path: Path, head: list[str], rows: list[Row]) -> None:
    """A table, whole or not at all."""
    text = StringIO()
    writer = csv.DictWriter(text, head, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace(path, text.getvalue())


def main() -> int:
    """Status 1 when random operands find a mutant that the vectors do not.  Raises Failure."""
    if why_not():
        raise Failure(why_not())
    done, survivors = {row["file"]: row for row in read(SUMMARY)}, read(OPEN)
    wanted = list(units())
    names = {unit.name for unit in wanted}
    done = {name: row for name, row in done.items() if name in names}
    for unit in wanted:
        key = unit.key()
        if done.get(unit.name, {}).get("key") != key:
            verdicts = judged(unit)
            counts = Counter(verdict for verdict, _ in verdicts if verdict != "invalid")
            total = {"mutants": str(sum(counts.values()))}
            total |= {said: str(counts[said]) for said in HEAD[3:7]}
            about = {"date": date.today().isoformat(), "tools": tools()}
            done[unit.name] = {"file": unit.name, "key": key, **total, **about}
            survivors = [row for row in survivors if row["file"] in names - {unit.name}]
            for verdict, mutant in verdicts:
                if verdict in ("missed", "open"):
                    cells = (unit.name, verdict, mutant, tried(unit))
                    survivors.append(dict(zip(OPEN_HEAD, cells)))
            survivors.sort(key=lambda row: row["file"])  # stable: a file's mutants keep their order
            write(OPEN, OPEN_HEAD, survivors)
            write(SUMMARY, HEAD, [done[name] for name in sorted(done)])
        row = done[unit.name]
        print(f"{unit.name:<48}", *(f"{row[said]:>6} {said}" for said in HEAD[2:7]), flush=True)
    return int(any(row["missed"] != "0" for row in done.values()))


if __name__ == "__main__":
    sys.exit(command_line("mutants", main))
