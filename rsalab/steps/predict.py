"""A reader's own predictions: the step is shown as far as its parent is counted, the reader says
what it will gain, then sees what was found.

`make predict B=v5` asks, `make predict` is the reader's scoreboard.  Answers are kept in FILE; of
a step that was predicted again the first answer counts.
"""

import csv
import io
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple, TypeVar

from records import files, ladder
from records.c_functions import definition
from records.faults import Failure
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import LOCAL, Results
from records.tables import NONE, Table, factor, fitted, whole
from records.typed import read_table
from rsalab import markdown
from rsalab.steps import scoreboard
from rsalab.steps.shares import shares
from rsalab.steps.spent import Step, compared, results_of

FILE = f"{LOCAL}/predictions.csv"
COLUMNS = ("study", "snapshot", "level", "factor", "function", "date")
NEAR = 1.1  # a factor found is as predicted up to this ratio
# A factor beyond these is a slip of the pen.
LOWEST = 0.001
HIGHEST = 1000.0
NOTHING = "none"  # instead of a function: none executes fewer instructions
ROUND = "mmm"  # the function of the ladder that has the rounds of a product
FACTOR = re.compile(r"x? ?([0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)", re.IGNORECASE)
SCALE = (
    "2 for half as many, 1.25 for a fifth fewer, 1 for as many, 0.8 for a quarter more"
)
ORDER = f"{len(LEVELS) + 1} lines: a factor for each of -{', -'.join(LEVELS)}, and a function"
QUESTION = "How many times fewer instructions than {parent} does {child} execute?"
EXAMPLES = f"Type a factor for each level, not per cent: {SCALE}."
RULE = (
    "You are right where found and yours differ by at most a tenth, and where the function that you"
    " named saves most instructions at that level; too low: the step gained more; disclosed: the"
    " author knew the result. docs/predictions.md explains the other words."
)
SUMMARY = (
    "Of {levels} levels: your factor is right at {right}, your function at {named}. At {blind} of"
    " them the author did not know the result; there the author's range is right at {author}."
)
HEAD = ["level", "yours", "found", "", "saves most", "the author's"]

Value = TypeVar("Value")


class Answer(NamedTuple):
    """What a reader predicted of a step: its factor by level, and the function that gains most."""

    study: str
    snapshot: str
    factors: dict[str, float]
    function: str


# --- the file -------------------------------------------------------------------------------------


def answers(root: Path) -> list[Answer]:
    """Return what was answered, in its order.  Raises Failure where `make predict` has not written
    the file so: mend the line, or delete the file."""
    path = root / FILE
    if not path.exists():
        return []
    found: list[Answer] = []
    for row in read_table(path, FILE):
        level = row["level"]
        if level == LEVELS[0]:
            found.append(Answer(row["study"], row["snapshot"], {}, row["function"]))
        if not found:
            raise Failure(f"{FILE}:2: level: expected {LEVELS[0]}; found {level}")
        found[-1].factors[level] = float(row["factor"])
    return found


def first_answers(root: Path) -> dict[tuple[str, str], Answer]:
    """Return by study and name the first answer of each step."""
    found: dict[tuple[str, str], Answer] = {}
    for answer in answers(root):
        found.setdefault((answer.study, answer.snapshot), answer)
    return found


def keep(answer: Answer, root: Path) -> None:
    """Write an answer behind the earlier ones."""
    path = root / FILE
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if not path.exists():
        writer.writerow(COLUMNS)
    today = date.today().isoformat()
    for level, number in answer.factors.items():
        writer.writerow(
            [answer.study, answer.snapshot, level, number, answer.function, today]
        )
    earlier = path.read_text(encoding="utf-8") if path.exists() else ""
    files.replace(path, earlier + text.getvalue())


# --- asking ---------------------------------------------------------------------------------------


def factor_of(text: str) -> float:
    """Return the factor that a reader typed.  Raises Failure for what is none."""
    typed = FACTOR.fullmatch(text)
    number = float(typed[1].replace(",", ".")) if typed else 0.0
    if not LOWEST <= number <= HIGHEST:
        raise Failure(
            f"'{text[:40]}' is no factor from {LOWEST} to {HIGHEST:g}: type {SCALE}"
        )
    return number


def function_among(functions: Iterable[str]) -> Callable[[str], str]:
    """Return what takes one of these functions from what a reader typed."""
    choice = [*functions, NOTHING]

    def function_of(text: str) -> str:
        name = text.strip("`()").lower()
        if name not in choice:
            raise Failure(
                f"'{text[:40]}' is no function of these: {', '.join(choice[:-1])}, or {NOTHING}"
            )
        return name

    return function_of


