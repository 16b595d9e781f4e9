"""What the rungs' pages say of other levels, compilers and cores, where no claim can:
their counts are not in the reference results."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from needs import absent

from records import ladder
from records.faults import first_line
from records.ladder import LADDER, ROOT
from records.results import load
from records.rows import read_rows
from rsalab import markdown

GCC = ["arm-linux-gnueabihf-gcc"]
CLANG = ["clang", "--target=arm-linux-gnueabihf"]
FLAGS = "-std=c11 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard -c".split()
OBJDUMP = ["arm-linux-gnueabihf-objdump", "-d", "--no-show-raw-insn"]


def said(rung: str) -> str:
    """Return what a page says of compilers and cores, in one line."""
    paragraph = markdown.parts(ladder.find(rung))["Compilers and cores"]
    return " ".join(paragraph.split())


def functions(
    rung: str, level: str, compiler: list[str], folder: Path, *flags: str
) -> dict[str, list[str]]:
    """Return the instructions of each function of a rung, as a compiler makes them."""
    made = folder / "rsa.o"
    source = ROOT / LADDER / rung / "rsa.c"
    include = f"-I{ROOT / 'harness'}"
    command = [*compiler, *FLAGS, f"-{level}", include, *flags, source, "-o", made]
    subprocess.run(command, check=True)
    listed = subprocess.run(
        [*OBJDUMP, made], check=True, capture_output=True, text=True
    )
    parts = re.split(r"^[0-9a-f]+ <(\w+)>:$", listed.stdout, flags=re.M)
    bodies = [re.findall(r"^ +[0-9a-f]+:\t(.*)$", part, re.M) for part in parts[2::2]]
    return dict(zip(parts[1::2], bodies))


def calls(body: list[str]) -> Counter[str]:
    """Return how often the code of a function calls each other one."""
    found = [re.match(r"bl\t\w+ <(\w+)>", one) for one in body]
    return Counter(one[1] for one in found if one)


def counted(compiler: str, rung: str, level: str, case: str = "mont_mul") -> float:
    """Return instructions an operation, as `make compilers` counted them."""
    asked = (
        "select value, n from counts where metric = 'instructions'"
        f" and snapshot = '{rung}' and level = '{level}' and workload = '{case}'"
    )
    folder = ROOT / f"results/compilers/qemu-{compiler}"
    ((value, operations),) = load(folder, counted=False).query(asked)
    return value / operations


def loops(rung: str, level: str, compiler: list[str], folder: Path) -> int:
    """Return how many branches of a rung's mmm lead back to what stands before them."""
    functions(rung, level, compiler, folder)
    listed = subprocess.run(
        [*OBJDUMP, folder / "rsa.o"], check=True, capture_output=True, text=True
    )
    body = listed.stdout.partition("<mmm>:\n")[2].partition("\n\n")[0]
    jumps = re.findall(r"^ +(\w+):\tb(?!lx?\b)\w*\t(\w+) <", body, re.M)
    return sum(int(target, 16) < int(at, 16) for at, target in jumps)


def gain_at_os(compiler: str, parent: str, rung: str) -> float:
    """Return how many times fewer instructions a round trip of a rung takes at -Os."""
    before, after = (
        counted(compiler, one, "Os", "roundtrip-small") for one in (parent, rung)
    )
    return before / after


def of_core(
    core: str, snapshot: str, level: str, workload: str, metric: str, symbol="total"
) -> dict:
    """Return the row of a core's cycles.csv with a metric of a rung."""
    wanted = {"study": LADDER, "snapshot": snapshot, "level": level}
    wanted |= {"workload": workload, "metric": metric, "symbol": symbol}
    rows = read_rows(ROOT / f"results/core-{core}/cycles.csv")
    (found,) = [row for row in rows if wanted.items() <= row.items()]
    return found


def gcc_12() -> bool:
    """Return whether this machine's cross compiler is that of the pages' numbers."""
    return not absent(*GCC) and first_line(*GCC, "-dumpfullversion").startswith("12.2")


