"""What is generated into the rungs' READMEs and docs/claims.md: why a step
gains, whether it was foreseen, what its assembly looks like."""

import re
from typing import NamedTuple

from harness.cells import Cell
from harness.counts import PENALTIES, PENALTY, SIMULATED
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import FULL, Results, load
from records.tables import NONE, factor, whole
from rsalab import markdown
from rsalab.explorer import listing
from rsalab.models import LONG, arm1176_of
from rsalab.report import story
from rsalab.steps import claims
from rsalab.steps.spent import Spent, Step, compared, step

CALLS = (
    "Calls in a round trip (of the source, counted at -O0) times a function's own instructions a"
    " call (a mean) are its instructions a round trip. The functions that change most:"
)
LEAST, MOVERS = 0.05, 3  # the share of all changes at a level that makes a row; functions


def steps(results: Results, child: Snapshot) -> dict[str, Step]:
    """Level -> the step, where parent and child were counted."""
    made = {level: step(results, child, level) for level in LEVELS}
    return {level: one for level, one in made.items() if one}


def foreseen(results: Results, child: Snapshot) -> str:
    """What was predicted and what was found, in one line; "" without a prediction."""
    place = {"study": child.study, "snapshot": child.name}
    return results.table(story.__file__, "foreseen", **place).markdown


def account(results: Results, child: Snapshot) -> str:
    """Calls times instructions a call at each level, parent above child, of
    the functions that change most, in Markdown; "" where there is nothing
    to compare."""
    made = steps(results, child)
    shares: dict[str, float] = {}
    for one in made.values():
        whole_change = sum(map(abs, one.changes.values()))
        for name, change in one.changes.items():
            shares[name] = max(shares.get(name, 0), abs(change) / whole_change)
    names = {"parent": (child.parent or "").rpartition("/")[2], "child": child.name}
    rows = []
    for function in sorted(shares, key=lambda name: -shares[name])[:MOVERS]:
        for who, name in names.items():
            sides: list[Spent] = [getattr(one, who) for one in made.values()]
            calls = sides[0].of(f"calls:{function}")
            if shares[function] >= LEAST and any(side.names[function] for side in sides):
                cells = (times(side.of(function), calls) for side in sides)
                rows.append([f"`{function}`", name, whole(calls or None), *cells])
    head = ["function", "in", "calls", *(f"-{level}" for level in made)]
    return f"{CALLS}\n\n{markdown.table(head, rows, (0, 1))}" if rows else ""


def times(own: float, calls: float) -> str:
    """`x 10.2 = 3,925`: instructions a call, instructions a round trip."""
    if not calls or not own:
        return whole(own or None)
    each = own / calls
    return f"x {each:{',.0f' if each >= 1e4 else ',.4g'}} = {own:,.0f}"


def product(results: Results, child: Snapshot) -> str:
    """What one product executes at each level, beside the parent's and
    those that the child names: a table where it names some, else a
    sentence; "" where it is not counted."""
    parent = ladder.parent_of(child, results.root)
    names = [f"{one.study}/{one.name}" for one in (parent, child) if one]
    names[-1:-1] = child.beside
    cells: dict[str, list[str]] = {}
    for study, _, name in (one.rpartition("/") for one in names):
        means = [results.means(study, name, level, "mont_mul") for level in LEVELS]
        if all(means):
            cells[name] = [whole(mean["instructions"]) for mean in means]
    head = "Instructions of one product alone, a call of `mont_mul` (exact mean"
    if child.beside:
        rows = [[name, *numbers] for name, numbers in cells.items()]
        return f"{head}):\n\n{markdown.table(['', *(f'-{x}' for x in LEVELS)], rows)}"
    parts = [f"-{x}: {' -> '.join(pair)}" for x, *pair in zip(LEVELS, *cells.values())]
    return f"{head}; {' -> '.join(cells)}): {'; '.join(parts)}." if child.name in cells else ""


def every_claim(results: Results) -> str:
    """Each claim of each snapshot, with what it compares."""
    parts = []
    for study in (LADDER, *ladder.studies(results.root)):
        for child in ladder.snapshots(study, results.root):
            made = steps(results, child)
            if made and child.claims:
                title = child.name if study == LADDER else f"{study}/{child.name}"
                lines = (f"- {line}" for line in claims.listing(child, made))
                parts.append("\n".join([f"## {title}", "", *lines]))
    return "\n\n".join(parts)


# --- steps that take branches away ----------------------------------------------------------------

# Instructions are exact; mispredictions are simulated as published for the ARM1176; the cycles are
# that core's model.  Times of another processor (`make host`) stand below them, never among them.
OF_ARM1176 = ("simulated mispredictions, ARM1176", "model cycles, ARM1176")
HEAD = ["level", "snapshot", "instructions", *OF_ARM1176]


def mispredictions(results: Results, child: Snapshot) -> str:
    """Markdown: the numbers of both, and a line for each level that says
    which is slower by the model; "" where mispredictions were not
    simulated."""
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return ""
    rows, lines = [], []
    for level in LEVELS:
        sides = {one.name: results.means(one.study, one.name, level) for one in (parent, child)}
        if all(side.keys() >= {"instructions", SIMULATED, *LONG} for side in sides.values()):
            for name, side in sides.items():
                numbers = side["instructions"], side[SIMULATED], arm1176_of(side)
                rows.append([f"-{level}", name, *map(whole, numbers)])
            lines.append(f"- -{level}: {slower(parent.name, child.name, *sides.values())}")
    if not rows:
        return ""
    folders = sorted(path.parent for path in results.root.glob("results/host-*/times.csv"))
    hosts = (timed(load(folder, counted=False), parent, child) for folder in folders)
    return "\n\n".join(filter(None, [markdown.table(HEAD, rows, (0, 1)), "\n".join(lines), *hosts]))


