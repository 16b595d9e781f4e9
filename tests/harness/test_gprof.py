"""gprof's call counts: exact, what the exponents' bits and the algorithm say, and as drawn."""

from __future__ import annotations

import csv
import re
import struct
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from clone import Clone
from needs import require

from harness import gprof
from harness.operands import calls
from records.faults import Failure
from records.rows import CALL

WIDTH = 128
Counts = dict[tuple[str, str, str, str], int]


@pytest.fixture(scope="module")
def folder(measured: Clone) -> Path:
    """results/local/gprof after `make gprof`."""
    require(gprof.GPROF)
    ran = measured.make("gprof")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return measured.path / "results" / "local" / "gprof"


@pytest.fixture(scope="module")
def table(folder: Path) -> Counts:
    """(snapshot, level, caller, callee) -> calls."""
    with (folder / "calls.csv").open(newline="") as file:
        reader = csv.DictReader(file)
        assert tuple(reader.fieldnames or ()) == CALL.columns
        found = {}
        for row in reader:
            if row["study"] != "iterations":
                continue
            key = (row["snapshot"], row["level"], row["caller"], row["callee"])
            assert key not in found
            found[key] = int(row["calls"])
        return found


@pytest.fixture(scope="module")
def exponents(measured: Clone) -> list[int]:
    """Those of the calls of mod_exp in the profiled workload."""
    key = measured.path / "data" / "inputs" / "width-128" / "key-full"
    arguments = ("-n", str(gprof.MESSAGES), str(key / "strings.txt"))
    return [call.y for call in calls(["roundtrip", str(key / "key.txt"), *arguments])]


def test_v0_leaves_the_domain_after_every_product(table: Counts, exponents: list[int]) -> None:
    """It squares WIDTH times whatever the exponent is, and each product is four of mmm."""
    products = sum(WIDTH + e.bit_count() for e in exponents)
    assert table["v0", "O0", "plain_call", "mod_exp"] == len(exponents) == 2 * gprof.MESSAGES
    assert table["v0", "O0", "mod_exp", "mod_mul"] == products
    assert table["v0", "O0", "mod_mul", "mmm"] == 4 * products
    assert table["v0", "O0", "mmm", "halve"] == 4 * products * WIDTH


@pytest.mark.parametrize(
    ("rung", "level"), [("v6", "O0"), ("v6", "O1"), ("v6", "O3"), ("v7", "O0"), ("v7", "O1")]
)  # gcc inlines mmm_1 of v6 at -O3, and some calls of v7's mmm, too
def test_v6_and_v7_stay_in_the_domain(
    table: Counts, exponents: list[int], rung: str, level: str
) -> None:
    """One product into it, WIDTH squarings, a product for each bit that is set."""
    products = sum(1 + WIDTH + e.bit_count() for e in exponents)
    assert table[rung, level, "mod_exp", "mmm"] == products
    if level != "O3":
        assert table[rung, level, "mod_exp", "mmm_1"] == 2 * len(exponents)


@pytest.mark.parametrize("level", ["O0", "O1", "O3"])
def test_assembly_is_counted(table: Counts, exponents: list[int], level: str) -> None:
    products = sum(3 + WIDTH + e.bit_count() for e in exponents)
    assert table["v8", level, "mod_exp", "mont_mul"] == products


def test_text_and_table_agree(folder: Path, table: Counts) -> None:
    """And totals are sums."""
    sums: dict[tuple[str, str], Counter] = defaultdict(Counter)
    totals: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for (rung, level, caller, callee), n in table.items():
        if caller == gprof.TOTAL:
            totals[rung, level][callee] = n
        else:
            sums[rung, level][callee] += n
    assert totals == sums
    files = [path for path in sorted(folder.glob("*.txt")) if path.stem.count("-") == 1]
    assert {tuple(path.stem.split("-")) for path in files} == set(totals)
    for file in files:
        profile, _, graph = file.read_text().partition("Call graph")
        flat = re.findall(r"(?m)^(?: +[\d.]+){3} +(\d+)(?: +[\d.]+){2}  (\S+)$", profile)
        assert graph and {name: int(n) for n, name in flat} == totals[*file.stem.split("-")]


def test_emulated_time_is_neither_kept_nor_shown(folder: Path, measured: Clone) -> None:
    platform = (measured.path / "build" / "platform").read_text()
    if "runner=''" in platform:
        pytest.skip("the programs run directly here")
    for file in folder.glob("*.txt"):
        text = file.read_text()
        assert "emulated" in text.splitlines()[1]
        assert "no time" in text
        assert str(measured.path) not in text


def test_a_second_run_changes_nothing(folder: Path, measured: Clone) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (measured.path / "build/gprof/iterations/v4/O1/gprof.json").unlink()
    assert measured.make("gprof").returncode == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_every_rung_and_other_width_is_there(folder: Path, measured: Clone) -> None:
    names = {path.parent.name for path in (measured.path / "iterations").glob("*/rsa.c")}
    for path in (measured.path / "studies").glob("*/*/rsa.c"):
        if path.parent.parent.name not in ("alone", "dead-ends"):
            names.add(f"{path.parent.parent.name}-{path.parent.name}")
    assert {path.stem.rpartition("-")[0] for path in folder.glob("*.txt")} == names


def test_damaged_gmon_out_is_refused() -> None:
    arc = struct.pack("<B3I", 1, 0x106, 0x200, 5)
    head = b"gmon\1\0\0\0" + bytes(12)
    histogram = struct.pack("<B2I", 0, 0, 0) + struct.pack("<I", 2) + bytes(20)
    whole = head + histogram + b"\7\0\7\0" + arc
    zero = head + histogram + bytes(4) + arc
    assert gprof.gmon(whole, hex) == (zero, {("0x104", "0x200"): 5})
    for data in (b"", b"gmon\2" + whole[5:], whole[:-1], whole + b"\7", head + arc):
        with pytest.raises(Failure, match="gmon.out"):
            gprof.gmon(data, hex)
