"""`make grade DIR=submissions`: every NAME/NN-name under a folder, judged at once, into one CSV.

The CSV, DIR/grades.csv, has a row for each student and exercise.  Compiler and program run in a
sandbox; where bubblewrap does not work, only UNSAFE=1 goes on, and the first line of the CSV says
so.  All submissions get the same operands, drawn for this run and named by its seed.
"""

from __future__ import annotations

import csv
import io
import os
import random
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from harness.lab import judge, predict
from harness.lab.bench import BUILD, Bench, Operands, Verdict, Wrong
from harness.lab.confined import SECONDS, Confinement, printable, why_no_sandbox
from harness.lab.judge import Scale
from harness.lab.labs import SOURCES, Lab, Sources, labs
from harness.lab.tables import most_changed, trips
from records import ladder
from records.command import limit
from records.faults import EXPECTED, Failure, command_line, line
from records.files import replace
from records.tables import aligned

LARGEST = 200_000  # bytes of a file that is read
GRADES = "grades.csv"


@dataclass(frozen=True)
class Submission:
    """A student's folder for one exercise; `number` names its folder under build/."""

    student: str
    lab: Lab
    folder: Path
    number: int


def submissions(root: Path, known: list[Lab]) -> list[Submission]:
    """What has been handed in, in order.  Raises Failure where there is nothing."""
    if not root.is_dir():
        raise Failure(f"DIR={root}: no such folder; say, for example, DIR=submissions")
    by_name = {lab.name: lab for lab in known}
    places = [path for path in sorted(root.glob("*/*")) if path.is_dir() and path.name in by_name]
    if not places:
        raise Failure(f"DIR={root}: no folder NAME/NN-name, such as ann/{known[0].name}")
    return [
        Submission(path.parent.name, by_name[path.name], path, number)
        for number, path in enumerate(places)
    ]


def unknown(root: Path, wanted: list[Submission]) -> list[Path]:
    """Folders that look like submissions and are none."""
    known = {one.folder for one in wanted}
    return [path for path in sorted(root.glob("*/*")) if path.is_dir() and path not in known]


def taken(folder: Path) -> Sources:
    """The files of a submission: regular ones with the names of a snapshot's, and nothing that they
    point to elsewhere.  Raises Wrong."""
    files = {}
    if folder.is_symlink() or folder.parent.is_symlink():
        raise Wrong("refused", "the folder is a symbolic link")
    for name in (*SOURCES, predict.FILE):
        path = folder / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise Wrong("refused", f"{name} is not a regular file")
        if path.exists():
            if path.stat().st_size > LARGEST:
                raise Wrong("refused", f"{name} has more than {LARGEST:,} bytes")
            files[name] = path.read_text(encoding="utf-8", errors="replace")
    if "rsa.c" not in files:
        raise Wrong("refused", "there is no rsa.c")
    return files


class Grader:
    """Judges submissions on operands of one run."""

    def __init__(self, wanted: list[Submission], seed: int) -> None:
        why_not, self.seed = why_no_sandbox(), seed
        if why_not and os.environ.get("UNSAFE") != "1":
            raise Failure(f"{why_not}; UNSAFE=1 runs what was handed in without a sandbox")
        self.head = (
            f"NOT in a sandbox: {why_not}; only time and memory were limited"
            if why_not
            else "in a sandbox (bubblewrap), with limits of time and memory"
        )
        seconds = limit(SECONDS)
        self.confined, open_ = Confinement(not why_not, seconds), Confinement(False, seconds)
        self.operands: dict[int, Operands] = {}
        for width in sorted({one.lab.width for one in wanted}):
            folder = BUILD / "grade" / f"operands-{width}"
            self.operands[width] = Operands(folder, width, random.Random(f"{seed} {width}"))
        self.scales: dict[str, Scale] = {}
        for lab in {one.lab.name: one.lab for one in wanted}.values():
            self.scales[lab.name] = judge.scale(lab, Bench(self.operands[lab.width], open_))

    def row(self, one: Submission) -> dict[str, object]:
        """The row of a submission."""
        place, scale = BUILD / "grade" / str(one.number), self.scales[one.lab.name]
        bench, text = Bench(self.operands[one.lab.width], self.confined), ""
        try:
            files = taken(one.folder)
            text = files.pop(predict.FILE, "")
            verdict = judge.judge(one.lab, files, place, bench)
        except Wrong as wrong:
            verdict = wrong.verdict
        except EXPECTED as fault:
            verdict = Verdict("crashed", f"not counted: {line(fault).partition(';')[0]}")
        shutil.rmtree(place, ignore_errors=True)
        scale.grade(verdict)
        done = set(verdict.spent) == set(ladder.levels())
        counts = {level: round(trips(spent)) for level, spent in verdict.spent.items()}
        row: dict[str, object] = {
            "student": one.student,
            "lab": one.lab.name,
            "status": verdict.status,
        }
        row |= {level: counts.get(level, "") for level in ladder.levels()}
        for name, other in (("start", scale.start), ("rung", scale.solution), ("best", scale.best)):
            row[f"versus_{name}"] = f"{judge.factor(verdict.spent, other):.3f}" if done else ""
        case = "; ".join(" ".join(line.split()) for line in verdict.case)
        return row | hit(text, verdict, scale) | {"fault": verdict.fault, "case": case}


def hit(text: str, verdict: Verdict, scale: Scale) -> dict[str, object]:
    """How many levels were predicted, and how many of these had the gain and the function right."""
    try:
        said = predict.read(text)
    except Failure:
        said = {}
    found: Counter[str] = Counter(predicted=0, gains_hit=0, functions_hit=0)
    for level, spent in verdict.spent.items():
        if level in said:
            gain = scale.start[level].total() / spent.total()
            changed = most_changed(scale.start[level], spent)
            gain_hit, function_hit = predict.hits(said[level], gain, changed)
            found.update(predicted=1, gains_hit=gain_hit, functions_hit=function_hit)
    return dict(found)


def table(rows: list[dict[str, object]], head: str) -> str:
    """The CSV: a comment, the names of the columns, the rows."""
    text = io.StringIO()
    text.write(f"# {head}\n")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: safe(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def safe(value: object) -> str:
    """A cell as plain text."""
    return printable(str(value))[:1000]


def shown(rows: list[dict[str, object]]) -> Iterator[str]:
    """The same for a terminal, without the numbers."""
    names = ("student", "lab", "status", "fault")
    cells = [[safe(row[name])[:90] for name in names] for row in rows]
    return iter(aligned([list(names), *cells], left=range(4)))


def main() -> None:
    """The command line.  Raises Failure."""
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise Failure("say which folder: make grade DIR=submissions")
    root = Path(sys.argv[1])
    wanted = submissions(root, labs())
    if not os.access(root, os.W_OK):
        raise Failure(f"{root}: {GRADES} cannot be written there; copy the folder")
    grader = Grader(wanted, secrets.randbits(32))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        rows = list(pool.map(grader.row, wanted))
    levels = " ".join(ladder.levels())
    head = f"{grader.head}; operands of seed {grader.seed}; instructions a round trip at {levels}"
    replace(root / GRADES, table(rows, head))
    print(*shown(rows), sep="\n")
    for path in unknown(root, wanted):
        print(f"{printable(str(path))}: no exercise has this name, so it was not looked at")
    print(f"{root / GRADES}: {len(rows)} rows, {grader.head}")


if __name__ == "__main__":
    sys.exit(command_line("grade", main))
