"""What the live page offers as a folder is what `make lab` and `make grade` take, with one verdict."""

import csv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hangs import wait_until
from needs import needs
from one_verdict import by_grade, by_lab, spoilt

from labs import box, grade, lab
from labs.lab import Lab
from records.ladder import ROOT
from rsalab.live import page

pytestmark = [needs("arm-linux-gnueabihf-gcc"), pytest.mark.long]
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


def packed(driver: Any, exercise: Lab, number: int) -> bytes:
    """Return the page's ZIP file with the solution as the answer, of another number than 0 a spoilt
    one."""
    driver.execute_async_script(BEGIN, f"lab{exercise.number}")
    wait(driver)
    file = driver.execute_script("return shown.cell.file")
    answer = {file: exercise.solution()[file]}
    if number:
        answer = spoilt(answer, number)
    return bytes(driver.execute_async_script(FOLDER, answer[file], PREDICTION))


@pytest.mark.skipif(bool(box.why_no_sandbox()), reason=box.why_no_sandbox())
def test_folders_of_the_page_are_graded(
    tmp_path: Path, checkout: Path, driver: Any
) -> None:
    """An answer in assembly of four limbs, one in C, and one in assembly of six."""
    if not (ROOT / "build/flags").exists():
        pytest.skip("nothing is built here; `make check`")
    live = tmp_path / "live.html"
    live.write_text(page.build(["v8"]), encoding="utf-8")
    root = tmp_path / "submissions"
    driver.get(live.as_uri())
    wait(driver)
    for exercise in map(lab.find, "789"):
        for number in range(3):
            archive = tmp_path / f"{number}.zip"
            archive.write_bytes(packed(driver, exercise, number))
            with zipfile.ZipFile(archive) as files:
                files.extractall(root / f"{exercise.number}-{number}")
    found = by_grade(checkout, root)
    assert by_lab(checkout, root) == found and len(found) == 9
    with (root / grade.GRADES).open() as file:
        for row in csv.DictReader(file):
            if row["student"] == f"{int(row['lab'][:2])}-0":
                assert (row["status"], row["predicted"]) == ("right", "3")