of_gcc = pytest.mark.skipif(not gcc_12(), reason="the page speaks of gcc 12")


@of_gcc
def test_v7_at_os_calls_what_is_inlined_at_the_other_levels(tmp_path: Path) -> None:
    made = functions("v7", "Os", GCC, tmp_path)
    assert calls(made["mmm"]) == {"add_multiple": 4, "reduce": 4}
    assert calls(made["reduce"]) == {"add_multiple": 1}
    row, reduction = len(made["add_multiple"]), len(made["reduce"])
    assert f"with {row} and {reduction} instructions a call" in said("v7")
    assert f"at -Os (x{gain_at_os('gcc12', 'v6', 'v7'):.1f})" in said("v7")
    product = f"{8 * row + 4 * reduction} of its {counted('gcc12', 'v7', 'Os'):.0f}"
    assert product in said("v7")
    for level in ("O1", "O2", "O3"):
        inlined = functions("v7", level, GCC, tmp_path)
        assert not {"add_multiple", "reduce"} & set(inlined)


def test_v7_on_vexriscv_waits_for_its_caches() -> None:
    """Its cycles and its misses, by level and rung, of a round trip."""
    trips, misses = {}, {}
    for rung, level in (("v6", "O3"), ("v7", "O3"), ("v7", "O1")):
        of = ("vexriscv", rung, level, "roundtrip", "cycles")
        trips[rung, level] = of_core(*of)["value"]
        misses[rung, level] = of_core(*of, "miss")["value"]
    for level, lead in (("O3", "On VexRiscv at -O3 "), ("O1", "at -O1 ")):
        share = 100 * misses["v7", level] / trips["v7", level]
        assert f"{lead}{share:.0f} per cent" in said("v7")
    v6, v7 = (trips[rung, "O3"] - misses[rung, "O3"] for rung in ("v6", "v7"))
    assert f"would gain x{v6 / v7:.1f} at -O3" in said("v7")


def test_v5_gains_most_with_clang_at_os(tmp_path: Path) -> None:
    v4, v5 = (counted("clang14", rung, "Os") for rung in ("v4", "v5"))
    called = v4 - counted("clang14", "v4", "O1")
    assert 0.4 * (v4 - v5) < called < 0.5 * (v4 - v5)
    assert f"clang 14 gains x{gain_at_os('clang14', 'v4', 'v5'):.2f}" in said("v5")
    if absent(CLANG[0]) or "version 14." not in first_line(*CLANG, "--version"):
        pytest.skip("the page speaks of clang 14")
    assert calls(functions("v4", "Os", CLANG, tmp_path)["mmm"])["shr"] == 1
    for rung, level in (("v4", "O1"), ("v4", "O3"), ("v5", "Os")):
        assert not calls(functions(rung, level, CLANG, tmp_path)["mmm"])["shr"]


def test_v5_in_the_instructions_of_the_cortex_m4() -> None:
    for level in ("O1", "O3"):
        v4, v5 = (
            of_core("cortex-m4", rung, level, "roundtrip-small", "instructions")[
                "value"
            ]
            for rung in ("v4", "v5")
        )
        assert f"x{v4 / v5:.2f} at -{level}" in said("v5")


def test_clang_unrolls_the_loops_of_v1_at_o2(tmp_path: Path) -> None:
    trips = [
        counted("clang14", rung, level, "roundtrip-small") / 1e6
        for rung in ("v1", "v2")
        for level in ("O1", "O2", "O3")
    ]
    v1_at_o1, v1_at_o2, _, *v2 = trips
    page = said("v2")
    assert f"takes {v1_at_o1:.1f} million instructions a round trip at -O1" in page
    assert f"and {v1_at_o2:.1f} million at -O2" in page
    assert f"takes {min(v2):.1f} to {max(v2):.1f} million" in page
    if absent(CLANG[0]) or "version 14." not in first_line(*CLANG, "--version"):
        pytest.skip("the page speaks of clang 14")
    assert loops("v1", "O1", CLANG, tmp_path) == 10
    assert loops("v1", "O2", CLANG, tmp_path) == 2
