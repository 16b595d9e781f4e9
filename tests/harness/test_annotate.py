"""Exact counts in callgrind's format: the tools of that format read them and add up the same."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from clone import Clone
from line_counts import by_line
from needs import require

from records.rows import read_rows

CELLS = (("v0", "O0"), ("v6", "O1"), ("v6", "O3"), ("v8", "O1"))
PLACE = ("study", "snapshot", "level", "case")


@pytest.fixture(scope="module", params=CELLS, ids="-".join)
def cell(request: pytest.FixtureRequest, measured: Clone) -> tuple[Clone, str, str, Path]:
    """Clone, snapshot, level and file after `make annotate`."""
    name, level = request.param
    ran = measured.make("annotate", f"V={name}", f"LEVEL={level}")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return measured, name, level, Path(f"build/annotate/{name}-{level}.callgrind")


def symbols(clone: Clone, name: str, level: str) -> dict[str, int]:
    """Symbol -> instructions in counts.csv."""
    rows = read_rows(clone.path / "results/local/counts.csv")
    place = ("iterations", name, level, "roundtrip-small", "instructions")
    found = {r["symbol"]: r["value"] for r in rows if (*map(r.get, (*PLACE, "metric")),) == place}
    assert found
    return found


def run(clone: Clone, *command: str) -> str:
    """What a tool prints, or a skip where there is none; its complaints are a failure."""
    require(command[0])
    ran = subprocess.run(command, cwd=clone.path, text=True, capture_output=True)
    assert ran.returncode == 0 and not ran.stderr, ran.stderr
    return ran.stdout


def number(text: str) -> int:
    return int(text.replace(",", "")) if text != "." else 0


def test_the_sum_is_the_total_of_the_counts(cell: tuple[Clone, str, str, Path]) -> None:
    clone, name, level, path = cell
    counted = symbols(clone, name, level)
    text = (clone.path / path).read_text()
    assert int(re.search(r"^summary: (\d+)", text, re.M)[1]) == counted["total"]
    own, function, calling = Counter(), "", False
    for line in text.splitlines():
        if line.startswith("fn="):
            function = line[3:]
        elif re.match(r"0x[0-9a-f]+ ", line) and not calling:
            own[function] += int(line.split()[2])
        calling = line.startswith("calls=")
    assert {s: n for s, n in own.items() if n} == {
        s: n for s, n in counted.items() if s not in ("total", "snapshot")
    }


def test_the_header_says_what_was_run(cell: tuple[Clone, str, str, Path]) -> None:
    clone, name, level, path = cell
    head = (clone.path / path).read_text().partition("\nob=")[0]
    assert "cmd: roundtrip data/inputs/width-128" in head
    for word in ("Workload: 10 round trips", "Platform: ", "Compiler: arm-", "Revision: "):
        assert f"desc: {word}" in head
    assert f"-{level} -DWIDTH=128" in head and str(clone.path) not in head


def test_callgrind_annotate_has_the_same_functions(cell: tuple[Clone, str, str, Path]) -> None:
    clone, name, level, path = cell
    options = ("--auto=no", "--threshold=100", "--show-percs=no")
    said = run(clone, "callgrind_annotate", *options, str(path))
    own: Counter = Counter()
    for line in said.splitlines():
        found = re.match(r" *([\d,.]+) +[\d,.]+ +[\d,.]+ +[^ :]*:([^ ]+)", line)
        if found:
            own[found[2]] += number(found[1])
    counted = symbols(clone, name, level)
    assert own.pop("harness", 0) == 0
    assert own == {s: n for s, n in counted.items() if s not in ("total", "snapshot")}


def test_callgrind_annotate_has_the_same_lines(cell: tuple[Clone, str, str, Path]) -> None:
    clone, name, level, path = cell
    options = ("--auto=yes", "--threshold=100", "--show-percs=no", "--context=0")
    said = run(clone, "callgrind_annotate", *options, str(path))
    place = ("iterations", name, level, "roundtrip-small")
    rows = [
        row
        for row in read_rows(clone.path / "results/local/lines.csv")
        if (*map(row.get, PLACE),) == place
    ]
    compared = 0
    for (file, line), numbers in by_line(rows).items():
        text = (clone.path / "iterations" / name / file).read_text().splitlines()
        if not text[line - 1].strip() or text.count(text[line - 1]) > 1:
            continue
        number_of = r"([\d,.]+) *"
        shown = re.findall(rf"(?m)^ *{number_of * 3} {re.escape(text[line - 1])}$", said)
        wanted = [numbers[n] for n in ("instructions", "load_accesses", "store_accesses")]
        # A line of this text may also stand in the other file.
        assert wanted in [[number(n) for n in one] for one in shown], (file, line)
        compared += 1
    assert compared >= 5


def test_inclusive_cost_of_the_root_is_everything(cell: tuple[Clone, str, str, Path]) -> None:
    clone, name, level, path = cell
    options = ("--auto=no", "--inclusive=yes", "--show-percs=no")
    said = run(clone, "callgrind_annotate", *options, str(path))
    root = re.search(r"(?m)^ *([\d,]+) .*rsa\.c:mod_exp", said)
    assert number(root[1]) == symbols(clone, name, level)["total"]


def test_what_callers_pay_is_what_a_function_costs(cell: tuple[Clone, str, str, Path]) -> None:
    """A function's own instructions and what it pays for its calls are what its callers pay."""
    clone, _, _, path = cell
    spent, paid, function, callee = Counter(), Counter(), "", ""
    for line in (clone.path / path).read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = value
        elif key == "cfn":
            callee = value
        elif re.match("0x[0-9a-f]+ ", line):
            spent[function] += int(line.split()[2])
            paid[callee or "nobody"] += int(line.split()[2])
            callee = ""
    del paid["nobody"], spent["harness"]
    assert paid == spent and len(paid) > 1


