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
import shutil
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from labs.book import Book, Prediction, Program
from labs.box import RUN_SECONDS, Box, printable, why_no_sandbox
from labs.judge import BUILD, Judge, Sources, Verdict, drawn_seed
from labs.lab import FILE, Lab, compare, labs, plain, predictions
from records.commands import command
from records.faults import EXPECTED, Failure, limit, line
from records.files import replace
from records.ladder import SOURCES
from records.tables import Table

LARGEST = 200_000  # bytes of a file that is read
GRADES = "grades.csv"
# Files that systems add by themselves.
BY_THE_WAY = re.compile(r"\..*|__MACOSX|Thumbs\.db|desktop\.ini", re.I)
MARK = "right=10 slow=5 gain=0 function=0"
STATUSES = "right slow unchanged wrong crashed late refused missing".split()


def worth(text: str) -> dict[str, float]:
    """Return the points of a status, and of each level whose gain or function was
    predicted; "" is MARK. Raises Failure."""
    text = text or MARK
    names = [*STATUSES, "gain", "function"]
    points = {}
    for word in text.split():
        name, _, number = word.partition("=")
        if name not in names or not re.fullmatch(r"[0-9]+\.?[0-9]*", number):
            raise Failure(
                f"MARK={text}: say words such as {MARK}; there are: {' '.join(names)}"
            )
        points[name] = float(number)
    return points


def folders_in(folder: Path) -> Iterator[Path]:
    """Yield the folders in a folder, in order, but for those that no student has made."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not BY_THE_WAY.fullmatch(path.name):
            yield path


def handed_in(
    folder: Path,
    verdict: Verdict,
    text: str = "",
    guesses: Mapping[str, Prediction] | None = None,
) -> Program:
    """Return the program of a folder NAME/NN-name."""
    return Program(
        folder.name, str(folder), folder.parent.name, verdict, text, guesses or {}
    )


def submissions(root: Path, book: Book) -> list[tuple[Path, Lab]]:
    """Yield what has been handed in, in order.  Enters folders that name no
    exercise, and work that is missing, into the book.  Raises Failure where
    there is nothing."""
    if not root.is_dir():
        raise Failure(f"DIR={root}: no such folder; say, for example, DIR=submissions")
    by_name = {lab.name: lab for lab in labs()}
    students = list(folders_in(root))
    fault = f"no exercise has this name; there are: {' '.join(by_name)}"
    wanted = []
    for student in students:
        for path in folders_in(student):
            if path.name in by_name:
                wanted.append((path, by_name[path.name]))
            else:
                book.add(handed_in(path, Verdict("refused", fault)))
    if not wanted:
        raise Failure(
            f"DIR={root}: no folder NAME/NN-name, such as ann/{next(iter(by_name))}"
        )
    for name in {lab.name for _, lab in wanted}:
        for student in students:
            if not (student / name).is_dir():
                book.add(handed_in(student / name, Verdict("missing")))
    return wanted


def taken(folder: Path) -> Sources:
    """Return the files of a submission: regular ones with the names of a
    snapshot's, and nothing that they point to elsewhere.  Raises Verdict."""
    files = {}
    if folder.is_symlink() or folder.parent.is_symlink():
        raise Verdict("refused", "the folder is a symbolic link")
    for name in (*SOURCES, FILE):
        path = folder / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise Verdict("refused", f"{name} is not a regular file")
        if path.exists():
            with path.open(encoding="utf-8", errors="replace") as file:
                files[name] = file.read(LARGEST + 1)
            if len(files[name]) > LARGEST:
                raise Verdict("refused", f"{name} has more than {LARGEST:,} characters")
    if "rsa.c" not in files:
        raise Verdict("refused", "there is no rsa.c")
    return files


