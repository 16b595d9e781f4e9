"""What studies bring to the report: `studies/STUDY/chapter.py`, found by its folder.

Such a module has one name, CHAPTER.  A study builds on this package; nothing here names a study.  This
is the door through which studies reach the report: pyproject.toml declares it, because the linter of
imports does not see it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from records.ladder import ROOT, Snapshot
from records.results import Results
from rsalab.charts.picture import Chart

# The text of a cell for a rung at a level, None where there is none.
Column = Callable[[Results, Snapshot, str], str | None]


@dataclass(frozen=True)
class Chapter:
    """The part of a study in texts about results.

    `charts`: what draws each chart from results, by the name that a text asks for,
    `$chart:floor`.  `facts`: returns the numbers of the study that texts may name, `$fact:clocks`.
    `columns`: by the head of a column of the front page's table, what returns its text for a rung
    at a level, None where there is none.
    """

    charts: Mapping[str, Callable[[Results], Chart]] = field(default_factory=dict)
    facts: Callable[[], Mapping[str, str]] = dict
    columns: Mapping[str, Column] = field(default_factory=dict)


@cache
def chapters() -> list[Chapter]:
    """Return the chapter of every study that has one, by the names of their folders."""
    found = []
    for path in sorted(ROOT.glob("studies/*/chapter.py")):
        module = import_module(f"studies.{path.parent.name}.chapter")
        chapter: Chapter = module.CHAPTER
        found.append(chapter)
    return found


def charts() -> dict[str, Callable[[Results], Chart]]:
    """Return what draws the charts of all studies, by their names."""
    found: dict[str, Callable[[Results], Chart]] = {}
    for chapter in chapters():
        found |= chapter.charts
    return found


def facts() -> dict[str, str]:
    """Return the facts of all studies."""
    found: dict[str, str] = {}
    for chapter in chapters():
        found |= chapter.facts()
    return found


def columns() -> dict[str, Column]:
    """Return the columns of all studies, by their heads."""
    found: dict[str, Column] = {}
    for chapter in chapters():
        found |= chapter.columns
    return found
