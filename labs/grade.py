"""`make grade DIR=submissions`: every folder NAME/NN-name, judged at once, into one CSV.

The CSV, DIR/grades.csv, has a row for each folder, and one for each exercise
that a student has not handed in while another has.  It is written anew with
each folder that is judged, so that what ends the command loses no row; a
second start judges what is left.  All submissions get the same operands,
drawn for this class and named by their seed.  MARK says what a status and a
prediction are worth.

Nothing here reads what was handed in: a process for each folder does
(labs/submission.py), in a sandbox; where bubblewrap does not work, only
UNSAFE=1 goes on.
"""

import csv
import hashlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from labs import page
from labs.book import KNOWN, Book, Program, Row, table_of
from labs.box import RUN_SECONDS, Box, free_user, printable, why_no_sandbox
from labs.judge import BUILD, Judge, Verdict, seed
from labs.lab import Lab, compare, sources_of, with_variants
from labs.likeness import runs_of
from labs.submission import FILE, Record, Task, record_of
from labs.submission import written as text_of
from labs.variant import why_not
from records import faults, ladder
from records.commands import command
from records.faults import Failure, limit
from records.files import alone, digest, replace
from records.ladder import ROOT, SOURCES
from records.machine import FLAGS, PLATFORM
from records.tables import Table

GRADES = "grades.csv"
CLASS_PAGE = "grades.html"
PAGES = "grades"  # the folder of the students' pages
# Files that systems add by themselves.
BY_THE_WAY = re.compile(r"\..*|__MACOSX|Thumbs\.db|desktop\.ini", re.I)
STRANGE = 20  # folders of a student that name no exercise; others are not listed
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


def folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder, in order, but for those that no student has made.  Raises
    OSError."""
    found = []
    for path in sorted(folder.iterdir()):
        if BY_THE_WAY.fullmatch(path.name):
            continue
        if path.is_symlink() or path.is_dir():
            found.append(path)
    return found


def program_of(folder: Path, record: Record) -> Program:
    """Return the program of a folder NAME/NN-name."""
    return Program(
        exercise=folder.name,
        role=str(folder),
        name=folder.parent.name,
        verdict=record.verdict,
        text=record.fingerprint,
        guesses=record.guesses,
        runs=record.runs,
    )


LINK = "the folder is a symbolic link"


def submissions(root: Path, book: Book) -> list[tuple[Path, Lab]]:
    """Return what has been handed in, in order.  Enters what cannot be judged, and
    work that is missing, into the book.  Raises Failure where there is
    nothing."""
    if not root.is_dir():
        raise Failure(f"DIR={root}: no such folder; say, for example, DIR=submissions")
    by_name = {lab.name: lab for lab in with_variants()}
    seed = os.environ.get("VARIANTS", "")
    fault = f"no exercise has this name; there are: {' '.join(by_name)}"
    closed: dict[Path, str] = {}  # folders of students -> why nobody looks inside
    found: dict[Path, Lab] = {}
    students = [path for path in folders_in(root) if path.name != PAGES]
    for student in students:
        strange = []
        try:
            inside = [] if student.is_symlink() else folders_in(student)
        except OSError as why:
            closed[student] = f"the folder of this student: {why.strerror}"
            continue
        if student.is_symlink():
            closed[student] = LINK
        for path in inside:
            if path.name in by_name:
                found[path] = by_name[path.name]
            else:
                strange.append(path)
        for path in strange[:STRANGE]:
            book.add(program_of(path, Record(Verdict("refused", fault))))
    if not found:
        raise Failure(
            f"DIR={root}: no folder NAME/NN-name, such as ann/{next(iter(by_name))}"
        )
    handed_in = {lab.name for lab in found.values()}
    for name in {lab.path.name for lab in found.values()}:
        for student in students:
            path = student / name
            if student in closed:
                book.add(program_of(path, Record(Verdict("refused", closed[student]))))
            # A variant is missing nowhere: not everybody has it.
            elif path not in found and name in handed_in:
                book.add(program_of(path, Record(Verdict("missing"))))
    wanted = []
    for path, lab in found.items():
        refusal = LINK if path.is_symlink() else why_not(lab, seed, path.parent.name)
        if refusal:
            book.add(program_of(path, Record(Verdict("refused", refusal))))
        else:
            wanted.append((path, lab))
    return wanted


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


# ---- what is known already


class Journal:
    """The records of a class, each on the disk as soon as it is known.  `tools` is a name for all
    that decides a record beside the folder: another one begins anew, with other operands."""

    def __init__(self, path: Path, tools: str) -> None:
        self.path = path
        self.seed = seed()
        self.records: dict[
            str, Record
        ] = {}  # by the line of a folder, without its record
        lines = path.read_bytes().splitlines() if path.exists() else []
        if not self._begins(lines, tools):
            replace(path, json.dumps({"tools": tools, "seed": self.seed}) + "\n")
            return
        for line in lines[1:]:
            try:
                known = json.loads(line)
                record = record_of(json.dumps(known.pop("record")).encode())
            except (
                ValueError,
                KeyError,
                Failure,
            ):  # the last line of a run that was killed
                continue
            self.records[json.dumps(known)] = record

    def _begins(self, lines: list[bytes], tools: str) -> bool:
        """Return whether these lines were written with the same tools, and take their seed."""
        try:
            head = json.loads(lines[0])
            if head["tools"] != tools:
                return False
            self.seed = int(head["seed"])
            return True
        except (ValueError, KeyError, IndexError, TypeError):
            return False

    def keep(self, key: str, record: Record) -> None:
        """Write a record to the disk.  Raises OSError."""
        known = json.loads(key) | {"record": json.loads(text_of(record))}
        with self.path.open("a") as file:
            # The line of a run that was killed may have no end.
            file.write(f"\n{json.dumps(known)}\n")
            file.flush()
            os.fsync(file.fileno())


def key_of(folder: Path) -> str:
    """Return the name of a folder and of the state of its files, without reading any."""
    name = f"{folder.parent.name}/{folder.name}"
    state: list[list[int | None]] = []
    for file in (*SOURCES, FILE):
        try:
            found = (folder / file).lstat()
            state.append([found.st_mode, found.st_size, found.st_ctime_ns])
        except OSError as fault:
            state.append([fault.errno])
    return json.dumps({"folder": name, "state": state})


def tools_of(box: Box) -> str:
    """Return a name for all that decides a record beside the folder and the operands."""
    paths = [FLAGS, PLATFORM]
    for pattern in ("labs/*.py", "labs/*.sh", "harness/*.[chp]*", "harness/*/*.[ch]"):
        paths += sorted(ROOT.glob(pattern))
    words = [digest(path) for path in paths if path.is_file()]
    for lab in with_variants():
        words += [*lab.starter().values(), *lab.solution().values()]
    words += [*ladder.levels(), str(box.sandbox)]
    words += [os.environ.get(name, "") for name in ("LIMIT", "SEED")]
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


# ---- judging

Wanted = list[tuple[Path, Lab]]


def grade(
    wanted: Wanted, box: Box, journal: Journal, book: Book, show: Callable[..., None]
) -> None:
    """Enter all submissions into the book, and show it after each.  Raises Failure where nothing can
    be compared."""
    # By width.  They run what is known to be right, and in a sandbox its time would not be seen.
    judges: dict[int, Judge] = {}
    unboxed = Box(False, box.seconds)
    for lab in {lab.name: lab for _, lab in wanted}.values():
        Judge.ready(lab.may_vary)
        if lab.width not in judges:
            folder = BUILD / f"grade-{lab.width}"
            judges[lab.width] = Judge(folder, lab.width, journal.seed, unboxed)
        compare(book, lab, judges[lab.width])
        for program in known_programs(lab):
            book.add(program)

    todo = {}
    for folder, lab in wanted:
        key = key_of(folder)
        if known := journal.records.get(key):
            book.add(program_of(folder, known))
        else:
            todo[key] = (folder, lab)
    left = {*todo}
    entered = len(wanted) - len(todo)
    print(f"  GRADE   {len(todo)} folders to judge, {entered} known", file=sys.stderr)
    show(len(left))

    def enter(key: str, record: Record, sound: bool) -> None:
        folder, _ = todo[key]
        if sound:
            journal.keep(key, record)
        book.add(program_of(folder, record))
        left.remove(key)
        student = printable(folder.parent.name)
        what = f"{student}/{folder.name}: {record.verdict.status}"
        print(f"  JUDGED  {what}", file=sys.stderr, flush=True)
        show(len(left), student)

    starved = []
    for key, record, sound in judged_at_once(todo, judges, box):
        # On a busy machine a limit says nothing.
        if sound and not record.verdict.starved:
            enter(key, record, sound)
        else:
            starved.append(key)
    for key in starved:
        folder, lab = todo[key]
        enter(key, *judged(folder, lab, judges[lab.width], box))
    # What one has handed in may have changed the marks of others.
    show(0)


def known_programs(lab: Lab) -> Iterator[Program]:
    """Yield the programs of this repository that could be handed in."""
    for study in (ladder.LADDER, *ladder.studies()):
        for snapshot in ladder.snapshots(study):
            if snapshot.width == lab.width and snapshot.path != lab.start:
                runs = runs_of(sources_of(snapshot.path))
                name = snapshot.path.relative_to(ROOT).as_posix()
                yield Program(lab.name, KNOWN, name, Verdict(), runs=runs)


def judged_at_once(
    todo: Mapping[str, tuple[Path, Lab]], judges: Mapping[int, Judge], box: Box
) -> Iterator[tuple[str, Record, bool]]:
    """Yield what judged() returns for each folder, by its key, as they end: one for each processor
    at a time."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        running = {}
        for key, (folder, lab) in todo.items():
            judge = judges[lab.width]
            running[pool.submit(judged, folder, lab, judge, box)] = key
        try:
            for one in as_completed(running):
                yield running[one], *one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            faults.end_children()
            raise


