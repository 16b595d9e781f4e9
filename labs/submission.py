"""What a student has handed in: its files, its prediction, and the verdict on it as one small record.

`python3 -m labs.submission` is the judge of one folder, a process of its own: it reads a task as
JSON and prints the record as JSON.  Whatever it meets in the folder, dies of or prints is that
student's verdict: who started it believes nothing but a record that is of the form below.
"""

import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labs.book import Prediction
from labs.box import Box, printable
from labs.judge import Judge, Sources, Verdict
from labs.likeness import COMMENT, DIGITS, Runs, runs_of
from labs.likeness import MOST as MOST_RUNS
from records import c_functions, faults, ladder
from records.commands import command
from records.faults import EXPECTED, Failure
from records.ladder import SOURCES

# ---- the files

FILE = "predict.txt"
LARGEST = 200_000  # characters of a file that is read
LONGEST_LINE = 1000  # characters: patterns take the square of that


def taken(folder: Path) -> Sources:
    """Return the files of a submission: regular ones with the names of a
    snapshot's, and nothing that they point to elsewhere.  Raises Verdict."""
    files = {}
    for name in (*SOURCES, FILE):
        path = folder / name
        try:
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise Verdict("refused", f"{name} is not a regular file")
            if not path.exists():
                continue
            with path.open(encoding="utf-8", errors="replace") as file:
                text = file.read(LARGEST + 1)
        except OSError as fault:
            raise Verdict("refused", f"{name}: {fault.strerror}") from None
        if len(text) > LARGEST:
            raise Verdict("refused", f"{name} has more than {LARGEST:,} characters")
        if max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
            what = f"{name} has a line of more than {LONGEST_LINE:,} characters"
            raise Verdict("refused", what)
        files[name] = text
    if "rsa.c" not in files:
        raise Verdict("refused", "there is no rsa.c")
    return files


def plain(files: Sources) -> str:
    """Return the text of a program without comments and white space."""
    text = "".join(files.get(name, "") for name in SOURCES)
    return re.sub(r"\s+", "", COMMENT.sub("", text))


def fingerprint(files: Sources) -> str:
    """Return what programs have in common that are the same but for comments and white space; "" for
    none."""
    text = plain(files)
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def changed(folder: Path, start: Sources) -> Sources:
    """Return the files of a submission that is not still the start.  Raises Verdict."""
    files = taken(folder)
    if plain(files) == plain(start):
        same = "it is still the program that the exercise starts from"
        raise Verdict("unchanged", same)
    return files


def program_of(files: Sources) -> Sources:
    """Return the files that are compiled."""
    return {name: text for name, text in files.items() if name != FILE}


# ---- a prediction: a range for each level, and the function where most changes

WIDEST = 2.0  # high / low of a range that still says something
LINE = re.compile(r"(O\w+)\s+(\d+\.?\d*)\.\.(\d+\.?\d*)\s+(\w+)")
LABEL = re.compile(r"^(\w+):", re.M)  # of assembly
# The function that changes most may be the compiler's own.
RUN_TIME = re.compile(r"none|mem\w+|__\w+")


def predictions(text: str, *programs: Sources) -> dict[str, Prediction]:
    """Return the prediction by level, for the levels that have one.  Raises Failure at
    a line that cannot be understood, or whose function is none of these
    programs'."""
    functions = functions_of(programs)
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].strip()
        if words and "?" not in words:
            level, prediction = prediction_of(words, f"{FILE}:{number}", functions)
            found[level] = prediction
    return found


def functions_of(programs: Iterable[Sources]) -> set[str]:
    """Return the names of the functions of programs, in C and in assembly."""
    names: set[str] = set()
    for files in programs:
        for source in files.values():
            names |= {function.name for function in c_functions.functions(source)}
            names |= {*LABEL.findall(source)}
    return names


def prediction_of(words: str, line: str, functions: set[str]) -> tuple[str, Prediction]:
    """Return what the words of a line predict, and for which level; `line` is what a fault calls
    the line.  Raises Failure."""
    parts = LINE.fullmatch(words)
    if not parts or parts[1] not in ladder.EVERY_LEVEL:
        raise Failure(f"{line}: '{words[:60]}' is not like 'O1  1.2..1.4  shr'")
    level, lower, upper, name = parts.groups()
    low = float(lower)
    high = float(upper)
    if not 0 < low <= high <= WIDEST * low:
        ends = f"{line}: the ends of {lower}..{upper}"
        raise Failure(
            f"{ends} are not in order, or more than a factor of {WIDEST:g} apart"
        )
    if name not in functions and not RUN_TIME.fullmatch(name):
        names = " ".join(sorted(functions))
        raise Failure(
            f"{line}: no function '{name}' in either program; there are: {names}, or none"
        )
    return level, Prediction(low, high, name)


def guessed(files: Sources, start: Sources) -> tuple[dict[str, Prediction], str]:
    """Return the predictions of a submission, and what is wrong with them."""
    try:
        return predictions(files.get(FILE, ""), files, start), ""
    except Failure as fault:
        return {}, str(fault)


# ---- the record

STATUSES = "right unchanged wrong crashed late refused".split()
RECORD_BYTES = 1 << 18
FAULT = 600  # characters
CASE = 20  # lines
FUNCTIONS = 200  # of a level; the others are one
NAME = 80  # characters of a function's
MOST = 1 << 63  # instructions


