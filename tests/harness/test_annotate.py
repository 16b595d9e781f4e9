"""Exact counts in callgrind's format: the tools of that format read them and add up the same."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
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


def test_a_function_that_calls_itself() -> None:
    site = annotate.Site(16, "f", "f", 4)
    with pytest.raises(Failure, match="f calls itself"):
        annotate.shares({"f": (16, 0, 0)}, [site], {"f": 2})


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
