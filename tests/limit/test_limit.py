"""studies/limit: private_crt, the libraries beside our rungs, and the floor below all of them."""

import os
import re
from pathlib import Path

import pytest
from clone import Clone
from needs import needs
from planting import planted
from representatives import mostly_long

from records.faults import Failure, run
from records.ladder import ROOT
from records.results import load, reference
from records.typed import read_table
from studies.limit import floor
from studies.limit.crt import crt, recorded
from studies.limit.peers import peers

armed = needs("arm-linux-gnueabihf-gcc", "python:elftools", "python:unicorn")
PAGE = (ROOT / "studies/limit/crt/README.md").read_text()
PROGRAM = Path("build/studies/limit/crt/crt")
BUGS = {
    "a carry is not subtracted": ("adc     q, \\t1, #0", "mov     q, #0"),
    "half of n is subtracted": ("mla     \\z\\()1, m1, q, \\z\\()1", "nop"),
    "a carry between rows is lost": ("adcs    \\z\\()1, ", "adds    \\z\\()1, "),
    "a sum beyond R is below p": ("sbcs    \\top, \\top, #0", "nop"),
    "z_p below z_q": ("sbc     t0, t0, t0", "mov     t0, #0"),
    "a half byte is another": ("mask    d2, \\k + 0", "mask    d2, \\k + 1"),
    "r11 is lost": ("        pop     {r4-r11, pc}", "        mov     r11, #0\n        bx      lr"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_clone.copy(tmp_path_factory.mktemp("limit") / "lab").path


def built(folder: Path) -> crt.Program:
    run(["make", "-s", PROGRAM, "build/trace.so"], cwd=folder)
    return crt.Program(folder / PROGRAM, 128, folder / "build/trace.so")


@armed
@pytest.mark.slow
def test_it_is_right_and_as_its_page_says(folder: Path) -> None:
    traces = crt.check(built(folder), 1, 100)
    ((spent, _),) = {(trace.instructions, trace.hash) for trace in traces}
    assert len(traces) > 1000
    assert recorded.instructions() == spent
    head, *rows = crt.stalls(folder / PROGRAM)
    assert read_table(recorded.STALLS) == [dict(zip(head, row)) for row in rows]
    assert sorted(crt.BEFORE) == [*range(crt.LENGTH)]


@armed
@pytest.mark.slow
@pytest.mark.parametrize("bug", mostly_long(BUGS, list(BUGS)[2:4]))
def test_a_planted_bug_is_seen(folder: Path, bug: str) -> None:
    with planted(folder / "studies/limit/crt/crt.S", *BUGS[bug]):
        program = built(folder)
    with pytest.raises(Failure):
        crt.check(program, 1, 100)


def test_the_page_of_crt_says_what_was_recorded() -> None:
    assert f"predicted: {recorded.instructions():,} instructions from c to m" in PAGE
    assert recorded.stalls() in PAGE
    means = load(reference()).means("limit", "one-trace", "O1")
    without_crt = means["instructions"] / 2
    assert f"needs {without_crt:,.0f}" in PAGE
    assert f"x{without_crt / recorded.instructions():.2f} as many" in PAGE


def test_the_stalls_by_hand() -> None:
    """r0 is added to, r1 is added to, or r0 is a factor."""
    seconds = "umaal r0, r4, r2, r5", "umaal r4, r1, r2, r5", "umaal r5, r4, r2, r0"
    for second, wanted in zip(seconds, ([6, 4], [8, 4], [8, 6])):
        pair = ["umaal r0, r1, r2, r3", second]
        assert [crt.cycles(pair, core) for core in crt.CORES] == wanted


def test_the_page_of_the_study_says_how_far_each_rung_is_from_the_floor() -> None:
    results = load(reference())
    expected = {}
    for _, row in floor.programs(results).iterrows():
        expected[row["program"]] = row["instructions"], row["distance"]
    least = floor.floor(floor.BITS, floor.VARIABLE)
    for rung in ("two-at-once", "lazy-digits"):
        of_a_message = results.means("limit", rung, "O1")["instructions"] / 4
        expected[rung] = of_a_message, of_a_message / least
    page = (ROOT / "studies/limit/README.md").read_text()
    rows = re.findall(r"(?m)^\| \[(\S+)\]\(.*\| ([\d,]+) \| (x[\d.]+) \|$", page)
    assert len(rows) == 9
    for rung, instructions, distance in rows:
        found = f"{expected[rung][0]:,.0f}", f"x{expected[rung][1]:.2f}"
        assert found == (instructions, distance), rung
    for time in floor.LOOKS:
        assert f"{floor.floor(floor.BITS, time):,.0f}" in page


# ---- libraries


def test_the_page_shows_the_counts() -> None:
    rows, named = (
        read_table(peers.HERE / "peers.csv"),
        read_table(peers.HERE / "programs.csv"),
    )
    assert {row["peer"] for row in rows} == {row["peer"] for row in named}
    shown = re.findall(
        r"(?s)```text\n(.*?)\n```", (ROOT / peers.HERE / "README.md").read_text()
    )
    assert shown == [peers.table(rows, way) for way in ("constant", "variable")]


def test_a_folder_of_archives_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PEERS_SRC", "/absent")
    with pytest.raises(Failure, match="PEERS_SRC=/absent: no such folder"):
        peers.main()


def test_what_is_not_pinned_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gmp-mpfr-sys-1.7.1.crate").write_text("something else")
    monkeypatch.setenv("PEERS_SRC", str(tmp_path))
    monkeypatch.setattr(
        peers.openssl, "MAKE", ["sh", "-c", 'echo "no cargo; $HOW" >&2; exit 2']
    )
    with pytest.raises(Failure, match="no cargo; or type make peers PEERS_SRC=FOLDER"):
        peers.crate("gmp-mpfr-sys")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Failure, match="Debian 12 and 13; this is not Debian"):
        peers.debian("libgmp")


COPY = """#include "peer.h"
#include <string.h>
static uint32_t x[COUNT][MAX_WORDS], words;
int take_key(const struct numbers *key, int constant) { words = key->words; return !constant; }
void take_base(int i, const uint32_t *from) { memcpy(x[i], from, 4 * words); }
int power(int i) { return x[i][0] != 0; }
void give_result(int i, uint32_t *to) { memcpy(to, x[i], 4 * words); }
"""


@pytest.mark.slow
@needs("arm-linux-gnueabihf-gcc", "plugins", "python:elftools")
def test_a_wrong_power_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a library whose power is its base, which is right for e = 1."""
    run(["make", "-s", peers.openssl.PLUGIN])
    (tmp_path / "copy.c").write_text(COPY)
    monkeypatch.setattr(peers, "BUILD", tmp_path)
    program = peers.linked(
        "copy", os.path.relpath(tmp_path / "copy", peers.HERE), [], "1"
    )
    monkeypatch.setattr(peers, "numbers", lambda bits: ((1 << bits) - 1, 1, [5, 7]))
    assert 0 < peers.count(program, "variable", "excluded", 64)[0] < 100
    monkeypatch.setattr(peers, "numbers", lambda bits: ((1 << bits) - 1, 3, [5, 7]))
    with pytest.raises(Failure, match="a power of 64 bits is wrong"):
        peers.count(program, "variable", "excluded", 64)


# ---- the floor


# What peers/main.c calls of a library; its powers are the bases.
STUB = """
#include "peer.h"
static uint32_t base[COUNT];
int take_key(const struct numbers *key, int constant) { return key->words && !constant; }
void take_base(int i, const uint32_t *x) { base[i] = x[0]; }
int power(int i) { return i >= 0; }
void give_result(int i, uint32_t *z) { z[0] = base[i]; }
"""
NO_NUMBERS = {
    "an exponent longer than n": "7\n100000003\n2\n",
    "a base longer than n": "7\n3\n100000002\n",
    "a modulus longer than any": "1" * 1025 + "\n3\n2\n",
    "no digits": "7\nx\n2\n",
    "nothing": "7\n\n2\n",
    "half a line": "7\n3\n2",
}


def test_a_peer_refuses_what_is_no_number_or_longer_than_n(tmp_path: Path) -> None:
    folder = ROOT / "studies/limit/peers"
    stub = tmp_path / "stub.c"
    stub.write_text(STUB)
    program = tmp_path / "peer"
    run(["gcc", f"-I{folder}", folder / "main.c", stub, "-o", program])
    words = [program, "variable", "once", "1"]
    assert run(words, input="7\n3\n2\n5\n") == "00000002\n00000005\n"
    for what, numbers in NO_NUMBERS.items():
        with pytest.raises(Failure, match="no number, or one that is too long"):
            raise AssertionError(f"{what}: {run(words, input=numbers)}")


def test_the_floor_by_hand() -> None:
    """Two limbs: a product has 10 multiplications, a square 9, a reduction 6."""
    by_fours = (60 + 7) * 9 + (15 + 7 + 1) * 10 + 6
    assert floor.floor(64) == by_fours == 839
    assert floor.floor(128, floor.BY_CRT) == 2 * (by_fours + 6) + 14
    assert (
        floor.floor(128, floor.VARIABLE)
        < floor.floor(128)
        == pytest.approx(5350, rel=0.01)
    )


def test_no_program_is_below_the_floor() -> None:
    rows = floor.programs(load(reference()))
    assert rows["program"].nunique() >= 25 and rows["distance"].min() > 1.2
    assert rows.loc[rows["distance"].idxmin(), "program"] == "odd-powers"
    v8 = rows[rows["program"] == "v8"]["instructions"].item()
    counts = "select min(instructions) / 2 as least from ladder where (snapshot, workload) = ('v8', ?)"
    assert v8 == load(reference()).query(counts, "roundtrip-full")[0]["least"]
