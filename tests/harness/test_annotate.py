"""Exact counts in callgrind's format: the tools of that format read them and add up the same."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from clone import Clone
from line_counts import by_line
from needs import require

from harness import annotate
from harness.annotate import SUMS
from records.faults import Failure
from records.rows import read_rows

CELLS = (("v0", "O0"), ("v6", "O1"), ("v6", "O3"), ("v8", "O1"))

# --- a made-up program: mod_exp calls f twice and g once, f calls g, each time from another
# --- address; g loops at its top

PROGRAM = (  # address, symbol, class, instructions, taken
    (0, "mod_exp", "call", 2, 2),
    (4, "mod_exp", "call", 6, 6),
    (8, "mod_exp", "branch", 2, 2),
    (16, "f", "call", 8, 8),
    (20, "f", "return", 8, 8),
    (32, "g", "add_sub", 15, 0),
    (36, "g", "branch", 15, 5),
    (40, "g", "return", 10, 10),
)
ENTRY = {"mod_exp": 0, "f": 16, "g": 32, "__aeabi_llsl": 64}
TARGETS = {0: 16, 4: 16, 8: 32, 16: 32, 24: 64, 36: 32}


OWN = {"mod_exp": (10, 0, 0), "f": (16, 0, 0), "g": (40, 0, 0), "__aeabi_llsl": (56, 0, 0)}


def calls(program: Sequence[tuple], targets: dict = TARGETS) -> tuple[list, dict[str, int]]:
    columns = ("address", "symbol", "class", "instructions", "taken")
    return annotate.calls([dict(zip(columns, code)) for code in program], ENTRY, targets)


@pytest.mark.parametrize("more", [0, 3])
def test_calls_of_a_made_up_program(more: int) -> None:
    """Shares add up where they do not divide, too; the run-time is a function of its own."""
    sites, outside = calls([*PROGRAM[:4], (24, "f", "call", 8, 8), *PROGRAM[4:]])
    made = [(site.caller, site.callee, site.calls) for site in sites]
    assert made[:3] == [("mod_exp", "f", 2), ("mod_exp", "f", 6), ("mod_exp", "g", 2)]
    assert made[3:] == [("f", "g", 8), ("f", "__aeabi_llsl", 8)]
    assert outside == {"mod_exp": 2, "f": 0, "g": 0}
    own = {**OWN, "g": (40 + more, 0, 0)}
    whole, at = annotate.shares(own, sites, outside)
    assert at[8][0] + at[16][0] == whole["g"][0] == 40 + more and at[24] == OWN["__aeabi_llsl"]
    assert whole["mod_exp"][0] == sum(cost for cost, *_ in own.values())
    if not more:
        assert [at[address][0] for address in (0, 4, 8, 16)] == [26, 78, 8, 32]


def test_counts_that_do_not_fit_the_program() -> None:
    with pytest.raises(Failure, match="mod_exp: what it calls at 0x0 is not known"):
        calls(PROGRAM, {4: 16, 8: 32, 16: 32, 36: 32})
    with pytest.raises(Failure, match="f: called 1 times more than entered"):
        calls([(0, "mod_exp", "call", 3, 3), *PROGRAM[1:]])
    again = [*PROGRAM[:3], (16, "f", "call", 12, 12), (18, "f", "call", 4, 4), *PROGRAM[4:5]]
    sites, outside = calls([*again, (32, "g", "return", 14, 0)], {**TARGETS, 18: 16})
    with pytest.raises(Failure, match="f calls itself"):
        annotate.shares(OWN, sites, outside)


# --- rungs --------------------------------------------------------------------------------------

Annotated = tuple[Clone, str, str, Path, str]  # clone, snapshot, level, file, what was printed


@pytest.fixture(scope="module", params=CELLS, ids="-".join)
def cell(request: pytest.FixtureRequest, measured: Clone) -> Annotated:
    """After `make annotate`."""
    name, level = request.param
    ran = measured.make("annotate", f"V={name}", f"LEVEL={level}")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    file = measured.path / f"build/annotate/{name}-{level}.callgrind"
    return measured, name, level, file, ran.stdout


def rows_of(cell: Annotated, file: str) -> list[dict]:
    """The cell's rows of a file of results/local."""
    clone, name, level, *_ = cell
    place = ("iterations", name, level, "roundtrip-small")
    columns = ("study", "snapshot", "level", "case")
    path = clone.path / "results/local" / file
    return [row for row in read_rows(path) if tuple(row[c] for c in columns) == place]


