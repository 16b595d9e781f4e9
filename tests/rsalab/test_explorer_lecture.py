"""The diff explorer's page in headless Chromium: what one teaches with."""

from __future__ import annotations

import base64

import axe
import pytest
from clone import Clone
from explorer_page import STATIC, Page
from needs import needs

from records import ladder
from rsalab.steps.spent import compared

pytestmark = needs("chromium", "chromedriver", "python:selenium", "localhost")

RUNGS = tuple(rung.name for rung in ladder.snapshots() if rung.parent)
TOP = """const row = document.querySelector(arguments[0]);
    return row ? row.getBoundingClientRect().top : null"""


@pytest.mark.parametrize("rung", RUNGS)
def test_a_step_opens_at_its_place(page: Page, rung: str) -> None:
    page.open(f"#b={rung}", height=720)
    look = page.run("return model.byLabel.get(arguments[0]).look", rung)
    assert look["level"] in page.text(".verdict.here")
    assert page.run("return document.getElementById('fn').value") == look["fn"]
    first = "tr.place" if look["lines"] else "#code tbody tr"
    assert 0 < page.run(TOP, first) <= 420
    assert page.texts(f"{first} button.count") or not look["lines"]


def test_a_walk_keeps_level_and_view_and_starts_at_the_top_of_each_place(page: Page) -> None:
    page.open("#b=v1&level=O3&view=c", height=720)
    for _ in RUNGS[1:]:
        page.run("window.scrollTo(0, 3000)")
        page.press("j")
        name = page.step.rpartition(" ")[2]
        look = page.run("return model.byLabel.get(arguments[0]).look", name)
        assert "&level=O3&view=c" in page.fragment
        place = look["view"] == "c" and look["lines"]
        assert not place or f"&fn={look['fn']}&lines={place}" in page.fragment
        assert 0 < page.run(TOP, "tr.place" if place else "#code tbody tr") <= 420


def test_one_scale_of_heat_for_both_sides(page: Page) -> None:
    shades = """return [...document.querySelectorAll("button.count")].map((count) => [
        count.side.label, count.line.count / count.side.cell.n, [...count.classList].find((name) =>
        name.startsWith("heat")) || ""])"""
    page.open("#a=v6&b=v7&level=O3&view=c&all=1")
    found = sorted((mean, shade) for _, mean, shade in page.run(shades) if mean)
    assert [shade for _, shade in found] == sorted(shade for _, shade in found)
    assert found[-1][1] == "heat-7"
    assert max(s for side, _, s in page.run(shades) if side == "v7") < "heat-7"
    legend = page.texts("#legend .swatch")
    assert legend[-1] == "less" and all(text.startswith("≥ ") for text in legend[:-1])


def test_matched_lines_have_their_difference(page: Page) -> None:
    page.open("#a=v0&b=v1&level=O0&view=asm&fn=mmm")
    rows = page.run("""return [...document.querySelectorAll(".d2h-file-side-diff")].map((pane) =>
        [...pane.querySelectorAll("tbody tr")].map((row) => { const count = row.querySelector(
        "button.count"); return [count ? Number(count.dataset.total) : null,
        (row.querySelector(".change") || {}).textContent || ""]; }))""")
    checked = 0
    for (before, _), (after, change) in zip(*rows):
        if change:
            number = round(100 * float(change.replace(",", "").replace("−", "-")))
            n = page.run("return model.cell('v1', 'O0').n")
            assert round(number * n / 100) == after - before
            checked += 1
    assert checked > 20


def test_functions_by_change_are_links(page: Page, explored: Clone) -> None:
    folder, child = explored.path / "results/local", ladder.find("v5", root=explored.path)
    made = compared(folder, child, "O3", explored.path)
    page.open("#b=v5&level=O3")
    wanted = [name for name in made.functions() if made.of(name)]
    assert page.texts(".movers code") == wanted
    page.click(".movers a[href*='fn=less']")
    assert "fn=less" in page.fragment and page.run("return find.rowOf") is not None
    assert page.texts("h2.file .name")


