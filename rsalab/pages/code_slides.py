"""The code of a step on a slide: functions whole, in the colours of their language, which grow from
the parent's to the child's by steps of the difference; assembly paragraph by paragraph, where the
parent has none."""

import html
import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby
from os.path import commonprefix
from typing import NamedTuple

from records.c_functions import definition, functions
from records.faults import run
from records.ladder import Snapshot
from rsalab.charts.theme import SLIDE_CODE_PIXELS
from rsalab.pages.document import fenced

SLIDE_PIXELS = 573  # of a slide's height, for code
SAID_PIXELS = 85  # for what a comment says below it
SLIDE_WIDTH = 1140
LINE_HEIGHT = 1.2  # of the height of a letter, as in slides.css
LETTER_WIDTH = 0.61  # of its height
SMALLEST_LETTERS, LARGEST_LETTERS = SLIDE_CODE_PIXELS
MOST_FUNCTIONS = 3
# Lines of a change that are shown at once; of a longer one first what goes.
TOGETHER = 10
HIGHLIGHTED = re.compile(r'<span id="cb\d+-\d+">(?:<a [^>]*></a>)?(.*)</span>')
CHANGED = {"+": "added", "-": "removed"}
NOT_SHOWN = re.compile(r"\s*(\.cfi_\w+|\.req|\.syntax|\.arch|\.arm|\.text|\.equ|\.global|\.type|"
                       r"\.size|\.section|#)|\w+\s+\.req\s")  # fmt: skip
MNEMONIC = re.compile(r"^(\s+)([.\w]+)")
COMMENT = re.compile(r"/\*(.*?)\*/", re.S)


class Line(NamedTuple):
    """A line of a difference: "+" for one of the child, "-" for one of the parent, " " for one of
    both; how much deeper it stands in the child."""

    mark: str
    text: str
    deeper: int = 0


Lines = list[Line]


class Paragraph(NamedTuple):
    """A paragraph of assembly: the first sentence of the comment above it, and its lines."""

    says: str
    lines: list[str]


def of_step(child: Snapshot, parent: Snapshot | None) -> str:
    """Return the code of a rung: of the first one its product, of another what it changes.
    Raises Failure, FileNotFoundError without pandoc."""
    if parent is None:
        text = definition(text_of(child, "rsa.c"), "mmm")
        return in_columns([unchanged(text.splitlines())])
    if child.has_assembly and not parent.has_assembly:
        return assembly(child)
    return in_columns(chosen(changed_functions(parent, child)))


def new_functions(child: Snapshot, parent: Snapshot) -> list[str]:
    """Return the functions that a step adds and of_step() has no room for, slide by slide; none
    where one in assembly stands for all of them."""
    if child.has_assembly:
        return []
    found = changed_functions(parent, child)
    shown = chosen(found)
    left = {
        name: lines
        for name, lines in found.items()
        if is_new(lines) and lines not in shown
    }
    slides = []
    while left:
        part = chosen(left)
        slides.append(in_columns([unchanged(texts_of(lines)) for lines in part]))
        left = {name: lines for name, lines in left.items() if lines not in part}
    return slides


def texts_of(lines: Lines) -> list[str]:
    """Return lines without what a difference says of them."""
    return [line.text for line in lines]


def unchanged(texts: Iterable[str]) -> Lines:
    """Return lines of a slide that stand there from the first step to the last."""
    return [Line(" ", text) for text in texts]


def is_new(lines: Lines) -> bool:
    """Return whether the parent has no such function."""
    return all(line.mark == "+" for line in lines)


# --- functions of C -------------------------------------------------------------------------------


def changed_functions(parent: Snapshot, child: Snapshot) -> dict[str, Lines]:
    """Return the lines of each function that a step changes or adds, and those of its assembly."""
    found = {}
    for file in ("rsa.c", "nat.h"):
        old, new = (text_of(one, file) for one in (parent, child))
        for function in functions(new):
            before, after = (definition(text, function.name) for text in (old, new))
            if after and before != after:
                found[function.name] = difference(before, after)
    if child.has_assembly:
        old, new = (spoken_lines(text_of(one, "mont.S")) for one in (parent, child))
        if old != new:
            found["mont.S"] = difference(old, new)
    return found


