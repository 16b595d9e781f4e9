"""The slides of a lecture of 45 minutes, in one HTML file: lecture.md, then the steps.

A step has its idea, its code, the question, the count, the reason; the speaker's notes, in a
window of their own, have questions to ask and the answers.
"""

import difflib
import re
from pathlib import Path

from records.files import replace
from records.ladder import ROOT, Snapshot, parent_of
from records.results import label, load
from records.tables import NONE, factor
from rsalab import markdown
from rsalab.frames import cells, ladder_table
from rsalab.pages.document import HERE, LICENCES, WEB, fenced, to_html, with_scripts
from rsalab.report import readmes
from rsalab.report.story import Story, origin
from rsalab.steps.diff import SOURCES

SCRIPTS = ("vendor/slides.js", "slides.js")
LINES, COLUMNS, SLIDES = 20, 93, 2  # of code: on a slide, in a line, slides for a step
WORDS = 60  # of a paragraph; whole sentences
# No code: comments, names.
SILENT = re.compile(r".\s*(/\*|\*([ /]|$)|//|@|#|$|\.(?!macro|endm)|\w+\s+\.req)")
TIME = "Instructions are not time. `make all-iterations` times a board; `make models` has a model."
UMAAL = "![](docs/figures/umaal.svg)"
DRAWN = {"v8": ("`umaal lo, hi, a, b` makes (hi : lo) of a b + lo + hi, in v8's registers", UMAAL)}


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
    white space, with a line around it."""
    parent = parent_of(snapshot, root)
    made: list[tuple[str, list[str]]] = []
    for name in SOURCES:
        pair = [folder / name for folder in (parent.path if parent else root, snapshot.path)]
        texts = (p.read_text().splitlines() if p.is_file() else [] for p in pair)
        old, new = ([line for line in text if not SILENT.match(f" {line}")] for text in texts)
        bare = ([line.strip() for line in lines] for lines in (old, new))
        matched = difflib.SequenceMatcher(None, next(bare), next(bare), autojunk=False)
        for group in matched.get_grouped_opcodes(1):
            made.append((name, []))
            for kind, a, b, c, d in group:
                if kind != "equal":
                    made[-1][1].extend(f"-{line}" for line in old[a:b])
                made[-1][1].extend(f"{'+ '[kind == 'equal']}{line}" for line in new[c:d])
    return made


def changes(lines: list[str], signs: str = "+-") -> int:
    """How many lines of code a difference adds or removes."""
    return sum(line[0] in signs and not SILENT.match(line) for line in lines)


def code(snapshot: Snapshot, root: Path = ROOT) -> list[str]:
    """The code that a step changes, on at most SLIDES slides: all of it where
    that has room, else what it adds, the longest parts first; the last slide
    says so, and how many lines are left out."""
    every, room = hunks(snapshot, root), LINES * SLIDES
    whole_of_it = sum(len(lines) + 1 for _, lines in every) <= room
    shown, left = {}, 0
    for at in sorted(range(len(every)), key=lambda at: -changes(every[at][1], "+")):
        kept = [one for one in every[at][1] if whole_of_it or one[0] != "-"]
        kept = kept[kept[0] == " }" : len(kept) - (kept[-1] == " }")]
        lines = [part for one in kept for part in wrapped(one)]
        shown[at] = lines[: max(0, room - 1)]
        if not changes(shown[at]):
            shown[at] = []
        left += changes(lines) - changes(shown[at])
        room -= len(shown[at]) + 1
    lines = []
    file = ""
    for at in sorted(at for at in shown if shown[at]):
        lines += ["" if every[at][0] == file else f"# {every[at][0]}", *shown[at]]
        file = every[at][0]
    made = paged(lines, "diff")
    if not whole_of_it:
        but = f", but for {left} of its lines" * bool(left)
        made[-1] += f"\n\nWhat {snapshot.name} adds{but}: `make diff B={snapshot.name}`"
    return made


def paged(lines: list[str], language: str) -> list[str]:
    """Code on as many slides as it needs, equally long ones."""
    most = -(-len(lines) // -(-len(lines) // LINES))
    parts = (lines[at : at + most] for at in range(0, len(lines), most))
    return [fenced("\n".join(part), language) for part in parts]


def wrapped(line: str) -> list[str]:
    """A line of a difference in lines that a slide has room for."""
    if len(line) <= COLUMNS:
        return [line]
    end = line.rindex(" ", 0, COLUMNS)
    return [line[:end], *wrapped(f"{line[0]}        {line[end + 1 :]}")]


def gains(tale: Story, snapshot: Snapshot) -> str:
    """A row for each level: instructions, gain over the parent, prediction
    and what became of it; for the first rung its instructions alone."""
    names = {"snapshot": snapshot.name, "parent": snapshot.parent}
    return tale.results.table(__file__, "gains", **names).markdown


def slide(title: str, body: str, notes: str = "") -> str:
    """A slide in Markdown and HTML."""
    aside = f'\n\n<aside class="notes">\n\n{notes}\n\n</aside>' if notes else ""
    return f"<section>\n\n## {title}\n\n{body}{aside}\n\n</section>"


def of_code(name: str, pages: list[str]) -> list[str]:
    """The slides of a rung's code."""
    number = [f" ({at} of {len(pages)})" * (len(pages) > 1) for at in range(1, len(pages) + 1)]
    return [slide(f"{name}: the code{of}", page) for of, page in zip(number, pages)]


