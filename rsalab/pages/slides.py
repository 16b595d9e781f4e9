"""The slides of a lecture of 45 minutes, in one HTML file: lecture.md, then the steps.

A step has its idea and the question; its code, which grows from the parent's; the count, which
appears when the speaker goes on, with its chart and the reason.  The speaker's notes, in a window
of their own, have questions to ask and the answers.
"""

import html
import math
import re
from difflib import Differ
from pathlib import Path

from records.c_functions import definition, functions
from records.faults import Failure
from records.files import replace
from records.ladder import ROOT, Snapshot, parent_of, snapshots
from records.results import NOT_YOURS, Results, label, load
from records.tables import factor, pivot, tabulate, whole
from rsalab import markdown
from rsalab.charts import theme
from rsalab.charts.ladder import on_slide
from rsalab.explorer.page import with_scripts
from rsalab.pages import products
from rsalab.pages.document import LICENCES, WEB, fenced, to_html, words_of
from rsalab.report import readmes
from rsalab.report.story import Story
from rsalab.steps import change
from rsalab.steps.scoreboard import score

SCRIPTS = (WEB / "vendor/slides.js", WEB / "slides.js")
SLIDE_LINES = 20  # of code on a slide
SLIDE_COLUMNS = 93
STEP_SLIDES = 2  # of code for a step
WHOLE_LINES = 34  # of functions that a slide shows whole
CODE_PIXELS = 470  # a slide's height for the letters of code
LARGEST_LETTERS = 22  # pixels
WIDEST_BAR = 1.5  # of a frame
CHANGED = {"+": "added", "-": "removed"}
SHORT_WORDS = 60  # of a paragraph; whole sentences
ANSWER_WORDS = 55
TOLD = ("Idea", "Change", "Technique")  # of README.md, on the first slide of a step
REST = ("Costs", "The source says", "Next")  # in the speaker's notes
UMAAL = "## `umaal lo, hi, a, b` makes (hi : lo) of a b + lo + hi, in v8's registers"
PICTURE = "![Two words are multiplied and two added; the sum has two words](docs/figures/umaal.svg)"
DRAWN = {"v8": (UMAAL, PICTURE)}


