"""Collecting time samples: order, warm-up, what is kept, what is marked, and what goes wrong."""

import itertools
import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from clone import Clone
from fake_programs import made_cell

from harness.time import board_state, clock_samples, rounds
from records.faults import Failure
from records.ladder import ROOT
from records.rows import read_rows
from rsalab.steps import times

NAMES = [f"v{i}" for i in range(6)]
METRICS = {("encrypt_clock", "us"), ("encrypt", "ns"), ("decrypt_clock", "us"), ("decrypt", "ns")}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with inputs and nothing else, and a board that says nothing."""
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(board_state, "state", dict)
    return tmp_path


def log(name: str) -> str:
    """What a script does to tell that it ran."""
    return f"echo {name} >>'{os.getcwd()}/log'"


def logged() -> list[str]:
    return Path("log").read_text().split() if Path("log").exists() else []


def test_the_order_is_drawn_anew_for_each_round() -> None:
    orders = {tuple(clock_samples.order(["a", "b", "c"], number, 1)) for number in range(100)}
    assert len(orders) == 6
    assert clock_samples.order(NAMES, 3, 1) == clock_samples.order(NAMES[::-1], 3, 1)
    assert any(
        clock_samples.order(NAMES, n, 1) != clock_samples.order(NAMES, n, 2) for n in range(3)
    )


def test_the_order_is_balanced() -> None:
    """Each program in each place, and before each other, as often as chance has it (5 sigma)."""
    number_of_rounds, size = 1200, len(NAMES)
    orders = [clock_samples.order(NAMES, number, 7) for number in range(number_of_rounds)]
    places = Counter((name, place) for one in orders for place, name in enumerate(one))
    expected = number_of_rounds / size
    assert all(abs(places[n, p] - expected) < 5 * expected**0.5 for n in NAMES for p in range(size))
    for a in NAMES:
        for b in NAMES:
            before = sum(one.index(a) < one.index(b) for one in orders)
            assert a == b or abs(before - number_of_rounds / 2) < 5 * (number_of_rounds / 4) ** 0.5


def test_every_round_runs_every_program_once_after_a_warm_up() -> None:
    rounds.collect([made_cell(name, log(name)) for name in NAMES])
    ran = [logged()[i : i + len(NAMES)] for i in range(0, len(logged()), len(NAMES))]
    assert len(ran) == 1 + rounds.ROUNDS
    assert all(sorted(one) == NAMES for one in ran)
    assert len({tuple(one) for one in ran[1:]}) > 5


def test_the_warm_up_is_no_sample_and_everything_else_is() -> None:
    rows = rounds.collect([made_cell("v0"), made_cell("v1", us=7)])
    assert len(rows) == 2 * rounds.ROUNDS * 2 * 4
    assert {(row["metric"], row["unit"]) for row in rows} == METRICS
    assert {row["value"] for row in rows if row["snapshot"] == "v1"} == {7, 7000}
    mine = [row for row in rows if row["snapshot"] == "v0" and row["metric"] == "encrypt"]
    assert [row["repeat"] for row in mine] == list(range(2 * rounds.ROUNDS))
    kept = json.loads(Path("build/times/round-3.json").read_text())["what"]
    assert kept["iterations/v0/O1"]["seed"] == 1 and len(kept) == 2
    assert {kept[label]["place"] for label in kept} == {0, 1}
    assert rounds.facts() == {"seeds": [1], "rounds": rounds.ROUNDS, "tainted": {}}


def test_the_parts_are_the_default_workload() -> None:
    words = [
        clock_samples.arguments(Path("data/inputs/width-128"), i)
        for i in range(clock_samples.PARTS)
    ]
    assert words[3][2:5] == ["-n", "1", words[3][4]]
    assert [w[w.index("-s") + 1] for w in words] == [str(8 * i) for i in range(10)]
    assert all(w[-5:-1] == ["-s", str(2 * i), "-n", "2"] for i, w in enumerate(words))


def test_what_is_kept_is_not_measured_again() -> None:
    cells = [made_cell("v0", log("v0")), made_cell("v1", log("v1"))]
    first = rounds.collect(cells)
    Path("log").unlink()
    assert rounds.collect(cells) == first and not logged()
    made_cell("v1", log("again"), us=9)
    assert {r["value"] for r in rounds.collect(cells) if r["snapshot"] == "v1"} == {9, 9000}
    assert logged() == ["again"] * (1 + rounds.ROUNDS)


def test_an_interrupted_collection_goes_on_with_the_round_at_work() -> None:
    def stop(number: int, rounds: int) -> None:
        if number == 4:
            raise KeyboardInterrupt

    cells = [made_cell("v0", log("v0"))]
    with pytest.raises(KeyboardInterrupt):
        rounds.collect(cells, progress=stop)
    Path("log").unlink()
    assert len(rounds.collect(cells)) == rounds.ROUNDS * 8
    assert len(logged()) == 1 + rounds.ROUNDS - 4


def test_it_ends_with_the_round_that_fits_and_stays_at_it() -> None:
    cells = [made_cell("v0", log("v0"))]
    plan = rounds.Plan(seconds=0)
    assert len(rounds.collect(cells, plan)) == rounds.FEWEST * 8
    Path("log").unlink()
    assert len(rounds.collect(cells, plan)) == rounds.FEWEST * 8 and not logged()
    assert len(rounds.collect(cells)) == rounds.ROUNDS * 8


def test_a_board_that_tells_its_frequency_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The governor of an idle board is slow; samples after that are not tainted by it."""

    states = iter([{"frequency": [600]}, {"frequency": [1200]}])
    monkeypatch.setattr(board_state, "state", lambda: next(states))
    monkeypatch.setattr(clock_samples, "WAKE", 0.01)
    assert clock_samples.state_awake() == {"frequency": [1200]}


