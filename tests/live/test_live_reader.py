"""The live page for readers of every kind: by keyboard alone, with names for a screen reader, and on
narrow screens."""

from itertools import product
from typing import Any

import pytest
from axe import violations
from live_page import answered, choose
from needs import needs
from representatives import mostly_long

pytestmark = needs("arm-linux-gnueabihf-gcc")
WIDTHS = (1440, 900, 390)  # pixels


def press(page: Any, *keys: str) -> str:
    """Press keys, one after another; return the id of what has the focus then."""
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(page).send_keys(key).perform()
    return str(page.execute_script("return document.activeElement.id"))


def test_the_keyboard_alone_goes_through_the_page(live: Any) -> None:
    from selenium.webdriver import Keys

    choose(live, "v8", "O1")
    live.execute_script("$('text').focus()")
    assert press(live, Keys.TAB) != "text"  # Tab leaves the editor
    live.execute_script("$('text').focus()")
    assert press(live, Keys.ESCAPE) == "forward"
    for key in ("r", "n"):
        press(live, key)
        answered(live)
    assert live.execute_script("return state.line") == 109
    assert press(live, "e") == "text"
    press(live, Keys.ESCAPE, "?")
    assert live.execute_script("return $('keys').open")
    press(live, Keys.ESCAPE)
    assert not live.execute_script("return $('keys').open")


def test_keys_that_are_pressed_fast_are_not_lost(live: Any) -> None:
    """All of them are pressed while the worker runs the vectors; the run's answer comes, too."""
    choose(live, "v8", "O1")
    for key in ("r", "n", "n", "b", "l", "n"):
        press(live, key)
        answered(live)
    slow = live.execute_script("return state")
    press_all = """
        run();
        for (const key of "srnnbln") {
          document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    live.execute_script(press_all)
    answered(live)
    assert live.execute_script("return state") == {**slow, "run": None}
    assert live.find_element("id", "verdict").text.startswith("Right")


@pytest.mark.parametrize(
    ("rung", "scheme"),
    mostly_long(product(("v3", "v8", "lab7"), ("light", "dark")), [("v8", "dark")]),
)
def test_a_screen_reader_finds_names(live: Any, rung: str, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    live.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    choose(live, rung, "O1")
    live.execute_script("step('row')")
    answered(live)
    assert violations(live) == []


@pytest.mark.parametrize("width", mostly_long(WIDTHS, [390]))
def test_nothing_is_wider_than_the_window(live: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    live.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for rung in ("v3", "v8", "lab9"):
        choose(live, rung, "O3")
        live.execute_script("step('row')")
        answered(live)
        wide = live.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width
    live.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_colours_stand_behind_their_letters(live: Any) -> None:
    """What is drawn is the text, letter by letter, where the text area has it."""
    for rung, level in (("v8", "O1"), ("v7", "O3")):
        choose(live, rung, level)
        drawn, text = live.execute_script(
            "return [$('colours').textContent, $('text').value]"
        )
        assert drawn.strip("\n") and drawn.rstrip("\n") in text
        box, line = live.execute_script(
            "return [$('text').scrollHeight / lines.length, LINE]"
        )
        assert abs(box - line) < 0.05
