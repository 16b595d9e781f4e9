"""Exact counts in callgrind's format: the tools of that format read them
and add up the same."""

import json
import re
import subprocess
from collections import Counter

import pytest
from clone import Clone
from line_counts import by_line
from needs import require
from representatives import mostly_long

from harness.annotate import SUMS
from records.rows import read_rows

CELLS = (("v0", "O0"), ("v6", "O1"), ("v6", "O3"), ("v8", "O1"))


class Annotated:
    """A cell after `make annotate`: its file, what was printed, its rows
    of lines.csv, and symbol -> instructions of counts.csv."""

    def __init__(self, clone: Clone, name: str, level: str) -> None:
        ran = clone.make("annotate", f"V={name}", f"LEVEL={level}")
        assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
        self.path, self.source, self.printed = (
            clone.path,
            f"iterations/{name}",
            ran.stdout,
        )
        self.file = clone.path / f"build/annotate/{name}-{level}.callgrind"
        place = {"study": "iterations", "snapshot": name, "level": level}
        place["workload"] = "roundtrip-small"
        self.lines, counts = (
            [row for row in read_rows(clone.path / "results/local" / file)
             if place.items() <= row.items()]
            for file in ("lines.csv", "counts.csv")
        )  # fmt: skip
        named = [row for row in counts if row["metric"] == "instructions"]
        self.total = next(row["value"] for row in named if row["symbol"] == "total")
        self.own = {
            row["symbol"]: row["value"] for row in named if row["symbol"] not in SUMS
        }

    def shown(self, *command: str) -> str:
        """What a tool prints of the file, or a skip where there is none;
        complaints are a fault."""
        require(command[0])
        words = [*command, str(self.file)]
        ran = subprocess.run(words, cwd=self.path, text=True, capture_output=True)
        assert ran.returncode == 0 and not ran.stderr, ran.stderr
        return ran.stdout


@pytest.fixture(scope="module", params=mostly_long(map("-".join, CELLS), ["v6-O3"]))
def cell(request: pytest.FixtureRequest, measured: Clone) -> Annotated:
    return Annotated(measured, *request.param.split("-"))


def number(text: str) -> int:
    return int(text.replace(",", "")) if text != "." else 0


def test_sums_are_those_of_the_counts(cell: Annotated) -> None:
    """And a function's own instructions and what it pays for its calls are
    what its callers pay."""
    own, spent, paid, function, callee = Counter(), Counter(), Counter(), "", ""
    text = cell.file.read_text()
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
    assert paid == spent and len(paid) > 1 and f"\nsummary: {cell.total} " in text
    assert +own == cell.own
    assert "cmd: roundtrip data/inputs/width-128" in text and str(cell.path) not in text
    assert "desc: Workload: 10 round trips" in text


def test_flames_add_up_to_the_lines_of_each_function(cell: Annotated) -> None:
    """By the innermost function, inlined or not, as lines.csv has them."""
    file = cell.file.with_name(cell.file.stem + ".speedscope.json")
    profile = json.loads(file.read_text())
    names = [frame["name"] for frame in profile["shared"]["frames"]]
    [sampled] = profile["profiles"]
    found = Counter()
    for stack, weight in zip(sampled["samples"], sampled["weights"]):
        assert names[stack[0]] == "mod_exp"
        found[names[stack[-1]].partition(" ")[0].partition(".")[0]] += weight
    wanted = Counter()
    for row in cell.lines:
        wanted[row["function"]] += row["instructions"]
    inside = {name: found[name] for name in wanted}
    assert inside == wanted
    assert sum(found.values()) == sampled["endValue"] == cell.total
    assert str(file.relative_to(cell.path)) in cell.printed


def test_the_ten_hottest_lines_are_printed(cell: Annotated) -> None:
    lines = by_line(cell.lines)
    head, *hottest = cell.printed[cell.printed.index("  a round trip") :].splitlines()[
        :11
    ]
    assert head.split()[3:] == ["share", "line"] and len(hottest) == 10
    most = sorted((numbers["instructions"] for numbers in lines.values()), reverse=True)
    for line, n in zip(hottest, most):
        shown, share, place, text = line.split(maxsplit=3)
        file, at = place.split(":")
        source = (cell.path / cell.source / file).read_text().splitlines()
        assert source[int(at) - 1].strip().startswith(text) and len(line) <= 80
        assert lines[file, int(at)]["instructions"] == n
        assert number(shown) == round(n / 10)  # round trips
        assert share == f"{n / cell.total:.1%}"
