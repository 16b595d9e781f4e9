"""The live page in a browser: what tests do with it."""

import time
from typing import Any

SECONDS = 60


def wait(driver: Any) -> str:
    """Return what the page says when the run has ended."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        text = str(driver.find_element("id", "verdict").text)
        if text not in ("Loading ...", "Running ..."):
            return text
        time.sleep(0.02)
    raise AssertionError("the run does not end")


def answered(driver: Any) -> None:
    """Wait until the worker owes no answer."""
    end = time.monotonic() + SECONDS
    while driver.execute_script("return busy || questions.length > 0"):
        assert time.monotonic() < end, "the worker does not answer"
        time.sleep(0.01)


def choose(driver: Any, rung: str, level: str) -> str:
    """Show a rung as it was, wait for its run, and return its text."""
    script = "localStorage.clear(); choose(arguments[0], arguments[1]);"
    driver.execute_script(script, rung, level)
    answered(driver)
    return str(driver.execute_script("return document.getElementById('text').value"))


def edit(driver: Any, text: str) -> None:
    """Put another text in its place, and wait for its run."""
    driver.execute_script("setText(arguments[0]); run();", text)
    answered(driver)
    time.sleep(0.02)
    answered(driver)
