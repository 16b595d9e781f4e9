"""What is generated into the READMEs of rungs and studies and into docs/claims.md:
why a step gains, whether it was foreseen, what its assembly looks like."""

import re
from typing import NamedTuple

from harness.cells import Cell
from records import ladder
from records.faults import Failure
from records.files import digest
from records.ladder import LEVELS, Snapshot, front_matter
from records.results import FULL, Results, load
from rsalab.explorer import listing
from rsalab.report.story import Story
from rsalab.steps import claims
from rsalab.steps.diff import LIMIT
from rsalab.steps.spent import compared, step


def story_of(results: Results, snapshot: Snapshot) -> Story:
    """Return the names of texts about a snapshot; what has no number stays empty."""
    heading = snapshot.label.replace("/", "")  # in docs/claims.md
    claimed = f"; [claims](/docs/claims.md#{heading}) behind numbers such as [1]"
    exempt = f"; `exempt`: may change more than {LIMIT} lines"
    front = front_matter(snapshot.path / "README.md", results.root)
    story = Story(results, snapshot=snapshot, missing="")
    facts = {
        "snapshot": snapshot.name,
        "idea": snapshot.idea,
        "parent": snapshot.parent_name,
        "claimed": claimed if snapshot.claims else "",
        "exempt": exempt if front.get("exempt") else "",
    }
    story.know(facts)
    return story


def every_claim(results: Results) -> str:
    """Each claim of each snapshot, with what it compares."""
    parts = []
    for child in ladder.every(results.root):
        made = {level: one for level in LEVELS if (one := step(results, child, level))}
        if made and child.claims:
            lines = (f"- {line}" for line in claims.listing(child, made))
            parts.append("\n".join([f"## {child.label}", "", *lines]))
    return "\n\n".join(parts)


def mispredictions(results: Results, child: Snapshot) -> str:
    """Of a step that takes branches away: instructions, which are exact;
    mispredictions, simulated as published for the ARM1176; cycles, which
    are that core's model; and times of other processors (`make host`).  ""
    where mispredictions were not simulated."""
    story = story_of(results, child)
    if not story.get("table:simulated"):
        return ""
    folders = sorted(path.parent for path in results.root.glob("results/host-*/times.csv"))
    hosts = (load(folder, results.root, counted=False) for folder in folders)
    texts = [story_of(host, child).get("text:host") for host in hosts]
    story.add("text", {"hosts": lambda: "\n\n".join(filter(None, texts))})
    return story.get("text:mispredictions")


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
        "select offset, instructions, function, file || ':' || line from counted_lines"
        " where (study, snapshot, level, workload) = (?, ?, ?, ?) order by length(offset), offset"
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
