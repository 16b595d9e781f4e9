"""Every mutant of every mont.S, and of the ladder's nat.h and rsa.c, is judged.

The check vectors judge machine code in Unicorn.  A file's mutants are judged
anew when the file, the vectors or the mutations have changed.
tests/mutants.csv says how many mutants of a file are killed and how many are
proved to compute the same, and has a row for each that is neither.
"""

import csv
import hashlib
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from io import StringIO
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from harness import kinds, operands
from harness.cells import Task, on_all_cores
from harness.elf import Elf, read_elf
from harness.operands import Call
from harness.unicorn import EXECUTE, HOOK_MEMORY, READ, WRITE, Engine
from records import ladder
from records.faults import Failure, run
from records.files import digest, replace
from records.ladder import ROOT, Snapshot
from verification import mutations
from verification.machine import LINK, arm
from verification.mutations import OfCode, OfText
from verification.prove import of_assembly, of_numbers

TABLE, HEAD = ROOT / "tests/mutants.csv", ["file", "key", "verdict", "mutants", "mutant"]
JUDGE = Path(__file__).parent / "judge.c"
SEEDS = 5  # of other vectors, where the committed ones see nothing
VERDICTS = ("killed", "proved", "missed", "open")  # or invalid
Verdict = tuple[str, str]  # and the mutant's name
Row = dict[str, str]


def files(width: int) -> list[Path]:
    """The files of vectors for a width, mont_mul first."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


# --- the judge, in an emulator --------------------------------------------------------------------

RAM, RAM_SIZE, DATA = 0x100000, 0x40000, 0x1000000
TOP = RAM + RAM_SIZE - 0x1000  # of the stack
BATCH = 50  # vectors at once
SLOWER, SECOND = 20, 1_000_000  # a mutant may take so many times as long, and a second


def to_bytes(*words: int) -> bytes:
    """Words as they are in memory."""
    return b"".join(word.to_bytes(4, "little") for word in words)


def packed(call: Call, size: int) -> bytes:
    """A call as judge.c's struct vector."""
    head = to_bytes(call.function == "mod_exp", call.kind == "aliasing")
    numbers = (v.to_bytes(size, "little") for v in (call.x, call.y, call.z))
    return b"".join([head, call.modulus(size), *numbers])


class Mutant(NamedTuple):
    """A program with other words from an address on."""

    program: Elf
    start: int = 0
    words: tuple[int, ...] = ()


