"""`make lab` and `make grade` on the same folders: what each of them says."""

import csv
import json
import random
import re
from pathlib import Path

from two_rungs import make

from labs import grade
from labs.judge import Sources
from labs.submission import CASE, FAULT, short

# One level, one seed, and a limit that is not derived from what the start takes.
WORDS = ("LEVELS=O1", "SEED=7", "LIMIT=4")
Said = tuple[str, str, str]  # status, fault, case

CHANGES = [
    (r"\+", "-"),
    (r"<", "<="),
    (r"&", "|"),
    (r"\b1\b", "2"),
    (r"\b0\b", "1"),
    (r"\badds\b", "add"),
    (r"\bumaal\b", "umlal"),
    (r"(?s).*", ""),
    (r"(?s).*", r"\g<0>\g<0>"),
    (r";", "; for (;;) ;"),
    (r"\}", "} oops"),
]


def spoilt(files: Sources, number: int) -> Sources:
    """These files with something changed in one line: what it is, the number says."""
    chosen = random.Random(number)
    while True:
        name = chosen.choice([*files])
        lines = files[name].splitlines(keepends=True)
        at = chosen.randrange(len(lines))
        old, new = chosen.choice(CHANGES)
        line = re.sub(old, new, lines[at], count=1)
        if line.strip() != lines[at].strip():
            return files | {name: "".join([*lines[:at], line, *lines[at + 1 :]])}


def by_grade(checkout: Path, root: Path) -> dict[str, Said]:
    """What `make grade` says of each student, whose only folder this is."""
    ran = make(checkout, "grade", f"DIR={root}", *WORDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with (root / grade.GRADES).open() as file:
        rows = [row for row in csv.DictReader(file) if row["status"] != "missing"]
    return {row["student"]: (row["status"], row["fault"], row["case"]) for row in rows}


def by_lab(checkout: Path, root: Path) -> dict[str, Said]:
    """What `make lab` says of the same folders."""
    script = Path(__file__).with_name("lab_says.py")
    rule = f"verdicts: build/platform ; @PYTHONPATH=. $(LAB) {script} {root}"
    ran = make(checkout, f"--eval={rule}", "verdicts", *WORDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = json.loads(ran.stdout.splitlines()[-1])
    return {student: said(lines) for student, lines in found.items()}


def said(lines: list[str]) -> Said:
    """The verdict in what `make lab` has printed."""
    head, *case = lines[0].split("\n    ")
    if head.startswith("right at"):
        if len(lines) == 1:
            return "right", "", ""
        head = lines[1]
    status, _, fault = head.partition(": ")
    shown = "; ".join(" ".join(short(line, FAULT).split()) for line in case[:CASE])
    return status, short(fault, FAULT), shown[:1000]
