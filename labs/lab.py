"""`make lab L=3`: the student's work on an exercise, built, checked, counted and compared.

Without a number: a list of the exercises.  The work is in labs/work/NN-name,
which git ignores and make never removes.
"""

import difflib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import replace as replace_field
from pathlib import Path

from harness import clock
from labs.book import START, YOURS, Book, Prediction, Program
from labs.box import RUN_SECONDS, Box
from labs.judge import BUILD, TRIPS, Judge, Sources, Verdict, seed
from labs.likeness import runs_of
from labs.submission import FILE, changed, fingerprint, predictions, program_of
from records import ladder
from records.commands import command
from records.faults import Failure, limit
from records.files import digest, replace, scratch
from records.ladder import ROOT, SOURCES
from records.machine import cpu, read_platform

WORK = Path("labs/work")
ROUNDS = 21  # of a duel


# ---- an exercise: what it starts from, what it leads to, its hints


@dataclass(frozen=True)
class Lab:
    """An exercise.  `start`, `rung` and `best` are folders of snapshots;
    `rung` is the exercise's own solution/ where it leads to no snapshot.
    `may_vary` are the functions that may execute another number of
    instructions for another exponent; empty means that all may.
    `variants` are other widths that it may have; each is an exercise of its
    own, `is_variant`, whose solution is in variants/."""

    path: Path
    title: str
    start: Path
    rung: Path
    best: Path
    width: int
    may_vary: tuple[str, ...]
    variants: tuple[int, ...] = ()
    is_variant: bool = False

    @property
    def name(self) -> str:
        """Return its folder's name, such as `03-one-factor-is-1`; of a variant `09-six-limbs-160`."""
        return f"{self.path.name}-{self.width}" if self.is_variant else self.path.name

    @property
    def number(self) -> str:
        """Return what L= takes: `9`, of a variant `9-160`."""
        number = self.path.name.partition("-")[0].lstrip("0")
        return f"{number}-{self.width}" if self.is_variant else number

    def with_width(self, width: int) -> "Lab":
        """Return the variant of this width."""
        solution = self.path / "variants"
        return replace_field(
            self, width=width, rung=solution, best=solution, is_variant=True
        )

    def starter(self) -> Sources:
        """Return the files that a student gets: a snapshot's, and those of start/
        in their place."""
        return sources_of(self.start) | sources_of(self.path / "start")

    def solution(self) -> Sources:
        """Return the files of the solution."""
        own = self.starter() if self.rung.parent == self.path else {}
        if self.is_variant:  # which has in variants/ only what is another
            own |= sources_of(self.path / "solution")
        return own | sources_of(self.rung)

    def compared_with(self) -> dict[str, tuple[str, Sources]]:
        """Return what it is compared with: start, solution and the best that is
        known; each has a name and files."""
        found = {"start": ("", self.starter())}
        found["solution"] = self.rung.name, self.solution()
        found["best"] = found["solution"]
        if self.best != self.rung:
            found["best"] = self.best.name, sources_of(self.best)
        return found

    def hints(self) -> list[str]:
        """Return the hints, in their order."""
        text = (self.path / "hints.md").read_text(encoding="utf-8")
        return [part.strip("\n") for part in re.split(r"^## .*$", text, flags=re.M)[1:]]


def sources_of(folder: Path) -> Sources:
    """Return the files of a snapshot that are in a folder."""
    found = {}
    for name in SOURCES:
        path = folder / name
        if path.is_file():
            found[name] = path.read_text("utf-8", "replace")
    return found


def labs() -> list[Lab]:
    """Return all of them, in order.  Raises Failure for faulty front matter."""
    return [_read(path) for path in sorted(ROOT.glob("labs/*/README.md"))]


def with_variants() -> list[Lab]:
    """Return all of them, and all of their variants."""
    usual = labs()
    return usual + [lab.with_width(width) for lab in usual for width in lab.variants]


def _read(readme: Path) -> Lab:
    values = ladder.front_matter(readme, keys=ladder.LAB_KEYS)
    path = readme.parent
    start = ROOT / values.get("starts-from", "nowhere")
    if "title" not in values or not (start / "rsa.c").is_file():
        raise Failure(
            f"labs/{path.name}/README.md: say `title:`, and `starts-from:` a snapshot"
        )
    width = values.get("width", str(ladder.DEFAULT_WIDTH))
    if not re.fullmatch("[1-9][0-9]{1,5}", width):
        raise Failure(
            f"labs/{path.name}/README.md: width: '{width[:80]}' is not like '128'"
        )
    rung = ROOT / values["leads-to"] if "leads-to" in values else path / "solution"
    best = ROOT / values["best"] if "best" in values else rung
    return Lab(
        path=path,
        title=values["title"],
        start=start,
        rung=rung,
        best=best,
        width=int(width),
        may_vary=tuple(values.get("may-vary", "").split()),
        variants=tuple(map(int, values.get("variants", "").split())),
    )


