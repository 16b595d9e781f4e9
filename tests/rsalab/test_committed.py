"""What is committed: texts and charts as the generator makes them, and the
published tables."""

import re
from functools import cache

import matplotlib
import pytest

from records import ladder
from records.published import read_csv
from records.results import load, reference
from rsalab.report import generate, story

ROOT = ladder.ROOT
LEVELS = ("O0", "O1", "O3")


def chapter(head: str) -> str:
    text = (ROOT / "REPORT.md").read_text()
    return text[text.index(f"\n## {head}\n") :].split("\n## ")[1]


def cells_of(text: str) -> list[list[str]]:
    """The rows of a chapter's tables."""
    return [line.strip("| ").split(" | ") for line in re.findall(r"(?m)^\| .*", text)]


@cache
def counted() -> dict[tuple[str, str, str], float]:
    """(study, snapshot, level) -> instructions of a round trip, from
    counts.csv."""
    rows = load(reference()).query(
        "select study, snapshot, level, 1.0 * value / n from counts"
        " where (workload, metric, symbol) = ('roundtrip-full', 'instructions', 'total')"
    )
    return {(study, name, level): mean for study, name, level, mean in rows}


def instructions(study: str, name: str, level: str) -> float:
    """Of a round trip."""
    return counted()[study, name, level]


def test_the_front_page_and_the_verdicts_are_those_of_the_counts() -> None:
    text = (ROOT / "REPORT.md").read_text()
    front = (ROOT / "README.md").read_text()
    for rung in ladder.snapshots():
        if ("iterations", rung.name, LEVELS[0]) not in counted():
            continue  # a rung that waits for `make reference`
        counts = [instructions("iterations", rung.name, level) for level in LEVELS]
        first = [instructions("iterations", "v0", level) for level in LEVELS]
        cells = [f"{count:,.0f}" for count in counts]
        factors = [f"x{a / b:,.2f}" for a, b in zip(first, counts)]
        assert f"| {rung.idea} | {' | '.join(cells)} |" in text
        assert f"| {rung.name} | {' | '.join(factors)} |" in text
        at_o1 = LEVELS.index("O1")
        headline = [cells[at_o1], factors[at_o1]]
        assert f") {rung.idea} | {' | '.join(headline)} |" in front
        words = []
        for level, count in zip(LEVELS, counts):
            before = instructions("iterations", rung.parent or rung.name, level)
            change = 100 * (count - before) / before
            word = (
                "helps" if change <= -1 else "hurts" if change >= 1 else "no difference"
            )
            words.append(f"{level} {word}")
        assert rung.verdict == (", ".join(words) if rung.parent else "")


def same_matplotlib() -> bool:
    """Whether charts come out as the committed ones: the version that the
    lock file names."""
    lock = (ROOT / "requirements.lock").read_text()
    return f"matplotlib=={matplotlib.__version__} " in lock


@pytest.mark.slow
def test_committed_texts_and_charts_are_what_the_generator_makes() -> None:
    files = generate.committed(load(reference()))
    assert story.MISSING.encode() not in files[ROOT / "REPORT.md"]
    stale = []
    for path, data in files.items():
        if path.suffix == ".svg" and not same_matplotlib():
            continue
        if not path.exists() or path.read_bytes() != data:
            stale.append(path.relative_to(ROOT).as_posix())
    assert not stale, f"`make reference` would change {', '.join(stale)}"


def test_every_published_row_has_its_place() -> None:
    names = [f"bishop-austin-2021-{name}.csv" for name in ("table-1", "map")]
    table, where = map(read_csv, names)
    listed = (ROOT / "data" / "published" / "README.md").read_text()
    assert all(name in listed for name in names)
    assert [row["iteration"] for row in where] == [row["iteration"] for row in table]
    names = {snapshot.name for snapshot in ladder.snapshots()}
    names |= {f"alone/{snapshot.name}" for snapshot in ladder.snapshots("alone")}
    for row in where:
        assert row["counterpart"] in ("rung", "measured alone", "no counterpart")
        assert (
            bool(row["ours"]) == (row["counterpart"] != "no counterpart")
            and row["reason"]
        )
        assert {*row["ours"].split(), row["against"]} - {""} <= names