def safe_box() -> tuple[Box, str]:
    """Return where submissions run, and what is said of it.  Raises Failure
    without a sandbox, unless UNSAFE=1."""
    why_not = why_no_sandbox()
    seconds = limit(RUN_SECONDS)
    if not why_not:
        return Box(
            True, seconds
        ), "in a sandbox (bubblewrap), with limits of time and memory"
    if os.environ.get("UNSAFE") != "1":
        raise Failure(f"{why_not}; UNSAFE=1 runs what was handed in without a sandbox")
    return Box(
        False, seconds
    ), f"NOT in a sandbox: {why_not}; only time and memory were limited"


def grade(wanted: list[tuple[Path, Lab]], box: Box, seed: int, book: Book) -> None:
    """Enter all submissions into the book.  Raises Failure where nothing can be
    compared."""
    exercises = {lab.name: lab for _, lab in wanted}
    judges: dict[int, Judge] = {}  # by width
    for lab in exercises.values():
        Judge.ready(lab.may_vary)
        if lab.width not in judges:
            judges[lab.width] = Judge(
                BUILD / f"grade-{lab.width}", lab.width, seed, box
            )
        compare(book, lab, judges[lab.width])

    def ended(number: int) -> tuple[Verdict, Sources]:
        folder, lab = wanted[number]
        return judged(folder, lab, judges[lab.width], str(number))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        verdicts = pool.map(ended, range(len(wanted)))
        for (folder, lab), (verdict, files) in zip(wanted, verdicts):
            guesses, unclear = guessed(files, lab)
            verdict.fault = "; ".join(filter(None, (verdict.fault, unclear)))
            book.add(handed_in(folder, verdict, plain(files), guesses))


def judged(folder: Path, lab: Lab, judge: Judge, name: str) -> tuple[Verdict, Sources]:
    """Return the verdict on a submission, and its files; `name` is that of its
    folder under build/."""
    files: Sources = {}
    try:
        files = taken(folder)
        if plain(files) == plain(lab.starter()):
            raise Verdict(
                "unchanged", "it is still the program that the exercise starts from"
            )
        sources = {name: text for name, text in files.items() if name != FILE}
        verdict = judge.judge(sources, name, lab.may_vary)
    except Verdict as end:
        verdict = end
    except EXPECTED as fault:
        verdict = Verdict("crashed", f"not counted: {line(fault).partition(';')[0]}")
    shutil.rmtree(judge.folder / name, ignore_errors=True)
    return verdict, files


def guessed(files: Sources, lab: Lab) -> tuple[dict[str, Prediction], str]:
    """Return the predictions of a submission, and what is wrong with them."""
    try:
        return predictions(files.get(FILE, ""), files, lab.starter()), ""
    except Failure as fault:
        return {}, str(fault)


def written(table: Table) -> str:
    """Return the CSV: the names of the columns, the rows, in which a spreadsheet
    finds no formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.head)
    for row in table.rows:
        cells = (printable(cell)[:1000] for cell in row)
        writer.writerow(re.sub("^(?=[=+@-])", "'", cell) for cell in cells)
    return text.getvalue()


def main(folder: str) -> None:
    """Grade every submission in a folder.  Raises Failure."""
    if not folder:
        raise Failure("say which folder: make grade DIR=submissions")
    os.umask(0o022)  # who runs in a sandbox is somebody else
    root = Path(folder)
    seed = drawn_seed()
    points = worth(os.environ.get("MARK", ""))
    book = Book()
    wanted = submissions(root, book)
    box, safety = safe_box()
    grade(wanted, box, seed, book)
    table = book.table_of_grades(
        points, seed=seed, sandbox="yes" if box.sandbox else "no"
    )
    replace(root / GRADES, written(table))
    names = ["student", "lab", "status", "mark", "copy_of", "fault"]
    shown = []
    for row in table.rows:
        cells = dict(zip(table.head, row))
        shown.append([cells[name][:90] for name in names])
    print(*Table(names, shown).lines, sep="\n")
    print(f"{root / GRADES}: {len(shown)} rows, {safety}; operands of seed {seed}")


if __name__ == "__main__":
    sys.exit(command("grade", main))
