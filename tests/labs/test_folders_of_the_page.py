"""What the live page offers as a folder is what `make grade` takes."""

import csv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from explorer_page import browser
from handed_in import tree
from hangs import wait_until
from needs import needs, require
from two_rungs import make

from labs import box, grade, lab
from labs.lab import Lab
from records.ladder import ROOT
from rsalab.live import page

pytestmark = [needs("arm-linux-gnueabihf-gcc"), pytest.mark.slow]
PREDICTION = "O0 0.5..1 mod_exp\nO1 1..1.5 mont_mul\nO3 3..4 mont_mul"
BEGIN = """
const [name, done] = [arguments[0], arguments[1]];
localStorage.clear();
choose(name, "O1");
done();"""
FOLDER = """
const [text, prediction, done] = arguments;
$("text").value = text;
$("predict").value = prediction;
folder().arrayBuffer().then((all) => done([...new Uint8Array(all)]));"""
DONE = """
return !["Loading ...", "Running ..."].includes($("verdict").textContent)"""


def wait(driver: Any) -> None:
    """Wait until the page has its verdict."""
    wait_until(lambda: driver.execute_script(DONE), "the page has its verdict")


def packed(driver: Any, exercise: Lab) -> bytes:
    """Return the page's ZIP file with the solution as the answer."""
    driver.execute_async_script(BEGIN, f"lab{exercise.number}")
    wait(driver)
    file = driver.execute_script("return shown.cell.file")
    answer = exercise.solution()[file]
    return bytes(driver.execute_async_script(FOLDER, answer, PREDICTION))


@pytest.mark.skipif(bool(box.why_no_sandbox()), reason=box.why_no_sandbox())
def test_folders_of_the_page_are_graded(tmp_path: Path) -> None:
    """An answer in assembly of four limbs, one in C, and one in assembly of six."""
    require("chromium", "chromedriver", "python:selenium")
    if not (ROOT / "build/flags").exists():
        pytest.skip("nothing is built here; `make check`")
    live = tmp_path / "live.html"
    live.write_text(page.build(["v8"]), encoding="utf-8")
    student = tmp_path / "submissions/anna"
    driver = browser()
    try:
        driver.get(live.as_uri())
        wait(driver)
        for number in ("7", "8", "9"):
            archive = tmp_path / f"{number}.zip"
            archive.write_bytes(packed(driver, lab.find(number)))
            with zipfile.ZipFile(archive) as files:
                files.extractall(student)
    finally:
        driver.quit()
    ran = make(tree(tmp_path / "lab"), "grade", f"DIR={student.parent}", "LEVELS=O1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with (student.parent / grade.GRADES).open() as file:
        rows = list(csv.DictReader(file))
    found = {row["lab"]: (row["status"], row["predicted"]) for row in rows}
    assert found == {lab.find(number).name: ("right", "3") for number in "789"}