def test_gprof2dot_draws_it(cell: tuple[Clone, str, str, Path]) -> None:
    require("python:gprof2dot")
    clone, name, level, path = cell
    said = run(clone, sys.executable, "-m", "gprof2dot", "-f", "callgrind", "-n0", "-e0", str(path))
    assert re.search(r'harness -> "mod_exp" \[.*20\u00d7', said)
    product = "mont_mul" if name == "v8" else "mmm"
    assert re.search(rf'-> "?{product}"? \[', said)


WRONG = (
    (("V=v99",), "no snapshot 'v99' in iterations; there are: v0 v1"),
    (("V=%",), "no snapshot '%' in iterations; there are: v0 v1"),
    ((), "say which: make annotate V=v6 LEVEL=O1"),
    (("V=v6", "LEVEL=O2"), "no level 'O2'; there are: O0 O1 O3"),
    (("V=v6", "STUDY=none"), "no study 'none'; there are: iterations alone dead-ends"),
)


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_is_not_there(clone: Clone, arguments: tuple[str, ...], said: str) -> None:
    ran = clone.make("annotate", *arguments)
    first, *rest = ran.stderr.splitlines()
    assert ran.returncode == 2 and first.startswith(f"annotate: {said}")
    assert len(rest) == 1 and rest[0].startswith("make: ***")
    assert not list(clone.path.glob("build/*/*/*/rsa"))


def alone(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness.calls.annotate", *options, "v6", "O1"]
    return subprocess.run(command, cwd=folder, text=True, capture_output=True)


def test_counts_of_another_program_are_refused(measured: Clone, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(measured.path / "results/local", folder)
    facts = (folder / "machine.json").read_text()
    changed = re.sub(r'("iterations/v6/O1": ")[0-9a-f]{8}', r"\g<1>00000000", facts)
    for text, said in ((changed, "was not counted in build/"), ("{", "not whole")):
        (folder / "machine.json").write_text(text)
        ran = alone(measured.path, "--results", str(folder))
        assert ran.returncode == 2 and said in ran.stderr and ran.stderr.count("\n") == 1


def test_a_changed_count_is_refused(measured: Clone, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(measured.path / "results/local", folder)
    path = folder / "lines.csv"
    rows = path.read_text().splitlines()
    at = next(i for i, row in enumerate(rows) if row.startswith("iterations,v6,O1,"))
    fields = rows[at + 3].split(",")
    fields[9] = str(int(fields[9]) + 1)
    path.write_text("\n".join([*rows[: at + 3], ",".join(fields), *rows[at + 4 :]]) + "\n")
    ran = alone(measured.path, "--results", str(folder))
    assert ran.returncode == 2 and ran.stderr.count("\n") == 1
    assert "lines.csv" in ran.stderr and "counts.csv" in ran.stderr
