"""The diff explorer's page in headless Chromium: what it says."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import product

import pytest
from clone import Clone
from explorer_page import STATIC, Page
from line_counts import by_line
from needs import needs, require

from records import ladder
from records.ladder import LEVELS
from records.rows import read_rows
from rsalab import markdown
from rsalab.steps import why
from rsalab.steps.spent import compared

pytestmark = needs("chromium", "chromedriver", "python:selenium", "localhost")


def test_first_page_is_the_first_step(page: Page, explored: Clone) -> None:
    page.open()
    first = ladder.find("v1", root=explored.path)
    said = markdown.parts(first, explored.path)
    assert page.step == "v0 → v1"
    assert page.text("h1 .idea") == first.idea
    prediction = " ".join(said["Why"].replace("`", "").split())
    assert f"Prediction. {prediction}" in page.texts(".words p")
    assert page.texts(".verdict") == [f"-{part}" for part in first.verdict.split(", ")]
    assert page.text("#notes") == ""
    assert page.text("#identical") == ""  # it opens at -O0, which alone differs
    assert page.run("return document.title").startswith("v0 → v1 -O0")


def test_why_a_step_gains_is_in_a_table(page: Page, explored: Clone) -> None:
    folder, child = explored.path / "results/local", ladder.find("v4", root=explored.path)
    for level in ("O0", "O3"):
        made = compared(folder, child, level, explored.path)
        page.open(f"#b=v4&level={level}")
        page.click(".story summary")
        head, *rows = why.rows(made)
        assert page.texts(".reasons th") == head
        assert page.texts(".reasons td") == [cell for row in rows for cell in row]
        assert page.text(".words ~ p:last-of-type").endswith(why.MERGED)
    page.open("#a=v0&b=v4")
    assert page.texts(".reasons") == []


def test_policy_stops_what_is_not_of_the_page(chromium: Page) -> None:
    chromium.open()
    chromium.run("""const script = document.createElement("script");
        script.textContent = "window.intruded = 1"; document.body.append(script)""")
    assert chromium.run("return window.intruded") is None
    assert "Content Security Policy" in chromium.driver.get_log("browser")[0]["message"]


def test_heads_say_what_was_measured(page: Page, explored: Clone) -> None:
    page.open(f"#a=v4&b={STATIC}&level=O3&view=c")
    rows = read_rows(explored.path / "results/local/counts.csv")
    for side, study, name in (("left", "iterations", "v4"), ("right", *STATIC.split("/"))):
        facts = dict(zip(page.texts(f"#{side} dt"), page.texts(f"#{side} dd")))
        wanted = (study, name, "O3", "roundtrip-small", "instructions", "total")
        keys = ("study", "snapshot", "level", "case", "metric", "symbol")
        [row] = [row for row in rows if tuple(row[key] for key in keys) == wanted]
        value, _, unit = facts["instructions"].partition(" ")
        assert int(value.replace(",", "")) == round(row["value"] / row["n"])
        assert unit == "a round trip"
        assert "arm-linux-gnueabihf-gcc" in facts["compiler"] and "." in facts["compiler"]
        assert facts["flags"].startswith("-O3 -std=c11 ") and "-marm" in facts["flags"]
        assert facts["measured"].startswith("results/local, platform qemu")
        assert page.text(f"#{side} h2").startswith("v4" if side == "left" else STATIC)


def test_added_line_is_shown_as_added(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    line = "static nat mmm_1(nat y, nat n)"
    assert line in page.code(1, "ins")
    assert line not in page.code(0, "del") + page.code(0, "cntx") + page.code(1, "cntx")
    assert "    return mmm(set(1), zr, n);" in page.code(0, "del")
    assert "    return z;" in page.code(1, "cntx")
    assert "mmm_1" in page.texts("td.d2h-ins ins") and "set(1), " in page.texts("td.d2h-del del")
    page.open("#a=v4&b=v2&level=O1&view=c")
    assert line in page.code(0, "del") and line not in page.code(1, "ins")


def test_white_space_alone_can_be_ignored(page: Page) -> None:
    page.open("#a=v4&b=v5&level=O3&view=c")
    before = page.texts(".removed, .added")
    page.click("#blank")
    assert "blank=1" in page.fragment
    assert (before, page.texts(".removed, .added")) == (["−18", "+28"], ["−8", "+18"])
    assert "            z = add(z, y);" in page.code(0, "cntx")
    assert "                z = add(z, y);" in page.code(1, "cntx")


# The lines of which a reader sees another text, or neither the whole nor a third of a pane's width.
UNSEEN = """return [...document.querySelectorAll("#code tbody tr:not([hidden])")].flatMap((row) => {
    const {cells, lines} = find.rowOf(row) || {lines: []};
    const line = lines[cells && cells.length > 1 ? cells.indexOf(row) : lines[1] ? 1 : 0];
    if (!line || !line.text.trim()) return [];
    const code = row.querySelector(".d2h-code-line-ctn");
    const [gutter, text, pane] = [row.firstElementChild, code, row.closest("[role=region]")]
        .map((element) => element.getBoundingClientRect());
    const seen = Math.min(text.right, pane.right) - Math.max(text.left, gutter.right);
    const wide = text.width && seen >= Math.min(text.width, pane.width / 3);
    return code.textContent === line.text && wide ? [] : [line.text];
})"""


@pytest.mark.parametrize(
    "layout", ["side-by-side", pytest.param("line-by-line", marks=pytest.mark.long)]
)
def test_code_is_seen_in_every_view(page: Page, layout: str) -> None:
    page.open()
    steps = page.run("return model.steps")
    for (a, b), level, view in product(steps, LEVELS, ("c", "asm")):
        fragment = f"#a={a}&b={b}&level={level}&view={view}&layout={layout}"
        page.run("location.hash = arguments[0]", fragment)
        page.settle()
        assert page.run("return document.title").startswith(f"{a} → {b} -{level} ")
        assert page.run("return document.getElementById('code').className") == f"{layout} {view}"
        assert page.texts("#code .text, #code .quiet"), fragment
        assert page.run(UNSEEN) == [], fragment


COUNTS = """return [...document.querySelectorAll(".text")].flatMap((section) => {
    const name = section.querySelector("h2.file .name").textContent;
    return [...section.querySelectorAll("button.count:not(.inner)")].flatMap((count) =>
        count.side.label === arguments[0]
            ? [[name, count.line.mark, count.textContent, count.dataset.total]] : []);
})"""


def shown(page: Page, label: str, n: int) -> dict[tuple[str, str], int]:
    """(file or function, mark) -> total of a side; each text is the mean over n."""
    page.click("#whole")
    table = {}
    for name, mark, text, total in page.run(COUNTS, label):
        assert Decimal(text.replace(",", "")) * n == int(total)
        table[name, mark] = int(total)
    return table


@pytest.mark.parametrize(
    ("name", "level", "unused"), [("v6", "O3", "mont_mul"), ("v8", "O1", ""), ("v4", "O0", "")]
)
def test_counts_beside_the_code_are_those_of_lines_csv(
    page: Page, explored: Clone, name: str, level: str, unused: str
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
    summed = {(f, str(n)): c["instructions"] for (f, n), c in by_line(rows).items() if f}
    assert {place: count for place, count in shown(page, name, n).items() if count} == summed
    page.open(f"#b={name}&level={level}&view=asm")
    found = shown(page, name, n)
    functions = page.run("return model.cell(...arguments).functions", name, level)
    starts = {function[0]: function[1] for function in functions}
    by_offset = {starts[f] + int(mark, 16): count for (f, mark), count in found.items() if count}
    assert by_offset == {int(row["offset"], 16): row["instructions"] for row in rows}
    assert {f for (f, _), count in found.items() if not count} >= ({unused} if unused else set())


def test_a_mean_without_end_is_not_shown(page: Page) -> None:
    page.open()
    made = "return [[4592, 100], [132098150610, 1000], [7, 3], [2500, 100]].map(([t, n]) =>"
    assert page.run(f"{made} `${{numbers.each(t, n)}} ${{numbers.unit(n)}}`)") == [
        "45.92 a round trip",
        "132,098,150.61 a round trip",
        "7 in 3 round trips",
        "25 a round trip",
    ]


@pytest.mark.parametrize(
    ("a", "b", "level", "identical"),
    [
        ("v4", STATIC, "O3", True),
        ("v4", STATIC, "O0", True),
        ("v4", STATIC, "O1", False),
        ("v4", "v5", "O3", False),
        ("v7", "v8", "O1", False),
    ],
)
def test_identical_code_is_said(page: Page, a: str, b: str, level: str, identical: bool) -> None:
    if level == "O3":
        require("compiler of the reference")
    for view in ("c", "asm"):
        page.open(f"#a={a}&b={b}&level={level}&view={view}")
        assert page.text("#identical").startswith(f"Identical code: at -{level}") == identical
        assert bool(page.text("#identical")) == identical
    assert bool(page.texts("#code .text")) != identical


@pytest.fixture
def same(page: Page) -> Callable[[str, str], list[bool]]:
    """Which lines of two listings of as many lines are the same but for what moved."""

    def compare(left: str, right: str) -> list[bool]:
        page.open()
        return page.run(
            """const [left, right] = [...arguments].map((text) => ({frame: true,
            lines: text.split(";").map((text) => ({text}))})); const keys = moved.keys(left, right);
            return keys[0].map((key, i) => key === keys[1][i])""",
            left,
            right,
        )

    return compare


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("mov r0, r1;b +0", "mov r0, r1;b +0", [True, True]),
        ("nop;beq +0;bx lr", "nop;beq +8;bx lr", [True, False, True]),
        ("str r0, [sp, #4];bx lr", "str r0, [sp, #8];bx lr", [True, True]),
        ("add sp, sp, #4;str r0, [sp, #4]", "add sp, sp, #8;str r0, [sp, #4]", [True, True]),
        ("str r0, [r1, #4]", "str r0, [r1, #8]", [False]),
        ("str r0, [sp, #4];ldr r1, [sp, #4];ldr r2, [sp, #4]",
         "str r0, [sp, #8];ldr r1, [sp, #8];ldr r2, [sp, #12]", [True, True, False]),
        ("str r0, [fp, #-8];str r1, [fp, #-12];ldr r2, [fp, #-8];ldr r3, [fp, #-12];b x",
         "str r0, [fp, #-16];str r1, [fp, #-20];ldr r2, [fp, #-16];ldr r3, [fp, #-16];b x",
         [True, True, True, False, True]),
        ("ldr r1, [+8];bx lr;.word   .rodata+0x0 - .", "ldr r1, [+8];bx lr;.word   .rodata+0x4 - .",
         [True, True, True]),
        (".word   0x00000001", ".word   0x00000002", [False]),
    ],
)  # fmt: skip
def test_what_only_moved_is_no_difference(
    same: Callable, left: str, right: str, wanted: list[bool]
) -> None:
    assert same(left, right) == wanted


def test_offsets_that_moved_are_dimmed(page: Page) -> None:
    page.open("#a=v4&b=v5&level=O1&view=asm&fn=mmm")
    pairs = list(zip(page.code(0, "cntx"), page.code(1, "cntx")))
    differing = [pair for pair in pairs if pair[0] != pair[1]]
    assert ("sub     sp, sp, #68", "sub     sp, sp, #92") in differing
    colours = """const code = [...document.querySelectorAll("td.d2h-cntx .d2h-code-line-ctn")]
        .find((e) => e.textContent === "sub     sp, sp, #92"); return [code, code.querySelector(
        ".offset .hljs-number, .offset")].map((e) => getComputedStyle(e).color)"""
    plain, dim = page.run(colours)
    assert plain != dim and page.run("return document.querySelector('.offset')") is not None
