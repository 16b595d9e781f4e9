"""Why each step gains, and whether it was foreseen, for the READMEs and the report."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import FULL, load
from rsalab import markdown
from rsalab.explorer import listing
from rsalab.steps import claims, scoreboard
from rsalab.steps.spent import Step, compared, spent, step
from rsalab.steps.why import movers

SHARES = (
    "In brackets: the share of the whole change. Where one function grows and another shrinks,"
    " shares are negative or above 100%. Numbers are rounded: a difference can be off by one."
)


def why(folder: Path, child: Snapshot, root: Path = ROOT, predicted: bool = False) -> str:
    """A list with a sentence for each level, and what was predicted if that is asked for; "" where
    there is no parent to compare with."""
    lines = []
    for level in LEVELS:
        if made := step(folder, child, level, root):
            score = scoreboard.score(child, level, made.gain)
            note = ", so not scored" * (score.word == scoreboard.DISCLOSED)
            result = f"{score.word}{note}: the result is x{made.gain:.2f}"
            scored = f"the prediction {score.said} was {result}. "
            said = scored if predicted and score.expected else ""
            lines.append(f"- -{level}: {said}{movers(made)}")
    return "\n".join(lines)


def product(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """What one product executes at each level, beside the parent's; "" where it is not counted."""
    found, parent = spent(folder), ladder.parent_of(child, root)
    parts = []
    for level in LEVELS:
        beside = parent is not None and step(folder, child, level, root) is not None
        pair = [parent, child] if parent and beside else [child]
        cells = [found.get((one.study, one.name, level)) for one in pair]
        means = [cell.means.get("mont_mul:instructions") for cell in cells if cell]
        if means and None not in means:
            parts.append(f"-{level}: {' -> '.join(f'{mean:,.0f}' for mean in means)}")
    names = " -> ".join(filter(None, [parent.name if parent else "", child.name]))
    head = f"Instructions of one product alone, a call of `mont_mul` (exact mean; {names})"
    return f"{head}: {'; '.join(parts)}." if parts else ""


def evidence(folder: Path, child: Snapshot, root: Path = ROOT) -> str:
    """The claims as a list, each with what it compares; "" where there is nothing to compare."""
    made = {level: step(folder, child, level, root) for level in LEVELS}
    there = {level: one for level, one in made.items() if one}
    if not (child.claims and there and child.parent):
        return ""
    parent = child.parent.rpartition("/")[2]
    head = (
        f"The tests evaluate each claim on the counts, in instructions a round trip: own is"
        f" {child.name}, parent is {parent}, saved is parent - own, gain is parent / own."
        " `mont_mul:` stands before numbers of one call of `mont_mul`."
    )
    return "\n".join([head, "", *(f"- {said}" for said in claims.listing(child, there))])


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


# --- excerpt --------------------------------------------------------------------------------------

MOST = 14  # instructions on each side


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
    blocks = []
    for snapshot, name in zip((parent, child), names):
        lines = busiest(executed(folder, snapshot, level), name)
        if not lines:
            blocks.append(f"{snapshot.name} executes no instruction of `{name}`.")
            continue
        n = made[level].child.n
        shown = [f"{line.executions / n:>12,.0f}  {shown_line(line, name)}" for line in lines]
        head = f"`{name}` of {snapshot.name} at -{level}; on the left, executions a round trip:"
        blocks.append("\n".join([head, "", "```asm", *shown, "```"]))
    if any("@ " in block for block in blocks):
        blocks.append("`@ f`: an instruction of `f`, among those of the function shown.")
    return "\n\n".join(blocks)


def shown_line(line: Line, name: str) -> str:
    """An instruction, with its function where that is another one."""
    return line.text if line.function == name else f"{line.text:<32}@ {line.function}"


def most_changed(made: Step) -> str:
    """The function that changes most."""
    return made.functions()[0] if made.difference else "mont_mul"


def executed(folder: Path, snapshot: Snapshot, level: str) -> list[Line]:
    """The instructions that were executed, in the order of the code."""
    cell = Cell(snapshot, level, "default")
    results = load(folder, counted=False)
    if digest(cell.program) != results.machine["programs"].get(cell.label):
        raise Failure(f"{cell.program} is not the program that was counted; `make reference`")
    code = listing.read(cell.folder / "snapshot.o", cell.program)
    text = {offset: said for part in code.functions for offset, said in part.words.items()}
    asked = (
        "select offset, instructions, function from lines"
        ' where (study, snapshot, level, "case") = (?, ?, ?, ?)'
    )
    rows = results.query(asked, snapshot.study, snapshot.name, level, FULL)
    found = sorted((int(offset, 16), count, function) for offset, count, function in rows)
    return [Line(offset, count, name, text[offset]) for offset, count, name in found]


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