def of_rung(tale: Story, snapshot: Snapshot) -> list[str]:
    """The slides of a rung."""
    part, name = markdown.parts(snapshot, tale.root), snapshot.name
    told = [f"**{word}.** {short(part[word])}" for word in ("Change", "Technique") if word in part]
    title = f"{name}. {snapshot.idea}"
    first = [
        slide(title, "\n\n".join(told), "- Ask: what does this save in a round? What does it cost?")
    ]
    if not snapshot.parent:
        ask = "- Ask: which of its functions takes most of this, and what would you change first?"
        text = (snapshot.path / "rsa.c").read_text(encoding="utf-8")
        mmm = re.search(r"^static void mmm\(.*?^}", text, re.M | re.S)
        first += of_code(name, paged(mmm[0].splitlines(), "c")) if mmm else []
        return [*first, slide(f"{name}: the count", gains(tale, snapshot), ask)]
    first += of_code(name, code(snapshot, tale.root))
    first += [slide(*DRAWN[name])] if name in DRAWN else []
    answer = part.get(markdown.VERDICT, part["Change"])
    levels = ", ".join(f"-{level}" for level in tale.levels)
    question = (
        f"How many times fewer instructions than {snapshot.parent} does {name} execute, at"
        f" {levels}? At which level does it gain most?\n\nWhich function changes most: in its"
        " calls, or in its instructions a call?\n\nWrite it down."
    )
    rest = "\n\n".join(
        f"{word}: {part[word]}" for word in ("Costs", "The source says", "Next") if word in part
    )
    calls = readmes.account(tale.results, snapshot).rpartition("\n\n")[2]
    return [
        *first,
        slide(f"{name}: your prediction", question, f"This notebook's: {part.get('Why', NONE)}"),
        slide(
            f"{name}: the count, and calls x instructions a call",
            f"{gains(tale, snapshot)}\n\n{calls}",
            "- Ask: whose prediction was right? Check a row of the second table with a pencil.",
        ),
        slide(f"{name}: why", short(answer, 110), f"{answer}\n\n{rest}"),
    ]


def text_of(tale: Story) -> str:
    """All slides."""
    first = (
        "<section>\n\n# RSA on 32-bit ARM, step by step\n\nHow few instructions does x^e mod n"
        f" need, for numbers of 128 bits?\n\n{origin(tale.results)}\n\n"
        "→ next, ← back, S the speaker's window, Esc all slides.\n\n</section>"
    )
    before = []
    for text in re.split(r"^## ", (HERE / "lecture.md").read_text(encoding="utf-8"), flags=re.M)[
        1:
    ]:
        told, _, notes = text.partition("\nNotes:\n")
        title, _, body = told.partition("\n")
        before.append(slide(title, body.strip(), notes.strip()))
    ask = "- Ask: which step would you take first, and why? What would cycles say?"
    rows = [
        [s.name, s.idea, *(factor(row["versus_base"]) for _, row in cells(tale.ladder, s.name))]
        for s in tale.snapshots
    ]
    head = ["rung", "idea", *(f"{tale.snapshots[0].name}/this -{level}" for level in tale.levels)]
    table = markdown.table(head, rows, (0, 1))
    last = slide("The whole ladder", f"{table}\n\n{TIME}", ask)
    rungs = [part for snapshot in tale.snapshots for part in of_rung(tale, snapshot)]
    return "\n\n".join([first, *before, *rungs, last])


def page_of(tale: Story) -> str:
    """The slides as one HTML page.  Raises Failure, OSError."""
    look = [(WEB / name).read_text() for name in ("vendor/slides.css", "slides.css")]
    made = to_html(text_of(tale), tale.root, lambda _: None, contents=False,
                   template=WEB / "slides.html", look="\n".join(look))  # fmt: skip
    licences = f'<script type="text/plain">{LICENCES.read_text()}</script>\n</body>'
    return with_scripts(made.replace("</body>", licences), SCRIPTS)


def slides(results: Path, out: Path) -> None:
    """Writes the slides of a results folder as one file.  Raises Failure, OSError."""
    of = load(results)
    tale = Story(of, ladder_table(of), of.rungs(), {}, ROOT, ROOT, ROOT)
    replace(ROOT / out, page_of(tale))
    print(f"  SLIDES  {label(ROOT / out)}: open it in a browser")
