"""Rounds of samples: order, warm-up, what is kept and marked; duels, made
up and live."""

import itertools
import json
import os
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from clone import Clone
from fake_programs import made_cell

from harness import clock, target
from records.faults import Failure
from records.ladder import ROOT
from records.statistics import DIFFERENCES

NAMES = [f"v{i}" for i in range(6)]
FASTER, NOTHING, SLOWER = DIFFERENCES


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with inputs and nothing else, and a board that
    says nothing."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(target, "state", dict)
    return tmp_path


def log(name: str) -> str:
    """What a script does to tell that it ran."""
    return f"echo {name} >>'{os.getcwd()}/log'"


def logged() -> list[str]:
    """The programs that ran since they were asked for last."""
    path = Path("log")
    names = path.read_text().split() if path.exists() else []
    path.unlink(missing_ok=True)
    return names


def test_a_collection_is_kept_and_each_round_has_an_order_of_its_own(
    here: Path,
) -> None:
    """Every round runs every program once, after a warm-up, which is no
    sample."""
    cells = [made_cell(name, log(name), us=9) for name in NAMES]
    rows, facts = clock.collect(cells)
    names = logged()
    ran = [names[i : i + len(NAMES)] for i in range(0, len(names), len(NAMES))]
    assert len(ran) == 1 + clock.PARTS and len({tuple(one) for one in ran[1:]}) > 5
    assert all(sorted(one) == NAMES for one in ran)
    assert len(rows) == len(NAMES) * clock.PARTS * 2 * 4
    assert {row["metric"]: row["unit"] for row in rows} == clock.UNITS
    assert {row["value"] for row in rows} == {9, 9000}
    mine = [
        row for row in rows if row["snapshot"] == "v0" and row["metric"] == "encrypt"
    ]
    assert [row["repeat"] for row in mine] == list(range(2 * clock.PARTS))
    assert facts == {"seeds": [1], "rounds": clock.PARTS, "tainted": {}}
    assert clock.collect(cells) == (rows, facts) and not logged()
    made_cell("v1", log("again"), us=7)
    again = clock.collect(cells)[0]
    assert {row["value"] for row in again if row["snapshot"] == "v1"} == {7, 7000}
    assert logged() == ["again"] * (1 + clock.PARTS)


def test_a_collection_that_fails_goes_on_with_the_round_at_work(here: Path) -> None:
    body = f"{log('v0')}; [ $(wc -l <'{here}/log') -lt 5 ] || exit 9"
    cells = [made_cell("v0", body)]
    for kept in (3, 6):  # after a warm-up: one round less than what ran
        with pytest.raises(Failure, match=r"^iterations/v0/O1: not timed: .*status 9$"):
            clock.collect(cells)
        assert len(logged()) == 5
        assert len(list(cells[0].folder.glob("times-*.json"))) == kept


def test_it_ends_with_the_round_that_fits_and_stays_at_it(here: Path) -> None:
    cells = [made_cell("v0", log("v0"))]
    for runs in (True, False):
        assert (
            len(clock.collect(cells, 0)[0]) == clock.FEWEST * 8
            and bool(logged()) == runs
        )
    assert len(clock.collect(cells)[0]) == clock.PARTS * 8


def test_tainted_samples_are_kept_and_left_out(here: Path, monkeypatch) -> None:
    states = itertools.count(1)
    monkeypatch.setattr(target, "state", lambda: {"throttled": 4 * (next(states) == 5)})
    rows, facts = clock.collect([made_cell("v0")])
    marked = Counter(
        row["metric"] for row in rows if row["metric"].endswith("_tainted")
    )
    assert len(rows) == clock.PARTS * 8 and facts["tainted"] == {"throttled": 1}
    assert marked == dict.fromkeys((f"{metric}_tainted" for metric in clock.UNITS), 2)


FAILING = {
    "while :; do :; done": ".*no end after 1 s of processor time, its limit; LIMIT=4.*",
    "echo wrong digit >&2; echo more >&2; exit 1": "wrong digit",
}


@pytest.mark.parametrize("body", FAILING)
def test_a_program_that_fails_is_one_line(here: Path, monkeypatch, body: str) -> None:
    monkeypatch.setattr(clock, "RUN_SECONDS", 1)
    with pytest.raises(
        Failure, match=rf"^iterations/v0/O1: not timed: [^\n]*{FAILING[body]}$"
    ):
        clock.collect([made_cell("v0", body)])


# --- duels --------------------------------------------------------------------------------------


def made_rounds(b: float = 1.0, why: str = "") -> list:
    """Rounds whose messages scatter by 2 %."""
    source = random.Random(1)

    def run(speed: float) -> dict:
        halves = [int(2500 * speed * source.uniform(1, 1.02)) for _ in range(16)]
        pairs = ((x, x * 1000, y, y * 1000) for x, y in zip(halves[::2], halves[1::2]))
        return {
            "samples": [dict(zip(clock.UNITS, pair)) for pair in pairs],
            "tainted": why,
        }

    speeds = {clock.A: 1, clock.COPY: 1, clock.B: b}
    return [
        {name: run(speed) for name, speed in speeds.items()}
        for _ in range(clock.ROUNDS)
    ]


def said(rounds: list, identical: bool = False) -> dict[str, str]:
    """What is printed of a duel, by pattern."""
    text = clock.report(("v0", "v1"), rounds, identical)
    form = r"by (?P<clock>\S+), .*noise floor (?P<floor>\S+)%, (?P<rounds>.*)\nv1: (?P<word>.*)$"
    return re.search(form, text, re.S).groupdict()


@pytest.mark.parametrize("b, word", [(1.0, NOTHING), (1.08, SLOWER), (0.92, FASTER)])
def test_a_difference_is_seen_and_has_its_direction(b: float, word: str) -> None:
    assert said(made_rounds(b))["word"].removesuffix(" than v0") == word


def test_the_same_hash_is_never_different_and_its_spread_is_the_floor() -> None:
    outcome = said(made_rounds(1.5), identical=True)
    assert outcome["word"] == NOTHING and float(outcome["floor"]) > 40


def test_tainted_rounds_are_left_out_and_too_few_clean_ones_are_no_basis() -> None:
    rounds, spoilt = made_rounds(), made_rounds(3, "throttled")
    assert said([*spoilt, *rounds]) == said(rounds) | {
        "rounds": "81 rounds, 81 tainted"
    }
    with pytest.raises(Failure, match=r"^0 .* 81 \(throttled\).* 11 "):
        said(spoilt)


@pytest.mark.long
def test_v6_beats_v0_and_not_itself(clone: Clone, tmp_path: Path) -> None:
    host = clone.copy(tmp_path / "rsa lab")
    ran = host.make("host", "LEVELS=O1")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    text, same = (
        host.make("duel", a, "B=v6", "LEVEL=O1").stdout for a in ("A=v0", "A=v6")
    )
    assert "v6: faster than v0\n" in text and f"v6: {NOTHING}\n" in same
    assert "noise floor" in same and "same program" in same
    kept = json.loads((host.path / "build/duel/iterations-v6-v6-O1.json").read_text())
    assert (
        kept["programs"][0] == kept["programs"][1]
        and len(kept["rounds"]) >= clock.CLEAN
    )
