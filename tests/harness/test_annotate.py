"""Exact counts in callgrind's format: the tools of that format read them and add up the same."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from line_counts import by_line
from needs import require

from harness import annotate
from records.faults import Failure
from records.rows import read_rows

CELLS = (("v0", "O0"), ("v6", "O1"), ("v6", "O3"), ("v8", "O1"))
SUMS = ("total", "snapshot")

# --- a made-up program --------------------------------------------------------------------------


def rows(*code: tuple[int, str, str, int, int]) -> Iterator[dict]:
    """Rows of a made-up program: address, symbol, class, instructions, taken."""
    for address, symbol, cls, n, taken in code:
        row = {"address": address, "symbol": symbol, "class": cls, "instructions": n}
        yield {**row, "taken": taken, "load_accesses": 0, "store_accesses": 0}


# mod_exp calls f twice and g once, f calls g, each time from another address; g loops at its top.
PROGRAM = (
    (0, "mod_exp", "call", 2, 2),
    (4, "mod_exp", "call", 6, 6),
    (8, "mod_exp", "branch", 2, 2),
    (16, "f", "call", 8, 8),
    (20, "f", "return", 8, 8),
    (32, "g", "add_sub", 15, 0),
    (36, "g", "branch", 15, 5),
    (40, "g", "return", 10, 10),
)
ENTRY = {"mod_exp": 0, "f": 16, "g": 32}
TARGETS = {0: 16, 4: 16, 8: 32, 16: 32, 36: 32}


@pytest.mark.parametrize("more", [0, 3])
def test_calls_of_a_made_up_program(more: int) -> None:
    """Shares add up where they do not divide, too."""
    program = [*PROGRAM[:-1], (40, "g", "return", 10 + more, 10)]
    made = annotate.graph(list(rows(*program)), ENTRY, TARGETS, {})
    calls = [(site.caller, site.callee, site.calls) for site in made.sites]
    assert calls == [("mod_exp", "f", 2), ("mod_exp", "f", 6), ("mod_exp", "g", 2), ("f", "g", 8)]
    assert made.outside["mod_exp"] == 2 and not made.outside["f"]
    whole, at = made.shares()
    assert at[8][0] + at[16][0] == whole["g"][0] == 40 + more
    assert whole["mod_exp"][0] == sum(row[3] for row in program)
    if not more:
        assert [at[address][0] for address in (0, 4, 8, 16)] == [12, 36, 8, 32]


def test_the_run_time_is_a_function_of_its_own() -> None:
    program = [*PROGRAM[:4], (24, "f", "call", 8, 8), *PROGRAM[4:]]
    entry, extra = {**ENTRY, "__aeabi_llsl": 64}, {"__aeabi_llsl": (56, 0, 0)}
    made = annotate.graph(list(rows(*program)), entry, {**TARGETS, 24: 64}, extra)
    whole, at = made.shares()
    assert at[24] == extra["__aeabi_llsl"] and whole["f"][0] == 48 + 8 + 56


FAULTS = (
    ((0, "mod_exp", "call", 2, 2), {4: 16, 8: 32, 16: 32, 36: 32}, "is not known"),
    ((0, "mod_exp", "call", 3, 3), TARGETS, "f: entered 8 times and called 9 times"),
    ((0, "mod_exp", "call", 1, 1), TARGETS, "f: entered 8 times and called 7 times"),
)


@pytest.mark.parametrize(("first", "targets", "fault"), FAULTS)
def test_counts_that_do_not_fit_the_program(first: tuple, targets: dict, fault: str) -> None:
    with pytest.raises(Failure, match=fault):
        annotate.graph(list(rows(first, *PROGRAM[1:])), ENTRY, targets, {})


def test_recursion_is_refused() -> None:
    again = [*PROGRAM[:3], (16, "f", "call", 12, 12), (18, "f", "call", 4, 4), *PROGRAM[4:]]
    again[5:] = [(32, "g", "add_sub", 14, 0), (40, "g", "return", 14, 0)]
    with pytest.raises(Failure, match="f calls itself"):
        annotate.graph(list(rows(*again)), ENTRY, {**TARGETS, 18: 16}, {}).order()


# --- rungs --------------------------------------------------------------------------------------

Annotated = tuple[Clone, str, str, Path]  # clone, snapshot, level, file


@pytest.fixture(scope="module", params=CELLS, ids="-".join)
def cell(request: pytest.FixtureRequest, measured: Clone) -> Annotated:
    """After `make annotate`."""
    name, level = request.param
    ran = measured.make("annotate", f"V={name}", f"LEVEL={level}")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return measured, name, level, Path(f"build/annotate/{name}-{level}.callgrind")


def rows_of(cell: Annotated, file: str) -> list[dict]:
    """The cell's rows of a file of results/local."""
    clone, name, level, _ = cell
    place = ("iterations", name, level, "roundtrip-small")
    columns = ("study", "snapshot", "level", "case")
    path = clone.path / "results/local" / file
    return [row for row in read_rows(path) if tuple(row[c] for c in columns) == place]


def symbols(cell: Annotated) -> dict[str, int]:
    """Symbol -> instructions in counts.csv."""
    rows = rows_of(cell, "counts.csv")
    return {row["symbol"]: row["value"] for row in rows if row["metric"] == "instructions"}