class Court:
    """Vectors in the memory of an emulator, and programs that they judge."""

    def __init__(self, calls: list[Call], width: int) -> None:
        self.calls, vectors = calls, [packed(call, width // 8) for call in calls]
        self.size, self.engine = len(vectors[0]), Engine()
        self.limits: dict[tuple[int, int], int] = {}  # of parts of the vectors, in microseconds
        self.engine.map(0, RAM, READ | EXECUTE)
        self.engine.map(RAM, RAM_SIZE, READ | WRITE | EXECUTE)
        self.engine.map(DATA, self.size * len(vectors), READ)
        self.engine.uc.mem_write(DATA, b"".join(vectors))

    def load(self, mutant: Mutant) -> None:
        """Puts a program into memory."""
        self.engine.uc.mem_write(RAM, bytes(RAM_SIZE))
        for segment in mutant.program.segments:
            self.engine.uc.mem_write(segment.start, segment.data)
        self.engine.uc.mem_write(mutant.start, to_bytes(*mutant.words))
        self.engine.uc.ctl_flush_tb()
        self.entry = mutant.program.entry("judge")

    def passed(self, first: int, count: int, limit: int) -> int:
        """How many vectors in a row find nothing; the first finds what crashes or does not end."""
        try:
            data = DATA + first * self.size
            return self.engine.call(self.entry, TOP, data, count, microseconds=limit)
        except Failure:
            return 0

    def killer(self, mutant: Mutant) -> int | None:
        """The place of a vector that finds the program wrong; None if it
        survives.  The first program is the one without a fault."""
        self.load(mutant)
        last = len(self.calls) - 1
        parts = [(0, 1), (last, 1)]  # mont_mul, and mod_exp: they find most
        parts += [(first, min(BATCH, last - first)) for first in range(0, last, BATCH)]
        for first, count in parts:
            start, limit = time.monotonic(), self.limits.get((first, count), 0)
            if (passed := self.passed(first, count, limit)) < count:
                return first + passed
            took = SECOND * (time.monotonic() - start)
            self.limits.setdefault((first, count), int(SLOWER * took) + SECOND)
        return None

    def addresses(self, mutant: Mutant) -> set[int]:
        """Which addresses some vectors of both functions read and write."""
        uc, last, seen = self.engine.uc, len(self.calls) - 1, set[int]()
        hook = uc.hook_add(HOOK_MEMORY, lambda *of: seen.update(range(of[2], of[2] + of[3])))
        self.load(mutant)
        for place in (0, 1, last - 1, last):
            self.passed(place, 1, 60 * SECOND)
        uc.hook_del(hook)
        return seen


# --- a file's mutants -----------------------------------------------------------------------------


def program(*words: str | Path) -> Elf:
    """One of judge.c and a snapshot's sources.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "judge")
        options = ["-w", "-fno-tree-loop-distribute-patterns"]  # which would make memcpy of memcpy
        arm(*LINK, f"-Wl,-Tdata={RAM:#x},-e,judge", *options, JUDGE, *words, "-lgcc", "-o", made)
        return read_elf(made)


class File:
    """A file of a snapshot, and the judge of its mutants."""

    source: Any
    mutations: Sequence[Any]
    parts: Callable[[], list[str]]  # what the verdicts depend on: no comments
    mutant: Callable[..., Mutant]
    proved: Callable[[Any], bool]

    def __init__(self, snapshot: Snapshot, file: str) -> None:
        self.snapshot, self.file, self.path = snapshot, file, snapshot.path / file
        self.name, self.width = str(self.path.relative_to(ROOT)), f"-DWIDTH={snapshot.width}"

    @cached_property
    def key(self) -> str:
        """Changes with all that the verdicts depend on but the tools."""
        made = [digest(*files(self.snapshot.width)), digest(JUDGE), *self.parts()]
        return hashlib.sha256("\n".join(made).encode()).hexdigest()[:16]

    def judge(self, calls: list[Call]) -> Court:
        """It judges by these vectors.  Raises Failure where one finds a fault already."""
        court = Court(calls, self.snapshot.width)
        if court.killer(self.mutant()) is not None:
            raise Failure(f"{self.name}: a vector finds a fault as it is: make check")
        return court

    @cached_property
    def court(self) -> Court:
        """By the committed vectors."""
        every = map(operands.vectors, files(self.snapshot.width))
        return self.judge([call for calls in every for call in calls])

    @cached_property
    def drawn(self) -> Court:
        """By vectors of the same kinds, drawn by SEEDS other seeds."""
        width, seeds = self.snapshot.width, [f"{self.name} {i} " for i in range(SEEDS)]
        names = [(seed, name) for seed in seeds for name in ("mont_mul", "mod_exp")]
        return self.judge([c for seed, name in names for c in kinds.calls(name, width, seed)])

    def verdict(self, mutation: Any) -> str:
        """On a mutant: invalid, killed, proved, missed or open.  Raises Failure."""
        court = self.court
        try:
            mutant = self.mutant(mutation)
        except Failure:
            return "invalid"
        if court.killer(mutant) is not None or self.strays(mutant):
            return "killed"
        if self.proved(mutation):
            return "proved"
        return "open" if self.drawn.killer(mutant) is None else "missed"

    def verdicts(self) -> list[Verdict]:
        """On all.  Raises Failure."""
        return [(self.verdict(one), one.label(self.source)) for one in self.mutations]

    def strays(self, _mutant: Mutant) -> bool:
        """Whether other memory is accessed than without the mutation."""
        return False


def distinct(code: list[int]) -> set[int]:
    """The places of the words, of code that is repeated word for word only
    its first and its last copy: those with the same two neighbours on
    either side are copies of one another."""
    copies: dict[tuple[int, ...], list[int]] = {}
    for place in range(len(code)):
        copies.setdefault(tuple(code[max(0, place - 2) : place + 3]), []).append(place)
    return {place for found in copies.values() for place in (found[0], found[-1])}


class Assembly(File):
    """A mont.S.  `source` are the words of its code, of which the first is at `start`."""

    def __init__(self, snapshot: Snapshot, file: str = "mont.S") -> None:
        super().__init__(snapshot, file)
        self.proof = of_assembly(snapshot)
        self.code = self.proof.code
        self.start, self.source = min(self.code.words), list(self.code.words.values())
        self.every, kept = list(mutations.of_code(self.source)), distinct(self.source)
        self.mutations = [one for one in self.every if one.place in kept]

    def parts(self) -> list[str]:
        """The machine code, so that comments count for nothing, and the mutations."""
        return [str(sorted(self.code.words.items())), str(self.every)]

    @cached_property
    def program(self) -> Elf:
        """It as it is."""
        return program("-O1", self.width, self.snapshot.path / "rsa.c", self.path)

    def mutant(self, mutation: OfCode | None = None) -> Mutant:
        """The program with the words of a mutation."""
        place, _, words = mutation or (0, "", ())
        moved = self.program.entry("mont_mul") - self.code.functions["mont_mul"][0]
        return Mutant(self.program, self.start + moved + 4 * place, words)

    @cached_property
    def usual(self) -> set[int]:
        """The addresses that are accessed without a mutation."""
        return self.court.addresses(self.mutant())

    def strays(self, mutant: Mutant) -> bool:
        """Whether others are: then tests/verification/test_trace.py finds it."""
        return bool(self.court.addresses(mutant) - self.usual)

    def proved(self, mutation: OfCode) -> bool:
        """Whether the proof covers what is changed, and goes through with it."""
        at = self.start + 4 * mutation.place
        if mutation.name == "order" and mutations.exchangeable(self.code.words, at):
            return True
        inside = {at + 4 * i for i in range(len(mutation.words))} <= self.proof.covered
        return inside and self.proof.accepts(self.code.changed(at, mutation.words))


FUNCTION = re.compile(r"^static .*?\b(\w+)\(", re.M)
LEVELS = ("-O1", "-O3")  # the first is judged


@lru_cache(8)
def compiled(path: Path, text: str, *options: str) -> Elf:
    """The program with a text in place of a nat.h or rsa.c.  Raises Failure."""
    with tempfile.TemporaryDirectory() as folder:
        for source in (path.with_name("nat.h"), path.with_name("rsa.c")):
            Path(folder, source.name).write_bytes(source.read_bytes())
        Path(folder, path.name).write_text(text)
        return program(*options, Path(folder, "rsa.c"))


class Text(File):
    """A nat.h or rsa.c."""

    def __init__(self, snapshot: Snapshot, file: str) -> None:
        super().__init__(snapshot, file)
        self.source = self.path.read_text()
        self.mutations = list(mutations.of_text(self.source))

    def parts(self) -> list[str]:
        """The words of both sources, and the mutations."""
        texts = [(self.snapshot.path / name).read_text() for name in ("nat.h", "rsa.c")]
        return [*map(mutations.words, texts), str([one.new for one in self.mutations])]

    def compiled(self, mutation: OfText | None, level: str) -> Elf:
        """The program of a mutation.  Raises Failure."""
        text = mutation.of(self.source) if mutation else self.source
        product = ["-DPRODUCT"] * self.snapshot.has_assembly
        return compiled(self.path, text, level, self.width, *product)

    def mutant(self, mutation: OfText | None = None) -> Mutant:
        return Mutant(self.compiled(mutation, LEVELS[0]))

    def proved(self, mutation: OfText) -> bool:
        """Whether the compiler makes the same of it, or the function in nat.h is proved."""
        for level in LEVELS:
            if self.compiled(mutation, level).segments == self.compiled(None, level).segments:
                return True
        if self.file != "nat.h":
            return False
        text = mutation.of(self.source)
        name = FUNCTION.findall(text[: mutation.start])[-1]
        names = (name, f"{name}_in_x", f"{name}_in_y")
        proofs = [p for p in of_numbers(self.snapshot, text) if p.name.split()[-1] in names]
        return bool(proofs) and all(proof.accepts(proof.code) for proof in proofs)


# --- the table ------------------------------------------------------------------------------------


def every_file() -> Iterator[File]:
    """All that are judged: assembly, then the ladder's C."""
    yield from (Assembly(one) for one in ladder.every() if one.has_assembly)
    texts = (Text(one, name) for one in ladder.snapshots() for name in ("nat.h", "rsa.c"))
    yield from (text for text in texts if text.mutations)


def read() -> list[Row]:
    """The rows of the table, none where there is no table."""
    return list(csv.DictReader(TABLE.open(newline=""))) if TABLE.exists() else []


def rows(file: File, verdicts: list[Verdict]) -> list[Row]:
    """Those of a file: what is settled as a number, what is not one by one."""
    counts = Counter(verdict for verdict, _ in verdicts)
    said = [(verdict, counts[verdict], "") for verdict in ("killed", "proved")]
    said += [(one, 1, mutant) for one, mutant in verdicts if one in ("missed", "open")]
    return [dict(zip(HEAD, (file.name, file.key, *map(str, one)))) for one in said]


def main(file: str = "") -> int:
    """Judges the mutants of all files that have changed; or prints as JSON
    the verdicts on those of one file.  Status 1 when vectors drawn anew
    find a mutant that the committed ones do not.  Raises Failure."""
    if file:
        found = next((one for one in every_file() if one.name == file), None)  # none behind it
        if found is None:
            raise Failure(f"no mutants of {file}")
        print(json.dumps(found.verdicts()))
        return 0
    wanted = {one.name: one for one in every_file()}
    there = [row for row in read() if row["file"] in wanted]
    done = {row["file"] for row in there if row["key"] == wanted[row["file"]].key}
    todo = [name for name in wanted if name not in done]
    kept = ROOT / "build/mutants"
    tasks = [Task(kept / name, wanted[name].key, partial(judged, name)) for name in todo]
    verdicts = on_all_cores(tasks, lambda task: print(f"judged: {task.path.relative_to(kept)}"))
    new = [row for name, one in zip(todo, verdicts) for row in rows(wanted[name], one)]
    table = sorted([row for row in there if row["file"] not in todo] + new, key=itemgetter("file"))
    writer = csv.DictWriter(text := StringIO(), HEAD, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    replace(TABLE, text.getvalue())
    counts: Counter[tuple[str, str]] = Counter()
    for row in table:
        counts[row["file"], row["verdict"]] += int(row["mutants"])
    for name in sorted(wanted):
        print(f"{name:<48}", *(f"{counts[name, verdict]:>6} {verdict}" for verdict in VERDICTS))
    return int(any(row["verdict"] == "missed" for row in table))


def judged(name: str) -> Any:
    """The verdicts on a file's mutants, by a process of its own.  Raises Failure."""
    return json.loads(run([sys.executable, "-m", "verification", "mutants", "--file", name]))
