"""The live page in a browser: it counts what the reference says, and names what is wrong."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from explorer_page import browser
from needs import needs, require

from records import ladder
from records.ladder import LEVELS, ROOT
from records.results import load, reference
from rsalab.live import page

pytestmark = needs("arm-linux-gnueabihf-gcc")
CELLS = [(rung.name, level) for rung in ladder.snapshots() for level in LEVELS]
METRICS = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
SECONDS = 60


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page, opened from the disk in a folder whose name has a space."""
    require("chromium", "chromedriver", "python:selenium")
    if not (ROOT / "build/flags").exists():
        pytest.skip("nothing is built here; `make check`")
    out = tmp_path_factory.mktemp("a folder") / "live.html"
    out.write_text(page.build(), encoding="utf-8")
    driver = browser()
    driver.get(out.as_uri())
    wait(driver)
    yield driver
    driver.quit()


def wait(driver: Any) -> str:
    """Return what the page says when the run has ended."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        text = str(driver.find_element("id", "verdict").text)
        if text not in ("Loading ...", "Running ..."):
            return text
        time.sleep(0.02)
    raise AssertionError("the run does not end")


def run(driver: Any, rung: str, level: str, old: str = "", new: str = "") -> str:
    """Return the verdict on a rung, of which a part is replaced."""
    driver.execute_script("localStorage.clear(); choose(arguments[0], arguments[1]);", rung, level)
    if not old:
        return wait(driver)
    text = driver.execute_script("return document.getElementById('text').value")
    assert old in text
    changed = text.replace(old, new, 1)
    driver.execute_script("document.getElementById('text').value = arguments[0]; run();", changed)
    return wait(driver)


@pytest.mark.parametrize(("rung", "level"), CELLS)
def test_counts_are_those_of_the_reference(live: Any, rung: str, level: str) -> None:
    results = load(reference())
    compiled = (ROOT / "build/flags").read_text().splitlines()[0]
    if compiled != results.machine["compiler"]:
        pytest.skip("another compiler than the reference's")
    assert run(live, rung, level).startswith("Right")
    sums = live.execute_script("return counts.sums")
    means = results.means("iterations", rung, level, "mont_mul")
    assert {metric: sums[metric] for metric in METRICS} == pytest.approx(
        {metric: means.get(metric) or 0 for metric in METRICS}
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("umaal", "umlal", "Wrong at vector 1. x = "),
        ("adcs", "adds", "right  "),
        ("umull", "umoll", "umoll"),
        ("ldr     yj, [y]", "ldr     yj, [x0]", "an access to 0x"),
        ("ldr     yj, [y]", "9: b 9b", "a loop without end"),
        ("ldr     yj, [y]", "b       mont_mul", "nothing is that this program may touch"),
        ("ldr     yj, [y]", "udf     #0", "line"),
        (".global mont_mul", "", "Right"),
        ("mont_mul:", "mont_mol:", "mont_mul"),
    ],
)
def test_what_is_wrong_is_named(live: Any, old: str, new: str, says: str) -> None:
    assert says in run(live, "v8", "O1", old, new)


def test_a_register_that_is_not_restored_is_named(live: Any) -> None:
    old = "pop     {r0, r3, r4-r11, pc}"
    verdict = run(live, "v8", "O1", old, "pop {r0, r3, r4-r11, lr}\n add r4, r4, #1\n bx lr")
    assert "r4 is not as it was before the call" in verdict


def test_steps_go_forward_and_back(live: Any) -> None:
    run(live, "v8", "O1")

    def step(how: str) -> Any:
        live.execute_script("state_before = state; step(arguments[0])", how)
        time.sleep(0.3)
        return live.execute_script("return state")

    first = step("start")
    second = step("forward")
    assert (first["steps"], second["steps"]) == (0, 1)
    assert step("back")["core"] == first["core"]
    assert "r0" in live.find_element("id", "state").text


def test_the_page_asks_nothing_of_a_network(live: Any) -> None:
    policy = page.build().partition("Content-Security-Policy")[2].partition(">")[0]
    assert "default-src 'none'" in policy and "http" not in policy
    loaded = live.execute_script("return performance.getEntriesByType('resource').length")
    assert loaded == 0


def test_the_interpreter_is_what_its_command_makes(tmp_path: Path) -> None:
    require("clang", "wasm-ld")
    committed = (page.HERE / "interpreter.wasm").read_bytes()
    subprocess.run(["make", "live-wasm"], cwd=ROOT, check=True, capture_output=True)
    made = (page.HERE / "interpreter.wasm").read_bytes()
    (page.HERE / "interpreter.wasm").write_bytes(committed)
    assert made == committed
