"""gprof's call counts: exact, what the exponents' bits and the algorithm
say, and as drawn."""

import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from clone import Clone
from needs import require

from harness import gprof
from harness.operands import calls
from records.ladder import ROOT
from records.rows import EXACT, read_rows, write_rows
from records.workloads import TRIP_FIRST

WIDTH = 128


@pytest.fixture(scope="module")
def folder(measured: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """results/local/gprof after `make gprof` of the ladder and of one
    study's rung."""
    require(gprof.GPROF)
    copy = measured.copy(tmp_path_factory.mktemp("gprof") / "lab")
    for source in {*copy.path.glob("studies/*/*/rsa.c")} - {
        copy.path / "studies/width-96/v0/rsa.c"
    }:
        shutil.rmtree(source.parent)
    ran = copy.make("gprof")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return copy.path / "results" / "local" / "gprof"


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[tuple[str, str, str], int]:
    """(text, caller, callee) -> calls."""
    rows = read_rows(folder / "calls.csv")
    table = {}
    for row in rows:
        caller = row["metric"].removeprefix("calls_from_")
        if row["metric"] == "calls":
            caller = gprof.TOTAL
        table["-".join(gprof.names(row)), caller, row["symbol"]] = row["value"]
    assert len(table) == len(rows)
    return table


PER_POWER = {  # (text, caller, callee) -> calls in a power whose exponent has so many bits set
    ("v0-O0", "plain_call", "mod_exp"): lambda _: 1,
    ("v0-O0", "mod_exp", "mod_mul"): lambda ones: WIDTH + ones,
    ("v0-O0", "mod_mul", "mmm"): lambda ones: (
        4 * (WIDTH + ones)
    ),  # leaves the domain again
    ("v0-O0", "mmm", "halve"): lambda ones: 4 * (WIDTH + ones) * WIDTH,
    # One product into the domain, WIDTH squarings, a product for each bit that is set.
    ("v6-O3", "mod_exp", "mmm"): lambda ones: 1 + WIDTH + ones,
    ("v7-O1", "mod_exp", "mmm"): lambda ones: 1 + WIDTH + ones,
    ("v7-O0", "mod_exp", "mmm_1"): lambda _: 2,
    **{
        (f"v8-{at}", "mod_exp", "mont_mul"): lambda ones: 3 + WIDTH + ones
        for at in ("O0", "O3")
    },
}


@pytest.mark.parametrize("call", PER_POWER, ids=" ".join)
def test_calls_follow_from_the_exponents(table: dict, call: tuple) -> None:
    key = ROOT / "data" / "inputs" / "width-128" / "key-full"
    trips = ["-n", str(gprof.MESSAGES), str(key / "strings.txt")]
    exponents = [
        power.y for power in calls(["roundtrip", str(key / "key.txt"), *trips])
    ]
    assert table[call] == sum(PER_POWER[call](e.bit_count()) for e in exponents)


def test_text_and_table_agree(folder: Path, table: dict) -> None:
    """And totals are sums; emulated time is neither kept nor shown."""
    sums, totals = defaultdict(Counter), defaultdict(dict)
    for (name, caller, callee), n in table.items():
        if caller == gprof.TOTAL:
            totals[name][callee] = n
        else:
            sums[name][callee] += n
    assert totals == sums and set(totals) == {
        path.stem for path in folder.glob("*.txt")
    }
    emulated = "runner=''" not in (folder.parents[2] / "build/platform").read_text()
    for name in totals:
        text = (folder / f"{name}.txt").read_text()
        flat = re.findall(r"(?m)^(?: +[\d.]+){3} +(\d+)(?: +[\d.]+){2}  (\S+)$", text)
        assert {function: int(n) for n, function in flat} == totals[name]
        assert not emulated or (
            "emulated" in text.splitlines()[1] and "no time" in text
        )
        assert "Call graph" in text and str(folder.parents[2]) not in text


# ---- Pictures ----


CALLS = (
    *(("plain_call", "mod_exp", 4), ("mod_exp", "mmm", 600), ("mmm", "a", 60000)),
    *(("<total>", "mod_exp", 4), ("<total>", "mmm", 600), ("<total>", "a", 60000)),
)
HEAD = 'v0 O1, built with -pg.\n"; URL="javascript:x" \\\nCalls are exact.  Times: none.\n\n'


def test_a_picture_has_the_calls_and_instructions_of_a_round_trip(
    tmp_path: Path,
) -> None:
    cell = {"study": "iterations", "snapshot": "v0", "level": "O1"}
    common = {**cell, "workload": TRIP_FIRST, "unit": "calls", "n": 1, "kind": EXACT}
    table = []
    for caller, callee, n in CALLS:
        metric = "calls" if caller == gprof.TOTAL else f"calls_from_{caller}"
        table.append({**common, "metric": metric, "symbol": callee, "value": n})
    write_rows(tmp_path / "gprof/calls.csv", table)
    cell |= {"workload": "roundtrip-full", "metric": "instructions", "kind": EXACT}
    costs = {"mod_exp": 500, "mmm.constprop.0": 2000, "total": 2500}
    counts = [{**cell, "symbol": name, "value": n, "n": 2} for name, n in costs.items()]
    write_rows(tmp_path / "counts.csv", counts)
    (tmp_path / "gprof/v0-O1.txt").write_text(HEAD)
    ((_, graph),) = gprof.graphs(tmp_path)
    edges = re.findall(r'"(\w+)" -> "(\w+)" \[label=" ([\d,]+)× "', graph)
    assert sorted(edges) == [("mmm", "a", "30,000"), ("mod_exp", "mmm", "300")]
    nodes = dict(re.findall(r'(?m)^ "(\w+)" \[label="(.*?)", fontsize', graph))
    assert nodes["mmm"] == r"mmm\n1,000 (80%)\n300×\n" and nodes["a"] == r"a\n30,000×\n"
    assert (
        r"built with -pg.\l" in graph
        and "Times" not in graph
        and "'; URL='javascript:x' '" in graph
        and gprof.INLINED[:9] in graph
    )
