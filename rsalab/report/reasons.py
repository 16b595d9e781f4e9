"""Why each step gains, and whether it was foreseen, for the READMEs and the report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import FULL, load
from records.statistics import THRESHOLD, verdict
from records.tables import factor, whole
from rsalab import markdown
from rsalab.explorer import listing
from rsalab.steps import claims, scoreboard
from rsalab.steps.spent import Spent, Step, compared, spent, step
from rsalab.steps.why import movers

CALLS = (
    "Calls in a round trip (of the source, counted at -O0) times a function's own instructions a"
    " call (a mean) are its instructions a round trip. The functions that change most:"
)
LEAST, MOVERS = 0.05, 3  # the share of all changes at a level that makes a row; functions


def why(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """A list with a sentence for each level; "" where there is no parent to compare with."""
    made = {level: step(folder, child, level, root) for level in LEVELS}
    return "\n".join(f"- -{level}: {movers(one)}" for level, one in made.items() if one)


def foreseen(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What was predicted and what was found, in one line; "" without a prediction."""
    parts = []
    for level in LEVELS:
        made = step(folder, child, level, root)
        score = scoreboard.score(child, level, made.gain) if made else None
        if score and score.expected:
            parts.append(f"-{level} {score.said}, found x{score.gain:.2f}: {score.word}")
    return f"Predicted: {'; '.join(parts)}." if parts else ""


