"""What is generated into the rungs' READMEs and docs/claims.md: why a step
gains, whether it was foreseen, what its assembly looks like; and what another
compiler changes."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from harness.cells import Cell
from harness.counts import PENALTIES, PENALTY, SIMULATED
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import FULL, Results, load
from records.statistics import THRESHOLD, verdict
from records.tables import NONE, factor, whole
from rsalab import markdown
from rsalab.explorer import listing
from rsalab.models import LONG, arm1176_of
from rsalab.steps import claims, scoreboard
from rsalab.steps.spent import Spent, Step, compared, spent, step

CALLS = (
    "Calls in a round trip (of the source, counted at -O0) times a function's own instructions a"
    " call (a mean) are its instructions a round trip. The functions that change most:"
)
LEAST, MOVERS = 0.05, 3  # the share of all changes at a level that makes a row; functions


def steps(folder: Path, child: Snapshot, root: Path = ROOT) -> dict[str, Step]:
    """Level -> the step, where parent and child were counted."""
    made = {level: step(folder, child, level, root) for level in LEVELS}
    return {level: one for level, one in made.items() if one}


def foreseen(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What was predicted and what was found, in one line; "" without a prediction."""
    parts = []
    for level, made in steps(folder, child, root).items():
        score = scoreboard.score(child, level, made.gain)
        if score.expected:
            parts.append(f"-{level} {score.said}, found x{score.gain:.2f}: {score.word}")
    return f"Predicted: {'; '.join(parts)}." if parts else ""