def text_of(rung: Snapshot, file: str) -> str:
    """Return the text of a file of a rung; "" where it has none."""
    path = rung.path / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def difference(before: str, after: str) -> Lines:
    """Return all lines of two texts, marked as they differ by more than their indentation."""
    old = before.splitlines()
    new = after.splitlines()
    lines: Lines = []
    for change, start, end, first, last in matches(old, new):
        if change == "equal":
            for was, line in zip(old[start:end], new[first:last]):
                lines.append(Line(" ", line, len(line) - len(was)))
        else:
            lines += [Line("-", line) for line in old[start:end]]
            lines += [Line("+", line) for line in new[first:last]]
    return lines


def matches(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Return how one text becomes the other, as difflib does: their common ends, and between them
    no match that begins with a brace or an empty line."""
    before = [line.strip() for line in old]
    after = [line.strip() for line in new]
    common_end = len(commonprefix([before[::-1], after[::-1]]))
    old_end = len(before) - common_end
    new_end = len(after) - common_end
    matcher = SequenceMatcher(
        isjunk=lambda line: line in ("", "}"),
        a=before[:old_end],
        b=after[:new_end],
        autojunk=False,
    )
    tail = ("equal", old_end, len(before), new_end, len(after))
    return [*matcher.get_opcodes(), tail]


def changes(lines: Lines) -> int:
    """Return how many lines a difference adds or removes."""
    return sum(line.mark in CHANGED for line in lines)


def chosen(found: dict[str, Lines]) -> list[Lines]:
    """Return the functions that a slide has room for, in the order of the file: those that change
    most."""
    kept: dict[str, Lines] = {}
    by_changes = sorted(found, key=lambda name: -changes(found[name]))
    for name in by_changes:
        trial = {one: found[one] for one in found if one in kept or one == name}
        columns = columns_of(list(trial.values()))
        fits = letters(columns) >= SMALLEST_LETTERS
        if len(kept) < MOST_FUNCTIONS and (fits or not kept):
            kept = trial
    return list(kept.values())


def steps_of(lines: Lines, first: int = 1) -> list[int]:
    """Return the step at which each line changes, from `first` on; 0 for one that stays.  Of a long
    change the parent's lines are marked at one step, and the child's take their place at the
    next."""
    steps = []
    step = first - 1
    for changed, group in groupby(lines, key=lambda line: line.mark in CHANGED):
        part = list(group)
        if not changed:
            steps += [0] * len(part)
            continue
        step += 1
        removed = sum(line.mark == "-" for line in part)
        steps += [step] * removed
        if removed and len(part) > TOGETHER:
            step += 1
        steps += [step] * (len(part) - removed)
    return steps


def most_shown(lines: Lines) -> int:
    """Return how many lines of a function are shown at once, at most."""
    steps = steps_of(lines)
    shown = []
    for now in range(max(steps, default=0) + 1):
        here = [line for line, step in zip(lines, steps) if is_shown(line, step, now)]
        shown.append(len(here))
    return max(shown)


def is_shown(line: Line, step: int, now: int) -> bool:
    """Return whether a line that changes at a step stands on the slide at the step `now`."""
    if line.mark == " " or step == now:
        return True
    if line.mark == "+":
        return step < now
    return step > now


# --- assembly -------------------------------------------------------------------------------------


def assembly(child: Snapshot) -> str:
    """Return a rung's assembly whole, its paragraphs pointed at one by one, with what the comment
    above each says."""
    parts = list(paragraphs(text_of(child, "mont.S")))
    blocks = [unchanged(part.lines) for part in parts]
    said = []
    for step, part in enumerate(parts, 1):
        words = html.escape(part.says)
        said.append(
            f'<p class="fragment frame said" data-fragment-index="{step}">{words}</p>'
        )
    return in_columns(blocks, told=True) + "\n" + "".join(said)


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of assembly that have instructions, without what only the assembler and
    a debugger read."""
    for part in re.split(r"\n\s*\n", text):
        comment = COMMENT.search(part)
        code = COMMENT.sub("", part)
        lines = [line for line in code.splitlines() if line.strip()]
        kept = [line for line in lines if not NOT_SHOWN.match(line)]
        if kept:
            yield Paragraph(first_sentence(comment[1] if comment else ""), kept)


def first_sentence(comment: str) -> str:
    """Return the first sentence of a comment, without the asterisks of its lines."""
    plain = " ".join(re.sub(r"\n \*", "\n", comment).split())
    return re.split(r"(?<=\.) ", plain, maxsplit=1)[0]


def spoken_lines(text: str) -> str:
    """Return the lines of assembly that a slide shows."""
    parts = ["\n".join(part.lines) for part in paragraphs(text)]
    return "\n\n".join(parts)


# --- on a slide -----------------------------------------------------------------------------------


def in_columns(blocks: list[Lines], told: bool = False) -> str:
    """Return functions on a slide, in letters as large as it has room for, or the smallest, and
    then it moves with the steps; `told`: each is pointed at in turn."""
    columns = columns_of(blocks)
    pixels = SLIDE_PIXELS - SAID_PIXELS if told else SLIDE_PIXELS
    step = 1
    texts = []
    for column in columns:
        marked = []
        for block in column:
            steps = [step] * len(block) if told else steps_of(block, step)
            marked.append(block_of(block, steps))
            step = max(step, *(one + 1 for one in steps))
        inside = "<span> </span>".join(marked)
        texts.append(f'<pre class="whole">{inside}</pre>')
    size = f"font-size: {max(SMALLEST_LETTERS, letters(columns, pixels))}px"
    return f'<div class="columns" style="{size}">{"".join(texts)}</div>'


def columns_of(blocks: list[Lines]) -> list[list[Lines]]:
    """Return functions in one column or in two, whichever has room for the larger letters."""
    layouts = [[blocks]]
    for cut in range(1, len(blocks)):
        left = blocks[:cut]
        right = blocks[cut:]
        layouts.append([left, right])
    return max(layouts, key=letters)


def height(blocks: list[Lines]) -> int:
    """Return the lines that a column needs."""
    return sum(most_shown(block) + 1 for block in blocks) - 1


def width(blocks: list[Lines]) -> int:
    """Return the letters of the longest line of a column."""
    longest = 0
    for block in blocks:
        for line in block:
            longest = max(longest, len(line.text))
    return longest


def letters(columns: list[list[Lines]], pixels: int = SLIDE_PIXELS) -> int:
    """Return the size of the letters, pixels, at which all columns have room."""
    highest = max(map(height, columns))
    gaps = 4 * len(columns)
    widest = sum(map(width, columns)) + gaps
    by_height = pixels / LINE_HEIGHT / highest
    by_width = SLIDE_WIDTH / LETTER_WIDTH / widest
    return int(min(LARGEST_LETTERS, by_height, by_width))


def block_of(lines: Lines, steps: list[int]) -> str:
    """Return a function whose changed lines appear, or go, step by step."""
    colours = {mark: iter(coloured(lines, mark)) for mark in "-+"}
    shown = []
    latest = 0
    for line, step in zip(lines, steps):
        old = next(colours["-"]) if line.mark != "+" else ""
        new = next(colours["+"]) if line.mark != "-" else ""
        text = new or old or " "
        latest = max(latest, step)
        if line.deeper > 0:
            text = fragment("deeper", latest, " " * line.deeper) + text[line.deeper :]
        if step:
            shown.append(fragment(CHANGED.get(line.mark, "here"), step, text))
        else:
            shown.append(f"<span>{text}</span>")
    return "".join(shown)


def fragment(kind: str, step: int, text: str) -> str:
    """Return a text to which something happens at a step of the slide."""
    return (
        f'<span class="fragment step {kind}" data-fragment-index="{step}">{text}</span>'
    )


def coloured(lines: Lines, mark: str) -> list[str]:
    """Return the lines of the parent (`-`) or of the child (`+`) as HTML with the classes of
    pandoc's colours."""
    texts = [line.text for line in lines if line.mark in (" ", mark)]
    if not texts:
        return []
    if "{" not in texts:
        return [
            MNEMONIC.sub(r'\1<span class="kw">\2</span>', html.escape(text))
            for text in texts
        ]
    code = fenced("\n".join(texts), "c")
    return HIGHLIGHTED.findall(run(["pandoc", "--from=gfm", "--to=html5"], input=code))
