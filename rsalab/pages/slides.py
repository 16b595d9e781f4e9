"""The slides of a lecture of 45 minutes, in one HTML file: lecture.md, then the steps.

A step has its idea, its code, the question, the count, the reason; the speaker's notes, in a
window of their own, have questions to ask and the answers.
"""

import difflib
import re
from pathlib import Path

from records.files import replace
from records.ladder import ROOT, SOURCES, Snapshot, parent_of
from records.results import Results, label, load
from rsalab import markdown
from rsalab.explorer.page import with_scripts
from rsalab.pages.document import LICENCES, WEB, fenced, to_html, words_of
from rsalab.report import readmes
from rsalab.report.story import Story

SCRIPTS = (WEB / "vendor/slides.js", WEB / "slides.js")
LINES, COLUMNS, SLIDES = 20, 93, 2  # of code: on a slide, in a line, slides for a step
WORDS = 60  # of a paragraph; whole sentences
# No code: comments, names.
SILENT = re.compile(r".\s*(/\*|\*([ /]|$)|//|@|#|$|\.(?!macro|endm)|\w+\s+\.req)")
TOLD, REST = ("Change", "Technique"), ("Costs", "The source says", "Next")  # of README.md
UMAAL = "## `umaal lo, hi, a, b` makes (hi : lo) of a b + lo + hi, in v8's registers"
DRAWN = {"v8": (UMAAL, "![](docs/figures/umaal.svg)")}


def short(text: str, words: int = WORDS) -> str:
    """The first sentences of a text, at least one and no more than so many words."""
    kept: list[str] = []
    for sentence in re.split(r"(?<=\.)\s+", text.strip()):
        if kept and len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def hunks(snapshot: Snapshot, root: Path = ROOT) -> list[tuple[str, list[str]]]:
    """File and lines of each difference to the parent in code, more than
    white space, with a line around it, as wide as a slide."""
    parent = parent_of(snapshot, root)
    made: list[tuple[str, list[str]]] = []
    for name in SOURCES:
        pair = [folder / name for folder in (parent.path if parent else root, snapshot.path)]
        texts = (p.read_text().splitlines() if p.is_file() else [] for p in pair)
        old, new = ([line for line in text if not SILENT.match(f" {line}")] for text in texts)
        bare = ([line.strip() for line in lines] for lines in (old, new))
        matched = difflib.SequenceMatcher(None, next(bare), next(bare), autojunk=False)
        for group in matched.get_grouped_opcodes(1):
            lines = []
            for kind, a, b, c, d in group:
                if kind != "equal":
                    lines += [f"-{line}" for line in old[a:b]]
                lines += [f"{'+ '[kind == 'equal']}{line}" for line in new[c:d]]
            inner = lines[lines[0] == " }" : len(lines) - (lines[-1] == " }")]
            made.append((name, [part for line in inner for part in wrapped(line)]))
    return made


def wrapped(line: str) -> list[str]:
    """A line of a difference in lines that a slide has room for."""
    if len(line) <= COLUMNS:
        return [line]
    end = line.rindex(" ", 0, COLUMNS)
    return [line[:end], *wrapped(f"{line[0]}        {line[end + 1 :]}")]


def changes(lines: list[str]) -> int:
    """How many lines a difference adds or removes."""
    return sum(line[:1] in ("+", "-") for line in lines)