def judged(folder: Path, lab: Lab, judge: Judge, box: Box) -> tuple[Record, bool]:
    """Return the record of a submission, and whether its own judge, in a box, has come to its end."""
    task = Task(
        folder=str(folder.resolve()),
        start=lab.starter(),
        width=lab.width,
        may_vary=lab.may_vary,
        seed=judge.seed,
        seconds=judge.seconds,
        box=Box(box.sandbox, box.seconds, free_user()),
    )
    words = [os.environ.get("PYTHON", "python3"), "-m", "labs.submission"]
    ran = box.judge(words, Path(task.folder), given=task.as_text)
    try:
        return record_of(ran.stdout), True
    except Failure as fault:
        what = f"not judged: {ran.first_line or fault}"
        verdict = Verdict("crashed", what)
    if ran.late:
        verdict = Verdict(
            "late", f"judging it has no end after {box.seconds_of_judge} s"
        )
    return Record(verdict), False


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


def write(
    root: Path, book: Book, rows: list[Row], judged: str, left: int, student: str
) -> None:
    """Write the table, the page of the class, on which `left` folders are missing, and the page of a
    student; "": of all.  Raises OSError."""
    if not rows:
        return
    table = table_of([row.cells for row in rows])
    replace(root / GRADES, written(table))
    replace(root / CLASS_PAGE, page.of_class(book, rows, PAGES, judged, left))
    for name, own in page.by_student(rows).items():
        if student in ("", name):
            text = page.of_student(book, name, own)
            replace(root / PAGES / page.file_of(name), text)


def try_to_write(root: Path) -> None:
    """Raise Failure where the table cannot be written."""
    path = root / GRADES
    pages = root / PAGES
    for file in (path, root / CLASS_PAGE):
        if file.is_dir():
            raise Failure(f"{file} is a folder, and a file belongs there: rename it")
    try:
        pages.mkdir(exist_ok=True)
        if pages.is_symlink() or folders_in(pages):
            what = "is not the folder of the students' pages, which belongs there"
            raise Failure(f"{pages} {what}: rename it")
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError as fault:
        copied = "copy the submissions to a folder that is yours, and say DIR= that"
        raise Failure(f"{path}: {fault.strerror}; {copied}") from None


def main(folder: str) -> None:
    """Grade every submission in a folder.  Raises Failure."""
    if not folder:
        raise Failure("say which folder: make grade DIR=submissions")
    os.umask(0o022)  # who runs in a sandbox is somebody else
    root = Path(folder)
    points = worth(os.environ.get("MARK", ""))
    book = Book()
    wanted = submissions(root, book)
    try_to_write(root)
    box, safety = safe_box()
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    path = BUILD / f"grades/{name}.jsonl"
    with alone(path.with_suffix(".lock")):
        if os.environ.get("FORCE") == "1":
            path.unlink(missing_ok=True)
        journal = Journal(path, tools_of(box))

        sandbox = "yes" if box.sandbox else "no"
        judged = f"{safety}; operands of seed {journal.seed}"

        def show(left: int, student: str = "") -> None:
            rows = book.rows(points, seed=journal.seed, sandbox=sandbox)
            write(root, book, rows, judged, left, student)

        grade(wanted, box, journal, book, show)
    names = ["student", "lab", "status", "mark", "copy_of", "fault"]
    shown = []
    for row in book.rows(points):
        shown.append([row.cells[name][:90] for name in names])
    print(*Table(names, shown).lines, sep="\n")
    print(f"{root / GRADES}: {len(shown)} rows, judged {judged}")
    withheld = [row for row in shown if not row[names.index("mark")]]
    if withheld:
        who = " ".join(dict.fromkeys(row[0] for row in withheld))
        print(f"no mark for copies, until somebody has looked at both: {who}")
        print("  COPIES='NAME NAME' gives these students theirs, COPIES=allow all")
    print(f"{root / CLASS_PAGE}: the same to read")
    print(f"{root / PAGES}/: a page for each student")


if __name__ == "__main__":
    sys.exit(command("grade", main))