def find(wanted: str) -> Lab:
    """Return the exercise with this number or name.  Raises Failure, naming what
    there is."""
    every = with_variants()
    for lab in every:
        if wanted.removeprefix("0") in (lab.number, lab.name.removeprefix("0")):
            return lab
    there = " ".join(lab.number for lab in every)
    raise Failure(f"L={wanted}: there is no such exercise; there are: {there}")


# ---- what it is compared with

TEMPLATE = """\
# Your prediction, written before you measure.  For each level one line:
#
#     O1  1.2..1.4  shr
#
# How many times fewer instructions than the program that you start from (1.3: start / yours = 1.3;
# below 1 means more), as a range whose ends are at most a factor of 2 apart; and the function in
# which the number of instructions changes most.
"""


def compare(book: Book, lab: Lab, judge: Judge) -> None:
    """Enter what an exercise is compared with.  Raises Failure."""
    for role, (name, files) in lab.compared_with().items():
        costs = judge.costs(files, role == START, lab.may_vary)
        verdict = Verdict(costs=costs)
        program = Program(lab.name, role, name, verdict, fingerprint(files))
        program.runs = runs_of(files)
        book.add(program)


# ---- the command line


def listed() -> Iterator[str]:
    """Yield a line for each exercise."""
    for lab in labs():
        state = "begun" if (WORK / lab.name).exists() else ""
        readme = f"labs/{lab.name}/README.md"
        yield f"{lab.number:>3}  {lab.title:<30} {readme:<48} {state}".rstrip()
        if lab.variants:
            others = " ".join(f"L={lab.with_width(w).number}" for w in lab.variants)
            yield f"     of other widths: {others}"
    yield "make lab L=1 begins the first; HINT=1 shows a hint, SOLUTION=1 the solution's diff"


def begin(lab: Lab, folder: Path) -> Iterator[str]:
    """Put the starter into the student's folder."""
    template = TEMPLATE
    for level in ladder.levels():
        template += f"{level}  ?..?  ?\n"
    replace(folder / FILE, template)
    for name, text in lab.starter().items():
        replace(folder / name, text)
    readme = f"labs/{lab.path.name}/README.md"
    yield f"{folder} has the files to work on; {readme} says what to do."
    if lab.is_variant:
        yield f"Your numbers have {lab.width} bits, {lab.width // 32} limbs: read it with these."
    yield f"Write your prediction in {folder / FILE}, change the program,"
    yield "then type the same again."


def hinted(lab: Lab, upto: str) -> Iterator[str]:
    """Yield the hints up to a number.  Raises Failure."""
    hints = lab.hints()
    numbers = [str(number + 1) for number, _ in enumerate(hints)]
    if upto not in numbers:
        raise Failure(f"HINT={upto}: exercise {lab.name} has hints 1 to {len(hints)}")
    for number, hint in zip(numbers, hints):
        yield f"hint {number} of {len(hints)}\n{hint}\n"
        if number == upto:
            break
    if upto != numbers[-1]:
        yield f"HINT={int(upto) + 1} shows the next one"


def difference(lab: Lab, folder: Path) -> Iterator[str]:
    """Yield the student's files against the solution's, as diff -u shows them."""
    mine = sources_of(folder)
    solution = lab.solution()
    if mine == solution:
        yield f"your files are those of {lab.rung.name}"
    for name in solution | mine:
        old = mine.get(name, "").splitlines()
        new = solution.get(name, "").splitlines()
        above = f"yours/{name}"
        below = f"{lab.rung.name}/{name}"
        yield from difflib.unified_diff(old, new, above, below, lineterm="")


def measured(lab: Lab, folder: Path) -> Iterator[str]:
    """Yield the verdict on the student's folder and all tables.  Raises Failure,
    and SystemExit where the program is not right."""
    start = lab.starter()
    try:
        files = changed(folder, start)
    except Verdict as end:
        yield said(end)
        raise SystemExit(1) from None
    guesses = predictions(files.get(FILE, ""), files, start)
    if missing := [level for level in ladder.levels() if level not in guesses]:
        where = f"no prediction for {', '.join(missing)}: write it in {folder / FILE}"
        raise Failure(f"{where}, then type the same again")
    Judge.ready(lab.may_vary)
    place = BUILD / "work"
    place.mkdir(parents=True, exist_ok=True)
    with scratch(place, "lab") as made:
        judge = Judge(made, lab.width, seed(), Box(False, limit(RUN_SECONDS)))
        yield from judged(lab, judge, files, guesses)