def code(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """The code that a step changes, on at most SLIDES slides: all of it where
    that has room, else what it adds, the longest parts first; the last slide
    says so, and how many lines are left out."""
    parts, room = hunks(snapshot, root), LINES * SLIDES
    whole = sum(len(lines) + 1 for _, lines in parts) <= room
    if not whole:
        parts = [(file, [one for one in lines if one[0] != "-"]) for file, lines in parts]
    shown: dict[int, list[str]] = {}
    for at in sorted(range(len(parts)), key=lambda at: -changes(parts[at][1])):
        shown[at] = parts[at][1][: max(0, room - 1)]
        room -= len(shown[at]) + 1
    lines, before = [], ""
    for at, (file, _) in enumerate(parts):
        if changes(shown[at]):
            lines += ["" if file == before else f"# {file}", *shown[at]]
            before = file
    made = paged(lines, "diff")
    if not whole:
        left = sum(changes(every) for _, every in parts) - changes(lines)
        but = f", but for {left} of its lines" * bool(left)
        made[-1] += f"\n\nWhat {snapshot.name} adds{but}: `make diff B={snapshot.name}`"
    return made


def paged(lines: list[str], language: str) -> list[str]:
    """Code on as many slides as it needs, equally long ones."""
    most = -(-len(lines) // -(-len(lines) // LINES))
    parts = (lines[at : at + most] for at in range(0, len(lines), most))
    return [fenced("\n".join(part), language) for part in parts]


def facts_of(results: Results, snapshot: Snapshot) -> dict[str, str]:
    """What lecture.md and step.md say of a rung."""
    part, name = markdown.parts(snapshot, results.root), snapshot.name
    story = readmes.story_of(results, snapshot)
    if snapshot.parent:
        pages = code(snapshot, results.root)
    else:
        text = (snapshot.path / "rsa.c").read_text(encoding="utf-8")
        mmm = re.findall(r"^static void mmm\(.*?^}", text, re.M | re.S)[0]
        pages = paged(mmm.splitlines(), "c")
    of = [f" ({at} of {len(pages)})" * (len(pages) > 1) for at in range(1, len(pages) + 1)]
    shown = [f"## {name}: the code{number}\n\n{page}" for number, page in zip(of, pages)]
    answer = part.get(markdown.VERDICT, part["Change"])
    told = [f"**{word}.** {short(part[word])}" for word in TOLD if word in part]
    rest = [f"{word}: {part[word]}" for word in REST if word in part]
    return {
        "rung": name,
        "parent": snapshot.parent_name,
        "idea": snapshot.idea,
        "told": "\n\n".join(told),
        "code": "\n\n".join([*shown, *DRAWN.get(name, ())]),
        "levels": story.get("fact:levels"),
        "why": part["Why"],
        "gains": results.table(__file__, "gains", **story.facts).markdown,
        "calls": story.get("table:account"),
        "short": short(answer, 110),
        "answer": answer,
        "rest": "\n\n".join(rest),
    }


def of_rung(results: Results, snapshot: Snapshot) -> str:
    """The slides of a step, each below its `## title`, its notes behind `Notes:`."""
    return words_of("step.md", **facts_of(results, snapshot))


def text_of(results: Results) -> str:
    """All slides, in Markdown and HTML."""
    first, *others = results.rungs()
    text = words_of(
        "lecture.md",
        **facts_of(results, first),
        origin=Story(results).get("text:origin"),
        steps="\n\n".join(of_rung(results, snapshot) for snapshot in others),
        ladder=results.table(__file__, "ladder", first=first.name).markdown,
    )
    made = []
    for part in re.split(r"(?m)^(?=## )", text):
        body, _, notes = part.partition("\nNotes:\n")
        aside = f'\n\n<aside class="notes">\n\n{notes}\n\n</aside>' if notes else ""
        made.append(f"<section>\n\n{body}{aside}\n\n</section>")
    return "\n\n".join(made)


def page_of(results: Results) -> str:
    """The slides as one HTML page.  Raises Failure, OSError."""
    look = [(WEB / name).read_text() for name in ("vendor/slides.css", "slides.css")]
    made = to_html(text_of(results), results.root, lambda _: None, contents=False,
                   template=WEB / "slides.html", look="\n".join(look))  # fmt: skip
    licences = f'<script type="text/plain">{LICENCES.read_text()}</script>\n</body>'
    return with_scripts(made.replace("</body>", licences), SCRIPTS)


def slides(results: Path, out: Path) -> None:
    """Writes the slides of a results folder as one file.  Raises Failure, OSError."""
    replace(ROOT / out, page_of(load(results)))
    print(f"  SLIDES  {label(ROOT / out)}: open it in a browser")
