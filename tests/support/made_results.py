"""Made-up snapshots and results: one builder for all tests of what reads
them."""

import itertools
import json
import shutil
from collections.abc import Iterable
from pathlib import Path

from made_snapshot import add

from records import ladder
from records.results import SIZES, Results, load
from records.rows import COLUMNS

LEVELS = ("O0", "O1", "O3")
EXACT = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
HEAD, LINES = (",".join(COLUMNS[file]) + "\n" for file in ("counts.csv", "lines.csv"))
TRIP = "roundtrip-full"
FACTS = {
    "platform": "qemu-gcc99",
    "compiler": "arm-gcc (Test) 99.1",
    "flags": "-marm",
    "date": "2030-01-02T03:04:05Z",
    "git_revision": "0" * 40,
    "git_clean": True,
}


def snapshots(
    root: Path, study: str, parents: dict[str, str], by_hand: Iterable[str] = ()
) -> None:
    """Folders of a study: name -> parent, "" for none; those of by_hand
    have a mont.S."""
    for name, parent in parents.items():
        folder = add(root, name, parent, study, idea=f"Idea of {name}")
        if name in by_hand:
            (folder / "mont.S").write_text("umull")


def row(cell: str, metric: str, value: int, symbol: str = "total", case: str = TRIP, n: int = 10,
        ) -> str:  # fmt: skip
    """A line of a results file; `cell` is `study,snapshot,level`."""
    place = f"{cell},gcc 12.2.0,{case}"
    return f"{place},{metric},{symbol},{value},instructions,{n},exact\n"


def whole(cell: str, instructions: int, loads: int = 0, stores: int = 0) -> list[str]:
    """The counts of a cell over ten operations, given as means."""
    values = dict.fromkeys(EXACT, 0) | {"instructions": instructions, "loads": loads}
    values["stores"] = stores
    return [row(cell, metric, 10 * value) for metric, value in values.items()]


def parts(
    cell: str, classes: dict[str, int], runtime: int = 0, case: str = TRIP
) -> list[str]:
    """The classes of a cell inside the snapshot, and instructions inside
    and all in all (means)."""
    inside = sum(classes.values())
    rows = [
        row(cell, f"class_{cls}", 10 * n, "snapshot", case)
        for cls, n in classes.items()
    ]
    rows.append(row(cell, "instructions", 10 * inside, "snapshot", case))
    return [*rows, row(cell, "instructions", 10 * (inside + runtime), "total", case)]


def write(
    folder: Path,
    counts: Iterable[str],
    sizes: Iterable[str] = (),
    lines: Iterable[str] = (),
) -> None:
    """Writes a results folder; `lines` of lines.csv may be left out."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "counts.csv").write_text(HEAD + "".join(counts))
    some = list(sizes) or [row("iterations,a,O0", "code_bytes", 4, case="static", n=1)]
    (folder / "asm.csv").write_text(HEAD + "".join(some))
    if lines:
        (folder / "lines.csv").write_text(LINES + "".join(lines))
    (folder / "machine.json").write_text(json.dumps(FACTS))


def publish(root: Path) -> None:
    """The published tables, and what was counted of OpenSSL for the record."""
    for name in ("data/published", "results/qemu-gcc12/openssl.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if not (root / name).exists():
            (root / name).symlink_to(ladder.ROOT / name)


def results(
    root: Path,
    counts: Iterable[str],
    sizes: Iterable[str] = (),
    lines: Iterable[str] = (),
) -> Results:
    """A results folder, loaded."""
    folder = root / "results" / "qemu-gcc99"
    write(folder, counts, sizes, lines)
    publish(root)
    return load(folder, root)


def write_ladder(folder: Path) -> None:
    """A results folder with one count for each rung and level, some of
    them worth a verdict."""
    counts, sizes = [], []
    for place, snapshot in enumerate(ladder.snapshots()):
        for level, scale in zip(LEVELS, (4000, 2000, 1000)):
            cell = f"iterations,{snapshot.name},{level}"
            value = scale * (20 - place) + (50 if snapshot.name == "v1" else 0)
            counts += [row(cell, metric, value) for metric in EXACT]
            sizes += [row(cell, m, 100 + place, case="static", n=1) for m in SIZES]
    write(folder, counts, sizes)


COUNTED = {"instructions": 7000, "branches_taken": 90, "load_accesses": 800, "store_accesses": 50,
           "multiplies_long": 60, "multiplies_umaal": 4,
           "simulated_mispredictions_arm1176": 20}  # fmt: skip
PARENTS = {
    "width-64": {"v0": "", "v1": "v0", "v2": "v1"},
    "width-96": {"v0": "", "v1": "v0", "v2": "v1", "v2neon": "v2", "v3": "v2", "v4": "v3",
                 "v5": "v4", "v6": "v4"},
}  # fmt: skip
TRIPS = 10


def study_value(metric: str, study: str, rung: str, level: str) -> int:
    """A made-up total over TRIPS operations, another one for each cell."""
    place = list(PARENTS[study]).index(rung)
    return TRIPS * COUNTED[metric] * (9 - place) * (3 - LEVELS.index(level))


def add_studies(root: Path, folder: Path) -> None:
    """Folders of both studies, and their counts."""
    with (folder / "counts.csv").open("a") as file:
        for study, parents in PARENTS.items():
            snapshots(root, study, parents, by_hand=["v2"] * (study == "width-64"))
            for rung, level, metric in itertools.product(parents, LEVELS, COUNTED):
                total, cell = (
                    study_value(metric, study, rung, level),
                    f"{study},{rung},{level}",
                )
                for case in (TRIP, "mont_mul"):
                    file.write(row(cell, metric, total, case=case, n=TRIPS))


def write_repository(root: Path) -> Path:
    """A repository: the ladder's READMEs, made-up results of it alone, the
    published tables."""
    publish(root)
    for readme in (ladder.ROOT / "iterations").glob("*/README.md"):
        target = root / "iterations" / readme.parent.name
        target.mkdir(parents=True)
        shutil.copy(readme, target)
        if (readme.parent / "step.toml").exists():
            shutil.copy(readme.parent / "step.toml", target)
        (target / "rsa.c").write_text("")
    write_ladder(root / "results" / "made-up")
    return root


def load_repository(root: Path) -> Results:
    """The made-up results."""
    return load("results/made-up", root)
