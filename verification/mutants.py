"""Every mutant of every mont.S, and of the ladder's nat.h and rsa.c, is judged.

The check vectors judge machine code in Unicorn.  A file's mutants are judged
anew when the file, the vectors or the mutations have changed.
tests/mutants.csv says how many mutants of a file are killed and how many are
proved to compute the same, and has a row for each that is neither.
"""

import csv
import hashlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from io import StringIO
from operator import itemgetter
from pathlib import Path
from typing import Any

from harness import kinds
from harness.cells import Task, on_all_cores
from harness.elf import Elf
from harness.operands import Call
from records import c_functions, ladder
from records.faults import Failure, run
from records.files import digest, replace
from records.ladder import ROOT, Snapshot
from records.typed import read_table
from verification import mutations
from verification.court import JUDGE, Court, Mutant, committed, files, program
from verification.machine import Code
from verification.mutations import OfCode, OfText
from verification.prove import of_assembly, of_numbers
from verification.trials import OfAssembly

TABLE = ROOT / "tests/mutants.csv"
HEAD = ["file", "key", "verdict", "mutants", "mutant"]
SEEDS = 5  # of other vectors, where the committed ones see nothing
VERDICTS = ("killed", "proved", "missed", "open")  # or invalid
Verdict = tuple[str, str]  # and the mutant's name
Row = dict[str, str]


# --- a file's mutants -----------------------------------------------------------------------------


class File:
    """A file of a snapshot, and the judge of its mutants."""

    source: Any
    mutations: Sequence[Any]
    parts: Callable[[], list[str]]  # what the verdicts depend on: no comments
    mutant: Callable[..., Mutant]
    proved: Callable[[Any], bool]

    def __init__(self, snapshot: Snapshot, file: str) -> None:
        self.snapshot = snapshot
        self.file = file
        self.path = snapshot.path / file
        self.name = str(self.path.relative_to(ROOT))
        self.width = f"-DWIDTH={snapshot.width}"

    @cached_property
    def key(self) -> str:
        """Return a hash of all that the verdicts depend on but the tools."""
        vectors = digest(*files(self.snapshot.width))
        depends_on = [vectors, digest(JUDGE), *self.parts()]
        return hashlib.sha256("\n".join(depends_on).encode()).hexdigest()[:16]

    def judge(self, calls: list[Call]) -> Court:
        """Return the court of these vectors.  Raises Failure where one finds a fault already."""
        original = self.mutant()
        court = Court(calls, self.snapshot.width, original)
        if court.killer(original) is not None:
            raise Failure(f"{self.name}: a vector finds a fault as it is: make check")
        return court

    @cached_property
    def court(self) -> Court:
        """Return the court of the committed vectors."""
        return self.judge(committed(self.snapshot.width))

    @cached_property
    def drawn(self) -> Court:
        """Return the court of vectors of the same kinds, drawn by SEEDS other seeds."""
        calls: list[Call] = []
        for i in range(SEEDS):
            seed = f"{self.name} {i} "
            for function in ("mont_mul", "mod_exp"):
                calls += kinds.calls(function, self.snapshot.width, seed)
        return self.judge(calls)

    def verdict(self, mutation: Any) -> str:
        """Return the verdict on a mutant: invalid, killed, proved, missed or open.

        Raises Failure.
        """
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
        """Return the verdicts on all mutants.  Raises Failure."""
        return [(self.verdict(one), one.label(self.source)) for one in self.mutations]

    def strays(self, _mutant: Mutant) -> bool:
        """Return whether other memory is accessed than without the mutation."""
        return False


def distinct(code: list[int]) -> set[int]:
    """Return the indices of words to change: of code that is repeated word for word only the first
    and the last copy.  Words with the same two neighbours on either side are copies."""
    copies: dict[tuple[int, ...], list[int]] = {}
    for index in range(len(code)):
        neighbours = code[max(0, index - 2) : index + 3]
        copies.setdefault(tuple(neighbours), []).append(index)
    chosen = set()
    for indices in copies.values():
        chosen |= {indices[0], indices[-1]}
    return chosen


