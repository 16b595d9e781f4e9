"""studies/limit/crt: right, of constant time, as long as its page says; planted bugs are seen."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from clone import Clone
from needs import needs

from records.faults import Failure
from records.ladder import ROOT
from studies.limit.crt import stalls

pytestmark = [
    needs("arm-linux-gnueabihf-gcc", "python:elftools", "python:unicorn"),
    pytest.mark.slow,
]
STUDY, GOAL = "studies/limit/crt", "build/studies/limit/crt/crt"
spec = importlib.util.spec_from_file_location("crt", ROOT / STUDY / "crt.py")
assert spec and spec.loader
crt = importlib.util.module_from_spec(spec)
spec.loader.exec_module(crt)

BUGS = {
    "a carry is not subtracted": ("adc     q, \\t1, #0", "mov     q, #0"),
    "half of n is subtracted": ("mla     \\z\\()1, m1, q, \\z\\()1", "nop"),
    "a carry between rows is lost": ("adcs    \\z\\()1, ", "adds    \\z\\()1, "),
    "a sum beyond R is below p": ("sbcs    \\top, \\top, #0", "nop"),
    "z_p below z_q": ("sbc     t0, t0, t0", "mov     t0, #0"),
    "a half byte is another": ("mask    d2, \\k + 0", "mask    d2, \\k + 1"),
    "r11 is lost": ("        pop     {r4-r11, pc}", "        mov     r11, #0\n        bx      lr"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_clone.copy(tmp_path_factory.mktemp("limit") / "lab").path


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What traces is that of the folder."""
    monkeypatch.chdir(folder)


def built(folder: Path, old: str = "", new: str = "") -> Path:
    """The program, or one with another text in its assembly."""
    source = folder / STUDY / "crt.S"
    text = source.read_text()
    assert not old or text.count(old) == 1
    source.write_text(text.replace(old, new) if old else text)
    try:
        subprocess.run(
            ["make", GOAL, "build/trace.so"], cwd=folder, check=True, capture_output=True
        )
        return Path(shutil.copy(folder / GOAL, folder / "build/crt"))
    finally:
        source.write_text(text)


def test_it_is_right_and_as_long_as_its_page_says(folder: Path) -> None:
    program = crt.Program(built(folder))
    assert crt.check(program, 1, 50) > 2000
    ((spent, _),) = {(trace.instructions, trace.hash) for trace in crt.secrets(program, 2)}
    said = re.findall(
        r"([\d,]+) instructions from c to m", (ROOT / STUDY / "README.md").read_text()
    )
    assert said == [f"{spent:,}"]


def test_the_page_shows_the_stalls(folder: Path) -> None:
    table = stalls.table(built(folder))
    assert f"```text\n{table}\n```" in (ROOT / STUDY / "README.md").read_text()
    assert sorted(stalls.BEFORE) == [*range(stalls.LENGTH)]


def test_the_stalls_by_hand() -> None:
    """umaal r0, r1, r2, r3; then r0 is added to, r1 is added to, or r0 is a factor."""
    first, (arm1176, r5) = 0xE0410392, stalls.CORES
    for second, wanted in ((0xE0440592, (6, 4)), (0xE0414592, (8, 4)), (0xE0445092, (8, 6))):
        found = stalls.cycles([first, second], arm1176), stalls.cycles([first, second], r5)
        assert found == wanted, hex(second)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_seen(folder: Path, bug: str) -> None:
    with pytest.raises(Failure):
        crt.check(crt.Program(built(folder, *BUGS[bug])), 1, 100)
