"""The slides of a lecture: two for each rung, from its README and the results, in one HTML file.

The first slide of a rung has its idea and what changes in the code; the second what it gains, why,
and what became of the prediction.  The speaker's notes have questions to ask, and answers.
"""

from __future__ import annotations

import difflib
import re
import tempfile
from pathlib import Path

from records.files import replace
from records.ladder import ROOT, Snapshot, parent_of
from records.results import label, load
from records.tables import NONE, factor, whole
from rsalab import markdown
from rsalab.frames import cells
from rsalab.pages.document import to_html
from rsalab.pages.site import LICENCES, WEB, fenced, with_scripts
from rsalab.report import chapters, generate
from rsalab.report.story import Story, origin, story
from rsalab.steps import scoreboard
from rsalab.steps.diff import SOURCES
from rsalab.steps.spent import step
from rsalab.steps.why import movers

SCRIPTS = ("vendor/slides.js", "slides.js")
LINES, COLUMNS = 22, 66  # of code that a slide has room for
WORDS = 48  # of a paragraph; whole sentences


def short(text: str, words: int = WORDS) -> str:
    """The first sentences of a text, at least one and no more than so many words."""
    kept: list[str] = []
    for sentence in re.split(r"(?<=\.)\s+", text.strip()):
        if kept and len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def hunks(snapshot: Snapshot, root: Path = ROOT) -> dict[str, list[str]]:
    """File and place -> the changed lines and one around them, of each difference to the parent;
    the whole of a file that the parent has not."""
    parent = parent_of(snapshot, root)
    found: dict[str, list[str]] = {}
    for name in SOURCES:
        pair = [folder / name for folder in (parent.path if parent else root, snapshot.path)]
        old, new = (p.read_text().splitlines() if p.is_file() else [] for p in pair)
        lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
        for at, line in enumerate(lines):
            if line.startswith("@@"):
                found[f"{name} {at}"] = []
            else:
                found[next(reversed(found))].append(line)
    return found


def code(snapshot: Snapshot, root: Path = ROOT) -> str:
    """The difference to the parent that adds most code, as far as a slide has room for it."""

    def changed(lines: list[str], signs: str) -> int:
        # Comments, empty lines, and what is for the preprocessor or the assembler.
        said = re.compile(r".\s*(/\*|\*|//|@|#|$|\.(?!macro)|\w+\s+\.req)")
        return sum(line[0] in signs and not said.match(line) for line in lines)

    found = hunks(snapshot, root)
    place = max(found, key=lambda name: changed(found[name], "+"))
    lines = [line[: COLUMNS - 1] + "…" if len(line) > COLUMNS else line for line in found[place]]
    start = next(i for i, line in enumerate(lines) if changed([line], "+-"))
    shown = lines[max(0, start - 1) :][:LINES]
    rest = len(lines) - max(0, start - 1) - len(shown)
    more = f", and {rest} lines more" if rest > 0 else ""
    return f"`{place.partition(' ')[0]}`{more}\n\n{fenced(chr(10).join(shown), 'diff')}"


def gains(tale: Story, snapshot: Snapshot) -> str:
    """A row for each level: instructions, gain over the parent, prediction and what became of it;
    for the first rung its instructions alone."""
    rows = []
    for level, row in cells(tale.ladder, snapshot.name):
        cell = [f"-{level}", whole(row["instructions"])]
        if snapshot.parent and row["verdict"]:
            score = scoreboard.score(snapshot, level, row["versus_parent"])
            cell += [factor(score.gain), row["verdict"], score.said, score.word]
        rows.append(cell + [NONE] * (2 + 4 * bool(snapshot.parent) - len(cell)))
    head = ["level", "instructions"]
    if snapshot.parent:
        head += [f"{snapshot.parent}/this", "verdict", "predicted", "prediction"]
    return markdown.table(head, rows, (0, 3, 4, 5) if snapshot.parent else (0,))


