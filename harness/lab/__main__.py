"""`make lab L=3`: the student's work on an exercise, built, checked, counted and compared.

Without a number: a list of the exercises.  The work is in labs/work/NN-name, which git ignores and
make never removes.
"""

from __future__ import annotations

import argparse
import difflib
import random
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.lab import judge, predict, tables
from harness.lab.bench import BUILD, Bench, Operands
from harness.lab.confined import SECONDS, Confinement
from harness.lab.labs import Lab, find, labs, sources
from harness.lab.operands import TRIPS
from records import ladder
from records.command import limit
from records.faults import Failure, command_line
from records.files import replace

WORK = Path("labs/work")


def begun(lab: Lab, folder: Path) -> bool:
    """Puts the starter into the student's folder unless there is one; whether that was so."""
    if folder.exists():
        return False
    for name, text in lab.starter().items():
        replace(folder / name, text)
    replace(folder / predict.FILE, predict.template(ladder.levels()))
    return True


def listed() -> Iterator[str]:
    """A line for each exercise."""
    for lab in labs():
        state = "begun" if (WORK / lab.name).exists() else ""
        number, readme = int(lab.name.partition("-")[0]), f"labs/{lab.name}/README.md"
        yield f"  {number}  {lab.title:<30} {readme:<48} {state}".rstrip()
    yield "make lab L=1 begins the first; HINT=1 shows a hint, SOLUTION=1 the solution's diff"


def hinted(lab: Lab, upto: str) -> Iterator[str]:
    """The hints up to a number.  Raises Failure."""
    hints = lab.hints()
    if upto not in map(str, range(1, len(hints) + 1)):
        raise Failure(f"HINT={upto}: exercise {lab.name} has hints 1 to {len(hints)}")
    for number in range(1, int(upto) + 1):
        yield f"hint {number} of {len(hints)}\n{hints[number - 1]}\n"
    if int(upto) < len(hints):
        yield f"HINT={int(upto) + 1} shows the next one"


def difference(lab: Lab, folder: Path) -> str:
    """The student's files against the solution's, as diff -u shows them."""
    mine, solution = sources(folder), lab.solution()
    parts: list[str] = []
    for name in [*solution, *(name for name in mine if name not in solution)]:
        old, new = (text.get(name, "").splitlines(keepends=True) for text in (mine, solution))
        parts += difflib.unified_diff(old, new, f"yours/{name}", f"{lab.rung}/{name}")
    return "".join(parts) or f"your files are those of {lab.rung}\n"


def show(lab: Lab, folder: Path) -> int:
    """Judges the student's folder and prints all; the exit status."""
    files, guess = sources(folder), folder / predict.FILE
    text = guess.read_text(encoding="utf-8") if guess.exists() else ""
    if "rsa.c" not in files:
        raise Failure(f"{folder}/rsa.c is missing; remove {folder} to begin again")
    said = predict.read(text)
    missing = [level for level in ladder.levels() if level not in said]
    if missing:
        where = f"no prediction for {', '.join(missing)}: write it in {folder / predict.FILE}"
        raise Failure(f"{where}, then type the same again")
    here = BUILD / "work" / lab.name
    operands = Operands(here / "operands", lab.width, random.Random(secrets.randbits(32)))
    bench = Bench(operands, Confinement(False, limit(SECONDS)))
    verdict = judge.judge(lab, files, here / "yours", bench)
    if verdict.status != "right":
        print(f"{verdict.status}: {verdict.fault}", *verdict.case, sep="\n    ")
        return 1
    scale = judge.scale(lab, bench)
    scale.grade(verdict)
    calls, levels = len(operands.sets["check"]), " ".join(f"-{level}" for level in verdict.spent)
    print(f"right at {levels}: {calls:,} calls, {operands.drawn:,} of them drawn for this run")
    if verdict.status != "right":
        print(f"{verdict.status}: {verdict.fault}")
    print(f"\nInstructions a round trip (exact mean of {TRIPS}, drawn for this run)")
    print(*tables.compared(lab, verdict.spent, scale), sep="\n")
    print("\nYour prediction: start / yours")
    print(*tables.predicted(said, verdict.spent, scale), sep="\n")
    print("\nBy function: start -> yours")
    print(*tables.by_function(verdict.spent, scale), sep="\n")
    return 0


def main() -> int:
    """The command line.  Raises Failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hint", default="")
    parser.add_argument("--solution", default="")
    parser.add_argument("lab")
    options = parser.parse_args()
    if not options.lab:
        print(*listed(), sep="\n")
        return 0
    lab = find(options.lab)
    folder = WORK / lab.name
    if options.hint:
        print(*hinted(lab, options.hint), sep="\n")
    elif begun(lab, folder):
        print(f"{folder} has the files to work on; labs/{lab.name}/README.md says what to do.")
        print(f"Write your prediction in {folder / predict.FILE}, change the program,")
        print("then type the same again.")
    elif options.solution:
        print(difference(lab, folder), end="")
    else:
        return show(lab, folder)
    return 0


if __name__ == "__main__":
    sys.exit(command_line("lab", main))
