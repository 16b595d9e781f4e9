"""The diff explorer's page in headless Chromium: what it says."""

import re
from collections import Counter
from itertools import product

import pytest
from explorer_page import STATIC, Page
from line_counts import by_line
from needs import needs, require
from representatives import mostly_long

from records.ladder import LEVELS
from records.rows import read_rows

pytestmark = needs("chromium", "chromedriver", "python:selenium")


def test_white_space_is_no_difference_but_for_who_asks(page: Page) -> None:
    page.open("#a=v4&b=v5&level=O3&view=c")
    before = page.texts(".removed, .added")
    page.click("#spaces")
    assert "spaces=1" in page.fragment
    assert (before, page.texts(".removed, .added")) == (["−8", "+18"], ["−18", "+28"])
    page.click("#spaces")
    assert "            z = add(z, y);" in page.code(0, "same")
    assert "                z = add(z, y);" in page.code(1, "same")


def test_a_line_that_moved_is_marked_on_both_sides(page: Page) -> None:
    page.open("#a=v5&b=v6&level=O3&view=c")
    page.all()
    assert page.texts("td.moved") == []
    page.open("#a=v7&b=v8&level=O3&view=c")
    page.all()
    marked = page.texts("td.moved .code")
    times = Counter(re.sub(r"\W+", "", text) for text in marked)
    assert times and all(number > 1 for number in times.values())


# The lines of which a reader sees another text, or neither the whole nor a third of a column's width.
UNSEEN = """return find.rows().filter((row) => row.tr && row.tr.isConnected).flatMap((row) =>
    row.cells.flatMap(([gutter, code], k) => {
        const line = row.lines[k];
        const shared = row.cells[0] === row.cells[1];
        if (!line || !line.text.trim() || (shared && k === 0 && row.lines[1])) return [];
        const text = code.querySelector(".code");
        const edges = gutter.getBoundingClientRect();
        const [seen, column] = [text, code].map((element) => element.getBoundingClientRect());
        const inside = seen.left >= edges.right && seen.right <= column.right + 40; // spaces may hang
        const wide = code.clientWidth >= row.tr.clientWidth / 5;
        return text.textContent === line.text && inside && wide ? [] : [line.text];
    }))"""


# The tables of which a column does not begin where its head does.
ASKEW = """return [...document.querySelectorAll("#code table")].filter((table) => {
    const row = table.querySelector("tbody tr:not(.folded)");
    const left = (cell) => Math.round(cell.getBoundingClientRect().left);
    const edges = (tr) => [...tr.children].map(left);
    return row && edges(row).join() !== edges(table.tHead.rows[0]).join();
}).length"""

# Neighbours of which the second begins neither right of the first nor below it; and what is cut
# where nobody can scroll.  A summary opens, and a list shows its whole texts when it is opened.
CRAMPED = """const shown = (element) => element.getClientRects().length > 0;
    const boxes = "nav, .head, #picker, #controls, #panes, h2.file, tbody, #code td:first-child";
    const over = [...document.querySelectorAll(boxes)].flatMap((box) => {
        const kinds = [...box.children].filter(shown);
        const places = kinds.map((child) => child.getBoundingClientRect());
        return kinds.slice(1).filter((child, i) =>
            places[i + 1].left < places[i].right - 1 && places[i + 1].top < places[i].bottom - 1);
    });
    const cut = [...document.querySelectorAll("main, main :is(div, section, table, p, ul, nav)")]
        .filter((box) => /hidden|clip/.test(getComputedStyle(box).overflowX)
            && box.scrollWidth > box.clientWidth + 1);
    return [...over, ...cut].map((element) => element.outerHTML.slice(0, 200))"""


FEW = (("side-by-side", 1440, ("v7", "v8")),)
VIEWS = [
    ("side-by-side", 1440, ()),
    ("line-by-line", 1440, ()),
    ("side-by-side", 1024, ()),
    ("side-by-side", 390, ()),
    *FEW,
]


@pytest.mark.parametrize(("layout", "width", "step"), mostly_long(VIEWS, FEW))
def test_code_is_seen_in_every_view(
    page: Page, layout: str, width: int, step: tuple[str, ...]
) -> None:
    """Of one step, or of all."""
    page.open(width=width)
    steps = [step] if step else page.run("return model.steps")
    for (a, b), level, view in product(steps, LEVELS, ("c", "asm")):
        fragment = f"#a={a}&b={b}&level={level}&view={view}&layout={layout}"
        page.run("location.hash = arguments[0]", fragment)
        page.settle()
        page.all()
        assert page.run("return document.title").startswith(f"{a} → {b} -{level} ")
        drawn = "line-by-line" if width == 390 else layout
        assert (
            page.run("return document.getElementById('code').className")
            == f"{drawn} {view}"
        )
        assert page.run("return document.documentElement.scrollWidth") <= width
        assert page.run(ASKEW) == 0, fragment
        assert page.texts("#code .text, #code .quiet"), fragment
        assert page.run(UNSEEN) == [] == page.run(CRAMPED), fragment


COUNTS = """return [...document.querySelectorAll(".text")].flatMap((section) => {
    const name = section.querySelector("h2.file .name").textContent;
    return [...section.querySelectorAll("button.count:not(.inner)")].flatMap((count) =>
        count.side.label === arguments[0]
            ? [[name, count.line.mark, count.textContent, count.dataset.total]] : []);
})"""


