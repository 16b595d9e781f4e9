"""What `make grade` shows: one page of a class, and a page of each student to send back.

All of it is made of the book.  Whatever a stranger has written is text on these pages and nothing
else, and no page runs a program.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import median
from string import Template

from labs.book import START, Book, Program, Row, ratio
from labs.box import printable
from records.policy import sealed
from records.tables import Table, factor

TEMPLATE = Path(__file__).with_suffix(".html")
REFRESH = 10  # seconds, while a class is being judged
COLUMNS = 10  # of the histogram
TALLEST = 90  # per cent of its height
COMMON = 12  # faults that are listed
SHOWN = 300  # characters of a fault, or of names, on the page of a class
NAMED = 8  # students beside a fault
LONG = 40  # characters of a cell that needs space
NAME = 60  # characters of a file's name
NOT_RUN = "refused crashed late".split()  # what a teacher has to look at
MEANING = {
    "right": "All results are right.",
    "slow": "All results are right, and it executes too many instructions.",
    "unchanged": "It is still the program that the exercise starts from.",
    "wrong": "A result is wrong.",
    "crashed": "It does not run to its end.",
    "late": "It does not end within its limit, which says nothing about its results.",
    "refused": "It is not taken: it does not compile, breaks a rule, or is no exercise.",
    "missing": "Nothing was handed in.",
}


class Html(str):
    """A text that is HTML already; any other is escaped."""


def html(text: str) -> Html:
    """Return a text as HTML."""
    return text if isinstance(text, Html) else Html(escape(text))


def page(title: str, body: Iterable[str], refresh: int = 0) -> str:
    """Return a whole page; `refresh`: after so many seconds a browser reads it again."""
    text = Template(TEMPLATE.read_text(encoding="utf-8"))
    again = ""
    if refresh:
        again = f'<meta http-equiv="refresh" content="{refresh}">'
    filled = text.substitute(
        title=html(title),
        refresh=again,
        body="\n".join(body),
    )
    return sealed(filled)


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    """Return a table.  A column of numbers stands to the right."""
    left = Table(list(head), [list(row) for row in rows]).left
    lines = []
    for kind, row in [("th", head), *(("td", row) for row in rows)]:
        cells = []
        for column, cell in enumerate(row):
            look = "text" if column in left else "number"
            if len(cell) > LONG and not isinstance(cell, Html):
                look = "long"
            cells.append(f'<{kind} class="{look}">{html(cell)}</{kind}>')
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    return Html(f'<div class="wide"><table>\n{"".join(lines)}</table></div>')


def marked(row: Row) -> Html:
    """Return the mark and the status of a row in the status's colour."""
    mark = row.cells["mark"] or "withheld:"
    text = html(f"{mark} {row.status}")
    return Html(f'<span class="mark {row.status}">{text}</span>')


def total(rows: Iterable[Row]) -> float:
    """Return the sum of marks."""
    return sum(float(row.cells["mark"] or 0) for row in rows)