def account(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Calls times instructions a call at each level, parent above child, of
    the functions that change most, in Markdown; "" where there is nothing
    to compare."""
    made = steps(folder, child, root)
    shares: dict[str, float] = {}
    for one in made.values():
        whole_change = sum(map(abs, one.changes.values()))
        for name, change in one.changes.items():
            shares[name] = max(shares.get(name, 0), abs(change) / whole_change)
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
    if not calls or not own:
        return whole(own or None)
    each = own / calls
    return f"x {each:{',.0f' if each >= 1e4 else ',.4g'}} = {own:,.0f}"


def product(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What one product executes at each level, beside the parent's and
    those that the child names: a table where it names some, else a
    sentence; "" where it is not counted."""
    counted, parent = spent(folder), ladder.parent_of(child, root)
    beside = [(name.split("/")[0], name.split("/")[-1]) for name in child.beside]
    above = [(parent.study, parent.name)] if parent else []
    cells: dict[str, list[str]] = {}
    for study, name in (*above, *beside, (child.study, child.name)):
        sides = [counted.get((study, name, level)) for level in LEVELS]
        means = [side.means.get("mont_mul:instructions") for side in sides if side]
        if len(means) == len(LEVELS) and None not in means:
            cells[name] = [f"{mean:,.0f}" for mean in means]
    head = "Instructions of one product alone, a call of `mont_mul` (exact mean"
    if beside:
        rows = [[name, *numbers] for name, numbers in cells.items()]
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
    for study in (LADDER, *ladder.studies(root)):
        for child in ladder.snapshots(study, root):
            made = steps(folder, child, root)
            if made and child.claims:
                title = child.name if study == LADDER else f"{study}/{child.name}"
                lines = (f"- {line}" for line in claims.listing(child, made))
                parts.append("\n".join([f"## {title}", "", *lines]))
    return "\n\n".join(parts) + "\n"


def another_compiler(folder: Path, root: Path = ROOT) -> str:
    """What changes with the compiler, in Markdown: each gain that differs
    by 1 % or more, how many verdicts and scores differ, and the claims that
    do not hold; "" without other results."""
    others = (path.parent for path in sorted(root.glob("results/qemu-*/lines.csv")))
    other = next((path for path in others if path != folder), None)
    if other is None:
        return ""
    rows, false, verdicts, scores = [], [], [], []  # the last two: whether they differ
    for child in ladder.snapshots(LADDER, root):
        own = steps(folder, child, root)
        for level, there in steps(other, child, root).items():
            if level not in own:
                continue
            pair = own[level], there
            words = [verdict(one.child.total, one.parent.total) for one in pair]
            verdicts.append(len(set(words)) > 1)
            scores.append(len({scoreboard.score(child, level, one.gain).word for one in pair}) > 1)
            if abs(there.gain / own[level].gain - 1) >= THRESHOLD:
                gains = [factor(one.gain) for one in pair]
                rows.append([f"{child.parent} to {child.name}", f"-{level}", *gains, words[1]])
            missed = claims.missed(child, level, there)
            false += [f"{child.name} -{level} {' '.join(missed)}"] * bool(missed)
    compiler = load(other, root, counted=False).compiler
    return "\n\n".join(
        [
            f"results/{other.name} has the ladder by {markdown.plain(compiler)}. Of"
            f" {len(verdicts)} verdicts {sum(verdicts)} differ, of {len(scores)} words for the"
            f" predictions {sum(scores)}. Gains that differ by 1 % or more:",
            markdown.table(["step", "level", folder.name, other.name, "verdict"], rows, (0, 1, 4)),
            f"Claims that do not hold there, by their numbers in the READMEs: {', '.join(false)}.",
        ]
    )


# --- steps that take branches away ----------------------------------------------------------------

# Instructions are exact; mispredictions are simulated as published for the ARM1176; the cycles are
# that core's model.  Times of another processor (`make host`) stand below them, never among them.
HEAD = [
    "level",
    "snapshot",
    "instructions",
    "simulated mispredictions, ARM1176",
    "model cycles, ARM1176",
]


def mispredictions(results: Results, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown: the numbers of both, and a line for each level that says
    which is slower by the model; "" where mispredictions were not
    simulated."""
    parent = ladder.parent_of(child, root)
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
    folders = sorted(path.parent for path in root.glob("results/host-*/times.csv"))
    hosts = (timed(load(folder, counted=False), parent, child) for folder in folders)
    return "\n\n".join(filter(None, [markdown.table(HEAD, rows, (0, 1)), "\n".join(lines), *hosts]))


def slower(parent: str, child: str, before: dict[str, float], after: dict[str, float]) -> str:
    """Which of the two is slower by the model, and from which penalty on it would not be."""

    def gain(penalty: int = PENALTY) -> float:
        return arm1176_of(before, penalty) / arm1176_of(after, penalty)

    sure = len({gain(penalty) > 1 for penalty in PENALTIES}) == 1
    ends = f"also with a penalty of {' or '.join(map(str, PENALTIES))} cycles"
    cost = arm1176_of(after, 0) - arm1176_of(before, 0)
    fewer = before[SIMULATED] - after[SIMULATED]
    equal = f"{cost / fewer:.0f}" if cost * fewer > 0 else NONE
    return (
        f"{parent}/{child} is {factor(before['instructions'] / after['instructions'])} by"
        f" instructions and {factor(gain())} by model cycles: {child if gain() < 1 else parent} is"
        f" slower, {ends if sure else 'but not at both ends of the published penalty'}. Penalty at"
        f" which both take as long: {equal} cycles."
    )


def timed(results: Results, parent: Snapshot, child: Snapshot) -> str:
    """Medians of a round trip on a host, level by level; "" where both were not timed."""
    facts, lines = results.machine, []
    asked = "select level, median_us from medians where (study, snapshot) = (?, ?)"
    of = [dict(map(tuple, results.query(asked, s.study, s.name))) for s in (parent, child)]
    for level in (level for level in LEVELS if level in of[0] and level in of[1]):
        a, b = of[0][level], of[1][level]
        both = f"{parent.name} {a:.0f} µs, {child.name} {b:.0f} µs"
        lines.append(f"- -{level}: {both}, {parent.name}/{child.name} {factor(a / b)}")
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


def excerpt(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """Markdown for the paragraph; "" for a snapshot without a parent.
    Raises Failure where a program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, root)
    if parent is None:
        return ""
    made = {level: compared(folder, child, level, root) for level in LEVELS}
    if place := ladder.parse(child.look):
        level, names = place.level, (place.before, place.after)
    else:
        level = max(LEVELS[1:], key=lambda level: abs(made[level].gain - 1))
        names = (next(iter(made[level].changes), "mont_mul"),) * 2
    lines = [LEGEND, "", "```asm"]
    for snapshot, name in zip((parent, child), names):
        lines.append(f"@ {name} of {snapshot.name} at -{level}")
        for line in busiest(executed(folder, snapshot, level), name):
            text = line.text if line.function == name else f"{line.text:<32}@ {line.function}"
            lines.append(f"{line.executions / made[level].child.n:>12,.0f}  {text}")
    return "\n".join([*lines, "```"])


def executed(folder: Path, snapshot: Snapshot, level: str) -> list[Line]:
    """The instructions that were executed, in the order of the code; a
    branch inside its function names the line of the source that it goes to,
    or `(never)` where that is never executed."""
    cell = Cell(snapshot, level, "default")
    results = load(folder, counted=False)
    if digest(cell.program) != results.machine["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    asked = (
        "select offset, instructions, function, file || ':' || line from lines"
        ' where (study, snapshot, level, "case") = (?, ?, ?, ?)'
    )
    rows = results.query(asked, snapshot.study, snapshot.name, level, FULL)
    counted = sorted((int(offset, 16), *others) for offset, *others in rows)
    places: dict[int, Any] = {offset: place for offset, _, _, place in counted}
    text: dict[int, str] = {}
    for part in listing.read(cell.folder / "snapshot.o").functions:

        def place(to: re.Match[str], start: int = part.start) -> str:
            return str(places.get(start + int(to[1], 16), "(never)"))

        text |= {offset: JUMP.sub(place, words) for offset, words in part.words.items()}
    return [Line(offset, count, name, text[offset]) for offset, count, name, _ in counted]


def busiest(lines: list[Line], name: str, most: int = MOST) -> list[Line]:
    """The run of at most so many neighbours in which the function executes
    most; of equals the one that executes most, then the first; [] where
    none of the function is executed."""
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

    best = max(windows, key=worth, default=[])
    return best if any(line.function == name for line in best) else []
