"""What is committed: texts and charts as the generator makes them, and the published tables."""

import csv
import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")

from needs import source
from recomputed import LEVELS, numbers_agree

from records import ladder
from records.faults import Failure
from records.published import MAP, TABLE_1, read_csv
from rsalab import frames
from rsalab.report import generate

ROOT = ladder.ROOT


def reference() -> Path:
    """The committed reference results, or skip."""
    try:
        folder = frames.reference()
    except Failure:
        folder = ROOT / frames.LOCAL
    if folder.parent != ROOT / "results" or folder.name == "local":
        pytest.skip("no reference results in results/ yet: `make reference` makes them")
    return folder


def test_committed_numbers_are_those_of_the_counts() -> None:
    numbers_agree(ROOT, reference())


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def section_of(rung: str) -> str:
    text = (ROOT / "REPORT.md").read_text()
    return text[text.index(f'<a id="{rung}">') :].split("\n### ")[0].split("\n## ")[0]


def test_lines_of_the_steps_are_those_of_lines_csv() -> None:
    means: dict[tuple[str, ...], float] = {}
    for row in rows_of(reference() / "lines.csv"):
        if row["study"] == "iterations" and row["case"] == "roundtrip-full":
            key = (row["snapshot"], row["level"], row["file"], row["line"])
            means[key] = means.get(key, 0) + int(row["instructions"] or 0) / int(row["n"])
    seen = 0
    for snapshot in ladder.snapshots():
        if snapshot.parent is None or not any(key[0] == snapshot.name for key in means):
            continue
        part = section_of(snapshot.name).split("**Lines.**")[1]
        level = re.search(r" at -(O[0-9])", part)[1]
        for had, has, where in re.findall(
            r"(?m)^\| ([0-9,-]+) \| ([0-9,-]+) \| (\S+:.*?) \|", part
        ):
            file, line = where.split()[0].split(":")
            gone = where.endswith(f" of {snapshot.parent}")
            name, said = (snapshot.parent, had) if gone else (snapshot.name, has)
            assert said == f"{means.get((name, level, file, line), 0):,.0f}", (snapshot.name, where)
            assert (has == "-") == gone
            code = (snapshot.path.parent / name / file).read_text().splitlines()[int(line) - 1]
            assert code.split()[0].replace("|", "&#124;") in part
            seen += 1
    assert seen >= 40


def test_calls_are_those_of_calls_csv() -> None:
    text = (ROOT / "REPORT.md").read_text()
    part = text[text.index("\n## Calls\n") :].split("\n## ")[1]
    head, _, *rows = [line.strip("| ").split(" | ") for line in re.findall(r"(?m)^\| .*", part)]
    rows = [dict(zip(head, row)) for row in rows]
    totals = [r for r in rows_of(reference() / "gprof" / "calls.csv") if r["caller"] == "<total>"]
    for row in rows:
        for level in LEVELS:
            own = [r for r in totals if (r["snapshot"], r["level"]) == (row["rung"], level)]
            own = [r for r in own if r["study"] == "iterations"]
            trips = next(int(r["calls"]) for r in own if r["callee"] == "mod_exp") / 2
            assert row[f"all -{level}"] == f"{sum(int(r['calls']) for r in own) / trips:,.0f}"
    assert [row["rung"] for row in rows] == [snapshot.name for snapshot in ladder.snapshots()]


def test_cycles_are_those_of_the_models() -> None:
    text = (ROOT / "REPORT.md").read_text()
    part = text[text.index("\n## Cycles, by model\n") :].split("\n## ")[1]
    tables = dict(zip(("arm1176", "cortex-a72"), part.split("**Cortex-A72**")))
    seen = 0
    for row in rows_of(reference() / "models.csv"):
        if row["study"] != "iterations":
            continue
        model = row["metric"].removeprefix("model_cycles_")
        line = re.search(rf"(?m)^\| {row['snapshot']} \| (.*) \|$", tables[model])[1].split(" | ")
        column = LEVELS.index(row["level"]) + 3 * (row["case"] == "roundtrip-full")
        assert line[column] == f"{int(row['value']) / int(row['n']):,.0f}", row
        assert re.fullmatch(r"[-+0-9]+( to [-+0-9]+)? %", line[-1])
        seen += 1
    assert seen > 50


def same_matplotlib() -> bool:
    """Whether charts come out as the committed ones: the version that the lock file names."""
    lock = (ROOT / "requirements.lock").read_text()
    return f"matplotlib=={matplotlib.__version__} " in lock


@pytest.mark.slow
def test_committed_texts_and_charts_are_what_the_generator_makes() -> None:
    files = generate.committed(frames.load(reference()))
    stale = []
    for path, data in files.items():
        if path.suffix == ".svg" and not same_matplotlib():
            continue
        if not path.exists() or path.read_bytes() != data:
            stale.append(path.relative_to(ROOT).as_posix())
    assert not stale, f"`make reference` would change {', '.join(stale)}"


def test_published_table_is_the_sources_text() -> None:
    lines = source("000_6fe602272b7e36c0.txt")
    head = lines.index(next(line for line in lines if line.startswith("Iteration\tInputs")))
    rows = [re.sub(r"</?[a-z]+>|[*]", "", line) for line in lines[head + 1 : head + 10]]
    theirs = [row.split("\t") for row in rows]
    ours = []
    for row in read_csv(TABLE_1):
        percent = f"{row['percent_increase']}%" if row["percent_increase"] else "N/A"
        ours.append([row["iteration"], row["inputs"], row["description"], row["seconds"], percent,
                     row["asm_lines"]])  # fmt: skip
    assert ours == theirs
    assert lines[head + 11].startswith("Table 1:")


def test_every_published_row_has_its_place() -> None:
    table, where = read_csv(TABLE_1), read_csv(MAP)
    assert [row["iteration"] for row in where] == [row["iteration"] for row in table]
    names = {snapshot.name for snapshot in ladder.snapshots()}
    for row in where:
        assert row["counterpart"] in ("rung", "measured alone", "no counterpart")
        assert bool(row["ours"]) == (row["counterpart"] == "rung") and row["reason"]
        assert {row["ours"], row["against"]} - {""} <= names
    listed = (ROOT / "data" / "published" / "README.md").read_text()
    assert TABLE_1 in listed and MAP in listed
