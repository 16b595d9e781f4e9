"""Templates with typed names: an unknown name stops the generator."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from made_results import write_ladder
from matplotlib.figure import Figure

from records import ladder
from records.commands import command
from rsalab.charts.picture import Chart
from rsalab.report import chapters, generate, story
from rsalab.templates import Names, UnknownName

ROOT = ladder.ROOT


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with made-up results."""
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "iterations", root / "iterations")
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    write_ladder(root / "results" / "local")
    return root


def misspelt(file: Path, right: str, wrong: str, tmp_path: Path) -> Path:
    """A copy of a file of templates with one name misspelt."""
    text = file.read_text()
    assert right in text
    copy = tmp_path / file.name
    copy.write_text(text.replace(right, wrong, 1))
    return copy


def one_line(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a report of one's own says that is not made."""
    words = ["--root", str(root), "results/local", "build/REPORT.md"]
    assert command("report", generate.generate, words) == 2
    assert not (root / "build").exists()
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("$chart:survival", "$chart:survivall"),
        ("$table:answers", "$table:answer"),
        ("$fact:best_c", "$table:best_c"),
        ("$text:tree", "$text:trees"),
        ("$chart:floor", "$floor"),
    ],
)
def test_a_misspelt_name_stops_the_report(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], right: str, wrong: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        story, "gallery", lambda _: [Chart("survival", "", "", "", Figure())]
    )
    spoilt = misspelt(story.template("report"), right, wrong, tmp_path)
    monkeypatch.setattr(chapters, "template", lambda _: spoilt)
    said = one_line(tree, capsys)
    assert "report.template.md" in said and wrong in said
    if wrong.partition(":")[0] == right.partition(":")[0]:
        assert said.rstrip().endswith(f"is it {right}?")


def names(words: str, tmp_path: Path, **facts: str) -> Names:
    """Names with a file of words and facts."""
    path = tmp_path / "words.md"
    path.write_text(words)
    made = Names(path)
    made.know(facts)
    return made


def test_what_a_template_is_filled_with(tmp_path: Path) -> None:
    """Facts are not read for names; an empty paragraph goes with the one that announces it."""
    words = "# Words\n\n## a\n\nFound\nin $fact:b:\n\n$fact:none\n\nEnd.\n\n## c\n\n$text:a $fact:b.\n"
    made = names(words, tmp_path, b="$fact:b", none="")
    assert made.get("text:a") == "End."
    assert made.fill("$text:c, $$5", "x") == "End. $fact:b., $5"


@pytest.mark.parametrize(
    "get", [lambda made: made.get("text:b"), lambda made: made.get("text:a")]
)
def test_an_unknown_name_is_a_fault(
    tmp_path: Path, get: Callable[[Names], str]
) -> None:
    with pytest.raises(UnknownName):
        get(names("## a\n\n$table:x\n", tmp_path))