def by_student(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows of each student, in order."""
    found = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row.student, row.exercise)):
        found[row.student].append(row)
    return dict(found)


def file_of(student: str) -> str:
    """Return the name of a student's file: of plain letters, and no two the same, for a disk that does
    not know capitals, either."""
    if re.fullmatch(r"[a-z0-9-]+", student) and len(student) <= NAME:
        return f"{student}.html"
    plain = re.sub(r"[^A-Za-z0-9-]", "_", student)[:NAME]
    name = hashlib.sha256(student.encode()).hexdigest()[:16]
    return f"{plain}_{name}.html"


# ---- the page of a class


def of_class(
    book: Book, rows: Sequence[Row], folder: str, judged: str, left: int
) -> str:
    """Return the page of a class.  `folder` has the students' pages, `judged` says how, and `left`
    are the folders that are not judged yet."""
    body = ["<h1>Grades</h1>", f'<p class="soft">{html(judged)}</p>']
    if left:
        body.append(f"<p>{left} folders are still to be judged.</p>")
    if rows:
        students = by_student(rows)
        body += marks(book, students, folder)
        body += [*histogram(students), *gains(book, rows)]
        body += [*common(rows), *copies(rows), *refused(rows)]
    return page("Grades", body, REFRESH if left else 0)


def marks(
    book: Book, students: Mapping[str, Sequence[Row]], folder: str
) -> Iterable[str]:
    """Yield the table of marks, a row for each student and a column for each exercise."""
    lines = []
    for student, rows in students.items():
        cells = {row.exercise: marked(row) for row in rows}
        link = f'<a href="{folder}/{file_of(student)}">{html(student)}</a>'
        line: list[str] = [Html(link)]
        for exercise in book.exercises:
            line.append(cells.get(exercise, ""))
        line.append(f"{total(rows):g}")
        lines.append(line)
    yield "<h2>Marks</h2>"
    yield table_of(["student", *book.exercises, "sum"], lines)


def histogram(students: Mapping[str, Sequence[Row]]) -> Iterable[str]:
    """Yield how many students have how many points."""
    totals = [total(rows) for rows in students.values()]
    step = max(max(totals) / COLUMNS, 1)
    counts = [0] * COLUMNS
    for one in totals:
        counts[min(int(one / step), COLUMNS - 1)] += 1
    most = max(counts)
    yield "<h2>How many students have how many points</h2>"
    yield '<div class="bars">'
    for number, count in enumerate(counts):
        height = TALLEST * count / most
        points = f"{number * step:.3g}"
        bar = f'<i style="height: {height:.0f}%"></i>'
        yield f"<div>{count or ''}{bar}<span>{points}</span></div>"
    yield "</div>"
    wide = f"A bar begins at the sum below it and is {step:.3g} wide"
    yield f'<p class="soft">{wide}; the last one holds the highest sum, too.</p>'


def gains(book: Book, rows: Sequence[Row]) -> Iterable[str]:
    """Yield what programs gain at each level, an exercise and a level a row."""
    lines = []
    for exercise in book.exercises:
        for level in book.levels:
            counted = [one for one in gained(book, rows, exercise, level) if one]
            if counted:
                line = [exercise, f"-{level}", str(len(counted))]
                for summary in (min, median, max):
                    line.append(factor(summary(counted)))
                lines.append(line)
    if lines:
        yield "<h2>Gains at each level</h2>"
        yield "<p>How many times fewer instructions a program executes than the start.</p>"
        yield table_of("exercise,level,counted,least,median,most".split(","), lines)


def gained(
    book: Book, rows: Sequence[Row], exercise: str, level: str
) -> Iterable[float | None]:
    """Yield what the programs of an exercise gain at a level."""
    start = book.find(exercise, START)
    for row in rows:
        if start and row.exercise == exercise:
            yield ratio(start, row.program, level)


def common(rows: Sequence[Row]) -> Iterable[str]:
    """Yield the faults that several students have, numbers and levels apart."""
    found = defaultdict(list)
    for row in rows:
        if row.cells["fault"]:
            kind = re.sub(r"-O\w+|[0-9][0-9a-f.,]*", "…", row.cells["fault"])
            found[row.exercise, kind].append(row)
    several = [same for same in found.values() if len(same) > 1]
    several.sort(key=len, reverse=True)
    if several:
        lines = []
        for same in several[:COMMON]:
            fault = cut(same[0].cells["fault"])
            lines.append([str(len(same)), same[0].exercise, fault, who(same)])
        yield "<h2>Common faults</h2>"
        yield table_of("students,exercise,one of them,who".split(","), lines)


def cut(text: str) -> str:
    """Return the beginning of a text; grades.csv has more of it."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def who(rows: Sequence[Row]) -> str:
    """Return the first students' names."""
    names = [row.student for row in rows[:NAMED]]
    more = len(rows) - len(names)
    if more:
        names.append(f"and {more} more")
    return ", ".join(names)


def copies(rows: Sequence[Row]) -> Iterable[str]:
    """Yield whose program is that of somebody else, or of this repository."""
    lines = [
        [row.student, row.exercise, cut(row.cells["copy_of"]), marked(row)]
        for row in rows
        if row.cells["copy_of"]
    ]
    if lines:
        yield "<h2>Copies</h2>"
        yield (
            "<p>Whatever the names and the order of functions are, at least four fifths of what such a"
            " program adds to the start stand in the other one, too. Its mark is withheld until"
            " somebody has looked at both: COPIES='NAME NAME' gives these students theirs, COPIES=allow"
            " all. Where a few lines solve an exercise, equal programs are no sign: they are listed and"
            " have their mark.</p>"
        )
        yield table_of("student,exercise,a copy of,mark".split(","), lines)


def refused(rows: Sequence[Row]) -> Iterable[str]:
    """Yield what has no results, and why."""
    lines = [
        [row.student, row.exercise, marked(row), cut(row.cells["fault"])]
        for row in rows
        if row.status in NOT_RUN
    ]
    if lines:
        yield "<h2>What was refused, did not run or did not end</h2>"
        yield table_of("student,exercise,mark,why".split(","), lines)


# ---- the page of a student


def of_student(book: Book, student: str, rows: Sequence[Row]) -> str:
    """Return the page of a student, which names no other."""
    body = [f"<h1>{html(student)}</h1>", f"<p>Sum of marks: {total(rows):g}</p>"]
    for row in rows:
        status = row.status
        body.append(f"<h2>{html(row.exercise)}</h2>")
        body.append(f"<p>{marked(row)} {html(MEANING[status])}</p>")
        if not row.cells["mark"]:
            body.append(
                "<p>It is much like another program. The mark is open until your teacher has"
                " looked at both.</p>"
            )
        if row.cells["fault"]:
            body.append(f"<p>{html(row.cells['fault'])}</p>")
        if row.program.verdict.case:
            case = "\n".join(map(printable, row.program.verdict.case))
            body.append(f"<pre>{html(case)}</pre>")
        if row.program.verdict.costs and book.find(row.program.exercise, START):
            body += measured(book, row.program)
    return page(student, body)


def measured(book: Book, program: Program) -> Iterable[str]:
    """Yield what a program executes, and what was predicted of it."""
    levels = book.table_of_levels(program)
    yield "<h3>Instructions of a round trip</h3>"
    yield table_of(levels.head, levels.rows)
    predicted = book.table_of_predictions(program)
    if predicted.rows:
        yield "<h3>Prediction: start / yours</h3>"
        yield table_of(predicted.head, predicted.rows)
