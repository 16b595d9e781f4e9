"""Call graphs as pictures: every call of gprof's text, no time, no version, no other text's."""

from __future__ import annotations

import csv
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest

from harness import draw
from records.faults import Failure
from records.results import reference

try:
    REFERENCE = reference()
except Failure:
    REFERENCE = Path("nowhere")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """gprof/ of a results folder with the reference's texts of three cells, not yet drawn."""
    source = REFERENCE / "gprof"
    if not (source / "calls.csv").is_file():
        pytest.skip("no results with call graphs here")
    (tmp_path / "gprof").mkdir()
    for name in ("v0-O0", "v6-O1", "v8-O3"):
        shutil.copy(source / f"{name}.txt", tmp_path / "gprof")
    return tmp_path / "gprof"


@pytest.fixture
def tools() -> None:
    if draw.missing():
        pytest.skip(draw.missing())


def edges(dot: str) -> Counter:
    """(caller, callee) -> calls in a graph of dot's language."""
    names = dict(re.findall(r'(?m)^\t(\d+) \[.*?label="([\w.]+)\\n', dot))
    found = re.findall(r'(?m)^\t(\d+) -> (\d+) \[.*?label=" ([\d,]+)\u00d7 "', dot)
    return Counter({(names[a], names[b]): int(n.replace(",", "")) for a, b, n in found})


def test_the_graph_has_every_call(folder: Path, tools: None) -> None:
    for path in sorted(folder.glob("*.txt")):
        with (REFERENCE / "gprof" / "calls.csv").open(newline="") as file:
            rows = [r for r in csv.DictReader(file) if f"{r['snapshot']}-{r['level']}" == path.stem]
        wanted = {
            (row["caller"], row["callee"]): int(row["calls"])
            for row in rows
            if row["study"] == "iterations" and row["caller"] not in ("<total>", "plain_call")
        }
        assert wanted and edges(draw.dot(path.read_text())) == wanted, path.name


def words(picture: str) -> list[str]:
    """The texts of an SVG file."""
    name = "{http://www.w3.org/2000/svg}text"
    return [str(text.text) for text in ElementTree.fromstring(picture).iter(name)]


def test_the_picture_has_calls_and_no_times(folder: Path, tools: None) -> None:
    draw.main([str(folder.parent)])
    assert sorted(p.stem for p in folder.glob("*.svg")) == ["v0-O0", "v6-O1", "v8-O3"]
    picture = (folder / "v0-O0.svg").read_text()
    shown = " ".join(words(picture))
    assert "mod_mul" in shown and "v0 O0, built with -pg" in shown
    assert "%" not in shown and "Times" not in shown and "graphviz" not in picture.lower()
    assert len(set(re.findall(r'fill="(#\w+)"', picture))) == 1


def test_a_node_has_its_instructions_and_the_costliest_is_largest(
    folder: Path, tools: None
) -> None:
    cost = draw.costs(REFERENCE / "counts.csv")["v6-O1"]
    assert cost["mmm"] > cost["mmm_1"] > 0 and "total" not in cost
    graph = draw.dot((folder / "v6-O1.txt").read_text(), cost)
    nodes = dict(re.findall(r'label="(\w+)\\n([\d,]+) \(', graph))
    assert nodes == {name: f"{n:,.0f}" for name, n in cost.items()}
    sizes = {
        name: float(re.search(rf'fontsize="([\d.]+)".*?label="{name}\\n', graph)[1])
        for name in nodes
    }
    assert max(sizes, key=sizes.get) == max(cost, key=cost.get)


def test_calls_are_of_one_round_trip(folder: Path, tools: None) -> None:
    text = (folder / "v6-O1.txt").read_text()
    twice = re.sub(r"(?<![\d.])(\d+)/(\d+) ", lambda n: f"{2 * int(n[1])}/{2 * int(n[2])} ", text)
    twice = re.sub(
        r"(?m)^(\[\d+\] .* )(\d+)(         \w+ \[)", lambda n: f"{n[1]}{2 * int(n[2])}{n[3]}", twice
    )
    assert twice != text and edges(draw.dot(twice)) == edges(draw.dot(text))


def test_times_that_mean_something_are_shown(folder: Path, tools: None) -> None:
    text = (folder / "v6-O1.txt").read_text()
    assert draw.svg(text) == draw.svg(text)
    timed = re.sub(r"(?m)^\[1\]( +)0\.0    0\.00", r"[1]\g<1>100.0    1.50", text)
    assert timed != text
    said = " ".join(words(draw.svg(timed)))
    assert "100.00%" in said and "%" not in " ".join(words(draw.svg(text)))


@pytest.mark.parametrize("fault", ["cut", "line"])
def test_a_damaged_text_is_named(folder: Path, tools: None, fault: str) -> None:
    path = folder / "v6-O1.txt"
    text = path.read_text()
    text = text[: text.index("[1]")] if fault == "cut" else re.sub(r"(\d+)/\d+ ", r"\1/? ", text)
    path.write_text(text)
    with pytest.raises(Failure) as refused:
        draw.main([str(folder.parent)])
    assert str(refused.value).startswith(f"{path}: ") and "\n" not in str(refused.value)


@pytest.mark.parametrize("tool", ["gprof2dot", "dot"])
def test_a_missing_tool_is_said_once_and_the_texts_stay(
    folder: Path, tool: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in folder.glob("*.txt")}
    of_text = draw.stamp((folder / "v8-O3.txt").read_text())
    (folder / "v8-O3.svg").write_text(f"{of_text}\n<svg/>")
    (folder / "v0-O0.svg").write_text(f"{of_text}\n<svg/>")
    monkeypatch.setattr(draw, "gprof2dot", draw if tool == "dot" else None)
    monkeypatch.setenv("PATH", str(folder) if tool == "dot" else "/usr/bin")
    draw.main([str(folder.parent)])
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and tool in said and "`" in said
    assert {path.name: path.read_bytes() for path in folder.glob("*.txt")} == before
    assert [path.name for path in folder.glob("*.svg")] == ["v8-O3.svg"]


@pytest.mark.parametrize(
    "head",
    ['v8", URL="javascript:alert(1)", x="', "v8\\", "v8<script>alert(1)</script>&quot;"],
)
def test_a_text_cannot_draw_anything_else(tools: None, head: str) -> None:
    """Heads and names of a text from elsewhere stay texts in the picture that is drawn here."""
    text = (REFERENCE / "gprof" / "v8-O3.txt").read_text()
    drawn = draw.svg(head + text[2:].replace("mont_mul", 'x"URL="javascript:alert(1)'))
    assert "href=" not in drawn and "<script" not in drawn
