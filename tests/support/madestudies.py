"""Made-up results of the two studies of other widths, in a repository of their own."""

import shutil
from pathlib import Path

from madeup import LEVELS, fixture_results

from records.ladder import ROOT
from rsalab import frames

HEAD = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat\n"
COUNTED = {"instructions": 7000, "branches_taken": 90, "load_accesses": 800, "store_accesses": 50,
           "multiplies_long": 60, "multiplies_umaal": 4}  # fmt: skip
PARENTS = {
    "width-64": {"v0": "", "v1": "v0", "v2": "v1"},
    "width-96": {"v0": "", "v1": "v0", "v2": "v1", "v2neon": "v2", "v3": "v2", "v4": "v3",
                 "v5": "v4", "v6": "v4"},
}  # fmt: skip
TRIPS = 10


def value(metric: str, study: str, rung: str, level: str) -> int:
    """A made-up total over TRIPS operations, another one for each cell."""
    place = list(PARENTS[study]).index(rung)
    return TRIPS * COUNTED[metric] * (9 - place) * (3 - LEVELS.index(level))


def add_studies(root: Path, folder: Path) -> None:
    """Folders of both studies, and their counts."""
    rows = []
    for study, parents in PARENTS.items():
        for rung, parent in parents.items():
            path = root / "studies" / study / rung
            path.mkdir(parents=True)
            (path / "rsa.c").write_text("")
            (path / "README.md").write_text(f"---\nidea: An idea\nparent: {parent}\n---\n")
            for level in LEVELS:
                for metric in COUNTED:
                    total = value(metric, study, rung, level)
                    cell = f"{study},{rung},{level}"
                    for case in ("roundtrip-full", "mont_mul"):
                        rows.append(f"{cell},{case},{metric},total,{total},x,{TRIPS},0\n")
    (root / "studies" / "width-64" / "v2" / "mont.S").write_text("umull")
    with (folder / "counts.csv").open("a") as file:
        file.writelines(rows)


def make(root: Path) -> Path:
    """A repository with the ladder, made-up results of it alone, and the published tables."""
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    for readme in (ROOT / "iterations").glob("*/README.md"):
        target = root / "iterations" / readme.parent.name
        target.mkdir(parents=True)
        shutil.copy(readme, target)
        (target / "rsa.c").write_text("")
    fixture_results(root / "results" / "made-up")
    return root


def load(root: Path) -> frames.Results:
    """The made-up results."""
    return frames.load("results/made-up", root)
