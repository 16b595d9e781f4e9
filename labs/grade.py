"""`make grade DIR=submissions`: every NAME/NN-name under a folder, judged at once, into one CSV.

The CSV, DIR/grades.csv, has a row for each student and exercise.  Compiler and program run in a
sandbox; where bubblewrap does not work, only UNSAFE=1 goes on, and the first line of the CSV says
so.  All submissions get the same operands, drawn for this run and named by its seed.
"""

from __future__ import annotations

import csv
import io
import os
import secrets
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from labs.judge import (
    BUILD,
    SECONDS,
    TRIPS,
    Box,
    Judge,
    Scale,
    Sources,
    Unfit,
    Verdict,
    factor,
    printable,
    why_no_sandbox,
)
from labs.lab import FILE, SOURCES, Lab, labs, predictions
from records.command import limit
from records.faults import EXPECTED, Failure, command_line, line
from records.files import replace
from records.ladder import levels
from records.tables import aligned

LARGEST = 200_000  # bytes of a file that is read
GRADES = "grades.csv"
Row = dict[str, object]  # of the CSV


def submissions(root: Path) -> tuple[list[tuple[Path, Lab]], list[Path]]:
    """What has been handed in, in order, and the folders that look like it but name no exercise.
    Raises Failure where there is nothing."""
    if not root.is_dir():
        raise Failure(f"DIR={root}: no such folder; say, for example, DIR=submissions")
    known = {lab.name: lab for lab in labs()}
    folders = [path for path in sorted(root.glob("*/*")) if path.is_dir()]
    wanted = [(path, known[path.name]) for path in folders if path.name in known]
    if not wanted:
        raise Failure(f"DIR={root}: no folder NAME/NN-name, such as ann/{next(iter(known))}")
    return wanted, [path for path in folders if path.name not in known]


def taken(folder: Path) -> Sources:
    """The files of a submission: regular ones with the names of a snapshot's, and nothing that they
    point to elsewhere.  Raises Unfit."""
    files = {}
    if folder.is_symlink() or folder.parent.is_symlink():
        raise Unfit("refused", "the folder is a symbolic link")
    for name in (*SOURCES, FILE):
        path = folder / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise Unfit("refused", f"{name} is not a regular file")
        if path.exists():
            with path.open(encoding="utf-8", errors="replace") as file:
                files[name] = file.read(LARGEST + 1)
            if len(files[name]) > LARGEST:
                raise Unfit("refused", f"{name} has more than {LARGEST:,} characters")
    if "rsa.c" not in files:
        raise Unfit("refused", "there is no rsa.c")
    return files


def safe_box() -> tuple[Box, str]:
    """Where submissions run, and what the CSV says of it.  Raises Failure without a sandbox, unless
    UNSAFE=1."""
    why_not, seconds = why_no_sandbox(), limit(SECONDS)
    if not why_not:
        return Box(True, seconds), "in a sandbox (bubblewrap), with limits of time and memory"
    if os.environ.get("UNSAFE") != "1":
        raise Failure(f"{why_not}; UNSAFE=1 runs what was handed in without a sandbox")
    return Box(False, seconds), f"NOT in a sandbox: {why_not}; only time and memory were limited"


def grade(wanted: list[tuple[Path, Lab]], box: Box, seed: int) -> list[Row]:
    """The rows of all submissions.  Raises Failure where nothing can be compared."""
    exercises = {lab.name: lab for _, lab in wanted}
    widths = {lab.width for lab in exercises.values()}
    judges = {width: Judge(BUILD / f"grade-{width}", width, seed, box) for width in widths}
    scales = {name: lab.scale(judges[lab.width]) for name, lab in exercises.items()}

    def row(number: int) -> Row:
        folder, lab = wanted[number]
        return graded(folder, lab, judges[lab.width], scales[lab.name], str(number))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(row, range(len(wanted))))


def graded(folder: Path, lab: Lab, judge: Judge, scale: Scale, name: str) -> Row:
    """The row of a submission; `name` is that of its folder under build/."""
    guess = ""
    try:
        files = taken(folder)
        guess = files.pop(FILE, "")
        verdict = judge.judge(files, name, lab.may_vary)
    except Unfit as end:
        verdict = Verdict(*end.args)
    except EXPECTED as fault:
        verdict = Verdict("crashed", f"not counted: {line(fault).partition(';')[0]}")
    shutil.rmtree(judge.folder / name, ignore_errors=True)
    scale.grade(verdict)
    row: Row = {"student": folder.parent.name, "lab": lab.name, "status": verdict.status}
    for level in levels():
        row[level] = round(verdict.costs[level].total() / TRIPS) if level in verdict.costs else ""
    done = len(verdict.costs) == len(levels())
    for rival, costs in (("start", scale.start), ("rung", scale.solution), ("best", scale.best)):
        row[f"versus_{rival}"] = f"{factor(verdict.costs, costs):.3f}" if done else ""
    case = "; ".join(" ".join(words.split()) for words in verdict.case)
    return row | hits(guess, verdict, scale) | {"fault": verdict.fault, "case": case}


def hits(guess: str, verdict: Verdict, scale: Scale) -> Row:
    """How many of the levels that were counted were predicted, and how many of these had the gain
    and the function right; nothing where none was counted."""
    names = ("predicted", "gains_hit", "functions_hit")
    if not verdict.costs:
        return dict.fromkeys(names, "")
    try:
        guesses = predictions(guess)
    except Failure:
        guesses = {}
    counted = guesses.keys() & verdict.costs.keys()
    marks = [guesses[at].hits(scale.start[at], verdict.costs[at]) for at in counted]
    return dict(zip(names, (len(marks), *(sum(mark[i] for mark in marks) for i in (0, 1)))))


def table(rows: list[Row], head: str) -> str:
    """The CSV: a comment, the names of the columns, the rows."""
    text = io.StringIO()
    text.write(f"# {head}\n")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: printable(str(row[key]))[:1000] for key in row} for row in rows)
    return text.getvalue()


def main() -> None:
    """The command line.  Raises Failure."""
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise Failure("say which folder: make grade DIR=submissions")
    root, seed = Path(sys.argv[1]), secrets.randbits(32)
    wanted, unknown = submissions(root)
    box, head = safe_box()
    rows = grade(wanted, box, seed)
    order = f"operands of seed {seed}; instructions a round trip at {' '.join(levels())}"
    replace(root / GRADES, table(rows, f"{head}; {order}"))
    names = ("student", "lab", "status", "fault")
    cells = [[printable(str(row[name]))[:90] for name in names] for row in rows]
    print(*aligned([names, *cells], left=range(4)), sep="\n")
    for path in unknown:
        print(f"{printable(str(path))}: no exercise has this name, so it was not looked at")
    print(f"{root / GRADES}: {len(rows)} rows, {head}")


if __name__ == "__main__":
    sys.exit(command_line("grade", main))