@dataclass(frozen=True)
class Record:
    """What is known of a submission once it is judged; `fingerprint` is that of its program, and `runs`
    what it has in common with copies."""

    verdict: Verdict
    guesses: Mapping[str, Prediction] = field(default_factory=dict)
    fingerprint: str = ""
    runs: Runs = frozenset()


def short(text: str, most: int) -> str:
    """Return a text of at most so many characters in one line, in which a terminal finds nothing to
    obey."""
    return printable(" ".join(text[:most].split()))[:most]


def written(record: Record) -> str:
    """Return a record as JSON, what is too long being cut."""
    verdict = record.verdict
    costs = {}
    for level, functions in verdict.costs.items():
        kept: Counter[str] = Counter()
        for number, (name, count) in enumerate(Counter(functions).most_common()):
            kept[short(name, NAME) if number < FUNCTIONS - 1 else "others"] += count
        costs[level] = kept
    guesses = {}
    for level, (low, high, function) in record.guesses.items():
        guesses[level] = [low, high, short(function, NAME)]
    known = {
        "status": verdict.status,
        "fault": short(verdict.fault, FAULT),
        "case": [printable(one[:FAULT])[:FAULT] for one in verdict.case[:CASE]],
        "starved": verdict.starved,
        "costs": costs,
        "guesses": guesses,
        "fingerprint": record.fingerprint,
        "runs": "".join(sorted(record.runs)),
    }
    return json.dumps(known)


def record_of(text: bytes) -> Record:
    """Return the record that a judge has printed.  Raises Failure for anything else."""
    try:
        if len(text) > RECORD_BYTES:
            raise ValueError("it is too long")
        return _record(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as fault:
        raise Failure(f"no record: {short(str(fault), NAME)}") from None


def _record(known: Mapping[str, Any]) -> Record:
    """Return a record of what JSON has held.  Raises ValueError, TypeError, KeyError and
    AttributeError."""
    costs = {}
    for level, functions in known["costs"].items():
        counted = Counter(functions)
        numbers = [number(n, 0, MOST) for n in counted.values()]
        if len(numbers) > FUNCTIONS or not sum(numbers):
            raise ValueError("not so many functions")
        for name in counted:
            text(name, NAME)
        costs[member(level, ladder.EVERY_LEVEL)] = counted
    guesses = {}
    for level, (low, high, function) in known["guesses"].items():
        ends = (number(low, 0, MOST), number(high, low, MOST))
        guess = Prediction(*ends, text(function, NAME))
        guesses[member(level, ladder.EVERY_LEVEL)] = guess
    verdict = Verdict(
        status=member(known["status"], STATUSES),
        fault=text(known["fault"], FAULT),
        case=[text(one, FAULT) for one in known["case"][:CASE]],
        costs=costs,
        starved=known["starved"] is True,
    )
    if verdict.status == "right" and {*costs} != {*ladder.levels()}:
        raise ValueError("right, and not counted at every level")
    runs = re.findall("." * DIGITS, text(known["runs"], DIGITS * MOST_RUNS))
    return Record(verdict, guesses, text(known["fingerprint"], 64), frozenset(runs))


def text(value: object, most: int) -> str:
    """Return a text of at most so many characters, all of which can be printed.  Raises
    ValueError."""
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise ValueError("not a short text")
    return value


def member(value: object, values: Sequence[str]) -> str:
    """Return a text that is one of these.  Raises ValueError."""
    if value not in values:
        raise ValueError("not one of the words")
    return str(value)


def number(value: Any, least: float, most: float) -> Any:
    """Return a number in this range.  Raises ValueError."""
    if type(value) not in (int, float) or not least <= value <= most:
        raise ValueError("not a number of this size")
    return value


# ---- the judge of one folder


@dataclass(frozen=True)
class Task:
    """What a judge has to know: the folder, the exercise, and how its operands are drawn.  Of `start`
    it has the files, of `seconds` the limits of labs/judge.py."""

    folder: str
    start: Sources
    width: int
    may_vary: tuple[str, ...]
    seed: int
    seconds: Mapping[str, int]
    box: Box

    @property
    def as_text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self))


def judged(task: Task) -> Record:
    """Return what is found in a folder, whatever that sets off."""
    try:
        return found(task)
    except Verdict as end:
        return Record(end)
    except EXPECTED as fault:
        what = faults.line(fault).partition(";")[0]
    except Exception as bug:
        what = f"{type(bug).__name__}: {bug}"
    return Record(Verdict("crashed", f"not judged: {what}"))


def found(task: Task) -> Record:
    """Return what is found in a folder.  Raises Verdict where that is no work."""
    files = changed(Path(task.folder), task.start)
    guesses, unclear = guessed(files, task.start)
    with tempfile.TemporaryDirectory() as made:
        judge = Judge(Path(made), task.width, task.seed, task.box)
        judge.seconds = dict(task.seconds)
        verdict = judge.judge(program_of(files), "yours", tuple(task.may_vary))
    verdict.fault = "; ".join(filter(None, (verdict.fault, unclear)))
    program = program_of(files)
    return Record(verdict, guesses, fingerprint(files), runs_of(program))


def main() -> None:
    """Judge the folder of a task."""
    known = json.load(sys.stdin)
    box = Box(**known.pop("box"))
    task = Task(box=box, **known)
    print(written(judged(task)))


if __name__ == "__main__":
    sys.exit(command("submission", main))