def account(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Calls times instructions a call at each level, parent above child, of the functions that
    change most, in Markdown; "" where there is nothing to compare."""
    made = {level: one for level in LEVELS if (one := step(folder, child, level, root))}
    shares: dict[str, float] = {}
    for one in made.values():
        changes = {name: abs(one.of(name)) for name in one.functions()}
        for name, change in changes.items():
            shares[name] = max(shares.get(name, 0), change / sum(changes.values()))
    most = sorted(shares, key=lambda name: -shares[name])[:MOVERS]
    rows = []
    for name in (name for name in most if shares[name] >= LEAST):
        for who, side in (((child.parent or "").rpartition("/")[2], 0), (child.name, 1)):
            sides = [(one.parent, one.child)[side] for one in made.values()]
            if any(one.of([name]) for one in sides):
                calls = sides[0].means.get(f"calls:{name}")
                cells = (times(one, name, calls) for one in sides)
                rows.append([f"`{name}`", who, whole(calls), *cells])
    head = ["function", "in", "calls", *(f"-{level}" for level in made)]
    return f"{CALLS}\n\n{markdown.table(head, rows, (0, 1))}" if rows else ""


def times(side: Spent, name: str, calls: float | None) -> str:
    """`x 10.2 = 3,925`: instructions a call, instructions a round trip."""
    own = side.of([name]) / side.n
    return f"x {own / calls:,.4g} = {own:,.0f}" if calls and own else whole(own or None)


def product(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What one product executes at each level, beside the parent's and those that the child names:
    a table where it names some, else a sentence; "" where it is not counted."""
    counted, parent = spent(folder), ladder.parent_of(child, root)
    between = [(name.split("/")[0], name.split("/")[-1]) for name in child.beside]
    around = [[(one.study, one.name)] if one else [] for one in (parent, child)]
    cells: dict[str, list[str]] = {}
    for study, name in (*around[0], *between, *around[1]):
        sides = [counted.get((study, name, level)) for level in LEVELS]
        means = [side.means.get("mont_mul:instructions") for side in sides if side]
        if len(means) == len(LEVELS) and None not in means:
            cells[name] = [f"{mean:,.0f}" for mean in means]
    head = "Instructions of one product alone, a call of `mont_mul` (exact mean"
    if between:
        rows = [[name, *values] for name, values in cells.items()]
        return f"{head}):\n\n{markdown.table(['', *(f'-{x}' for x in LEVELS)], rows)}"
    parts = [f"-{x}: {' -> '.join(pair)}" for x, *pair in zip(LEVELS, *cells.values())]
    return f"{head}; {' -> '.join(cells)}): {'; '.join(parts)}." if child.name in cells else ""


CLAIMS = """# Claims

Each sentence of a README that gives a cause ends with a number: that of an expression here, which
the tests evaluate on the exact counts, in instructions a round trip. `own` is the snapshot,
`parent` its parent, `saved` is parent - own, and `gain` is parent / own. A name may be that of a
function, of a group of instructions (`loads`), of both (`"add/loads"`), of a line of the source
(`"rsa.c:16/loads"`) or of a class (`"class:umaal"`); before `mont_mul:` it is one call of
`mont_mul`."""


def every_claim(folder: Path, root: Path = ROOT) -> str:
    """docs/claims.md: each claim of each snapshot, with what it compares."""
    parts = [CLAIMS]
    for child in (one for study in every_study(root) for one in ladder.snapshots(study, root)):
        made = {level: step(folder, child, level, root) for level in LEVELS}
        if there := {level: one for level, one in made.items() if one and child.claims}:
            title = child.name if child.study == LADDER else f"{child.study}/{child.name}"
            listed = (f"- {said}" for said in claims.listing(child, there))
            parts.append("\n".join([f"## {title}", "", *listed]))
    return "\n\n".join(parts) + "\n"


def every_study(root: Path) -> list[str]:
    """The ladder, then the studies."""
    return [LADDER, *(study for study in ladder.studies(root) if study != LADDER)]


def predictions(folder: Path, study: str = LADDER, root: Path = ROOT) -> str:
    """The scoreboard: a row for each step; for each level what was expected, and what it gained."""
    found = scoreboard.scores(folder, study, root)
    if not found:
        return "No step was measured together with its parent."
    rows = []
    for child in dict.fromkeys(score.child for score in found):
        mine = [score for score in found if score.child == child]
        cells = [f"{s.said}; x{s.gain:.2f}: {s.word}" if s.expected else "-" for s in mine]
        rows.append([f"{child.parent} to {child.name}", child.idea, *cells])
    head = ["step", "idea", *(f"-{level}" for level in LEVELS)]
    return f"{markdown.table(head, rows, (0, 1, 2, 3, 4))}\n\n{scoreboard.summary(found)}."


def another_compiler(folder: Path, root: Path = ROOT) -> str:
    """What changes with the compiler, in Markdown: each gain that differs by 1 % or more, how many
    verdicts and scores differ, and the claims that do not hold; "" without other results."""
    others = (path.parent for path in sorted(root.glob("results/qemu-*/lines.csv")))
    other = next((path for path in others if path != folder), None)
    if other is None:
        return ""
    rows, false, verdicts, scores = [], [], [0, 0], [0, 0]
    for child in ladder.snapshots(LADDER, root):
        for level in LEVELS:
            here, there = (step(one, child, level, root) for one in (folder, other))
            if here is None or there is None:
                continue
            words = [verdict(one.child.total, one.parent.total) for one in (here, there)]
            said = [scoreboard.score(child, level, one.gain).word for one in (here, there)]
            verdicts[words[0] != words[1]] += 1
            scores[said[0] != said[1]] += 1
            if abs(there.gain / here.gain - 1) >= THRESHOLD:
                gains = (factor(here.gain), factor(there.gain))
                rows.append([f"{child.parent} to {child.name}", f"-{level}", *gains, words[1]])
            missed = claims.missed(child, level, there)
            false += [f"{child.name} -{level} {' '.join(missed)}"] * bool(missed)
    head = ["step", "level", folder.name, other.name, "verdict"]
    compiler = load(other, root, counted=False).compiler
    return "\n\n".join(
        [
            f"results/{other.name} has the ladder by {markdown.plain(compiler)}. Of"
            f" {sum(verdicts)} verdicts {verdicts[1]} differ, of {sum(scores)} words for the"
            f" predictions {scores[1]}. Gains that differ by 1 % or more:",
            markdown.table(head, rows, (0, 1, 4)),
            f"Claims that do not hold there, by their numbers in the READMEs: {', '.join(false)}.",
        ]
    )


# --- excerpt --------------------------------------------------------------------------------------

MOST = 5  # instructions on each side
LEGEND = "Executions a round trip, and the instruction; `@ f`: of `f`; a branch names its line."
JUMP = re.compile(r"(?<= )\+([0-9a-f]+)$")  # where a branch goes, in bytes of its function


class Line(NamedTuple):
    """An instruction: its offset in the code, how often it is executed, its function and text."""

    offset: int
    executions: int
    function: str
    text: str


def excerpt(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown for the paragraph; "" for a snapshot without a parent.  Raises Failure where a
    program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        return ""
    made = {level: compared(folder, child, level, root) for level in LEVELS}
    if place := ladder.parse(child.look):
        level, names = place.level, (place.before, place.after)
    else:
        level = max(LEVELS[1:], key=lambda level: abs(made[level].gain - 1))
        names = (most_changed(made[level]),) * 2
    lines = [LEGEND, "", "```asm"]
    for snapshot, name in zip((parent, child), names):
        lines.append(f"@ {name} of {snapshot.name} at -{level}")
        for line in busiest(executed(folder, snapshot, level), name):
            count = line.executions / made[level].child.n
            lines.append(f"{count:>12,.0f}  {shown_line(line, name)}")
    return "\n".join([*lines, "```"])


def shown_line(line: Line, name: str) -> str:
    """An instruction, with its function where that is another one."""
    return line.text if line.function == name else f"{line.text:<32}@ {line.function}"


def most_changed(made: Step) -> str:
    """The function that changes most."""
    return made.functions()[0] if made.difference else "mont_mul"


def executed(folder: Path, snapshot: Snapshot, level: str) -> list[Line]:
    """The instructions that were executed, in the order of the code; a branch names the line of
    the source that it goes to."""
    cell = Cell(snapshot, level, "default")
    results = load(folder, counted=False)
    if digest(cell.program) != results.machine["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    code = listing.read(cell.folder / "snapshot.o", cell.program)
    asked = (
        "select offset, instructions, function, file || ':' || line from lines"
        ' where (study, snapshot, level, "case") = (?, ?, ?, ?)'
    )
    rows = results.query(asked, snapshot.study, snapshot.name, level, FULL)
    found = sorted((int(offset, 16), *others) for offset, *others in rows)
    places = {offset: place for offset, _, _, place in found}
    text = {
        offset: named(said, part.start, places)
        for part in code.functions
        for offset, said in part.words.items()
    }
    return [Line(offset, count, name, text[offset]) for offset, count, name, _ in found]


def named(said: str, start: int, places: dict[int, str]) -> str:
    """The text of a branch inside its function, with the line of the source that it goes
    to, or `(never)` where that line is never executed."""
    return JUMP.sub(lambda to: places.get(start + int(to[1], 16), "(never)"), said)


def busiest(lines: list[Line], name: str, most: int = MOST) -> list[Line]:
    """The run of at most so many neighbours in which the function executes most; of equals the one
    that executes most, then the first; [] where none of the function is executed."""
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.offset == runs[-1][-1].offset + listing.WORD:
            runs[-1].append(line)
        else:
            runs.append([line])
    windows = [run[at : at + most] for run in runs for at in range(max(1, len(run) - most + 1))]

    def worth(window: list[Line]) -> tuple[int, int]:
        own = sum(line.executions for line in window if line.function == name)
        return own, sum(line.executions for line in window)

    found = max(windows, key=worth, default=[])
    return found if any(line.function == name for line in found) else []
