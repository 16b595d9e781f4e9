"""Programs for ARMv6: a Pi Zero or Pi 1, emulated here as an ARM1176."""

import os
import subprocess
from pathlib import Path

import pytest
from fake_programs import script
from needs import needs
from representatives import mostly_long
from two_rungs import checkout, make

from records import ladder
from records.results import load
from records.rows import read_rows
from rsalab.live import compiler

pytestmark = pytest.mark.slow

RECORD = ladder.ROOT / "results/qemu-armv6-gcc12/counts.csv"
REFERENCE = ladder.ROOT / "results/qemu-gcc12/counts.csv"
NEED_ARMV7 = {"v3"}  # NEON
ARMV6 = "arm-linux-gnueabi-gcc -marm -march=armv6 -mfpu=vfp -mfloat-abi=softfp"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkout(tmp_path_factory.mktemp("a folder") / "lab")


def totals(path: Path, case: str, level: str) -> dict[str, float]:
    """Instructions of an operation by rung."""
    found = {}
    for row in read_rows(path):
        cell = row["study"], row["level"], row["workload"], row["metric"], row["symbol"]
        if cell == ("iterations", level, case, "instructions", "total"):
            found[row["snapshot"]] = row["value"] / row["n"]
    return found


@needs("arm-linux-gnueabi-gcc", "qemu-arm", "plugins", "compiler of the reference")
@pytest.mark.parametrize("target", mostly_long(["v7", "all-iterations"], ["v7"]))
def test_the_ladder_is_checked_and_counted(tree: Path, target: str) -> None:
    """An ARM1176 executes nothing of ARMv7, so each count is of a program
    that a Pi Zero runs."""
    ran = make(tree, target, "CC=armv6", "LEVELS=O1", "MESSAGES=default")
    assert ran.returncode == 0, ran.stderr
    results = load(tree / "results/local")
    assert results.platform == "qemu-armv6-gcc12"
    assert "-march=armv6 " in results.machine["flags"]
    counted = totals(tree / "results/local/counts.csv", "roundtrip-full", "O1")
    recorded = totals(RECORD, "roundtrip-full", "O1")
    if target == "v7":
        assert counted == {"v7": recorded["v7"]}
        return
    assert "  NOTE    for ARMv7 only: v3\n" in ran.stdout
    assert counted.keys() == {rung.name for rung in ladder.snapshots()} - NEED_ARMV7
    assert counted == recorded
    of_armv7 = totals(REFERENCE, "roundtrip-full", "O1")
    assert counted["v8"] == of_armv7["v8"], "assembly is the same on both"


REFUSED = (
    "v3",
    "run V=v3 TEXT=a",
    "diff B=v3",
    "diff A=v3 B=v8",
    "duel A=v2 B=v3",
    "annotate V=v3",
    "lanes",
)


@pytest.mark.parametrize("words", mostly_long(REFUSED, ["v3", "lanes"]))
def test_what_needs_armv7_is_refused_in_one_line(tree: Path, words: str) -> None:
    ran = make(tree, *words.split(), "CC=armv6")
    (line,) = ran.stderr.splitlines()
    refused = "studies/width-1024/lanes" if words == "lanes" else "iterations/v3"
    assert ran.returncode == 2 and f"{refused} needs ARMv7" in line


@needs("arm-linux-gnueabi-gcc")
def test_the_live_page_has_what_the_programs_are_made_of(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their compiler, and no rung without a program."""
    shown = make(tree, "-n", "live", "CC=armv6").stdout
    assert "live.page build/live.html v0 v1 v2 v4 v5 v6 v7 v8\n" in shown
    flags = tmp_path / "build/flags"
    flags.parent.mkdir()
    name, _, options = ARMV6.partition(" ")
    flags.write_text(f"{name} (Debian) 12.2.0\n-std=c11 {options}\n")
    monkeypatch.chdir(tmp_path)
    source = ladder.ROOT / "iterations/v6/rsa.c"
    assert "\t.arch armv6\n" in compiler.compiled(source, "O1", 128)


@pytest.mark.parametrize("word", mostly_long([[], ["CC=armv6"], ["CC=gcc"]], [[]]))
def test_an_armv6_board_builds_for_itself(
    tree: Path, tmp_path: Path, word: list[str]
) -> None:
    """By the compiler of its own system, whose C library is for ARMv6, too."""
    script(tmp_path / "uname", "echo armv6l")
    path = f"{tmp_path}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["make", "-pn", "help", *word],
        cwd=tree,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    (arch,) = [line for line in ran.stdout.splitlines() if line.startswith("ARCH :=")]
    assert arch.endswith("-march=armv6 -mfpu=vfp -mfloat-abi=hard")
    assert "\nCC := arm-linux-gnueabihf-gcc\n" in ran.stdout
    (rungs,) = [line for line in ran.stdout.splitlines() if line.startswith("RUNGS :=")]
    assert "v2 v4" in rungs
