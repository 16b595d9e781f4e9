"""What is generated into the READMEs of rungs and studies and into docs/claims.md:
why a step gains, whether it was foreseen, what its assembly looks like."""

import re
from typing import NamedTuple

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, Snapshot
from records.results import FULL, Results, load
from rsalab import models
from rsalab.explorer import listing
from rsalab.report.story import Story
from rsalab.steps import claims
from rsalab.steps.change import LIMIT
from rsalab.steps.spent import Step, compared, step


def story_of(results: Results, snapshot: Snapshot) -> Story:
    """Return the names of texts about a snapshot; what has no number stays empty."""
    exempt = f" It is exempt from the limit of {LIMIT} lines: a {snapshot.exempt}."
    story = Story(results, snapshot=snapshot, missing="")
    parent, _ = snapshot.page_names
    facts = {
        "snapshot": snapshot.name,
        "idea": snapshot.idea,
        "parent": parent,
        "quotient": snapshot.quotient,
        "exempt": exempt if snapshot.exempt else "",
    }
    story.know(facts)
    return story


def steps_of(results: Results, child: Snapshot) -> dict[str, Step]:
    """Return a snapshot beside its parent at each level at which both were counted."""
    steps = {}
    for level in LEVELS:
        of_level = step(results, child, level)
        if of_level:
            steps[level] = of_level
    return steps


def every_claim(results: Results) -> str:
    """Return each claim of each snapshot, with what it compares."""
    parts = []
    for child in ladder.every(results.root):
        steps = steps_of(results, child)
        if steps and child.claims:
            lines = [f"## {child.label}", ""]
            for line in claims.listing(results, child, steps):
                lines.append(f"- {line}")
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def mispredictions(results: Results, child: Snapshot) -> str:
    """Return, of a step that takes branches away, instructions, which are exact; mispredictions,
    simulated as published for the ARM1176; cycles, which are that core's model; and times of other
    processors (`make host`).  The programs are for ARMv6, as that core.  Return "" where
    mispredictions were not simulated in such programs."""
    counted = models.for_armv6(results)
    if counted is None:
        return ""
    story = story_of(counted, child)
    if not story.get("table:simulated"):
        return ""
    texts = []
    for path in sorted(results.root.glob("results/host-*/times.csv")):
        host = load(path.parent, results.root, counted=False)
        of_host = story_of(host, child).get("text:host")
        if of_host:
            texts.append(of_host)
    story.add("text", {"hosts": lambda: "\n\n".join(texts)})
    return story.get("text:mispredictions")


# --- in the assembly ------------------------------------------------------------------------------

MOST = 5  # instructions on each side
LEGEND = (
    "A line has an instruction, and how often a round trip executes it. `@ f` names the function;"
    " a branch names the line of the source that it goes to."
)
# Where a branch goes, in bytes from the beginning of its function.
JUMP = re.compile(r"(?<= )\+([0-9a-f]+)$")


class Line(NamedTuple):
    """An instruction: its offset in the code, how often it is executed, its function and text."""

    offset: int
    executions: int
    function: str
    text: str


def excerpt(results: Results, child: Snapshot) -> str:
    """Return the Markdown of the paragraph; "" for a snapshot without a parent.
    Raises Failure where a program on disk is not the one that was counted."""
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return ""
    steps = {level: compared(results, child, level) for level in LEVELS}
    look = ladder.looked_at(child)
    if look:
        level = look.level
        before = look.before
        after = look.after
    else:
        level = max(LEVELS[1:], key=lambda level: abs(steps[level].gain - 1))
        before = after = next(iter(steps[level].changes), "mont_mul")
    trips = steps[level].child.n
    lines = [LEGEND, "", "```asm"]
    above, own = child.page_names
    for snapshot, called, name in ((parent, above, before), (child, own, after)):
        lines.append(f"@ {name} of {called} at -{level}")
        for line in busiest(executed(results, snapshot, level), name):
            text = line.text
            if line.function != name:
                text = f"{text:<32}@ {line.function}"
            lines.append(f"{line.executions / trips:>12,.0f}  {text}")
    lines.append("```")
    return "\n".join(lines)


def executed(results: Results, snapshot: Snapshot, level: str) -> list[Line]:
    """Return the instructions that were executed, in the order of the code; a branch inside its
    function names the line of the source that it goes to, or `(never)` where that is never
    executed."""
    cell = Cell(snapshot, level, "default")
    if digest(cell.program) != results.machine["programs"].get(cell.label):
        raise Failure(
            f"{cell.program} is not the program that was counted; `make reference`"
        )
    question = (
        "select offset, instructions, function, file || ':' || line from counted_lines"
        " where (study, snapshot, level, workload) = (?, ?, ?, ?) order by length(offset), offset"
    )
    counted = results.query(question, snapshot.study, snapshot.name, level, FULL)
    lines_of_source = {}
    for offset, _, _, line in counted:
        lines_of_source[int(offset, 16)] = line
    text: dict[int, str] = {}
    for part in listing.read(cell.folder / "snapshot.o").functions:

        def target(jump: re.Match[str], start: int = part.start) -> str:
            goes_to = start + int(jump[1], 16)
            return str(lines_of_source.get(goes_to, "(never)"))

        for offset, words in part.words.items():
            text[offset] = JUMP.sub(target, words)
    found = []
    for offset_in_hex, executions, function, _ in counted:
        offset = int(offset_in_hex, 16)
        found.append(Line(offset, executions, function, text[offset]))
    return found


def busiest(lines: list[Line], name: str, most: int = MOST) -> list[Line]:
    """Return the run of at most so many neighbours in which the function executes most; of equals
    the one that executes most, then the first; [] where none of the function is executed."""
    found: list[Line] = []
    most_executed = (0, 0)  # by the function, and by all
    for first, line in enumerate(lines):
        run: list[Line] = []
        of_function = 0
        of_all = 0
        for neighbour in lines[first : first + most]:
            if neighbour.offset != line.offset + listing.WORD * len(run):
                break
            run.append(neighbour)
            of_all += neighbour.executions
            if neighbour.function == name:
                of_function += neighbour.executions
            if of_function and (of_function, of_all) > most_executed:
                most_executed = (of_function, of_all)
                found = list(run)
    return found
