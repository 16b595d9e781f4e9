"""What programs of exercises execute, what was predicted of them, and what they get.

Instructions are those of a round trip.
"""

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import geometric_mean
from typing import NamedTuple

from labs.box import printable
from labs.judge import TRIPS, Functions, Verdict
from labs.likeness import SAME, Runs, share
from records.ladder import EVERY_LEVEL
from records.tables import Table, factor, pivot, whole

START = "start"
SOLUTION = "solution"
BEST = "best"
YOURS = "yours"
COMPARED = (START, SOLUTION, BEST)
KNOWN = "known"  # a program of this repository: it is only compared with
DEARER = 1.2  # of the solution's instructions pass where the solution costs more than the start


class Prediction(NamedTuple):
    """For one level: start / yours is between low and high, and most changes in `function`."""

    low: float
    high: float
    function: str


@dataclass(eq=False)
class Program:
    """A program of an exercise: one of COMPARED, or a student's.

    `role` says which, a student's being YOURS or its folder; `name` is that
    of the snapshot or the student; `text` is the fingerprint of its text,
    empty where it has none of its own, and `runs` what copies have in common.
    A folder's name is that of a stranger, and may be no text at all."""

    exercise: str
    role: str
    name: str
    verdict: Verdict
    text: str = ""
    guesses: Mapping[str, Prediction] = field(default_factory=dict)
    runs: Runs = frozenset()

    def spent(self, level: str) -> dict[str, float]:
        """Return function -> instructions."""
        costs = self.verdict.costs.get(level) or Functions()
        return {function: n / TRIPS for function, n in costs.items()}

    def total(self, level: str) -> float | None:
        """Return the instructions of all functions; None where it was not counted."""
        return sum(self.spent(level).values()) or None


def table_of(rows: list[dict[str, str]]) -> Table:
    """Return rows, one or more, as a table whose head are their keys."""
    return Table([*rows[0]], [[*row.values()] for row in rows])


def rounded(number: float | None) -> int | None:
    """Return the nearest whole number, of two the higher one."""
    return None if number is None else math.floor(number + 0.5)


def ratio(above: Program, below: Program, level: str) -> float | None:
    """Return how many times the instructions of `below` those of `above` are."""
    more = above.total(level)
    fewer = below.total(level)
    return more / fewer if more and fewer else None


def ratios(above: Program, below: Program) -> list[float]:
    """Return the ratio at each level at which both were counted."""
    found = [ratio(above, below, level) for level in EVERY_LEVEL]
    return [one for one in found if one]


def mean_of(found: list[float]) -> float:
    """Return the geometric mean, of no numbers infinity: what is not counted is never few."""
    return geometric_mean(found) if found else math.inf


def most_changed(start: Program, program: Program, level: str) -> str:
    """Return the function whose number of instructions differs most; `none` if none differs."""
    before = start.spent(level)
    after = program.spent(level)
    changes = {"none": 0.0}
    for function in before | after:
        changes[function] = abs(after.get(function, 0) - before.get(function, 0))
    most = max(changes.values())
    return (
        max(function for function in changes if changes[function] == most)
        if most
        else "none"
    )


class Row(NamedTuple):
    """A program that was handed in, or is missing, and its row of grades.csv."""

    program: Program
    cells: dict[str, str]

    @property
    def student(self) -> str:
        """Return the student's name as it is shown."""
        return self.cells["student"]

    @property
    def exercise(self) -> str:
        """Return the exercise's name as it is shown."""
        return self.cells["lab"]

    @property
    def status(self) -> str:
        """Return what the program gets."""
        return self.cells["status"]


class Guess(NamedTuple):
    """A prediction, beside what was measured: None where it was not counted."""

    level: str
    predicted: Prediction
    ratio: float | None
    most: str | None

    @property
    def gain_is_right(self) -> bool:
        """Return whether the ratio, as it is shown, is in the range."""
        if self.ratio is None:
            return False
        shown = round(self.ratio, 2)
        return self.predicted.low <= shown <= self.predicted.high

    @property
    def function_is_right(self) -> bool:
        """Return whether most changes in that function."""
        return self.predicted.function == self.most


