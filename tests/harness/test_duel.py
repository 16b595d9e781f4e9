"""Duels: made-up rounds with known answers, and live ones on this machine."""

import json
import random
from pathlib import Path

import pytest
from clone import Clone
from fake_programs import write_program

from harness.time import clock_samples, duel
from records.faults import Failure
from records.ladder import ROOT
from records.statistics import DIFFERENCES

FASTER, NOTHING, SLOWER = DIFFERENCES


def made_rounds(
    seed: int, b: float = 1.0, rounds: int = duel.ROUNDS, us: float = 5000, why: str = ""
) -> list:
    """Rounds on a bad machine: speed drifts, one run in ten is disturbed, messages scatter."""
    source, drift, made = random.Random(seed), 1.0, []
    for _ in range(rounds):
        drift *= 1 + source.gauss(0, 0.01)
        found = {}
        for name in (duel.A, duel.COPY, duel.B):
            speed = drift * (b if name == duel.B else 1) * (1 + source.gauss(0, 0.005))
            speed *= 1 + (source.random() < 0.1) * source.expovariate(5)
            taken = [
                sample
                for index in range(8)
                for half in ("encrypt", "decrypt")
                for sample in exponentiation(half, us / 2 * speed * source.uniform(1, 1.02), index)
            ]
            found[name] = {"samples": taken, "tainted": why}
        made.append(found)
    return made


def exponentiation(half: str, us: float, index: int) -> list[list]:
    """One exponentiation by both clocks."""
    return [[half, "ns", int(us * 1000), index], [f"{half}_clock", "us", int(us), index]]


@pytest.mark.slow
def test_equal_programs_are_never_called_different() -> None:
    words = [duel.judge(made_rounds(seed), identical=False).word for seed in range(40)]
    assert words == [NOTHING] * 40


def test_a_difference_is_seen_and_has_its_direction() -> None:
    for seed in range(10):
        assert duel.judge(made_rounds(seed, b=1.08), identical=False).word == SLOWER
        assert duel.judge(made_rounds(seed, b=0.92), identical=False).word == FASTER


def test_the_same_hash_is_never_different_and_its_spread_is_the_floor() -> None:
    outcome = duel.judge(made_rounds(1, b=1.5), identical=True)
    assert outcome.word == NOTHING
    assert outcome.floor >= outcome.ratio.ratio - 1 > 0.4


def test_a_short_round_trip_is_timed_by_the_finer_clock() -> None:
    assert duel.judge(made_rounds(1, us=5000), identical=False).clock == "clock()"
    assert duel.judge(made_rounds(1, us=30), identical=False).clock == "clock_gettime()"


def test_tainted_rounds_are_left_out() -> None:
    rounds = made_rounds(1)
    spoilt = made_rounds(2, b=3.0)
    for found in spoilt:
        found[duel.COPY]["tainted"] = "throttled"
    outcome = duel.judge([*spoilt, *rounds], identical=False)
    assert (outcome.rounds, outcome.tainted) == (len(rounds), len(spoilt))
    assert outcome.ratio == duel.judge(rounds, identical=False).ratio


def test_too_few_clean_rounds_are_no_basis() -> None:
    rounds = made_rounds(1, why="throttled")
    with pytest.raises(Failure, match=r"^0 .* 81 \(throttled\).* 11 "):
        duel.judge(rounds, identical=False)


def test_the_order_varies_and_the_warm_up_is_not_kept(tmp_path: Path) -> None:
    programs = {
        name: [str(write_program(tmp_path / name, us=9))] for name in (duel.A, duel.COPY, duel.B)
    }
    fought = duel.fight(programs, ROOT / "data/inputs/width-128", rounds=12)
    assert len(fought) == 12
    orders = [sorted(programs, key=lambda name: one[name]["place"]) for one in fought]
    assert len(set(map(tuple, orders))) > 3
    assert len(clock_samples.trips(fought[0][duel.B]["samples"])) == 2


@pytest.mark.parametrize(
    "body, said",
    [
        ("exec sleep 60", "B: not timed: no end after 0.3 s, so it hangs"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
    ],
)
def test_a_program_that_fails_is_one_line(tmp_path: Path, body: str, said: str) -> None:
    good, bad = write_program(tmp_path / "good"), write_program(tmp_path / "bad", body)
    programs = {duel.A: [str(good)], duel.COPY: [str(good)], duel.B: [str(bad)]}
    with pytest.raises(Failure, match=said):
        duel.fight(programs, ROOT / "data/inputs/width-128", limit=0.3)


@pytest.fixture(scope="module")
def ring(clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A checkout of its own, with nothing built that these tests have not built."""
    return clone.copy(tmp_path_factory.mktemp("ring") / "rsa lab")


def fight(ring: Clone, a: str, b: str, level: str = "O1") -> str:
    """What `make duel` says."""
    ran = ring.make("duel", f"A={a}", f"B={b}", f"LEVEL={level}")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    return ran.stdout


def test_v6_beats_v0_whichever_comes_first(ring: Clone) -> None:
    assert "v6: faster than v0\n" in fight(ring, "v0", "v6")
    assert "v0: slower than v6\n" in fight(ring, "v6", "v0")


def test_a_program_against_itself(ring: Clone) -> None:
    said = fight(ring, "v6", "v6")
    assert f"v6: {NOTHING}\n" in said and "noise floor" in said and "same program" in said
    kept = json.loads((ring.path / "build/duel/iterations-v6-v6-O1.json").read_text())
    assert kept["programs"][0] == kept["programs"][1] and len(kept["rounds"]) >= duel.FEWEST


def test_equal_code_with_another_hash_live(ring: Clone, tmp_path: Path) -> None:
    """One byte after the end of the file changes the hash and nothing that runs."""
    fight(ring, "v6", "v6")
    folder = ring.path / "build/host" if (ring.path / "build/host/iterations").exists() else None
    program = (folder or ring.path / "build") / "iterations/v6/O1/rsa"
    twin = tmp_path / "twin"
    twin.write_bytes(program.read_bytes() + b"\0")
    twin.chmod(0o755)
    programs = {duel.A: [str(program)], duel.COPY: [str(program)], duel.B: [str(twin)]}
    for seed in range(5):
        fought = duel.fight(programs, ROOT / "data/inputs/width-128", rounds=15, seed=seed)
        assert duel.judge(fought, identical=False).word == NOTHING


@pytest.mark.parametrize(
    "words, said",
    [
        (["A=v2"], "duel: name two rungs: make duel A=v2 B=v4 LEVEL=O1"),
        (["A=v2", "B=v4", "LEVEL=O9"], "duel: LEVEL=O9: "),
        (["A=v2", "B=v99"], "duel: no snapshot 'v99' in iterations; there are: v0"),
        (["A=v2", "B=alone/v99"], "duel: no snapshot 'v99' in alone; there are: "),
    ],
)
def test_what_cannot_be_fought_is_one_line(ring: Clone, words: list[str], said: str) -> None:
    ran = ring.make("duel", *words)
    assert ran.returncode == 2 and ran.stderr.startswith(said)