def short(text: str, words: int = SHORT_WORDS) -> str:
    """Return the first sentences of a text, at least one and no more than so many words."""
    kept: list[str] = []
    for sentence in re.split(r"(?<=\.)\s+", text.strip()):
        longer = " ".join([*kept, sentence])
        if kept and len(longer.split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


# --- the code of a step ---------------------------------------------------------------------------


def hunks(snapshot: Snapshot, root: Path = ROOT) -> list[tuple[str, list[str]]]:
    """Return the file and the lines of each part of a step, as its page has them, as wide as a
    slide."""
    parent = parent_of(snapshot, root)
    assert parent is not None
    found = []
    for name, part in change.parts_of(snapshot, parent):
        lines = change.shown(name, part)[1:]
        found.append((name, fitted(lines)))
    return found


def fitted(lines: list[str]) -> list[str]:
    """Return the lines of a difference as a slide has room for them, without
    a closing brace before or behind the change."""
    if lines[0] == " }":
        lines = lines[1:]
    if lines[-1] == " }":
        lines = lines[:-1]
    fitting = []
    for line in lines:
        while len(line) > SLIDE_COLUMNS:
            end = line.rindex(" ", 0, SLIDE_COLUMNS)
            fitting.append(line[:end])
            line = f"{line[0]}        {line[end + 1 :]}"
        fitting.append(line)
    return fitting


def changes(lines: list[str]) -> int:
    """Return how many lines a difference adds or removes."""
    return sum(line.startswith(("+", "-")) for line in lines)


def code(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """Return the code that a step changes, on at most STEP_SLIDES slides: all
    of it where that has room, else what it adds, the longest parts first; the
    last slide says so, and how many lines are left out."""
    parts = hunks(snapshot, root)
    room = SLIDE_LINES * STEP_SLIDES
    all_of_it = sum(len(lines) + 1 for _, lines in parts) <= room
    if not all_of_it:
        for _, lines in parts:
            lines[:] = [one for one in lines if one[0] != "-"]
    added = sum(changes(lines) for _, lines in parts)
    for _, lines in sorted(parts, key=lambda part: -changes(part[1])):
        del lines[max(0, room - 1) :]
        room -= len(lines) + 1
    shown: list[str] = []
    before = ""
    for file, lines in parts:
        if changes(lines):
            heading = "" if file == before else f"# {file}"
            shown += [heading, *lines]
            before = file
    slides = paged(shown, "diff")
    if not all_of_it:
        left = added - changes(shown)
        but = f", but for {left} of its lines" if left else ""
        slides[-1] += (
            f"\n\nWhat {snapshot.name} adds{but}: `make diff B={snapshot.name}`"
        )
    return slides


def paged(lines: list[str], language: str) -> list[str]:
    """Return code on as many slides as it needs, equally long ones."""
    number = math.ceil(len(lines) / SLIDE_LINES)
    length = math.ceil(len(lines) / number)
    slides = []
    for start in range(0, len(lines), length):
        part = lines[start : start + length]
        slides.append(fenced("\n".join(part), language))
    return slides


def grown(snapshot: Snapshot, root: Path) -> str:
    """Return the functions that a step changes most, whole, which grow from the parent's to the
    child's by steps of the difference: as many as a slide has room for, "" where none fits."""
    parent = parent_of(snapshot, root)
    assert parent is not None
    if snapshot.has_assembly and not parent.has_assembly:
        return ""  # what changes is another file
    found = changed_functions(parent, snapshot)
    room = WHOLE_LINES
    chosen = []
    for name in sorted(found, key=lambda name: -changes(found[name])):
        needed = len(found[name]) + 1
        if changes(found[name]) and needed <= room:
            chosen.append(name)
            room -= needed
    lines: list[str] = []
    for name in found:
        if name in chosen:
            lines += ["  ", *found[name]] if lines else found[name]
    return stepped(lines)


def changed_functions(parent: Snapshot, child: Snapshot) -> dict[str, list[str]]:
    """Return the lines of each function of the child, marked as they differ from the parent's."""
    found = {}
    for file in ("rsa.c", "nat.h"):
        texts = [one.path / file for one in (parent, child)]
        if not all(path.is_file() for path in texts):
            continue
        old, new = (path.read_text(encoding="utf-8") for path in texts)
        for function in functions(new):
            before = definition(old, function.name).splitlines()
            after = definition(new, function.name).splitlines()
            lines = Differ().compare(before, after)
            found[function.name] = [line for line in lines if line[0] != "?"]
    return found


def stepped(lines: list[str]) -> str:
    """Return a difference as code whose changed lines appear, or go, step by step."""
    if not lines:
        return ""
    shown = []
    step = 0
    before = " "
    for line in lines:
        mark = line[0]
        text = html.escape(line[2:])
        if mark != " " and before == " ":
            step += 1
        before = mark
        look = CHANGED.get(mark)
        if look:
            opening = (
                f'<span class="fragment step {look}" data-fragment-index="{step}">'
            )
        else:
            opening = "<span>"
        shown.append(f"{opening}{text or ' '}</span>")
    return whole_code("".join(shown), len(lines))


def whole_code(lines: str, number: int) -> str:
    """Return code, which is HTML, in letters as large as a slide has room for."""
    size = min(LARGEST_LETTERS, CODE_PIXELS // number)
    return f'<pre class="whole" style="font-size: {size}px">{lines}</pre>'


def titled(snapshot: Snapshot, root: Path) -> str:
    """Return the slides of a rung's code: of the first rung its product, of any other the function
    that it changes most, or else what it changes."""
    if not snapshot.parent:
        text = (snapshot.path / "rsa.c").read_text(encoding="utf-8")
        product = definition(text, "mmm")
        shown = whole_code(html.escape(product), len(product.splitlines()))
        return f"## {snapshot.name}: the code\n\n{shown}"
    functions_whole = grown(snapshot, root)
    if functions_whole:
        return f"## {snapshot.name}: from {snapshot.parent_name}'s code\n\n{functions_whole}"
    first, *_ = code(snapshot, root)
    slides = [f"## {snapshot.name}: the code\n\n{first}", *DRAWN.get(snapshot.name, ())]
    return "\n\n".join(slides)


# --- the whole lecture ----------------------------------------------------------------------------


def gains(results: Results, snapshot: Snapshot) -> str:
    """Return the table of what a step gains, and whether it was foreseen."""
    rows = []
    for row in results.ladder():
        if row["snapshot"] == snapshot.name:
            predicted, _, prediction = score(results, snapshot, row["level"]).partition(
                ": "
            )
            gain = row["versus_parent"]
            rows.append(
                {
                    "level": f"-{row['level']}",
                    "instructions": whole(row["instructions"]),
                    f"{snapshot.parent_name}/this": None
                    if gain is None
                    else factor(gain),
                    "verdict": row["verdict"] or None,
                    "predicted": predicted or None,
                    "prediction": prediction or None,
                }
            )
    return tabulate(rows, {name: name for name in rows[0]}).markdown


def bars(results: Results, snapshot: Snapshot) -> str:
    """Return a chart of a rung: a bar for each level in a frame, which is the parent's count, or
    of the first rung its own largest."""
    rows = [row for row in results.ladder() if row["snapshot"] == snapshot.name]
    counted = [row for row in rows if row["instructions"]]
    largest = max((row["instructions"] for row in counted), default=0)
    lines = []
    for row in counted:
        gain = row["versus_parent"]
        share = 1 / gain if gain else row["instructions"] / largest
        number = whole(row["instructions"])
        if gain:
            number += f", {factor(gain)}"
        width = min(share, WIDEST_BAR) / WIDEST_BAR
        bar = f'<i style="width: {width:.1%}; background: var(--{row["level"]})"></i>'
        lines.append(f"<p><b>-{row['level']}</b><span>{bar}</span>{number}</p>")
    frame = f"{snapshot.parent_name}'s instructions" if snapshot.parent else "-O0"
    legend = f"frame: {frame}; bar: instructions of {snapshot.name}, a round trip"
    return (
        f'<div class="bars">\n{"".join(lines)}\n<p class="legend">{legend}</p>\n</div>'
    )


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
        "code": titled(snapshot, results.root),
        "levels": story.get("fact:levels"),
        "why": part["Why"],
        "gains": gains(results, snapshot),
        "bars": bars(results, snapshot),
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


def page_of(results: Results) -> str:
    """Return the slides as one HTML page.  Raises Failure, OSError."""
    styles = [theme.variables()]
    styles += [(WEB / name).read_text() for name in ("vendor/slides.css", "slides.css")]
    page = to_html(
        text_of(results),
        results.root,
        lambda _: None,
        contents=False,
        template=WEB / "slides.html",
        look="\n".join(styles),
    )
    licences = f'<script type="text/plain">{LICENCES.read_text()}</script>\n</body>'
    return with_scripts(page.replace("</body>", licences), SCRIPTS)


def slides(results: Path, out: Path) -> None:
    """Write the slides of a results folder as one file.  Raises Failure, OSError."""
    file = ROOT / out
    replace(file, page_of(load(results, reference=True)))
    print(f"  SLIDES  {label(file)}: open it in a browser")
