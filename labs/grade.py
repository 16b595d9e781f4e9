"""`make grade DIR=submissions`: every folder NAME/NN-name, judged at once, into one CSV.

The CSV, DIR/grades.csv, has a row for each folder, and one for each exercise
that a student has not handed in while another has.  Compiler and program run
in a sandbox; where bubblewrap does not work, only UNSAFE=1 goes on.  All
submissions get the same operands, drawn for this run and named by its seed.
MARK says what a status and a prediction are worth.
"""

import csv
import io
import os
import re
import secrets
import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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
from labs.lab import FILE, SOURCES, Lab, Prediction, labs, plain, predictions, sources_of
from records.commands import command
from records.faults import EXPECTED, Failure, limit, line
from records.files import replace
from records.ladder import levels
from records.tables import aligned

LARGEST = 200_000  # bytes of a file that is read
GRADES = "grades.csv"
RATIOS = ("start/yours", "yours/rung", "yours/best")
LAST = "predicted gains_hit functions_hit copy_of fault case seed sandbox".split()
MARK = "right=10 slow=5 gain=0 function=0"
STATUSES = "right slow unchanged wrong crashed late refused missing".split()
Row = dict[str, Any]  # of the CSV


def worth(text: str) -> dict[str, float]:
    """Points of a status, and of each level whose gain or function was
    predicted; "" is MARK. Raises Failure."""
    text, known = text or MARK, [*STATUSES, "gain", "function"]
    words = re.findall(rf"({'|'.join(known)})=(\d+\.?\d*)", text)
    if " ".join("=".join(word) for word in words) != " ".join(text.split()):
        raise Failure(f"MARK={text}: say words such as {MARK}; there are: {' '.join(known)}")
    return {name: float(points) for name, points in words}


def submissions(root: Path) -> tuple[list[tuple[Path, Lab]], list[Row]]:
    """What has been handed in, in order; and the rows of folders that name
    no exercise and of work that is missing.  Raises Failure where there is
    nothing."""
    if not root.is_dir():
        raise Failure(f"DIR={root}: no such folder; say, for example, DIR=submissions")
    known = {lab.name: lab for lab in labs()}
    folders = [path for path in sorted(root.glob("*/*")) if path.is_dir()]
    wanted = [(path, known[path.name]) for path in folders if path.name in known]
    if not wanted:
        raise Failure(f"DIR={root}: no folder NAME/NN-name, such as ann/{next(iter(known))}")
    asked = {lab.name for _, lab in wanted}
    students = {path.name for path in root.iterdir() if path.is_dir()}
    nothing = {(who, name) for who in students for name in asked}
    nothing -= {(path.parent.name, path.name) for path, _ in wanted}
    rows: list[Row] = [{"student": who, "lab": name, "status": "missing"} for who, name in nothing]
    fault = f"no exercise has this name; there are: {' '.join(known)}"
    for path in folders:
        if path.name not in known:
            row = {"student": path.parent.name, "lab": path.name, "status": "refused"}
            rows.append(row | {"fault": fault})
    return wanted, rows


def taken(folder: Path) -> Sources:
    """The files of a submission: regular ones with the names of a
    snapshot's, and nothing that they point to elsewhere.  Raises Unfit."""
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
    """Where submissions run, and what is said of it.  Raises Failure
    without a sandbox, unless UNSAFE=1."""
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
    Judge.ready([name for lab in exercises.values() for name in lab.may_vary])
    judges = {width: Judge(BUILD / f"grade-{width}", width, seed, box) for width in widths}
    scales = {name: lab.scale(judges[lab.width]) for name, lab in exercises.items()}

    def row(number: int) -> Row:
        folder, lab = wanted[number]
        return graded(folder, lab, judges[lab.width], scales[lab.name], str(number))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(row, range(len(wanted))))


