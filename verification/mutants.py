"""Every mutant of every mont.S, and of the ladder's nat.h and rsa.c, is judged.

The check vectors judge machine code in Unicorn, and C on this machine itself.
A file's mutants are judged anew when the file, the vectors or the mutations
have changed; after a stop, what is done is done.  tests/mutants.csv has a row
a file, tests/mutants-open.csv a row for each mutant that is neither found by a
vector nor proved to compute the same.
"""

import csv
import hashlib
import re
import signal
import subprocess
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

from harness import kinds, operands
from harness.cells import WORKERS
from harness.elf import Elf, read_elf
from harness.operands import Call
from harness.unicorn import EXECUTE, HOOK_MEMORY, READ, WRITE, Engine
from records import ladder
from records.faults import Failure, first_line, run
from records.files import digest, replace
from records.ladder import ROOT, Snapshot
from verification import mutations
from verification.machine import CC, LINK, arm, built
from verification.mutations import OfCode, OfText
from verification.prove import of_assembly, of_numbers

SUMMARY, OPEN = ROOT / "tests/mutants.csv", ROOT / "tests/mutants-open.csv"
HEAD = ["file", "key", "mutants", "killed", "proved", "missed", "open", "date", "tools"]
OPEN_HEAD = ["file", "verdict", "mutant", "tried"]
JUDGE = Path(__file__).parent / "judge.c"
SEEDS = 5  # of other vectors, where the committed ones see nothing
Row = dict[str, str]
Verdict = tuple[str, str]  # killed, invalid, proved, missed or open; and the mutant's name

# --- vectors --------------------------------------------------------------------------------------


def files(width: int) -> list[Path]:
    """The files of vectors for a width."""
    folder = ROOT / "data" / "inputs" / f"width-{width}" / "vectors"
    return [folder / "mont_mul.txt", folder / "mod_exp.txt"]


def committed(width: int) -> list[Call]:
    """Every vector: mont_mul first."""
    return [call for path in files(width) for call in operands.vectors(path)]


def drawn(width: int, seed: str) -> list[Call]:
    """Vectors of the same kinds by SEEDS other seeds, which follow from this one."""
    seeds, names = [f"{seed} {i} " for i in range(SEEDS)], ("mont_mul", "mod_exp")
    return [call for one in seeds for name in names for call in kinds.calls(name, width, one)]


def to_bytes(*words: int) -> bytes:
    """Words as they are in memory."""
    return b"".join(word.to_bytes(4, "little") for word in words)


def packed(call: Call, size: int) -> bytes:
    """A call as judge.c's struct vector."""
    head = to_bytes(call.function == "mod_exp", call.kind == "aliasing")
    numbers = (v.to_bytes(size, "little") for v in (call.x, call.y, call.z))
    return b"".join([head, call.modulus(size), *numbers])


# --- the judge, in an emulator --------------------------------------------------------------------

RAM, RAM_SIZE, DATA = 0x100000, 0x40000, 0x1000000
TOP = RAM + RAM_SIZE - 0x1000  # of the stack
BATCH = 50  # vectors at once
FIRST, REST = 500_000, 60_000_000  # microseconds that the first one, and a batch, may take


