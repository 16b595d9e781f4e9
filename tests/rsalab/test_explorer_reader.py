"""The diff explorer's page in headless Chromium: what a reader can do with it."""

from __future__ import annotations

import re

import pytest
from clone import Clone
from explorer_page import STATIC, Page
from needs import needs

from records import ladder

pytestmark = needs("chromium", "chromedriver", "python:selenium", "localhost")


def test_picker_changes_code_and_address(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    page.change("#b", "v5")
    assert page.fragment == "#a=v2&b=v5&level=O1&view=c" and page.step == "v2 → v5"
    assert "Not a step of the walk" in page.text("#step")
    assert any("limb" in line for line in page.code(1, "ins"))
    page.change("#a", "v4")
    assert page.step == "v4 → v5" and "Not a step" not in page.text("#step")
    page.click("input[value=O0]")
    page.click("input[value=asm]")
    assert page.fragment == "#a=v4&b=v5&level=O0&view=asm"
    assert any(line.startswith("ldr") for line in page.code(1, "ins"))
    page.change("#fn", "mmm_1")
    assert page.fragment.endswith("&fn=mmm_1") and page.texts("h2.file .name") == ["mmm_1"]
    page.click("input[value=c]")
    assert page.texts("h2.file .name") == ["rsa.c"]
    assert "static nat mmm_1(nat y, nat n)" in page.code(1, "cntx") + page.code(1, "ins")
    assert not any("mod_exp" in line for line in page.code(0, "cntx") + page.code(1, "ins"))
    page.change("#steps", "v3")
    assert page.step == "v2 → v3"
    page.run("history.back()")
    page.settle()
    assert page.step == "v4 → v5"


def test_keys_walk_the_steps(page: Page, explored: Clone) -> None:
    page.open()
    walked = [page.step]
    while not page.run("return document.getElementById('next').disabled"):
        page.press("j")
        walked.append(page.step)
    rungs = ladder.snapshots(root=explored.path)
    steps = [f"{rung.parent} → {rung.name}" for rung in rungs if rung.parent]
    assert walked == [*steps, f"v4 → {STATIC}"]
    page.press("k", "k")
    assert page.step == steps[-2]
    page.press("\ue014")
    assert page.step == steps[-1]
    page.press("\ue012", "\ue012")
    assert page.step == steps[-3]
    page.open("#a=v0&b=v8")
    page.press("j")
    assert page.step == steps[-1]


@pytest.mark.parametrize(
    ("fragment", "step", "note"),
    [
        ("#a=v99&b=v7", "v6 → v7", "There is no snapshot “v99” here; this is v6."),
        ("#a=v2&b=<b>", "v2 → v3", "There is no snapshot “<b>” here; this is v3."),
        ("#level=O2&view=c", "v0 → v1", "There is no level “O2” here; this is O1."),
        ("#view=pdf", "v0 → v1", "There is no view “pdf” here; this is c."),
        ("#b=v4&fn=zzz", "v2 → v4", "“zzz” has no code in v2 or v4; all is shown."),
        ("#b=v4&view=asm&level=O3&fn=add", "v2 → v4", "“add” has no code of its own (it may be"),
        ("#x=1", "v0 → v1", "“x” in the address means nothing here."),
        ("#%", "v0 → v1", "“%” in the address means nothing here."),
    ],
)
def test_bad_fragment_is_named_and_something_shown(
    page: Page, fragment: str, step: str, note: str
) -> None:
    page.open(fragment)
    assert page.text("#notes").startswith(note)
    assert page.step == step and (page.texts("#code h2.file") or page.text("#identical"))


@pytest.mark.parametrize(
    ("fragment", "dark"),
    [
        ("", True),
        ("#a=v0&b=v1&level=O0&view=asm", False),
        (f"#a=v4&b={STATIC}&level=O3", True),
        ("#a=zzzzzz", False),
    ],
)
def test_telephone(page: Page, fragment: str, dark: bool) -> None:
    page.open(fragment, width=390, dark=dark)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    assert page.run("return document.getElementById('code').className").startswith("line-by-line")
    back = "return getComputedStyle(document.body).backgroundColor"
    before = page.run(back)
    assert (int(before.partition("(")[2].partition(",")[0]) < 128) == dark
    page.click("#theme")
    assert page.run(back) != before
    if page.texts(".d2h-ins"):
        assert page.texts(".count[data-total]")


def test_layout_can_be_chosen(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    assert page.texts(".d2h-file-side-diff") and not page.texts(".d2h-file-diff")
    page.click("input[value=line-by-line]")
    assert page.texts(".d2h-file-diff") and not page.texts(".d2h-file-side-diff")
    assert page.fragment.endswith("&layout=line-by-line")
    marks = (
        "return [...document.querySelectorAll('tbody tr')].map((row) =>"
        " [...row.querySelectorAll('.mark')].map((e) => e.textContent).join())"
    )
    assert {"25,25", ",30"} <= set(page.run(marks))


def test_controls_have_names_and_panes_the_focus(page: Page) -> None:
    page.open("#a=v2&b=v4&level=O1&view=c")
    unnamed = """return [...document.querySelectorAll("select, input, button, [role=region]")]
        .filter((e) => !(e.labels || []).length && !e.getAttribute("aria-label")
            && !e.textContent.trim()).map((e) => e.outerHTML)"""
    assert page.run(unnamed) == []
    assert page.run("return document.querySelector('[role=region]').tabIndex") == 0
    page.click(".count[data-total]")
    assert re.search(r"[0-9]+ round trips", page.text("#detail"))
