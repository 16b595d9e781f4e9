"""The slides of a lecture of 45 minutes, in one HTML file: lecture.md, then the steps.

A step has its idea and the question; its code, which grows from the parent's; the count, which
appears when the speaker goes on, with its chart and the reason.  The speaker's notes, in a window
of their own, have questions to ask and the answers.
"""

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from records.faults import Failure
from records.files import replace
from records.ladder import ROOT, Snapshot, parent_of, snapshots
from records.policy import hash_of, sealed
from records.results import NOT_YOURS, Results, label, load
from records.tables import Row, factor, pivot, whole
from rsalab import markdown
from rsalab.charts import theme
from rsalab.charts.ladder import on_slide
from rsalab.hypertext import rendered
from rsalab.pages import code_slides, products
from rsalab.pages.document import HERE, LICENCES, WEB, content_of, words_of
from rsalab.report import readmes
from rsalab.report.story import Story
from rsalab.steps.scoreboard import expected, outcome, predicted

SCRIPTS = (WEB / "vendor/slides.js", WEB / "slides.js")
# The script of the speaker's window, as the template of it in reveal.js writes it.
SPEAKERS = re.compile(r"<script>(.*?)<\\/script>", re.DOTALL)
WIDEST_BAR = 1.25  # of a frame
SHORT_WORDS = 60  # of a paragraph; whole sentences
ANSWER_WORDS = 55
TOLD = ("Idea", "Change", "Technique")  # of README.md, on the first slide of a step
REST = ("Costs", "The source says", "Next")  # in the speaker's notes
UMAAL = """## umaal: (hi : lo) := a b + lo + hi, in v8's registers

![Two words are multiplied and two added; the sum has two words](docs/figures/umaal.svg)"""
DRAWN = {"v8": [UMAAL]}  # behind the code of a rung