def test_tainted_samples_are_kept_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    states = itertools.count(1)
    monkeypatch.setattr(board_state, "state", lambda: {"throttled": 4 * (next(states) == 5)})
    rows = rounds.collect([made_cell("v0")])
    marked = [row for row in rows if row["metric"].endswith("_tainted")]
    assert len(rows) == rounds.ROUNDS * 8 and len(marked) == 8
    assert {row["metric"] for row in marked} == {f"{metric}_tainted" for metric, _ in METRICS}
    assert rounds.facts()["tainted"] == {"throttled": 1}
    found = times.summaries(rows, "iterations")["v0", "O1"]
    assert found["message"].total == 10 * 2 * (rounds.ROUNDS - 1)
    assert found["exponentiation"].mean == 5


@pytest.mark.parametrize(
    "body, said",
    [
        ("exec sleep 60", "no end after 0.3 s, so it hangs"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("echo wrong digit >&2; echo more >&2; exit 1", "wrong digit"),
        ("exit 3", "status 3"),
        ("echo hello; exit 0", "what it printed is no table of times"),
        ("exit 0", "what it printed is no table of times"),
    ],
)
def test_a_program_that_fails_is_one_line(body: str, said: str) -> None:
    with pytest.raises(Failure) as fault:
        rounds.collect([made_cell("v0", body)], rounds.Plan(limit=0.3))
    assert str(fault.value).startswith("iterations/v0/O1: not timed: ")
    assert str(fault.value).endswith(said) and "\n" not in str(fault.value)


def test_finished_rounds_survive_a_failure() -> None:
    body = f"{log('v0')}; [ $(wc -l <log) -lt 5 ] || exit 9"
    with pytest.raises(Failure):
        rounds.collect([made_cell("v0", body)])
    assert sorted(path.name for path in Path("build/times").glob("*.json")) == [
        f"round-{i}.json" for i in range(3)
    ]


def test_a_missing_program_is_one_line() -> None:
    cell = made_cell("v0")
    cell.program.unlink()
    with pytest.raises((Failure, FileNotFoundError), match="rsa"):
        rounds.collect([cell])


@pytest.fixture(scope="module")
def host(clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A checkout after `make host`; `said` is what that printed."""
    made = clone.copy(tmp_path_factory.mktemp("host") / "rsa lab")
    ran = made.make("host")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    made.said = ran.stdout
    return made


def test_every_c_rung_is_built_checked_and_timed_on_the_host(host: Clone) -> None:
    rows = read_rows(host.path / "results/local/host/times.csv")
    timed = {(row["snapshot"], row["level"]) for row in rows}
    for folder in (host.path / "iterations").glob("v*"):
        name = folder.name
        if (folder / "mont.S").exists():
            assert f"{name}: not available" in host.said
        elif f"{name}: not available here: NEON, which needs libsimde-dev here" not in host.said:
            for level in ("O0", "O1", "O3"):
                assert (name, level) in timed
                stamp = host.path / f"build/host/iterations/{name}/{level}/check.ok"
                assert re.match(r"[1-9]\d* vectors and [1-9]\d* drawn", stamp.read_text())
    assert all(row["value"] > 0 for row in rows if row["unit"] == "ns")


def test_the_hosts_times_say_whose_they_are(host: Clone) -> None:
    facts = json.loads((host.path / "results/local/host/machine.json").read_text())
    assert facts["platform"].startswith("host-gcc") and facts["timing"]["seeds"] == [1]
    assert f"{facts['platform']}, {facts['cpu']}" in host.said
    assert not (host.path / "results/local/host/counts.csv").exists()