def shown(page: Page, label: str, n: int) -> dict[tuple[str, str], int]:
    """(file or function, mark) -> total of a side; each text is the mean
    over n, rounded."""
    page.change("#fn", "")
    page.click("#whole")
    page.all()
    table = {}
    for name, mark, text, total in page.run(COUNTS, label):
        mean = int(total) / n
        if text == "<1":
            assert 0 < mean < 0.5
        else:
            assert abs(int(text.replace(",", "")) - mean) <= 0.5
        table[name, mark] = int(total)
    return table


@pytest.mark.parametrize(
    ("name", "level", "unused"),
    mostly_long(
        [("v6", "O3", "mont_mul"), ("v8", "O1", ""), ("v4", "O0", "")],
        [("v6", "O3", "mont_mul")],
    ),
)
def test_counts_beside_the_code_are_those_of_lines_csv(
    page, explored, name, level, unused
) -> None:
    if level == "O3":
        require("compiler of the reference")
    rows = [
        row
        for row in read_rows(explored.path / "results/local/lines.csv")
        if (row["study"], row["snapshot"], row["level"]) == ("iterations", name, level)
    ]
    n = rows[0]["n"]
    page.open(f"#b={name}&level={level}&view=c")
    summed = {
        (f, str(n)): c["instructions"] for (f, n), c in by_line(rows).items() if f
    }
    assert {
        place: count for place, count in shown(page, name, n).items() if count
    } == summed
    page.open(f"#b={name}&level={level}&view=asm")
    found = shown(page, name, n)
    functions = page.run("return model.cell(...arguments).functions", name, level)
    starts = {function[0]: function[1] for function in functions}
    by_offset = {
        starts[f] + int(mark, 16): count for (f, mark), count in found.items() if count
    }
    assert by_offset == {int(row["offset"], 16): row["instructions"] for row in rows}
    assert {f for (f, _), count in found.items() if not count} >= (
        {unused} if unused else set()
    )


def test_macro_bodies_carry_the_counts_of_their_expansions(page: Page) -> None:
    page.open("#a=v7&b=v8&level=O1&view=c&fn=mont_mul")
    inner = """return [...document.querySelectorAll("button.count.inner")].map((count) =>
        [count.line.text.trim().split(/\\s+/)[0], Number(count.dataset.total)])"""
    calls = page.run("return model.sections('v8', 'O1', 'asm')[1].lines[0].count")
    assert page.run(inner) == [
        *([name, 3 * calls] for name in ["ldr", *4 * ["umaal"]]),
        *([name, 4 * calls] for name in ["mul", *4 * ["umaal"]]),
    ]


def test_instructions_are_explained(page: Page) -> None:
    unknown = (
        "return Object.entries(model.instructions).filter(([, said]) => !said.length)"
    )
    page.open("#b=v8&level=O1&view=asm&find=umaal")
    assert page.run(unknown) == []
    page.click("#code button.count[aria-label*='v8']")
    assert "ARM1176 3 · Cortex-A53 not published · Cortex-A72 2" in page.text("#detail")


PAIRS = [
    ("v4", STATIC, "O3", True),
    ("v4", STATIC, "O1", False),
    ("v4", "v5", "O3", False),
]


@pytest.mark.parametrize(
    ("a", "b", "level", "identical"), mostly_long(PAIRS, PAIRS[:2])
)
def test_identical_code_is_said(
    page: Page, a: str, b: str, level: str, identical: bool
) -> None:
    if level == "O3":
        require("compiler of the reference")
    for view in ("c", "asm"):
        page.open(f"#a={a}&b={b}&level={level}&view={view}")
        assert (
            page.text("#identical").startswith(f"Identical code: at -{level}")
            == identical
        )
        assert bool(page.text("#identical")) == identical
    assert bool(page.texts("#code .text")) != identical


MOVED = [
    ("nop;beq +0;bx lr", "nop;beq +8;bx lr", [True, False, True]),
    ("add sp, sp, #4;str r0, [sp, #4]", "add sp, sp, #8;str r0, [sp, #4]", [True, True]),
    ("str r0, [r1, #4]", "str r0, [r1, #8]", [False]),
    ("str r0, [sp, #4];ldr r1, [sp, #4];ldr r2, [sp, #4]",
     "str r0, [sp, #8];ldr r1, [sp, #8];ldr r2, [sp, #12]", [True, True, False]),
    ("str r0, [fp, #-8];str r1, [fp, #-12];ldr r2, [fp, #-8];ldr r3, [fp, #-12];b x",
     "str r0, [fp, #-16];str r1, [fp, #-20];ldr r2, [fp, #-16];ldr r3, [fp, #-16];b x",
     [True, True, True, False, True]),
    ("ldr r1, [+8];.word   .rodata+0x0 - .", "ldr r1, [+8];.word   .rodata+0x4 - .",
     [True, True]),
    (".word   0x00000001", ".word   0x00000002", [False]),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "wanted"), MOVED)
def test_what_only_moved_is_no_difference(
    page: Page, left: str, right: str, wanted: list
) -> None:
    """Of two listings of as many lines."""
    page.open()
    script = """const [left, right] = [...arguments].map((text) => ({frame: true,
        lines: text.split(";").map((text) => ({text}))})); const keys = moved.keys(left, right);
        return keys[0].map((key, i) => key === keys[1][i])"""
    assert page.run(script, left, right) == wanted