def ask(question: str, value_of: Callable[[str], Value], command: str) -> Value:
    """Return the answer to a question.  What is none is asked again on a terminal.

    Raises Failure where there is no answer, and elsewhere for what is none.
    """
    on_terminal = sys.stdin.isatty()
    while True:
        print(question, end=" ", flush=True)
        line = sys.stdin.readline()
        if not on_terminal:
            print(line.strip())
        if not line:
            if on_terminal:
                print()
            raise Failure(f"no answer, and nothing was kept; `{command}` reads {ORDER}")
        try:
            return value_of(line.strip())
        except Failure as fault:
            if not on_terminal:
                raise Failure(f"{fault}; nothing was kept") from None
            print(fault)


def asked(child: Snapshot, functions: list[str]) -> Answer:
    """Return what a reader predicts of a step.  Raises Failure."""
    command = command_of(child)
    print(QUESTION.format(parent=child.parent_name, child=child.name))
    print(textwrap.fill(EXAMPLES))
    factors = {}
    for level in LEVELS:
        factors[level] = ask(f"  -{level}:", factor_of, command)
    listed = ", ".join(functions)
    which = f"Which function of {child.parent_name} saves most?"
    print(textwrap.fill(f"{which}  {listed}; or {NOTHING}"))
    function = ask("  function:", function_among(functions), command)
    return Answer(child.study, child.name, factors, function)


def command_of(child: Snapshot) -> str:
    """Return the command that asks about a step."""
    if child.study == LADDER:
        return f"make predict B={child.name}"
    return f"make predict STUDY={child.study} B={child.name}"


# --- what is shown before -------------------------------------------------------------------------


def lesson(results: Results, child: Snapshot, parent: Snapshot, width: int) -> str:
    """Return what a reader may know before a prediction: the idea of the step, what it changes,
    where the parent spends its instructions, and a round of the parent."""
    prose = markdown.parts(child, results.root)
    head = f"{child.label}: {child.idea} (counts of {parent.label}: {results.label})"
    blocks = [textwrap.fill(head, width)]
    for title in ("Idea", "Change"):
        blocks.append(textwrap.fill(f"{title}. {prose[title]}", width))
    sentence = (
        f"{parent.label} executes in a round trip: {counts(results, child)} instructions.  The table"
        " gives the share that a function executes itself, without the functions it calls; behind it,"
        " the factor that a step would gain if it made the function free."
    )
    table = fitted(shares(results, child), width)
    blocks.append("\n".join([textwrap.fill(sentence, width), "", *table]))
    folder = parent.path.relative_to(results.root)
    round_of_it = definition_of(parent, ROUND)
    if round_of_it:
        blocks.append(f"The rounds of {parent.label}:\n\n{round_of_it}")
        blocks.append(f"Its other functions are in {folder}/.")
    else:
        blocks.append(f"The code of {parent.label} is in {folder}/.")
    return "\n\n".join(blocks)


def counts(results: Results, child: Snapshot) -> str:
    """Return what the parent of a step executes by level: `-O0 56,794,484, -O1 ...`."""
    parts = []
    for level in LEVELS:
        before = compared(results, child, level).parent.of()
        parts.append(f"-{level} {whole(before)}")
    return ", ".join(parts)


def functions_of(results: Results, child: Snapshot) -> list[str]:
    """Return the functions that the parent of a step executes at some level."""
    found = set()
    for level in LEVELS:
        for name, _ in compared(results, child, level).parent.cells:
            found.add(name)
    return sorted(found)


def definition_of(snapshot: Snapshot, name: str) -> str:
    """Return a function of a snapshot's rsa.c; "" where it has none of this name."""
    text = (snapshot.path / "rsa.c").read_text(encoding="utf-8")
    return definition(text, name)


# --- what is shown after --------------------------------------------------------------------------


def word(found: float, predicted: float) -> str:
    """Return what became of a reader's factor."""
    if found > predicted * NEAR:
        return "too low"
    if found * NEAR < predicted:
        return "too high"
    return "right"


def most_saved(step: Step) -> str:
    """Return the function that saves most instructions."""
    by_change = sorted(step.changes, key=lambda name: step.changes[name])
    if not by_change or step.changes[by_change[0]] >= 0:
        return NOTHING
    return by_change[0]


class Found(NamedTuple):
    """What was found of a step at a level: its factor, the function that saves most, and what the
    author expected and what became of it; whether the author did not know the result, and was
    right."""

    factor: float
    most: str
    author: str
    blind: bool
    right: bool