def judged(
    lab: Lab, judge: Judge, files: Sources, guesses: Mapping[str, Prediction]
) -> Iterator[str]:
    """Yield the verdict on a student's files and all tables.  Raises Failure, and SystemExit where
    the program is not right."""
    book = Book()
    compare(book, lab, judge)
    if judge.seconds:
        most = max(judge.seconds.values())
        print(
            f"checking your program; a loop without end ends after {most} s of processor time",
            file=sys.stderr,
        )
    verdict = judge.judge(program_of(files), "yours", lab.may_vary)
    if verdict.status != "right":
        yield said(verdict)
        raise SystemExit(1)
    yours = Program(lab.name, YOURS, YOURS, verdict, guesses=guesses)
    book.add(yours)
    levels = " ".join(f"-{level}" for level in verdict.costs)
    drawn = (
        f"{len(judge.calls['check']):,} calls, drawn for this run (SEED={judge.seed})"
    )
    yield f"right at {levels}: {drawn}"
    status, fault = book.verdict(yours)
    if status != "right":
        yield f"{status}: {fault}"
    yield from tables(book, yours)
    yield from timed(lab, judge)
    yield f"\n{following(lab)}"


def said(verdict: Verdict) -> str:
    """Return a verdict as it is printed: a line, and below it what more is known."""
    return "\n    ".join([f"{verdict.status}: {verdict.fault}", *verdict.case])


def tables(book: Book, yours: Program) -> Iterator[str]:
    """Yield what a right program executes, beside the start, the prediction and the solution."""
    yield f"\nInstructions a round trip (exact mean of {TRIPS}, drawn for this run)"
    yield from book.table_of_levels(yours).lines
    yield "\nYour prediction: start / yours"
    yield from book.table_of_predictions(yours).lines
    yield "\nBy function: start -> yours"
    yield from book.table_of_functions(book.programs[0], yours).lines


def following(lab: Lab) -> str:
    """Return the line that says what comes after an exercise."""
    later = [other for other in labs() if other.name > lab.name]
    if not later:
        return "This was the last exercise."
    return f"Next: make lab L={later[0].number}  ({later[0].title})"


def timed(lab: Lab, judge: Judge) -> Iterator[str]:
    """Yield whether start and work differ in time at the highest level, as `make
    duel` has it: of ARM programs where they run directly, else of programs
    for this machine, of C only."""
    level = ladder.levels()[-1]
    inputs = ROOT / f"data/inputs/width-{lab.width}"
    direct = read_platform().direct
    yours = judge.folder / "yours"
    yield f"\nTime at -{level}, by the method of `make duel`"
    if not inputs.is_dir():
        return (yield f"none: there are no messages of {lab.width} bits")
    if not direct and ((yours / "src/mont.S").exists() or "mont.S" in lab.starter()):
        return (
            yield "none: this machine runs no ARM assembly; on an ARM board it is shown"
        )
    try:
        host = [] if direct else ["host"]
        a = judge.build(judge.reference(lab.starter()), level, *host)
        b = judge.build(yours, level, *host)
        fought = clock.fight(a, b, inputs, ROUNDS)
        yield f"of {'ARM' if direct else os.uname().machine} programs, on {cpu()}"
        if not direct:
            yield "built by this computer's own gcc: no times of ARM programs"
        yield clock.report(("start", "yours"), fought, digest(a) == digest(b))
    except (Failure, Verdict) as end:
        yield f"none: {end.fault if isinstance(end, Verdict) else end}"


def printed(number: str, hint: str, solution: str) -> Iterator[str]:
    """Return the lines that the command prints.  Raises Failure."""
    if not number:
        return listed()
    lab = find(number)
    folder = WORK / lab.name
    if hint:
        return hinted(lab, hint)
    if not folder.exists():
        return begin(lab, folder)
    return (difference if solution else measured)(lab, folder)


def main(number: str, hint: str, solution: str) -> None:
    """Print what L, HINT and SOLUTION ask for, each of them as make has it.
    Raises Failure."""
    for line in printed(number, hint, solution):
        print(line)


if __name__ == "__main__":
    sys.exit(command("lab", main))
