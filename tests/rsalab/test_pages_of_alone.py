"""What the pages of studies/alone say of another rung, of a source, and of code that gcc makes:
no claim can test that."""

import re
import subprocess
from pathlib import Path

import pytest
from needs import needs

from records import ladder
from records.ladder import ROOT
from records.published import read_csv
from records.results import Results, load
from rsalab import markdown
from rsalab.steps import claims
from rsalab.steps.spent import compared

COMPILER = ["arm-linux-gnueabihf-gcc", "-std=c11", "-marm", "-march=armv7-a"]
FLAGS = ["-mfpu=neon-vfpv4", "-mfloat-abi=hard", "-DWIDTH=128", "-c"]
OBJDUMP = ["arm-linux-gnueabihf-objdump", "-d", "--no-show-raw-insn"]
PRODUCT = 'own("mont_mul:instructions")'


@pytest.fixture(scope="module")
def reference() -> Results:
    return load("results/qemu-gcc12")


def said(name: str, paragraph: str) -> str:
    """Return a paragraph of a page, in one line."""
    return " ".join(markdown.parts(ladder.find(name, "alone"))[paragraph].split())


def product(results: Results, study: str, name: str, level: str) -> float:
    """Return the instructions of one call of `mont_mul`."""
    made = compared(results, ladder.find(name, study), level)
    return claims.value(PRODUCT, made)


def code(folder: str, level: str, out: Path) -> dict[str, str]:
    """Return the instructions of each function of a program in C, as gcc makes them."""
    source = ROOT / folder / "rsa.c"
    made = out / "rsa.o"
    command = [*COMPILER, *FLAGS, f"-{level}", source, "-o", made]
    subprocess.run(command, check=True)
    listed = subprocess.check_output([*OBJDUMP, made], text=True)
    parts = re.split(r"^[0-9a-f]+ <([\w.]+)>:$", listed, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def published(table: str, row: str, column: str) -> float:
    """Return a number of a source's table; its rows are named by their first cells."""
    for cells in read_csv(f"{table}.csv"):
        if row == next(iter(cells.values())):
            return float(cells[column])
    raise KeyError(row)


def test_what_v2_gains_beyond_pointers(reference: Results) -> None:
    factors = []
    for level in ladder.LEVELS:
        pointers = product(reference, "alone", "limbs-by-pointer", level)
        values = product(reference, "iterations", "v2", level)
        factors.append(f"{pointers / values:.2f}")
    first, second, third = factors
    text = said("limbs-by-pointer", "What came of it")
    assert f"further factors of {first}, {second} and {third} with gcc 12" in text


def test_what_dirk_gains_by_hand() -> None:
    instructions = {}
    for column in ("optimized C", "optimized asm", "O3 optimized C"):
        instructions[column] = published("dirk-2019-perf", "instructions", column)
    by_hand = instructions["optimized asm"]
    gain = instructions["optimized C"] / by_hand
    less = 100 * (by_hand - instructions["O3 optimized C"]) / by_hand
    text = said("bit-serial-assembly", "The source says")
    assert f"{gain:.2f} times fewer" in text
    assert f"{less:.0f} per cent fewer than his assembly" in text


@needs("arm-linux-gnueabihf-gcc")
@pytest.mark.parametrize("level", ["O1", "O3"])
def test_counting_down_makes_the_same_code(level: str, tmp_path: Path) -> None:
    down = code("studies/alone/count-down-only", level, tmp_path)
    assert down == code("iterations/v4", level, tmp_path)


@needs("arm-linux-gnueabihf-gcc")
def test_gcc_has_a_product_with_one_in_both_programs(tmp_path: Path) -> None:
    """v2 calls `mmm` three times in `mod_mul`: the fourth product is inside."""
    combined = code("studies/alone/mmm-me-combined", "O3", tmp_path)
    assert "mmm.constprop.0" in combined
    named = code("iterations/v2", "O3", tmp_path)
    assert "mmm.constprop.0" not in named
    calls = re.findall(r"\bbl\t\w+ <mmm>", named["mod_mul"])
    assert len(calls) == 3