def found_of(results: Results, child: Snapshot, level: str) -> Found:
    """Return what was found of a step at a level.  Raises Failure."""
    step = compared(results, child, level)
    row = scoreboard.found_of(results, child, level)
    word = row["outcome"] if row else ""
    return Found(
        factor=step.gain,
        most=most_saved(step),
        author=scoreboard.in_words(row) if row else "",
        blind=word in scoreboard.BLIND,
        right=word == "right",
    )


class Outcome(NamedTuple):
    """What became of an answer at a level: of the factor, of the function, and the author's."""

    level: str
    predicted: float
    found: float
    word: str
    most: str
    named: bool
    author: str
    author_is_blind: bool
    author_is_right: bool


def outcomes(results: Results, child: Snapshot, answer: Answer) -> list[Outcome]:
    """Return what became of an answer, level by level.  Raises Failure."""
    made = []
    for level, predicted in answer.factors.items():
        found = found_of(results, child, level)
        made.append(
            Outcome(
                level=level,
                predicted=predicted,
                found=found.factor,
                word=word(found.factor, predicted),
                most=found.most,
                named=found.most == answer.function,
                author=found.author,
                author_is_blind=found.blind,
                author_is_right=found.right,
            )
        )
    return made


def shown(answer: Answer, of_step: list[Outcome], width: int) -> str:
    """Return a reader's answer beside what was found, and what the author predicted."""
    rows = []
    for one in of_step:
        function = (
            answer.function if one.named else f"{one.most}, not {answer.function}"
        )
        author = one.author or NONE
        cells = [factor(one.predicted), factor(one.found), one.word, function, author]
        rows.append([f"-{one.level}", *cells])
    return "\n".join(fitted(Table(HEAD, rows), width))


def text_after(results: Results, child: Snapshot, answer: Answer, width: int) -> str:
    """Return what a reader is shown of a step that is predicted."""
    head = f"{child.parent_name} / {child.name} in instructions ({results.label}):"
    found = outcomes(results, child, answer)
    table = shown(answer, found, width)
    rule = textwrap.fill(RULE, width)
    why = command_of(child).replace("predict", "why")
    foot = f"`{why}` says why; `make predict` is your scoreboard."
    return f"{head}\n\n{table}\n\n{rule}\n{foot}"


def predict(
    child: Snapshot, parent: Snapshot, results: Results, again: bool, width: int
) -> None:
    """Show a step, ask for a prediction, keep it, and show what was found; of a step that was
    predicted before only that, unless it is to be predicted again.  Raises Failure."""
    earlier = first_answers(results.root).get((child.study, child.name))
    if earlier and not again:
        print(
            f"You predicted {child.label} before; FORCE=1 asks again, the first answer counts."
        )
        print(text_after(results, child, earlier, width))
        return
    print(lesson(results, child, parent, width), end="\n\n")
    answer = asked(child, functions_of(results, child))
    keep(answer, results.root)
    print(f"\n{text_after(results, child, answer, width)}")


# --- the reader's scoreboard ----------------------------------------------------------------------


def summary(found: list[Outcome]) -> str:
    """Return how many answers were right, and how many of the author's."""
    return SUMMARY.format(
        levels=len(found),
        right=sum(one.word == "right" for one in found),
        named=sum(one.named for one in found),
        blind=sum(one.author_is_blind for one in found),
        author=sum(one.author_is_right for one in found),
    )


def board(asked_of: str, width: int, root: Path = ladder.ROOT) -> str:
    """Return all first answers beside what was found, in the order of the steps.

    Raises Failure.
    """
    first = first_answers(root)
    blocks = []
    every: list[Outcome] = []
    open_steps = []
    for child in ladder.every(root):
        answer = first.pop((child.study, child.name), None)
        if answer is None:
            if child.study == LADDER and child.parent:
                open_steps.append(child)
            continue
        head = f"{child.parent} to {child.label}: {child.idea}"
        try:
            results = results_of(asked_of, child, root=root)
            found = outcomes(results, child, answer)
        except Failure as fault:
            blocks.append(f"{head}\n{fault}")
            continue
        every += found
        blocks.append(f"{head} ({results.label})\n{shown(answer, found, width)}")
    if every:
        blocks.append(textwrap.fill(f"{summary(every)}  {RULE}", width))
    for study, name in first:
        blocks.append(f"{study}/{name} is predicted in {FILE}, but is not here.")
    if open_steps:
        names = ", ".join(child.name for child in open_steps)
        blocks.append(
            f"Not predicted yet: {names}; `{command_of(open_steps[0])}` asks."
        )
    return "\n\n".join(blocks)