class Court:
    """Vectors in the memory of an emulator, and programs that they judge;
    `seen` has the addresses that are accessed, where it watches."""

    def __init__(self, calls: list[Call], width: int, watches: bool = False) -> None:
        self.calls, self.vectors = calls, [packed(call, width // 8) for call in calls]
        self.seen: set[int] = set()
        self.engine = Engine()
        self.engine.map(0, RAM, READ | EXECUTE)
        self.engine.map(RAM, RAM_SIZE, READ | WRITE | EXECUTE)
        data = b"".join(self.vectors)
        self.engine.map(DATA, len(data), READ)
        self.engine.uc.mem_write(DATA, data)
        if watches:  # which is slow
            self.engine.uc.hook_add(HOOK_MEMORY, self._note)

    def _note(self, _uc: Any, _kind: int, at: int, size: int, *_: Any) -> None:
        self.seen.update(range(at, at + size))

    def load(self, program: Elf, at: int = 0, words: tuple[int, ...] = ()) -> None:
        """Puts a program into memory, with other words from an address on."""
        self.engine.uc.mem_write(RAM, bytes(RAM_SIZE))
        for segment in program.segments:
            self.engine.uc.mem_write(segment.start, segment.data)
        if words:
            self.engine.uc.mem_write(at, to_bytes(*words))
        self.engine.uc.ctl_flush_tb()
        self.entry = program.entry("judge")

    def finds(self, first: int, count: int, limit: int) -> int | None:
        """The place of the vector that finds something, None if none does;
        the first one's where the program crashes or does not end."""
        try:
            data = DATA + first * len(self.vectors[0])
            found = self.engine.call(self.entry, TOP, data, count, microseconds=limit)
        except Failure:
            return first
        return first + found if found < count else None

    def killer(self) -> int | None:
        """The place of a vector that finds the program wrong; None if it survives."""
        last = len(self.vectors) - 1
        for place in (0, last):  # mont_mul, and mod_exp: they find most
            if self.finds(place, 1, FIRST) is not None:
                return place
        batches = range(0, last, BATCH)
        found = (self.finds(first, min(BATCH, last - first), REST) for first in batches)
        return next((place for place in found if place is not None), None)

    def addresses(self) -> set[int]:
        """Which addresses some vectors of both functions read and write."""
        self.seen = set()
        last = len(self.vectors) - 1
        for place in (0, 1, last - 1, last):
            self.finds(place, 1, REST)
        return self.seen


# --- machine code ---------------------------------------------------------------------------------


def distinct(code: list[int]) -> set[int]:
    """The places of the words, of code that is repeated word for word only
    its first and its last copy: those with the same two neighbours on
    either side are copies of one another."""
    copies: dict[tuple[int, ...], list[int]] = {}
    for place in range(len(code)):
        copies.setdefault(tuple(code[max(0, place - 2) : place + 3]), []).append(place)
    return {place for found in copies.values() for place in (found[0], found[-1])}


class Assembly:
    """Judges the mutants of a mont.S, whose words are `source`.  Raises Failure."""

    def __init__(self, snapshot: Snapshot, seed: str) -> None:
        self.snapshot, self.seed, self.proof = snapshot, seed, of_assembly(snapshot)
        width, assembly = f"-DWIDTH={snapshot.width}", snapshot.path / "mont.S"
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "judge")
            sources = [JUDGE, snapshot.path / "rsa.c", assembly]
            link = [*LINK, f"-Wl,-Tdata={RAM:#x},-e,judge"]
            arm("-O1", width, *link, *sources, "-lgcc", "-o", program)
            self.program = read_elf(program)
        self.code = built(assembly, width)
        self.source = [self.code(at) for at in sorted(self.code.words)]
        before = self.code.functions["mont_mul"][0] - min(self.code.words)
        self.start = self.program.entry("mont_mul") - before
        kept = distinct(self.source)
        self.mutations = [one for one in mutations.of_code(self.source) if one.place in kept]
        self.court = Court(committed(snapshot.width), snapshot.width)
        self.court.load(self.program)
        if self.court.killer() is not None:
            raise Failure(f"{snapshot.path}: a vector finds a fault as it is: make check")

    @cached_property
    def drawn(self) -> Court:
        """It judges by vectors drawn anew."""
        return Court(drawn(self.snapshot.width, self.seed), self.snapshot.width)

    @cached_property
    def watched(self) -> tuple[Court, set[int]]:
        """It sees every access; the addresses without a mutation."""
        court = Court(self.court.calls, self.snapshot.width, watches=True)
        court.load(self.program)
        return court, court.addresses()

    def plant(self, court: Court, mutation: OfCode) -> Court:
        """The mutant into an emulator."""
        court.load(self.program, self.start + 4 * mutation.place, mutation.words)
        return court

    def verdict(self, mutation: OfCode) -> str:
        """On a mutant: killed, proved, missed or open."""
        if self.plant(self.court, mutation).killer() is not None:
            return "killed"
        watched, usual = self.watched
        if self.plant(watched, mutation).addresses() - usual:
            return "killed"  # by the check of every access, tests/verification/test_trace.py
        if self._proved(mutation):
            return "proved"
        return "open" if self.plant(self.drawn, mutation).killer() is None else "missed"

    def _proved(self, mutation: OfCode) -> bool:
        """Whether the proof covers what is changed, and goes through with it."""
        at = min(self.code.words) + 4 * mutation.place
        if mutation.name == "order" and mutations.exchangeable(self.code.words, at):
            return True
        inside = {at + 4 * i for i in range(len(mutation.words))} <= self.proof.covered
        return inside and self.proof.accepts(self.code.changed(at, mutation.words))


# --- C --------------------------------------------------------------------------------------------

SECONDS = 120  # for all vectors; the judge itself gives each vector half a second of its own time
HOST = ("gcc", "-std=c11", "-O1", "-w", f"-I{ROOT / 'harness'}")
NEON = f"-I{ROOT / 'harness/host'}"
FUNCTION = re.compile(r"^static .*?\b(\w+)\(", re.M)
LEVELS = ("-O3", "-O1")


class Sources:
    """Judges the mutants of a nat.h or rsa.c, with the judge compiled and
    the vectors packed in a folder of its own.  Raises Failure."""

    def __init__(self, snapshot: Snapshot, file: str, seed: str) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.snapshot, self.file, self.seed = snapshot, file, seed
        self.width = [f"-DWIDTH={snapshot.width}", *["-DPRODUCT"] * snapshot.has_assembly]
        for name in ("nat.h", "rsa.c"):
            (self.folder / name).write_bytes((snapshot.path / name).read_bytes())
        self.source = (self.folder / file).read_text()
        self.mutations = list(mutations.of_text(self.source))
        self.original = [self._machine_code(level) for level in LEVELS]
        self.committed = self._vectors("committed", committed(snapshot.width))
        run([*HOST, *self.width, "-c", JUDGE, "-o", self.folder / "judge.o"])
        if not self._compiles() or self._finds(self.committed):
            raise Failure(f"{snapshot.path}: fails as it is: make check")

    def _vectors(self, name: str, calls: list[Call]) -> Path:
        path = self.folder / name
        path.write_bytes(b"".join(packed(call, self.snapshot.width // 8) for call in calls))
        return path

    @cached_property
    def drawn(self) -> Path:
        """Vectors drawn anew."""
        return self._vectors("drawn", drawn(self.snapshot.width, self.seed))

    def _compiles(self) -> bool:
        words = [*HOST, NEON, *self.width, "rsa.c", "judge.o", "-o", "mutant"]
        return subprocess.run(words, cwd=self.folder, capture_output=True).returncode == 0

    def _finds(self, data: Path) -> bool:
        """Whether a vector finds a fault."""
        words = [self.folder / "mutant", data]
        try:
            return subprocess.run(words, capture_output=True, timeout=SECONDS).returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def _machine_code(self, level: str) -> list[bytes]:
        """What the ARM compiler makes of the sources: code and constants.  Raises Failure."""
        program = self.folder / "arm"
        options = [*self.width, level, "-w", "-fno-tree-loop-distribute-patterns"]  # no memmove
        arm(*LINK, "-Wl,-e,0", *options, JUDGE, self.folder / "rsa.c", "-lgcc", "-o", program)
        return [bytes(segment.data) for segment in read_elf(program).segments]

    def verdict(self, mutation: OfText) -> str:
        """On a mutant: invalid, killed, proved, missed or open."""
        text = mutation.of(self.source)
        (self.folder / self.file).write_text(text)
        if not self._compiles():
            return "invalid"
        if self._finds(self.committed):
            return "killed"
        if self._equivalent(text, mutation):
            return "proved"
        return "missed" if self._finds(self.drawn) else "open"

    def _equivalent(self, text: str, mutation: OfText) -> bool:
        """Whether the ARM compiler makes the same of it, or the function in nat.h is proved."""
        try:
            mutant = [self._machine_code(level) for level in LEVELS]
            if any(map(list.__eq__, mutant, self.original)):
                return True
            if self.file != "nat.h":
                return False
            name = FUNCTION.findall(text[: mutation.start])[-1]
            names = (name, f"{name}_in_x", f"{name}_in_y")
            proofs = [p for p in of_numbers(self.snapshot, text) if p.name.split()[-1] in names]
            return bool(proofs) and all(proof.accepts(proof.code) for proof in proofs)
        except Failure:
            return False


# --- the ledger -----------------------------------------------------------------------------------


class Unit(NamedTuple):
    """A file of a snapshot whose mutants are judged."""

    snapshot: Snapshot
    file: str

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return str((self.snapshot.path / self.file).relative_to(ROOT))

    def key(self) -> str:
        """Changes with all that the verdicts depend on but the tools: of C
        the words, of assembly the machine code, so that comments count for
        nothing."""
        parts = [digest(*files(self.snapshot.width)), digest(JUDGE)]
        if self.file == "mont.S":
            code = built(self.snapshot.path / "mont.S", f"-DWIDTH={self.snapshot.width}").words
            parts += [str(sorted(code.items())), str(list(mutations.of_code([*code.values()])))]
        else:
            texts = {name: (self.snapshot.path / name).read_text() for name in ("nat.h", "rsa.c")}
            made = [mutation.new for mutation in mutations.of_text(texts[self.file])]
            parts += [*map(mutations.words, texts.values()), str(made)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def judge(self) -> Any:
        """Who judges its mutants.  Raises Failure."""
        if self.file == "mont.S":
            return Assembly(self.snapshot, self.name)
        return Sources(self.snapshot, self.file, self.name)


def units() -> Iterator[Unit]:
    """All of them: assembly, then the ladder's C."""
    yield from (Unit(s, "mont.S") for s in ladder.every() if s.has_assembly)
    for snapshot in ladder.snapshots():
        for file in ("nat.h", "rsa.c"):
            if any(mutations.of_text((snapshot.path / file).read_text())):
                yield Unit(snapshot, file)


def begin() -> None:
    """In a process of the pool: the pool ends it, also when Ctrl-C ends the pool."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def judged(unit: Unit) -> list[Verdict]:
    """The verdict on each mutant of a file.  Raises Failure."""
    judge = unit.judge()
    return [(judge.verdict(one), one.label(judge.source)) for one in judge.mutations]


def tools() -> str:
    """The versions that the verdicts depend on."""
    names = ("unicorn", "capstone", "bitwuzla", "sympy")
    provers = ", ".join(f"{name} {version(name)}" for name in names)
    return f"{first_line(CC, '--version')}; {first_line('gcc', '--version')}; {provers}"


def read(path: Path) -> list[Row]:
    """The rows of a table, none where there is no table."""
    return list(csv.DictReader(path.open(newline=""))) if path.exists() else []


def write(path: Path, head: list[str], rows: list[Row]) -> None:
    """A table, whole or not at all."""
    writer = csv.DictWriter(text := StringIO(), head, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    replace(path, text.getvalue())


def entries(unit: Unit, key: str, verdicts: list[Verdict]) -> tuple[Row, list[Row]]:
    """The row of a file, and those of what is not settled."""
    counts = Counter(verdict for verdict, _ in verdicts if verdict != "invalid")
    numbers = [counts.total(), *(counts[verdict] for verdict in HEAD[3:7])]
    cells = [unit.name, key, *map(str, numbers), date.today().isoformat(), tools()]
    tried = f"all vectors; those of {SEEDS} other seeds; proof"
    left = [one for one in verdicts if one[0] in ("missed", "open")]
    rows = [dict(zip(OPEN_HEAD, (unit.name, *one, tried))) for one in left]
    return dict(zip(HEAD, cells)), rows


def main() -> int:
    """Status 1 when operands drawn anew find a mutant that the vectors do not.  Raises Failure."""
    wanted = {unit.name: unit for unit in units()}
    keys = {name: unit.key() for name, unit in wanted.items()}
    done = {row["file"]: row for row in read(SUMMARY) if row["file"] in wanted}
    todo = [name for name in wanted if done.get(name, {}).get("key") != keys[name]]
    with Pool(WORKERS, begin) as pool:
        for name, verdicts in zip(todo, pool.imap(judged, [wanted[name] for name in todo])):
            done[name], rows = entries(wanted[name], keys[name], verdicts)
            rows += [row for row in read(OPEN) if row["file"] in wanted.keys() - {name}]
            write(OPEN, OPEN_HEAD, sorted(rows, key=lambda row: row["file"]))
            write(SUMMARY, HEAD, [done[name] for name in sorted(done)])
            print(f"judged: {name}", flush=True)
    for name, row in done.items():
        print(f"{name:<48}", *(f"{row[said]:>6} {said}" for said in HEAD[2:7]))
    return int(any(row["missed"] != "0" for row in done.values()))
