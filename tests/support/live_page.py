"""The live page in a browser: what tests do with it."""

import time
from typing import Any

from hangs import wait_until


def wait(driver: Any) -> str:
    """Return what the page says when the run has ended."""
    waits = ("Loading ...", "Running ...")

    def verdict() -> str:
        return str(driver.find_element("id", "verdict").text)

    wait_until(lambda: verdict() not in waits, "the run ends")
    return verdict()


def answered(driver: Any) -> None:
    """Wait until the worker owes no answer."""
    script = "return !busy && questions.length == 0"
    wait_until(lambda: driver.execute_script(script), "the worker answers")


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
