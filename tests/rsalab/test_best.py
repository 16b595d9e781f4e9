"""The best rungs are found: a v9 changes every sentence that means the best or the last."""

import re
import shutil
from pathlib import Path

import pytest
from made_results import EXACT, LEVELS, load_repository, row
from representatives import mostly_long

from records.results import Results
from rsalab.charts import ladder as charts
from rsalab.report import tables
from rsalab.report.sentences import best_facts
from rsalab.report.story import Story


@pytest.fixture(params=mostly_long(["C", "assembly"], ["assembly"]))
def kind(request: pytest.FixtureRequest) -> str:
    """What the rung v9 is written in."""
    return str(request.param)


@pytest.fixture
def with_v9(root: Path, kind: str) -> Results:
    """Results with a rung v9 that executes fewer instructions than any other."""
    folder = root / "iterations" / "v9"
    shutil.copytree(root / "iterations" / "v8", folder)
    readme = (folder / "README.md").read_text()
    (folder / "README.md").write_text(re.sub(r"(?m)^parent:.*$", "parent: v8", readme))
    (root / "iterations" / "v8" / "mont.S").write_text("umaal")
    if kind == "assembly":
        (folder / "mont.S").write_text("umaal")
    with (root / "results" / "made-up" / "counts.csv").open("a") as file:
        for place, level in enumerate(LEVELS):
            for metric in EXACT:
                file.write(row(f"iterations,v9,{level}", metric, 70 - 10 * place))
    return load_repository(root)


def test_a_v9_changes_what_is_said_of_the_best(with_v9: Results, kind: str) -> None:
    facts = best_facts(with_v9)
    c = "v9" if kind == "C" else "v7"
    assembly = "v8" if kind == "C" else "v9"
    assert (
        facts["best_c"] == f"{c} at -O3"
        and facts["best_assembly"] == f"{assembly} at -O3"
    )
    answers = {what: programs for what, programs, *_ in tables.answers(with_v9).rows}
    assert answers["The whole ladder"] == "v0 / v9"
    assert answers["Best C against assembly, both with words"] == f"{c} / {assembly}"
    story = Story(with_v9)
    assert story.get("fact:last") == "v9" and "[v9]" in story.get("table:overview")
    assert charts.speed_up(with_v9).answer.startswith("v9: ")