def slower(parent: str, child: str, before: dict[str, float], after: dict[str, float]) -> str:
    """Which of the two is slower by the model, and from which penalty on it would not be."""
    gains = {penalty: arm1176_of(before, penalty) / arm1176_of(after, penalty)
             for penalty in (PENALTY, *PENALTIES)}  # fmt: skip
    sure = len({gains[penalty] > 1 for penalty in PENALTIES}) == 1
    ends = f"also with a penalty of {' or '.join(map(str, PENALTIES))} cycles"
    cost = arm1176_of(after, 0) - arm1176_of(before, 0)
    fewer = before[SIMULATED] - after[SIMULATED]
    equal = f"{cost / fewer:.0f}" if cost * fewer > 0 else NONE
    return (
        f"{parent}/{child} is {factor(before['instructions'] / after['instructions'])} by"
        f" instructions and {factor(gains[PENALTY])} by model cycles:"
        f" {child if gains[PENALTY] < 1 else parent} is"
        f" slower, {ends if sure else 'but not at both ends of the published penalty'}. Penalty at"
        f" which both take as long: {equal} cycles."
    )


def timed(results: Results, parent: Snapshot, child: Snapshot) -> str:
    """Medians of a round trip on a host, level by level; "" where both were not timed."""
    rows = results.query(
        "select level, a.median_us, b.median_us from medians as a join medians as b using (level)"
        " where (a.study, a.snapshot, b.study, b.snapshot) = (?, ?, ?, ?) order by level",
        *(parent.study, parent.name, child.study, child.name),
    )
    lines = [
        f"- -{level}: {parent.name} {a:.0f} µs, {child.name} {b:.0f} µs,"
        f" {parent.name}/{child.name} {factor(a / b)}"
        for level, a, b in rows
    ]
    facts = results.machine
    head = (
        f"Times on another processor, noisy, medians of a round trip by the clock:"
        f" {facts['platform']}, {facts['cpu']}, {facts['compiler']}, {facts['date'][:10]}."
    )
    return "\n\n".join([head, "\n".join(lines)]) if lines else ""


# --- in the assembly ------------------------------------------------------------------------------

MOST = 5  # instructions on each side
LEGEND = "Executions a round trip, and the instruction; `@ f`: of `f`; a branch names its line."
JUMP = re.compile(r"(?<= )\+([0-9a-f]+)$")  # where a branch goes, in bytes of its function


class Line(NamedTuple):
    """An instruction: its offset in the code, how often it is executed, its function and text."""

    offset: int
    executions: int
    function: str
    text: str


def excerpt(results: Results, child: Snapshot) -> str:
    """Markdown for the paragraph; "" for a snapshot without a parent.
    Raises Failure where a program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return ""
    made = {level: compared(results, child, level) for level in LEVELS}
    if place := ladder.parse(child.look):
        level, names = place.level, (place.before, place.after)
    else:
        level = max(LEVELS[1:], key=lambda level: abs(made[level].gain - 1))
        names = (next(iter(made[level].changes), "mont_mul"),) * 2
    lines = [LEGEND, "", "```asm"]
    for snapshot, name in zip((parent, child), names):
        lines.append(f"@ {name} of {snapshot.name} at -{level}")
        for line in busiest(executed(results, snapshot, level), name):
            text = line.text if line.function == name else f"{line.text:<32}@ {line.function}"
            lines.append(f"{line.executions / made[level].child.n:>12,.0f}  {text}")
    return "\n".join([*lines, "```"])


def executed(results: Results, snapshot: Snapshot, level: str) -> list[Line]:
    """The instructions that were executed, in the order of the code; a
    branch inside its function names the line of the source that it goes to,
    or `(never)` where that is never executed."""
    cell = Cell(snapshot, level, "default")
    if digest(cell.program) != results.machine["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    asked = (
        "select offset, instructions, function, file || ':' || line from lines"
        ' where (study, snapshot, level, "case") = (?, ?, ?, ?) order by length(offset), offset'
    )
    counted = results.query(asked, snapshot.study, snapshot.name, level, FULL)
    places = {int(offset, 16): place for offset, *_, place in counted}
    text: dict[int, str] = {}
    for part in listing.read(cell.folder / "snapshot.o").functions:

        def place(to: re.Match[str], start: int = part.start) -> str:
            return str(places.get(start + int(to[1], 16), "(never)"))

        text |= {offset: JUMP.sub(place, words) for offset, words in part.words.items()}
    found = ((int(offset, 16), count, name) for offset, count, name, _ in counted)
    return [Line(offset, count, name, text[offset]) for offset, count, name in found]


def busiest(lines: list[Line], name: str, most: int = MOST) -> list[Line]:
    """The run of at most so many neighbours in which the function executes
    most; of equals the one that executes most, then the first; [] where
    none of the function is executed."""

    def worth(run: list[Line]) -> tuple[int, int]:
        own = sum(line.executions for line in run if line.function == name)
        return own, sum(line.executions for line in run)

    runs = (lines[at : at + n] for at in range(len(lines)) for n in range(1, most + 1))
    whole_runs = (r for r in runs if r[-1].offset - r[0].offset == listing.WORD * (len(r) - 1))
    return max((r for r in whole_runs if worth(r)[0]), key=worth, default=[])