class Assembly(File):
    """A mont.S.  `source` are the words of its code, of which the first is at `start`."""

    def __init__(self, snapshot: Snapshot, file: str = "mont.S") -> None:
        super().__init__(snapshot, file)
        self.proof = of_assembly(snapshot)
        self.code = self.proof.code
        self.trial = OfAssembly(snapshot, self.code)
        self.start = min(self.code.words)
        self.source = list(self.code.words.values())
        self.every = list(mutations.of_code(self.source))
        chosen = distinct(self.source)
        self.mutations = [one for one in self.every if one.position in chosen]

    def parts(self) -> list[str]:
        """Return the machine code, so that comments count for nothing, and the mutations."""
        return [str(sorted(self.code.words.items())), str(self.every)]

    def changed(self, mutation: OfCode) -> Code:
        """Return the code with the words of a mutation."""
        address = self.start + 4 * mutation.position
        return self.code.changed(address, mutation.words)

    def mutant(self, mutation: OfCode | None = None) -> Mutant:
        """Return the program with the words of a mutation."""
        code = self.changed(mutation) if mutation else self.code
        return self.trial.mutant(code)

    @cached_property
    def usual(self) -> set[int]:
        """Return the addresses that are accessed without a mutation."""
        return self.court.addresses(self.mutant())

    def strays(self, mutant: Mutant) -> bool:
        """Return whether others are accessed: tests/verification/test_trace.py finds that."""
        return bool(self.court.addresses(mutant) - self.usual)

    def proved(self, mutation: OfCode) -> bool:
        """Return whether the proof covers what is changed, and goes through with it."""
        address = self.start + 4 * mutation.position
        if mutation.name == "order" and mutations.exchangeable(
            self.code.words, address
        ):
            return True
        end = address + 4 * len(mutation.words)
        if not self.proof.covered.issuperset(range(address, end, 4)):
            return False
        return self.proof.accepts(self.changed(mutation))


JUDGED_LEVEL = "-O1"
LEVELS = (JUDGED_LEVEL, "-O3")  # at which a mutant may compile to the same


@lru_cache(8)
def compiled(path: Path, text: str, *options: str) -> Elf:
    """Return the program with a text in place of a nat.h or rsa.c.  Raises Failure."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in ("nat.h", "rsa.c"):
            shutil.copyfile(path.with_name(name), folder / name)
        (folder / path.name).write_text(text)
        return program(*options, folder / "rsa.c")


class Text(File):
    """A nat.h or rsa.c."""

    def __init__(self, snapshot: Snapshot, file: str) -> None:
        super().__init__(snapshot, file)
        self.source = self.path.read_text()
        self.mutations = list(mutations.of_text(self.source))

    def parts(self) -> list[str]:
        """Return the words of both sources, and the mutations."""
        nat = (self.snapshot.path / "nat.h").read_text()
        rsa = (self.snapshot.path / "rsa.c").read_text()
        new = [one.new for one in self.mutations]
        return [mutations.words(nat), mutations.words(rsa), str(new)]

    def compiled(self, mutation: OfText | None, level: str) -> Elf:
        """Return the program of a mutation.  Raises Failure."""
        text = mutation.of(self.source) if mutation else self.source
        options = [level, self.width]
        if self.snapshot.has_assembly:
            options.append("-DPRODUCT")
        return compiled(self.path, text, *options)

    def mutant(self, mutation: OfText | None = None) -> Mutant:
        return Mutant(self.compiled(mutation, JUDGED_LEVEL), {})

    def proved(self, mutation: OfText) -> bool:
        """Return whether the compiler makes the same of it, or the function in nat.h is proved."""
        for level in LEVELS:
            changed = self.compiled(mutation, level)
            if changed.segments == self.compiled(None, level).segments:
                return True
        if self.file != "nat.h":
            return False
        text = mutation.of(self.source)
        *_, function = [
            one.name
            for one in c_functions.functions(text)
            if one.start < mutation.start
        ]
        operations = (function, f"{function}_in_x", f"{function}_in_y")
        proofs = []
        for proof in of_numbers(self.snapshot, text):
            if proof.name.split()[-1] in operations:
                proofs.append(proof)
        return bool(proofs) and all(proof.accepts(proof.code) for proof in proofs)


# --- the table ------------------------------------------------------------------------------------


def every_file() -> Iterator[File]:
    """Yield all files that are judged: assembly, then the ladder's C."""
    for snapshot in ladder.every():
        if snapshot.has_assembly:
            yield Assembly(snapshot)
    for snapshot in ladder.snapshots():
        for name in ("nat.h", "rsa.c"):
            text = Text(snapshot, name)
            if text.mutations:
                yield text


