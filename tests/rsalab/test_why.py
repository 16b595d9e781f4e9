"""Why a step gains: cells that add up, claims that are true and prove
something, the scoreboard."""

import os
import re
from pathlib import Path

import pytest
from foreign import part
from made_results import results, row, write
from made_snapshot import add

from records import ladder
from records.faults import Failure, run
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import Results, load
from records.rows import read_rows, write_rows
from records.tables import Table, fitted
from records.workloads import TRIP_FULL, TRIP_SMALL
from rsalab.report import readmes
from rsalab.steps import scoreboard, spent, why

REFERENCE = load("results/qemu-gcc12")
ALL = [s for study in (LADDER, *ladder.studies()) for s in ladder.snapshots(study)]
STEPS = [pytest.param(s, id=f"{s.study}/{s.name}") for s in ALL if s.parent]


@pytest.fixture(scope="module")
def totals() -> dict[tuple[str, str, str], int]:
    """(study, snapshot, level) -> instructions over all round trips, from
    counts.csv."""
    wanted = (TRIP_FULL, "instructions", "total")
    return {
        (row["study"], row["snapshot"], row["level"]): row["value"]
        for row in read_rows(REFERENCE.path("counts.csv"))
        if (row["workload"], row["metric"], row["symbol"]) == wanted
    }


@pytest.mark.parametrize("child", STEPS)
def test_the_cells_add_up_to_the_difference(child: Snapshot, totals: dict) -> None:
    parent = ladder.parent_of(child)
    assert parent is not None
    for level in LEVELS:
        made = spent.step(REFERENCE, child, level)
        if made is None and (child.study, child.name, level) not in totals:
            pytest.skip("not in the reference yet: `make reference report`")
        if made is None:
            assert parent.width != child.width or parent.study != child.study
            continue
        before, after = (totals[s.study, s.name, level] for s in (parent, child))
        assert sum(made.difference.values()) == after - before
        table = why.rows(made)
        cells = [[int(c.replace(",", "") or 0) for c in row[1:]] for row in table[1:]]
        assert all(sum(row[:-1]) == row[-1] for row in cells)
        assert all(sum(column[:-1]) == column[-1] for column in zip(*cells))
        assert cells[-1][-1] == after - before


def test_the_run_time_has_a_row_of_its_own(tmp_path: Path) -> None:
    cell = "iterations,v0,O0"
    counts = {
        ("total", "instructions"): 9,
        ("f", "class_add_sub"): 7,
        ("memcpy", "class_thumb"): 2,
    }
    rows = [row(cell, m, v, s, n=1) for (s, m), v in counts.items()]
    line = f"{cell},roundtrip-full,rsa.c,1,f,0x0,add_sub,7,,,,1\n"
    write(tmp_path, rows, [row(cell, "asm_instructions", 1, "f", "static", 1)], [line])
    found = spent.spent(Results(tmp_path, "made", {}), LADDER, "v0", "O0")
    assert (found.total, found.of("memcpy"), found.of("f")) == (9, 2, 7)


@pytest.mark.parametrize(
    ("before", "totals"),
    [(("v5", TRIP_SMALL, 10, 90), (90, 30)), (("v5", TRIP_FULL, 100, 900), (900, 300))],
)
def test_one_case_that_all_have_is_enough(tmp_path, before, totals) -> None:
    """A rung that was measured on the small and on the default workload
    has both."""
    lines, counts, cells = [], [], ("iterations,v5,O1", "iterations,v6,O1")
    for name, case, n, value in (
        before,
        ("v6", TRIP_FULL, 100, 300),
        ("v6", TRIP_SMALL, 10, 30),
    ):
        cell = f"iterations,{name},O1"
        lines.append(f"{cell},{case},rsa.c,1,f,0x0,add_sub,{value},,,,{n}\n")
        for metric, symbol in (("instructions", "total"), ("class_add_sub", "f")):
            counts.append(row(cell, metric, value, symbol, case, n))
    write(
        tmp_path,
        counts,
        [row(c, "asm_instructions", 1, "f", "static", 1) for c in cells],
        lines,
    )
    made = spent.step(Results(tmp_path, "made", {}), ladder.find("v6"), "O1")
    assert made and (made.parent.total, made.child.total) == totals


SCORES = [  # expected, parent and child, the word
    ([1.5, 2], (150, 100), "right"),
    ([1.5, 2], (501, 250), "right"),  # as it is shown, x2.00
    ([1.5, 2], (201, 100), "too low"),
    ([1.5, 2], (149, 100), "too high"),
    ([0.01, 0.9], (80, 100), "open"),
    ([0.01, 0.7], (80, 100), "too low"),  # an open range has an end, too
]