def short(text: str, words: int = SHORT_WORDS) -> str:
    """Return the first sentences of a text, at least one and no more than so many words."""
    kept: list[str] = []
    for sentence in re.split(r"(?<=\.)\s+", text.strip()):
        longer = " ".join([*kept, sentence])
        if kept and len(longer.split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


# --- the count of a step --------------------------------------------------------------------------


class LevelCount(NamedTuple):
    """The count of a rung at a level, as its table shows it; of a step, too, what was found and what
    was predicted.  Lengths are as CSS writes them."""

    level: str
    length: str  # of the bar
    frame: str  # the count that the frame stands for
    found: Sequence[str] = ()
    predicted: Sequence[str] = ()
    start: str = ""  # of the bracket around what was predicted
    range: str = ""


def counts(results: Results, snapshot: Snapshot) -> str:
    """Return the table of a rung's count, a line for each level: a bar in a frame, which is the
    parent's count, or of the first rung its own largest.  The bar and the numbers appear when the
    speaker goes on, then what was predicted, as a bracket and in words."""
    counted = {}
    for row in results.ladder():
        if row["instructions"]:
            counted[row["snapshot"], row["level"]] = row
    own = [row for (name, _), row in counted.items() if name == snapshot.name]
    ranges = {}
    for row in predicted(results, snapshot.study):
        ranges[row["snapshot"], row["level"]] = row
    parent = snapshot.parent_name if snapshot.parent else ""
    if parent:
        heads = [parent, snapshot.name, f"{parent}/this", "verdict", "predicted"]
    else:
        heads = ["instructions"]
    lines = []
    for row in own:
        level = row["level"]
        if parent:
            before = counted.get((parent, level))
            lines.append(of_step(row, before, ranges.get((snapshot.name, level))))
        else:
            lines.append(of_first(row, own))
    return rendered(
        HERE / "count.jinja",
        heads=["level", "", *heads],
        lines=lines,
        whole=of_bar(1),
        parent=parent,
        rung=snapshot.name,
    )


def of_first(row: Row, rows: list[Row]) -> LevelCount:
    """Return what the table says of the first rung at a level; its frame is the largest count."""
    largest = max(one["instructions"] for one in rows)
    length = of_bar(row["instructions"] / largest)
    return LevelCount(row["level"], length, whole(row["instructions"]))


def of_step(row: Row, before: Row | None, expectation: Row | None) -> LevelCount:
    """Return what the table says of a step at a level: its count, its parent's, the prediction."""
    gain = row["versus_parent"]
    found = [
        whole(row["instructions"]),
        factor(gain) if gain else "-",
        row["verdict"] or "-",
    ]
    line = LevelCount(
        level=row["level"],
        length=of_bar(1 / gain if gain else 0),
        frame=whole(before["instructions"]) if before else "-",
        found=found,
    )
    if not expectation:
        return line
    shortest = share_of_bar(1 / expectation["high"])
    longest = share_of_bar(1 / expectation["low"])
    return line._replace(
        start=f"{shortest:.1%}",
        range=f"{longest - shortest:.1%}",
        predicted=[expected(expectation), outcome(expectation)],
    )


def share_of_bar(share: float) -> float:
    """Return a share of the frame as one of the place for the longest bar."""
    return min(share, WIDEST_BAR) / WIDEST_BAR


def of_bar(share: float) -> str:
    """Return a share of the frame as CSS writes a length in the place for the longest bar."""
    return f"{share_of_bar(share):.1%}"


# --- the whole lecture ----------------------------------------------------------------------------


def drawn(results: Results) -> str:
    """Return the chart of the whole ladder, in the colours of the page; "" without counts."""
    try:
        chart = on_slide(results)
    except Failure:
        return ""
    svg = theme.inline(chart.bytes("svg").decode(), html.escape(chart.title))
    lines = [line for line in svg.splitlines() if line.strip()]
    return "\n".join(['<div class="chart">', *lines, "</div>"])


def ladder(results: Results, first: Snapshot) -> str:
    """Return the table of all rungs, and how far each is from the first one."""
    heads = {"rung": "snapshot", "idea": "idea"}
    cells = {f"{first.name}/this": lambda row: factor(row["versus_base"])}
    return pivot(results.ladder(), heads, "level", cells).markdown


def more_code(snapshot: Snapshot, root: Path) -> str:
    """Return the slides behind the code of a step: functions that it adds, a picture; often ""."""
    parent = parent_of(snapshot, root)
    added = code_slides.new_functions(snapshot, parent) if parent else []
    slides = [f"## {snapshot.name}: new functions\n\n{code}" for code in added]
    return "\n\n".join([*slides, *DRAWN.get(snapshot.name, [])])


def facts_of(results: Results, snapshot: Snapshot) -> dict[str, str]:
    """Return what lecture.md and step.md say of a rung."""
    part = markdown.parts(snapshot, results.root)
    story = readmes.story_of(results, snapshot)
    answer = part.get(markdown.VERDICT, part["Change"])
    told = [f"**{word}.** {short(part[word])}" for word in TOLD if word in part]
    rest = [f"{word}: {part[word]}" for word in REST if word in part]
    return {
        "rung": snapshot.name,
        "parent": snapshot.parent_name,
        "idea": snapshot.idea,
        "told": "\n\n".join(told),
        "code": code_slides.of_step(snapshot, parent_of(snapshot, results.root)),
        "levels": story.get("fact:levels"),
        "why": part["Why"],
        "counts": counts(results, snapshot),
        "more": more_code(snapshot, results.root),
        "calls": story.get("table:account"),
        "short": short(answer, ANSWER_WORDS),
        "answer": answer,
        "rest": "\n\n".join(rest),
    }


def of_rung(results: Results, snapshot: Snapshot) -> str:
    """Return the slides of a step, each below its `## title`, its notes behind `Notes:`."""
    return words_of("step.md", **facts_of(results, snapshot))


def text_of(results: Results) -> str:
    """Return all slides, in Markdown and HTML.  Where not every rung was
    measured, their numbers are the reference's, and marked."""
    mark = ""
    if results.lender and len(results.rungs()) < len(snapshots(root=results.root)):
        results = results.lender
        mark = f"\n\n**{NOT_YOURS.capitalize()}**: `make all-iterations` measures every rung."
    first, *others = results.rungs()
    text = words_of(
        "lecture.md",
        **facts_of(results, first),
        origin=Story(results).get("text:origin") + mark,
        steps="\n\n".join(of_rung(results, snapshot) for snapshot in others),
        ladder=ladder(results, first),
        chart=drawn(results),
        by_bits=products.by_bits(),
        by_words=products.by_words(),
    )
    slides = []
    for part in re.split(r"(?m)^(?=## )", text):
        body, _, notes = part.partition("\nNotes:\n")
        if notes:
            body += f'\n\n<aside class="notes">\n\n{notes}\n\n</aside>'
        slides.append(f"<section>\n\n{body}\n\n</section>")
    return "\n\n".join(slides)


def page_of(results: Results, home: str = "") -> str:
    """Return the slides as one HTML page; `home` is the page that the first one leads to, if any.
    Raises Failure, OSError."""
    styles = [theme.variables(), theme.slide_variables()]
    styles += [(WEB / name).read_text() for name in ("vendor/slides.css", "slides.css")]
    content = content_of(text_of(results), results.root, lambda _: None)
    first, end, rest = content.body.partition("</section>")
    page = rendered(
        WEB / "slides.html",
        title=content.title,
        look="\n".join(styles),
        first=first,
        home=home,
        rest=end + rest,
        licences=LICENCES.read_text(),
    )
    reveal, start = (path.read_text(encoding="utf-8") for path in SCRIPTS)
    return sealed(page, [reveal, start], needs=speakers_needs(reveal))


def speakers_needs(reveal: str) -> dict[str, str]:
    """Return what the speaker's window needs, which obeys the policy of the slides: its script, and
    the slides in frames."""
    (template,) = SPEAKERS.findall(reveal)
    script = template.replace(r"\\", "\\")
    return {"script-src": hash_of(script), "frame-src": "'self' file:"}


def slides(results: Path, out: Path) -> None:
    """Write the slides of a results folder as one file.  Raises Failure, OSError."""
    file = ROOT / out
    replace(file, page_of(load(results, reference=True)))
    print(f"  SLIDES  {label(file)}: open it in a browser")
