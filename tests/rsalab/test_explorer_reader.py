"""The diff explorer's page in headless Chromium: what a reader can do with
it."""

import axe
import pytest
from explorer_page import STATIC, Page
from needs import needs
from representatives import mostly_long

from records import ladder

pytestmark = needs("chromium", "chromedriver", "python:selenium")

RUNGS = tuple(rung.name for rung in ladder.snapshots() if rung.parent)
# The end of the bar, the heading of the step, and its place in the code, or all of the code: pixels
# from the window's top.
TOPS = """const place = document.querySelector("tr.place") || document.querySelector("#code tbody tr");
    const top = (element) => element ? element.getBoundingClientRect().top : null;
    const bar = document.querySelector("header").getBoundingClientRect().bottom;
    return [bar, top(document.querySelector("h1")), top(place)]"""


OPENED = """const [level, view] = ["level", "view"].map((name) =>
    document.querySelector(`input[name=${name}]:checked`).value);
    return [level, view, document.getElementById("fn").value]"""


@pytest.mark.parametrize("rung", mostly_long(RUNGS, ["v4", "v8"]))
def test_every_way_to_a_step_opens_it_alike(page: Page, rung: str) -> None:
    """In C at -O1, at the function that changes most: by a link, by the list, by the keys."""
    page.open(f"#b={rung}", height=720)
    level, view, function = page.run(OPENED)
    assert (level, view) == ("O1", "c")
    own = page.run("return find.rows().some((row) => row.changed)")
    moved = page.run(
        "return model.byLabel.get(arguments[0]).reasons.O1.rows.length > 2", rung
    )
    assert own and bool(function) == moved, "the function's code differs"
    bar, heading, place = page.run(TOPS)
    assert bar <= heading < place < 720
    other = RUNGS[0] if rung == RUNGS[-1] else RUNGS[-1]
    page.open(f"#b={other}")
    page.change("#steps", rung)
    assert page.run(OPENED) == [level, view, function]
    if rung != RUNGS[-1]:
        page.press("j", "k")
        assert page.run(OPENED) == [level, view, function]


def test_a_walk_keeps_level_and_view_and_starts_at_each_heading(
    page: Page,
) -> None:
    page.open("#b=v1&level=O3&view=c", height=720)
    for name in (*RUNGS[1:], STATIC):
        page.run("window.scrollTo(0, 3000)")
        page.press("j")
        assert page.step.endswith(f"→ {name}") and "&level=O3&view=c" in page.fragment
        bar, heading, place = page.run(TOPS)
        assert bar <= heading and (place is None or place < 720)  # None: identical code
    page.press("k", "k", "\ue014", "\ue012")  # arrows
    assert page.step.endswith(f"→ {RUNGS[-2]}")
    page.open("#a=v0&b=v8")  # no step
    page.press("j")
    assert page.step == "v7 → v8"


@pytest.mark.parametrize("view", mostly_long(["c", "asm"], ["asm"]))
def test_a_step_makes_only_the_rows_that_are_seen(page: Page, view: str) -> None:
    """Time depends on the machine, so the elements of a page are counted."""
    page.open(f"#a=v0&b=v1&level=O0&view={view}&all=1")
    for _ in RUNGS[1:]:
        page.press("j")
        page.run("location.hash = location.hash.replace(/&fn=\\w+/, '') + '&all=1'")
        page.settle()
        made = page.run("return document.querySelectorAll('#code td.line').length")
        assert 0 < made < 600
    page.all()
    assert page.run("return document.querySelectorAll('#code td.line').length") > made