def graded(folder: Path, lab: Lab, judge: Judge, scale: Scale, name: str) -> Row:
    """The row of a submission; `name` is that of its folder under build/."""
    files: Sources = {}
    try:
        files = taken(folder)
        if plain(files) == plain(lab.starter()):
            raise Unfit("unchanged", "it is still the program that the exercise starts from")
        sources = {name: text for name, text in files.items() if name != FILE}
        verdict = judge.judge(sources, name, lab.may_vary)
    except Unfit as end:
        verdict = Verdict(*end.args)
    except EXPECTED as fault:
        verdict = Verdict("crashed", f"not counted: {line(fault).partition(';')[0]}")
    shutil.rmtree(judge.folder / name, ignore_errors=True)
    scale.grade(verdict)
    mine, case = verdict.costs, "; ".join(" ".join(words.split()) for words in verdict.case)
    row: Row = {"student": folder.parent.name, "lab": lab.name, "status": verdict.status}
    row |= {level: round(costs.total() / TRIPS) for level, costs in mine.items()}
    if len(mine) == len(levels()):
        pairs = (scale.start, mine), (mine, scale.solution), (mine, scale.best)
        row |= {name: f"{factor(*pair):.3f}" for name, pair in zip(RATIOS, pairs)}
    copied = {lab.rung.name: lab.solution(), lab.best.name: sources_of(lab.best)}
    row["copy_of"] = [rung for rung, text in copied.items() if plain(text) == plain(files)]
    row["text"] = plain(files) or folder
    guesses, unclear = guessed(files, lab)
    row["fault"], row["case"] = "; ".join(filter(None, (verdict.fault, unclear))), case
    return row | hits(guesses, verdict, scale)


def guessed(files: Sources, lab: Lab) -> tuple[dict[str, Prediction], str]:
    """The predictions of a submission, and what is wrong with them."""
    try:
        return predictions(files.get(FILE, ""), files, lab.starter()), ""
    except Failure as fault:
        return {}, str(fault)


def hits(guesses: dict[str, Prediction], verdict: Verdict, scale: Scale) -> Row:
    """How many levels were predicted; of those that were counted, how many
    had the gain and the function right."""
    counted = guesses.keys() & verdict.costs.keys()
    pairs = [guesses[at].hits(scale.start[at], verdict.costs[at]) for at in counted]
    gains, functions = (sum(pair[i] for pair in pairs) for i in (0, 1))
    return {"predicted": len(guesses), "gains_hit": gains, "functions_hit": functions}


def finished(rows: list[Row], points: Mapping[str, float]) -> list[Row]:
    """The rows in order, with marks and the names of those who have handed in the same."""
    alike: dict[tuple[object, object], list[str]] = {}
    for row in rows:
        alike.setdefault((row["lab"], row.get("text")), []).append(str(row["student"]))
    for row in rows:
        others = alike[row["lab"], row.pop("text", None)] if "copy_of" in row else []
        copied = [*row.get("copy_of", ()), *(who for who in others if who != row["student"])]
        row["copy_of"] = " ".join(copied)
        times = {row["status"]: 1, "gain": row.get("gains_hit", 0)}
        times["function"] = row.get("functions_hit", 0)
        row["mark"] = f"{sum(points.get(name, 0) * n for name, n in times.items()):g}"
    return sorted(rows, key=lambda row: (row["student"], row["lab"]))


def table(rows: list[Row]) -> str:
    """The CSV: the names of the columns, the rows, in which a spreadsheet finds no formula."""
    text = io.StringIO()
    columns = ["student", "lab", "status", "mark", *levels(), *RATIOS, *LAST]
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        plain = {key: printable(str(value))[:1000] for key, value in row.items()}
        writer.writerow({key: re.sub("^(?=[=+@-])", "'", value) for key, value in plain.items()})
    return text.getvalue()


def main(folder: str) -> None:
    """Grades every submission in a folder.  Raises Failure."""
    if not folder:
        raise Failure("say which folder: make grade DIR=submissions")
    root, seed, points = Path(folder), secrets.randbits(32), worth(os.environ.get("MARK", ""))
    wanted, rows = submissions(root)
    box, safety = safe_box()
    run = {"seed": seed, "sandbox": "yes" if box.sandbox else "no"}
    rows = finished([row | run for row in [*rows, *grade(wanted, box, seed)]], points)
    replace(root / GRADES, table(rows))
    names = ("student", "lab", "status", "mark", "copy_of", "fault")
    cells = [[printable(str(row.get(name, "")))[:90] for name in names] for row in rows]
    print(*aligned([names, *cells], left=range(6)), sep="\n")
    print(f"{root / GRADES}: {len(rows)} rows, {safety}; operands of seed {seed}")


if __name__ == "__main__":
    sys.exit(command("grade", main))