def run(cell: Annotated, *command: str) -> str:
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
    text = (cell[0].path / cell[3]).read_text()
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
    assert int(re.search(r"^summary: (\d+)", text, re.M)[1]) == counted["total"]
    assert {s: n for s, n in own.items() if n} == {
        s: n for s, n in counted.items() if s not in SUMS
    }


def test_the_header_says_what_was_run(cell: Annotated) -> None:
    clone, _, level, path = cell
    head = (clone.path / path).read_text().partition("\nob=")[0]
    assert "cmd: roundtrip data/inputs/width-128" in head
    for word in ("Workload: 10 round trips", "Platform: ", "Compiler: arm-", "Revision: "):
        assert f"desc: {word}" in head
    assert f"-{level} -DWIDTH=128" in head and str(clone.path) not in head


def test_callgrind_annotate_has_the_same_functions(cell: Annotated) -> None:
    options = ("--auto=no", "--threshold=100", "--show-percs=no")
    shown = run(cell, "callgrind_annotate", *options)
    own: Counter = Counter()
    for n, name in re.findall(r"(?m)^ *([\d,.]+) +[\d,.]+ +[\d,.]+ +[^\s:]*:(\S+)", shown):
        own[name] += number(n)
    assert own.pop("harness", 0) == 0
    assert own == {s: n for s, n in symbols(cell).items() if s not in SUMS}
    shown = run(cell, "callgrind_annotate", "--auto=no", "--inclusive=yes", "--show-percs=no")
    root = re.search(r"(?m)^ *([\d,]+) .*rsa\.c:mod_exp", shown)
    assert number(root[1]) == symbols(cell)["total"]


def test_callgrind_annotate_has_the_same_lines(cell: Annotated) -> None:
    options = ("--auto=yes", "--threshold=100", "--show-percs=no", "--context=0")
    shown = run(cell, "callgrind_annotate", *options)
    compared = 0
    for (file, line), numbers in by_line(rows_of(cell, "lines.csv")).items():
        text = (cell[0].path / "iterations" / cell[1] / file).read_text().splitlines()
        if not text[line - 1].strip() or text.count(text[line - 1]) > 1:
            continue
        pattern = r"(?m)^ *" + 3 * r"([\d,.]+) *" + f" {re.escape(text[line - 1])}$"
        wanted = [numbers[n] for n in ("instructions", "load_accesses", "store_accesses")]
        # A line of this text may also stand in the other file.
        assert wanted in [[number(n) for n in one] for one in re.findall(pattern, shown)]
        compared += 1
    assert compared >= 5


def test_gprof2dot_draws_it(cell: Annotated) -> None:
    require("python:gprof2dot")
    options = ("-m", "gprof2dot", "-f", "callgrind", "-n0", "-e0")
    drawn = run(cell, sys.executable, *options)
    assert re.search(r'harness -> "mod_exp" \[.*20\u00d7', drawn)
    product = "mont_mul" if cell[1] == "v8" else "mmm"
    assert re.search(rf'-> "?{product}"? \[', drawn)


WRONG = (
    (("V=v99",), "no snapshot 'v99' in iterations; there are: v0 v1"),
    (("V=%",), "no snapshot '%' in iterations; there are: v0 v1"),
    ((), "say which: make annotate V=v6 LEVEL=O1"),
    (("V=v6", "LEVEL=O2"), "no level 'O2'; there are: O0 O1 O3"),
    (("V=v6", "STUDY=none"), "no study 'none'; there are: iterations alone dead-ends"),
)


@pytest.mark.parametrize(("arguments", "fault"), WRONG)
def test_what_is_not_there(clone: Clone, arguments: tuple[str, ...], fault: str) -> None:
    ran = clone.make("annotate", *arguments)
    first, *rest = ran.stderr.splitlines()
    assert ran.returncode == 2 and first.startswith(f"annotate: {fault}")
    assert len(rest) == 1 and rest[0].startswith("make: ***")
    assert not list(clone.path.glob("build/*/*/*/rsa"))


def one_more(text: str) -> str:
    """lines.csv with an instruction more of v6 at -O1."""
    lines = text.splitlines()
    at = next(i for i, row in enumerate(lines) if row.startswith("iterations,v6,O1,")) + 3
    fields = lines[at].split(",")
    fields[9] = str(int(fields[9]) + 1)
    return "\n".join([*lines[:at], ",".join(fields), *lines[at + 1 :]]) + "\n"


def other_hash(text: str) -> str:
    return re.sub(r'("iterations/v6/O1": ")[0-9a-f]{8}', r"\g<1>00000000", text)


@pytest.mark.parametrize(
    ("file", "change", "fault"),
    [
        ("machine.json", other_hash, "was not counted in build/"),
        ("machine.json", lambda text: "{", "not whole"),
        ("lines.csv", one_more, "lines.csv and counts.csv"),
    ],
)
def test_other_results_are_refused(measured: Clone, tmp_path: Path, file, change, fault) -> None:
    folder = tmp_path / "results"
    shutil.copytree(measured.path / "results/local", folder)
    (folder / file).write_text(change((folder / file).read_text()))
    words = [sys.executable, "-m", "harness.annotate", "--results", str(folder), "v6", "O1"]
    ran = subprocess.run(words, cwd=measured.path, text=True, capture_output=True)
    assert ran.returncode == 2 and fault in ran.stderr and ran.stderr.count("\n") == 1