def test_picker_changes_code_and_address(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    page.change("#b", "v5")
    assert page.fragment == "#a=v2&b=v5&level=O1&view=c" and page.step == "v2 → v5"
    assert "Not a step of the walk" in page.text("#step")
    page.change("#a", "v4")
    assert page.step == "v4 → v5" and "Not a step" not in page.text("#step")
    page.click("input[value=O0]")
    page.click("input[value=asm]")
    assert any(line.startswith("ldr") for line in page.code(1, "ins"))
    page.change("#fn", "mmm_1")
    assert page.fragment == "#a=v4&b=v5&level=O0&view=asm&fn=mmm_1"
    assert page.texts("h2.file .name") == ["mmm_1"]
    page.click("input[value=c]")
    assert page.texts("h2.file .name") == ["rsa.c"]
    lines = "return document.querySelectorAll('#code td.line').length"
    page.change("#steps", "v4")
    page.change("#fn", "")
    before = page.run(lines)
    page.click("button.fold")
    assert page.step == "v2 → v4" and before < page.run(lines)
    page.driver.back()
    page.until("location.hash.includes('fn=mmm_1')")


FRAGMENTS = [
    ("#a=v99&b=v7", "v6 → v7", "There is no snapshot “v99” here; this is v6."),
    ("#level=O2&view=c", "v2 → v4", "There is no level “O2” here; this is O1."),
    ("#b=v4&fn=zzz", "v2 → v4", "“zzz” has no code in v2 or v4; all is shown."),
    (
        "#b=v4&view=asm&level=O3&fn=add",
        "v2 → v4",
        "“add” has no code of its own (it may be",
    ),
    ("#x=1", "v2 → v4", "“x” in the address means nothing here."),
]


@pytest.mark.parametrize(("fragment", "step", "note"), FRAGMENTS)
def test_bad_fragment_is_named_and_something_shown(page, fragment, step, note) -> None:
    page.open(fragment)
    assert page.text("#notes").startswith(note)
    assert page.step == step and (
        page.texts("#code h2.file") or page.text("#identical")
    )


def test_flame_graphs_show_both_sides_and_lead_to_code(page: Page) -> None:
    """The widths add up; a frame that is pressed becomes the whole; its text leads to its code."""
    page.open("#b=v4&level=O0")
    assert page.texts(".frame") == []
    page.press("f")
    page.until("document.querySelectorAll('.frames').length === 2")
    totals = page.texts(".whose-frames")
    assert [total.split()[0] for total in totals] == ["v2", "v4"]
    narrow = """const [top, ...rest] = document.querySelectorAll(".frames:last-of-type .frame");
        const left = [...rest].filter((frame) => frame.style.top === "24px");
        const sum = left.reduce((all, frame) => all + parseFloat(frame.style.width), 0);
        return [parseFloat(top.style.width), sum]"""
    whole, callees = page.run(narrow)
    assert whole == 100 and 99 < callees <= 100
    page.click(".frames:last-of-type .frame[aria-label^='mmm_1']")
    pressed = page.run("return document.activeElement.style.width")
    assert pressed == "100%"
    page.click(".about-frame a")
    assert "fn=mmm_1" in page.fragment


def test_keys_go_to_differences_and_hot_lines(page: Page) -> None:
    cursor = "return document.querySelector('tr.cursor').textContent"
    focused = "return Number(document.activeElement.dataset.total)"
    page.open("#a=v4&b=v5&level=O3&view=c&all=1")
    page.all()
    page.press("n")
    first = page.run(cursor)
    mark = page.run("return [...document.querySelectorAll('tr.cursor a.mark')].pop()")
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
    cursor = "tr.cursor .code"
    for fragment, text in (
        ("#a=v4&b=v5&level=O3&view=c&all=1", "if (xi)"),
        ("#a=v7&b=v8&level=O1&view=asm&all=1", "umaal"),
    ):
        page.open(fragment)
        page.all()
        link = (
            "[...document.querySelectorAll('#code tr')].findLast((tr) => tr.textContent"
        )
        page.run(
            f"{link}.includes(arguments[0])).querySelector('td:nth-last-child(2) a.mark').click()",
            text,
        )
        page.settle()
        named = page.fragment.replace("&all=1", "")
        page.open(named)
        assert (
            "&line=b:" in named
            and text in page.texts(cursor)[-1]
            and page.text("#notes") == ""
        )
    page.open("#b=v4&line=b:rsa.c:999")
    assert "no line “b:rsa.c:999” here" in page.text("#notes")


def test_a_text_filters_lines(page: Page) -> None:
    page.open("#a=v7&b=v8&level=O1&view=asm")
    page.press("/")
    assert page.run("return document.activeElement.id") == "find"
    page.press("umaal")
    page.until("location.hash.endsWith('&find=umaal')")  # no Enter
    page.all()
    visible = page.texts("#code .code")
    assert (
        sum(text.startswith("umaal") for text in visible) == 28
        and len(visible) <= 2 * 28
    )
    assert "28 lines" in page.text("#found") and "10,976" in page.text("#found")
    page.press("\ue00c")
    assert "find" not in page.fragment and page.text("#found") == ""
    page.press("?")
    assert page.run("return document.getElementById('keys').open")


@pytest.mark.parametrize(
    ("layout", "width"),
    mostly_long(
        [("side-by-side", 1440), ("line-by-line", 1200)], [("side-by-side", 1440)]
    ),
)
def test_lines_are_linked_in_both_directions(
    page: Page, layout: str, width: int
) -> None:
    fragment = f"#a=v4&b=v5&level=O3&fn=mmm&layout={layout}"
    page.open(f"{fragment}&view=c", width=width)
    page.run("""[...document.querySelectorAll("button.count")].find((count) =>
        count.side.label === "v5" && count.line.text.includes("limb & 1")).focus()""")
    assert page.texts("#other tr.linked") and page.texts("#code td.linked")
    assert "limb & 1" in "".join(page.texts("#code td.linked"))
    point = """const row = document.querySelector("#other tr.linked").nextSibling.firstChild;
        row.dispatchEvent(new MouseEvent(arguments[0], {bubbles: true}))"""
    page.run(point, "mouseover")
    assert page.texts("#code td.linked")
    page.run(point, "click")
    assert page.texts("#code tr.cursor td.linked")
    page.open(f"{fragment}&view=asm", width=width)
    page.all()
    assert any("limb" in text for text in page.texts("#other td.text"))
    page.open("#a=v4&b=v5&level=O3&view=asm&fn=mmm", width=1190)
    assert (
        page.run("return getComputedStyle(document.getElementById('other')).display")
        == "none"
    )


def test_paper_has_colours_and_no_controls(page: Page) -> None:
    page.open("#b=v5")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    style = (
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    )
    shown = [
        page.run(style, what, "display")
        for what in ("body > header", "#picker", "#keys")
    ]
    colours = page.run(style, "body", "printColorAdjust")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == ["none"] * 3 and colours == "exact"


@pytest.mark.long
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_axe_finds_nothing_serious(page: Page, width: int, dark: bool) -> None:
    page.open("#b=v5", width=width, dark=dark)
    page.press("f", "h")
    assert page.texts(".frame") and axe.violations(page.driver) == []