def test_keys_go_to_differences_and_hot_lines(page: Page) -> None:
    cursor = "return document.querySelector('tr.cursor').textContent"
    focused = "return Number(document.activeElement.dataset.total)"
    page.open("#a=v4&b=v5&level=O3&all=1")
    page.press("n")
    first = page.run(cursor)
    mark = page.run("return document.activeElement.closest('tr.cursor').querySelector('.mark')")
    assert f" {mark.text}:" in page.text("#detail")
    page.press("n")
    assert page.run(cursor) != first
    page.press("N")
    assert page.run(cursor) == first
    page.press("h")
    counts = "return [...document.querySelectorAll('button.count')].map((e) => +e.dataset.total)"
    ranked = sorted(page.run(counts), reverse=True)
    assert page.run(focused) == ranked[0]
    page.press("h")
    assert page.run(focused) == ranked[1]
    assert page.text("#detail").strip()
    page.press("\ue015", "\ue013")  # down and up again
    assert page.run(focused) == ranked[1]


def test_a_number_is_a_link_to_its_line(page: Page) -> None:
    """A line that is folded, in either view."""
    cursor = "tr.cursor .d2h-code-line-ctn"
    for fragment, text in (
        ("#a=v4&b=v5&level=O3&view=c&all=1", "if (xi)"),
        ("#a=v7&b=v8&level=O1&view=asm&all=1", "umaal"),
    ):
        page.open(fragment)
        link = "[...document.querySelectorAll('#code tr')].findLast((tr) => tr.textContent"
        page.run(f"{link}.includes(arguments[0])).querySelector('a.mark').click()", text)
        page.settle()
        named = page.fragment.replace("&all=1", "")
        page.open(named)
        assert "&line=b:" in named and text in page.texts(cursor)[-1] and page.text("#notes") == ""
    page.open("#b=v4&line=b:rsa.c:999")
    assert "no line “b:rsa.c:999” here" in page.text("#notes")


def test_a_text_filters_lines(page: Page) -> None:
    page.open("#a=v7&b=v8&level=O1&view=asm")
    page.press("/")
    assert page.run("return document.activeElement.id") == "find"
    page.press("umaal")
    page.until("location.hash.endsWith('&find=umaal')")  # no Enter
    visible = page.texts("tbody tr:not([hidden]) .d2h-code-line-ctn")
    assert sum(text.startswith("umaal") for text in visible) == 28 and len(visible) <= 2 * 28
    assert "28 lines" in page.text("#found") and "10,976" in page.text("#found")
    page.press("\ue00c")
    assert "find" not in page.fragment and page.text("#found") == ""
    page.press("?")
    assert page.run("return document.getElementById('keys').getBoundingClientRect().top") < 900


def test_instructions_are_explained(page: Page) -> None:
    unknown = "return Object.entries(model.instructions).filter(([, said]) => !said.length)"
    page.open("#b=v8&level=O1&view=asm&find=umaal")
    assert page.run(unknown) == []
    page.click("tr:not([hidden]) button.count[aria-label*='v8']")
    assert "ARM1176 3 · Cortex-A53 not published · Cortex-A72 2" in page.text("#detail")


def test_lines_are_linked_on_a_wide_screen(page: Page) -> None:
    page.open("#a=v4&b=v5&level=O3&view=c&fn=mmm", width=1920)
    assert page.texts("#other tr")
    page.run("""[...document.querySelectorAll("button.count")].find((count) =>
        count.side.label === "v5" && count.line.text.includes("limb & 1")).focus()""")
    assert all("mmm" in text or text for text in page.texts("#other th"))
    assert page.texts("#other tr.linked") and page.texts("#code tr.linked")
    page.run("""document.querySelector("#other tr.linked").nextSibling.firstChild.dispatchEvent(
        new MouseEvent("mouseover", {bubbles: true}))""")
    assert page.texts("#code tr.linked")
    page.open("#a=v4&b=v5&level=O3&view=asm&fn=mmm", width=1920)
    assert any("limb" in text for text in page.texts("#other td.text"))
    page.open("#a=v4&b=v5&level=O3&view=asm&fn=mmm", width=1280)
    assert page.run("return getComputedStyle(document.getElementById('other')).display") == "none"