@pytest.mark.parametrize(("expected", "counts", "word"), SCORES)
@pytest.mark.parametrize("known", [[], ["O1"]])
def test_a_prediction_is_scored(
    tmp_path: Path, expected, counts, word: str, known
) -> None:
    add(tmp_path, "v0")
    add(tmp_path, "v1", "v0", step=f"predicts.O1 = {expected}\ndisclosed = {known}")
    made = [row(f"iterations,v{i},O1", "instructions", n) for i, n in enumerate(counts)]
    score = scoreboard.score(
        results(tmp_path, made), ladder.find("v1", root=tmp_path), "O1"
    )
    assert score.endswith(f": {'disclosed' if known else word}")


def test_results_that_are_not_of_one_run_are_refused(tmp_path: Path) -> None:
    folder = part(tmp_path / "x", "iterations/v0/O1")
    rows = read_rows(folder / "lines.csv")
    rows[0]["instructions"] += 1
    write_rows(folder / "lines.csv", rows)
    with pytest.raises(Failure, match="one run"):
        spent.spent(load(folder), LADDER, "v0", "O1")


@pytest.mark.parametrize("child", ladder.snapshots()[1:], ids=lambda child: child.name)
def test_calls_times_instructions_make_the_count(child: Snapshot) -> None:
    """Every row multiplies out, and every level's changes lie within its
    whole change."""
    for line in readmes.story_of(REFERENCE, child).get("table:account").splitlines():
        for calls, each, whole in re.findall(r"([\d,]+) x ([\d,.]+) = ([\d,]+)", line):
            calls, each, whole = (
                float(n.replace(",", "")) for n in (calls, each, whole)
            )
            assert calls * each == pytest.approx(whole, rel=1e-3, abs=2)
    calls = spent.compared(REFERENCE, ladder.find("v6"), "O3")
    for side, numbers in ((calls.parent, (1158, 386)), (calls.child, (388, 4))):
        assert tuple(side.of(f"calls:{name}") for name in ("mmm", "mmm_1")) == numbers


def test_a_wide_table_is_folded_without_loss() -> None:
    cells = ["f", "-1,000", "", "-1,000"]
    table = Table(["function", "loads", "stores", "all"], [cells])
    assert fitted(table, 80) == table.lines
    lines = fitted(table, 16)
    assert all(len(line) <= 16 for line in lines)
    assert [line.split() for line in lines] == [
        *(["function", "loads"], ["f", "-1,000"], []),
        *(["function", "stores"], ["f"], []),
        *(["function", "all"], ["f", "-1,000"]),
    ]
    assert fitted(table, 1) == lines  # no column fits: one at a time


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A checkout that has the reference results and no others."""
    for name in ("iterations", "studies", "results/qemu-gcc12"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


def edits_of(child: ladder.Snapshot) -> list[str]:
    """The commits that wrote or changed a range, which was in README.md once; one that changes
    both files has only moved it."""
    before = scoreboard.commits(child, "README.md", "-G^predicts:")
    since = scoreboard.commits(child, "step.toml", "-G^predicts")
    return [
        commit
        for commit in [*since, *before]
        if (commit in since) != (commit in before)
    ]


def git(root: Path, *words: str) -> None:
    known = {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(root),
    }
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    run(["git", "-C", root, *who, *words], env={**os.environ, **known})


def test_the_first_commit_of_a_range_is_named(tmp_path: Path) -> None:
    root = tmp_path / "a"
    add(root, "v0")
    folder = add(root, "v1", "v0")

    def asked(step: str) -> tuple[str, int]:
        """The commit said for v1, and how many commits wrote or changed
        its range."""
        (folder / "step.toml").write_text(step)
        (root / "more").write_text(str(len(step)))
        if (root / ".git").exists():
            git(root, "add", "-A")
            git(root, "commit", "-m", "x", "--allow-empty")
        scoreboard.git.cache_clear()
        child = ladder.find("v1", root=root)
        return scoreboard.first_commit(child), len(edits_of(child))

    assert asked("predicts.O0 = [1.0, 1.1]\n") == ("", 0)
    git(root, "init", "-q")
    assert asked("") == ("", 0)
    first, edits = asked("predicts.O0 = [1.0, 1.1]\n")
    assert first and edits == 1
    assert asked("predicts.O0 = [1.0, 1.1]\nlook = 'O1 f'\n") == (first, 1)
    changed, edits = asked("predicts.O0 = [1.0, 1.2]\n")
    assert changed not in ("", first) and edits == 2
    assert asked("predicts.O0 = [1.0, 1.1]\n") == (first, 3)
    git(root, "clone", "-q", "--depth", "1", root.as_uri(), str(tmp_path / "b"))
    child = ladder.find("v1", root=tmp_path / "b")
    assert scoreboard.first_commit(child) == ""  # its first commit is not there


def test_a_prediction_is_never_edited() -> None:
    if not scoreboard.whole(ROOT):
        pytest.skip("no history here")
    for child in (one for one in ALL if one.parent and one.predicts):
        written = edits_of(child)
        assert len(written) <= 1, f"{child.study}/{child.name}: changed in {written[0]}"
        if written:
            assert scoreboard.first_commit(child) == written[0], (
                "predicts: differs from its commit"
            )