def symbols(cell: Annotated) -> dict[str, int]:
    """Symbol -> instructions in counts.csv."""
    rows = rows_of(cell, "counts.csv")
    return {row["symbol"]: row["value"] for row in rows if row["metric"] == "instructions"}


def shown(cell: Annotated, *command: str) -> str:
    """What a tool prints of the file, or a skip where there is none; its complaints are a fault."""
    require(command[0])
    words = [*command, str(cell[3])]
    ran = subprocess.run(words, cwd=cell[0].path, text=True, capture_output=True)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    return ran.stdout


def number(text: str) -> int:
    return int(text.replace(",", "")) if text != "." else 0


def test_sums_are_those_of_the_counts(cell: Annotated) -> None:
    """And a function's own instructions and what it pays for its calls are what its callers pay."""
    own, spent, paid, function, callee = Counter(), Counter(), Counter(), "", ""
    text = cell[3].read_text()
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = value
        elif key == "cfn":
            callee = value
        elif re.match("0x[0-9a-f]+ ", line):
            cost = int(line.split()[2])
            own[function] += 0 if callee else cost
            spent[function] += cost
            paid[callee or "nobody"] += cost
            callee = ""
    del paid["nobody"], spent["harness"]
    assert paid == spent and len(paid) > 1
    counted = symbols(cell)
    assert f"\nsummary: {counted['total']} " in text
    own = {name: n for name, n in own.items() if n}
    assert own == {name: n for name, n in counted.items() if name not in SUMS}
    head = text.partition("\nob=")[0]
    assert "cmd: roundtrip data/inputs/width-128" in head and str(cell[0].path) not in head
    assert "desc: Workload: 10 round trips" in head and f"-{cell[2]} -DWIDTH=128" in head


def test_the_ten_hottest_lines_are_printed(cell: Annotated) -> None:
    lines = by_line(rows_of(cell, "lines.csv"))
    head, *hottest = cell[4][cell[4].index("  instructions") :].splitlines()[:11]
    assert head.split() == ["instructions", "share", "line"] and len(hottest) == 10
    most = sorted((numbers["instructions"] for numbers in lines.values()), reverse=True)
    assert [number(line.split()[0]) for line in hottest] == most[:10]
    for line in hottest:
        assert len(line) <= 80
        _, share, place, text = line.split(maxsplit=3)
        file, at = place.split(":")
        source = (cell[0].path / "iterations" / cell[1] / file).read_text().splitlines()
        assert source[int(at) - 1].strip().startswith(text)
        n = lines[file, int(at)]["instructions"]
        assert share == f"{n / symbols(cell)['total']:.1%}"


def test_callgrind_annotate_has_the_same_functions(cell: Annotated) -> None:
    options = ("--threshold=100", "--show-percs=no")
    text = shown(cell, "callgrind_annotate", "--auto=no", *options)
    own: Counter = Counter()
    for n, name in re.findall(r"(?m)^ *([\d,.]+) +[\d,.]+ +[\d,.]+ +[^\s:]*:(\S+)", text):
        own[name] += number(n)
    assert own.pop("harness", 0) == 0
    assert own == {s: n for s, n in symbols(cell).items() if s not in SUMS}
    text = shown(cell, "callgrind_annotate", "--auto=no", "--inclusive=yes", "--show-percs=no")
    root = re.search(r"(?m)^ *([\d,]+) .*rsa\.c:mod_exp", text)
    assert number(root[1]) == symbols(cell)["total"]


def test_gprof2dot_draws_it(cell: Annotated) -> None:
    require("python:gprof2dot")
    drawn = shown(cell, sys.executable, "-m", "gprof2dot", "-f", "callgrind", "-n0", "-e0")
    assert re.search(r'harness -> "mod_exp" \[.*20\u00d7', drawn)


WRONG = {
    "V=v99": "no snapshot 'v99' in iterations; there are: v0 v1",
    "": "say which: make annotate V=v6 LEVEL=O1",
    "V=v6 LEVEL=O2": "no level 'O2'; there are: O0 O1 O3",
    "V=v6 STUDY=none": "no study 'none'; there are: iterations alone dead-ends",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_is_not_there(clone: Clone, words: str) -> None:
    ran = clone.make("annotate", *words.split())
    first, *rest = ran.stderr.splitlines()
    assert ran.returncode == 2 and first.startswith(f"annotate: {WRONG[words]}")
    assert len(rest) == 1 and rest[0].startswith("make: ***")
    assert not list(clone.path.glob("build/*/*/*/rsa"))