def test_macro_bodies_carry_the_counts_of_their_expansions(page: Page) -> None:
    page.open("#a=v7&b=v8&level=O1&view=c&fn=mont_mul")
    inner = """return [...document.querySelectorAll("button.count.inner")].map((count) =>
        [count.line.text.trim().split(/\\s+/)[0], Number(count.dataset.total)])"""
    n = page.run("return model.cell('v8', 'O1').n")
    calls = page.run("return model.sections('v8', 'O1', 'asm')[1].lines[0].count")
    assert page.run(inner) == [
        *([name, 3 * calls] for name in ["ldr", *4 * ["umaal"]]),
        *([name, 4 * calls] for name in ["mul", *4 * ["umaal"]]),
    ]
    assert n


def test_repetitions_fold_and_open(page: Page) -> None:
    page.open()
    said = page.run("""const keys = [...Array(96).keys()].map((i) => ["tst", "add", "lsr"][i % 3]);
        const body = document.createElement("tbody");
        const rows = keys.map((key) => { const tr = document.createElement("tr");
            body.append(tr); return {cells: [tr], lines: [undefined, {places: []}],
                keys: [undefined, key], changed: true}; });
        folds.repetitions(rows, ["v0", "v1"]);
        const [button] = body.querySelectorAll("button"); const text = button.textContent;
        const hidden = body.querySelectorAll("tr[hidden]").length; button.click();
        return [text, hidden, body.querySelectorAll("tr[hidden]").length, body.children.length]""")
    assert said[0].startswith("⋯ 32 × 3 instructions") and said[1:] == [93, 0, 96]


def test_unchanged_lines_open(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    hidden = "return document.querySelectorAll('#code tr[hidden]').length"
    before = page.run(hidden)
    page.click("button.fold")
    assert before > page.run(hidden)


def test_theme_and_layout_are_kept(page: Page) -> None:
    dark = "return getComputedStyle(document.documentElement).colorScheme"
    page.open("#b=v4&level=O1&layout=line-by-line&all=1&find=mmm", dark=False)
    page.click("#theme")
    page.press("j")
    assert "layout=line-by-line" in page.fragment
    page.open("#b=v4", dark=False)
    assert page.run(dark) == "dark"


def test_paper_has_colours_and_no_controls(page: Page) -> None:
    page.open("#b=v5")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    style = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    for control in ("body > header", "#picker", "#keys"):
        assert page.run(style, control, "display") == "none"
    assert page.run(style, "body", "printColorAdjust") == "exact"
    made = page.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert base64.b64decode(made["data"]).startswith(b"%PDF")


def test_the_gutter_is_narrow_on_a_telephone(page: Page) -> None:
    for fragment in ("#b=v5", "#a=v0&b=v1&level=O0&view=asm", f"#a=v4&b={STATIC}&level=O1"):
        page.open(fragment, width=390)
        gutters = """return [...document.querySelectorAll("td.d2h-code-linenumber")]
            .map((cell) => cell.offsetWidth)"""
        assert 0 < max(page.run(gutters)) < 0.15 * 390
        assert page.run("return document.documentElement.scrollWidth") <= 390


LOOKS = [
    (1280, False),
    *(
        pytest.param(width, dark, marks=pytest.mark.long)
        for width, dark in ((1280, True), (1920, False), (1920, True), (390, False), (390, True))
    ),
]


@pytest.mark.parametrize(("width", "dark"), LOOKS)
def test_axe_finds_nothing_serious(page: Page, width: int, dark: bool) -> None:
    page.open("#b=v5", width=width, dark=dark)
    page.press("h")
    assert axe.violations(page.driver) == []
