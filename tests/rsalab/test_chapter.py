"""What studies bring to the report."""

import sys
from pathlib import Path

import pytest

from rsalab import chapter

MADE = """
from rsalab.chapter import Chapter

CHAPTER = Chapter(charts={"made-up": lambda results: results}, facts=lambda: {"made_up": "7"})
"""


def test_a_chapter_is_found_by_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside those that are here: nothing lists it."""
    here = [path.parent.name for path in chapter.ROOT.glob("studies/*/chapter.py")]
    assert "limit" in here and len(chapter.chapters()) == len(here)
    made = tmp_path / "studies/made-up/chapter.py"
    made.parent.mkdir(parents=True)
    made.write_text(MADE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(chapter, "ROOT", tmp_path)
    chapter.chapters.cache_clear()
    try:
        assert set(chapter.charts()) == {"made-up"} and chapter.facts() == {
            "made_up": "7"
        }
    finally:
        chapter.chapters.cache_clear()
        sys.modules.pop("studies.made-up.chapter")