def why(tale: Story, snapshot: Snapshot) -> str:
    """Which functions change most, at the level where the step gains most."""
    made = {level: step(tale.results.folder, snapshot, level, tale.root) for level in tale.levels}
    known = {level: one for level, one in made.items() if one and one.difference}
    if not known:
        return ""
    level = max(known, key=lambda name: known[name].gain)
    return f"**Why, at -{level}.** {movers(known[level])}"


def slide(title: str, left: str, right: str, notes: str) -> str:
    """A slide in Markdown and HTML; `right` may be empty."""
    both = f'<div class="two">\n<div>\n\n{left}\n\n</div>\n<div>\n\n{right}\n\n</div>\n</div>'
    return (
        f"<section>\n\n## {title}\n\n{both if right else left}\n\n"
        f'<aside class="notes">\n\n{notes}\n\n</aside>\n\n</section>'
    )


def of_rung(tale: Story, snapshot: Snapshot) -> list[str]:
    """The two slides of a rung."""
    part = markdown.parts(snapshot, tale.root)
    told = [f"**{name}.** {short(part[name])}" for name in ("Change", "Technique") if name in part]
    asked = [
        "- Ask: what does this save in each round, and what does it cost?",
        "- Ask: how many times fewer instructions, at each level? Write it down before you go on.",
        "- Ask: which function changes most?",
        f"- Predicted: {part.get('Why', NONE)}",
    ]
    title = f"{snapshot.name}. {snapshot.idea}"
    causes = part.get(markdown.VERDICT, part["Change"])
    shown = [gains(tale, snapshot), why(tale, snapshot), short(causes, 60)]
    answers = [
        "- Ask: whose prediction was right, and why were the others not?",
        "- Ask: why do the levels differ?",
        f"- What came of it: {causes}",
        *(
            f"- {name}: {part[name]}"
            for name in ("Costs", "The source says", "Next")
            if name in part
        ),
    ]
    right = code(snapshot, tale.root) if snapshot.parent else ""
    return [
        slide(title, "\n\n".join(told), right, "\n".join(asked) if right else "Ask: what is slow?"),
        slide(f"{snapshot.name}: what was measured", "\n\n".join(filter(None, shown)), "",
              re.sub(r"\n(?!- )", " ", "\n".join(answers))),
    ]  # fmt: skip


def text_of(tale: Story) -> str:
    """All slides."""
    first = (
        "<section>\n\n# RSA on 32-bit ARM, step by step\n\n"
        f"{chapters.lead(tale)}\n\n{origin(tale.results)}\n\n"
        "Keys: → next, ← back, S the speaker's notes, Esc all slides.\n\n</section>"
    )
    asked = "- Ask: which step would you take first, and why?"
    last = slide("The whole ladder", tale.picture("speed-up"), "", asked)
    rungs = [part for snapshot in tale.snapshots for part in of_rung(tale, snapshot)]
    return "\n\n".join([first, *rungs, last])


def slides(results: Path, out: Path) -> None:
    """Writes the slides of a results folder as one file.  Raises Failure, OSError."""
    out = ROOT / out
    with tempfile.TemporaryDirectory(prefix="slides-", dir=out.parent) as scratch:
        tale = story(load(results), Path(scratch), Path(scratch))
        generate.write(generate.pictures(tale))
        look = [(WEB / name).read_text() for name in ("vendor/slides.css", "slides.css")]
        made = to_html(text_of(tale), tale.out, lambda _: None, contents=False,
                       template=WEB / "slides.html", look="\n".join(look))  # fmt: skip
    parts = [(WEB / name).read_text(encoding="utf-8") for name in SCRIPTS]
    licences = f'<script type="text/plain">{LICENCES.read_text()}</script>\n</body>'
    replace(out, with_scripts(made.replace("</body>", licences), parts))
    print(f"  SLIDES  {label(out)}: open it in a browser")