class Book:
    """Programs of exercises, in the order in which they were entered."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self._levels: set[str] = set()
        self._by_role: dict[tuple[str, str], Program] = {}
        self._by_text: dict[tuple[str, str], list[Program]] = {}
        # Of which programs one is a copy, and how much of it is theirs.
        self._alike: dict[Program, dict[Program, float]] = defaultdict(dict)

    def add(self, program: Program) -> None:
        """Enter a program."""
        self._compare(program)
        self.programs.append(program)
        self._levels |= {*program.verdict.costs}
        self._by_role.setdefault((program.exercise, program.role), program)
        same = self._by_text.setdefault((program.exercise, program.text), [])
        same.append(program)

    def _compare(self, program: Program) -> None:
        """Note which programs of the exercise are copies, one of the other."""
        start = self.find(program.exercise, START)
        if not start or not program.runs:
            return
        for other in self.programs:
            if other.exercise != program.exercise or other is start:
                continue
            for one, another in ((program, other), (other, program)):
                alike = share(one.runs, another.runs, start.runs)
                if alike >= SAME:
                    self._alike[one][another] = alike

    def find(self, exercise: str, role: str) -> Program | None:
        """Return a program of an exercise, if it is entered."""
        return self._by_role.get((exercise, role))

    @property
    def exercises(self) -> list[str]:
        """Return the exercises of which the start was counted, in order."""
        starts = [program for program in self.programs if program.role == START]
        return sorted(program.exercise for program in starts)

    @property
    def levels(self) -> list[str]:
        """Return the levels at which anything was counted."""
        return [level for level in EVERY_LEVEL if level in self._levels]

    def verdict(self, program: Program) -> tuple[str, str]:
        """Return what a program gets, and the fault.

        One that is right is slow if it is not half of the way from the start
        to the solution."""
        status = program.verdict.status
        fault = program.verdict.fault
        start = self.find(program.exercise, START)
        solution = self.find(program.exercise, SOLUTION)
        if status != "right" or not start or not solution:
            return status, fault
        way = mean_of(ratios(start, solution))
        behind = mean_of(ratios(program, solution))
        allowed = math.sqrt(way) if way > 1 else DEARER
        if behind <= allowed:
            return status, fault
        reason = f"{factor(behind)} the instructions of the solution; {factor(allowed)} or less passes"
        if way > 1:
            reason += " (half of the way from the start)"
        return "slow", "; ".join(filter(None, [reason, fault]))

    def guesses(self, program: Program) -> Iterator[Guess]:
        """Yield each prediction of a program beside what was measured."""
        start = self.find(program.exercise, START)
        for level, predicted in sorted(program.guesses.items()):
            if start and level in program.verdict.costs:
                found = ratio(start, program, level)
                yield Guess(
                    level, predicted, found, most_changed(start, program, level)
                )
            else:
                yield Guess(level, predicted, None, None)

    def copies(self, program: Program) -> list[str]:
        """Return of whose programs it is a copy, or the same but for comments and white space; of this
        repository's the one that is most alike."""
        names = {}
        known = {}
        for other, alike in self._alike[program].items():
            if other.role in (*COMPARED, KNOWN):
                known[other.name] = alike
            else:
                names[other.name] = alike
        for other in self._by_text[program.exercise, program.text]:
            if program.text and other.role not in (START, program.role):
                names[other.name] = 1
        if known and not names.keys() & known.keys():
            names[max(known, key=lambda name: known[name])] = 1
        return list(names)

    def withheld(self, program: Program) -> bool:
        """Return whether somebody has to look at a program before it gets a mark.  COPIES of the
        environment: `allow`, or the students whose programs were looked at."""
        seen = os.environ.get("COPIES", "").split()
        return bool(self._alike[program]) and not {"allow", program.name} & {*seen}

    # ---- the tables of `make lab`, of one exercise

    def table_of_levels(self, yours: Program) -> Table:
        """Return the totals of the start, of a student's program and of the exercise's goal, and
        their ratios, a row for each level."""
        start = self.find(yours.exercise, START)
        solution = self.find(yours.exercise, SOLUTION)
        assert start and solution
        programs = {"start": start, "yours": yours, solution.name: solution}
        rows = []
        for level in self.levels:
            row = {"level": f"-{level}"}
            for name, program in programs.items():
                row[name] = whole(rounded(program.total(level)))
            row["start/yours"] = factor(ratio(start, yours, level))
            row[f"yours/{solution.name}"] = factor(ratio(yours, solution, level))
            rows.append(row)
        return table_of(rows)

    def table_of_predictions(self, program: Program) -> Table:
        """Return the predictions of a program, a row for each level."""
        head = ["level", "predicted", "measured", "", "most changes in", "measured", ""]
        rows = []
        for guess in self.guesses(program):
            if guess.ratio is None:
                continue
            low, high, function = guess.predicted
            gain = "right" if guess.gain_is_right else "no"
            verdict = "right" if guess.function_is_right else "no"
            range_of_gain = f"x{low:g} to x{high:g}"
            row = [f"-{guess.level}", range_of_gain, factor(guess.ratio), gain]
            rows.append([*row, function, guess.most or "-", verdict])
        return Table(head, rows)

    def table_of_functions(self, start: Program, yours: Program) -> Table:
        """Return what each function executes in both programs, the dearest first."""
        rows = []
        weights: dict[str, float] = {}
        for level in self.levels:
            before = start.spent(level)
            after = yours.spent(level)
            for function in before | after:
                old = before.get(function, 0)
                new = after.get(function, 0)
                text = f"{whole(rounded(old))} -> {whole(rounded(new))}"
                rows.append({"function": function, "level": level, "text": text})
                weights[function] = weights.get(function, 0) + max(old, new)
        rows.sort(key=lambda row: (-weights[row["function"]], row["function"]))
        return pivot(rows, {"function": "function"}, "level", {"": "text"})

    # ---- the table of `make grade`

    def row(self, program: Program, points: Mapping[str, float]) -> dict[str, str]:
        """Return a row of grades.csv without the columns that are the same in all rows."""
        status, fault = self.verdict(program)
        guesses = list(self.guesses(program))
        gains = sum(guess.gain_is_right for guess in guesses)
        functions = sum(guess.function_is_right for guess in guesses)
        mark = points.get(status, 0)
        mark += points.get("gain", 0) * gains + points.get("function", 0) * functions
        row = {
            "student": program.name,
            "lab": program.exercise,
            "status": status,
            "mark": "" if self.withheld(program) else f"{mark:g}",
        }
        for level in self.levels:
            total = rounded(program.total(level))
            row[level] = "" if total is None else str(total)
        start = self.find(program.exercise, START)
        row["start/yours"] = self.mean(start, program)
        row["yours/rung"] = self.mean(program, self.find(program.exercise, SOLUTION))
        row["yours/best"] = self.mean(program, self.find(program.exercise, BEST))
        compared = start is not None and status != "missing"
        row["predicted"] = str(len(guesses)) if compared else ""
        row["gains_hit"] = str(gains) if compared else ""
        row["functions_hit"] = str(functions) if compared else ""
        row["copy_of"] = ", ".join(self.copies(program))
        row["fault"] = fault
        row["case"] = "; ".join(" ".join(line.split()) for line in program.verdict.case)
        return {name: printable(text) for name, text in row.items()}

    def mean(self, above: Program | None, below: Program | None) -> str:
        """Return the mean ratio as text; empty where one is not counted at every level."""
        found = ratios(above, below) if above and below else []
        return (
            f"{mean_of(found):.3f}" if found and len(found) == len(self.levels) else ""
        )

    def rows(self, points: Mapping[str, float], **same: object) -> list[Row]:
        """Return a row for each program that was handed in, or is missing, students in order; `same`
        are the columns that are the same in all rows."""
        rows = []
        for program in self.programs:
            if program.role not in (*COMPARED, KNOWN):
                cells = self.row(program, points)
                for name, value in same.items():
                    cells[name] = str(value)
                rows.append(Row(program, cells))
        rows.sort(key=lambda row: (row.student, row.exercise))
        return rows

    def table_of_grades(self, points: Mapping[str, float], **same: object) -> Table:
        """Return grades.csv."""
        rows = self.rows(points, **same)
        return table_of([row.cells for row in rows]) if rows else Table([], [])