def read() -> list[Row]:
    """Return the rows of the table, none where there is no table."""
    if not TABLE.exists():
        return []
    return read_table(TABLE)


def rows(file: File, verdicts: list[Verdict]) -> list[Row]:
    """Return a file's rows: what is settled as a number, what is not one by one."""
    counts = Counter(verdict for verdict, _ in verdicts)
    found = []
    for verdict in ("killed", "proved"):
        found.append((verdict, str(counts[verdict]), ""))
    for verdict, mutant in verdicts:
        if verdict in ("missed", "open"):
            found.append((verdict, "1", mutant))
    return [dict(zip(HEAD, (file.name, file.key, *cells))) for cells in found]


def main(file: str = "") -> int:
    """Judge the mutants of all files that have changed; or print as JSON the verdicts on those of
    one file.

    Returns 1 when vectors drawn anew find a mutant that the committed ones do not.  Raises Failure.
    """
    if file:
        print_verdicts(file)
        return 0
    wanted = {one.name: one for one in every_file()}
    old = [row for row in read() if row["file"] in wanted]
    settled = [row for row in old if row["key"] == wanted[row["file"]].key]
    settled_files = {row["file"] for row in settled}
    table = settled + judged_anew(
        [one for one in wanted.values() if one.name not in settled_files]
    )
    table.sort(key=itemgetter("file"))
    write(table)
    counts: Counter[tuple[str, str]] = Counter()
    for row in table:
        counts[row["file"], row["verdict"]] += int(row["mutants"])
    for name in sorted(wanted):
        cells = [f"{counts[name, verdict]:>6} {verdict}" for verdict in VERDICTS]
        print(f"{name:<48}", *cells)
    return 1 if any(row["verdict"] == "missed" for row in table) else 0


def print_verdicts(name: str) -> None:
    """Print the verdicts on a file's mutants as JSON.  Raises Failure."""
    for file in every_file():
        if file.name == name:
            print(json.dumps(file.verdicts()))
            return
    raise Failure(f"no mutants of {name}")


def judged_anew(files: list[File]) -> list[Row]:
    """Return the rows of files whose mutants are judged now, each by a process of its own."""
    folder = ROOT / "build/mutants"
    tasks = []
    for file in files:
        tasks.append(Task(folder / file.name, file.key, partial(judged, file.name)))

    def report(task: Task) -> None:
        print(f"judged: {task.path.relative_to(folder)}")

    new: list[Row] = []
    for file, verdicts in zip(files, on_all_cores(tasks, report)):
        new += rows(file, verdicts)
    return new


def write(table: list[Row]) -> None:
    """Write the table."""
    text = StringIO()
    writer = csv.DictWriter(text, HEAD, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    replace(TABLE, text.getvalue())


def judged(name: str) -> Any:
    """Return the verdicts on a file's mutants, by a process of its own.  Raises Failure."""
    return json.loads(
        run([sys.executable, "-m", "verification", "mutants", "--file", name])
    )
