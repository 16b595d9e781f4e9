"""The Makefile on a small checkout whose path has a space: wrong words get one line, other levels
are measured, and equal sources make equal programs."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from two_rungs import checkout, make

from records.rows import read_rows

pytestmark = pytest.mark.slow

CHECKED = "build/iterations/v8/O1/check.ok"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which v8 is built and checked at -O1."""
    path = checkout(tmp_path_factory.mktemp("a folder") / "lab")
    ran = make(path, CHECKED, "LEVELS=O1")
    assert ran.returncode == 0, ran.stderr
    return path


def test_a_name_that_is_no_variable_is_refused(tree: Path) -> None:
    for word in ("LEVLE=O1", "whole=true", "LEVELS=O4", "MESSAGES=few"):
        ran = make(tree, "check", word)
        assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1, ran.stderr
        assert word.split("=")[0] in ran.stderr


@pytest.mark.parametrize("word", ["BOARD=nope", "B=v9"])
def test_a_board_that_is_not_there_installs_nothing(tmp_path: Path, word: str) -> None:
    path = checkout(tmp_path)
    ran = make(path, "board", word)
    assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1 and word in ran.stderr
    assert not (path / "build").exists()


def test_a_board_is_not_started_without_what_it_needs(tmp_path: Path) -> None:
    path = checkout(tmp_path)
    (path / "harness/setup/unicorn.sh").write_text("#!/bin/sh\necho no Unicorn >&2; exit 2\n")
    (path / "harness/setup/unicorn.sh").chmod(0o755)
    ran = make(path, "board")
    assert ran.returncode == 2 and "no Unicorn" in ran.stderr and "NOTE" not in ran.stdout


@pytest.mark.parametrize("goal", ["v9", "v", "studys"])
def test_a_rung_that_is_not_there(tree: Path, goal: str) -> None:
    ran = make(tree, goal)
    assert ran.returncode == 2 and f" {goal}; " in ran.stderr and "v7 v8" in ran.stderr


def test_names_of_folders_are_plain_or_refused(tmp_path: Path) -> None:
    path = checkout(tmp_path)
    for place in ("iterations/a b/rsa.c", "studies/alone/a b/rsa.c"):
        (path / place).parent.mkdir(parents=True)
        (path / place).touch()
        ran = make(path, "help")
        assert ran.returncode == 2 and len(ran.stderr.splitlines()) == 1 and "a b" in ran.stderr
        (path / place).unlink()
    assert make(path, "help").returncode == 0


def test_another_width_is_compiled_anew(tmp_path: Path) -> None:
    path, made = checkout(tmp_path), "build/studies/alone/v7/O1/rsa.o"
    (path / "studies/alone").mkdir(parents=True, exist_ok=True)
    shutil.copytree(path / "iterations/v7", path / "studies/alone/v7")
    readme = path / "studies/alone/v7/README.md"
    text = readme.read_text()
    assert make(path, made).returncode == 0
    before = hashes(path / made)
    readme.write_text(text.replace("---\n", "---\nwidth: 96\n", 1))
    said = make(path, made)  # v7 has 128 bits and says so
    assert said.returncode == 2 and "static assertion" in said.stderr
    readme.write_text(text)
    assert make(path, made).returncode == 0 and hashes(path / made) == before


def test_nothing_to_do_makes_nothing(tree: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o")}
    checked = (tree / CHECKED).stat().st_mtime_ns
    ran = make(tree, CHECKED, "LEVELS=O1")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (tree / CHECKED).stat().st_mtime_ns == checked
    assert stamps == {path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o")}


def test_everything_is_made_anew(tree: Path) -> None:
    ran = make(tree, "-B", CHECKED, "LEVELS=O1")
    assert ran.returncode == 0 and "  LD " in ran.stdout, ran.stderr


def test_equal_sources_make_equal_programs(tree: Path, tmp_path: Path) -> None:
    """And equal stamps of the flags, which provenance.csv has the hashes of."""
    other = checkout(tmp_path / "elsewhere")
    for name in ("build/iterations/v8/O1/rsa", "build/flags"):
        assert make(other, name).returncode == 0
        assert hashes(other / name) == hashes(tree / name)


def hashes(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_limit_is_a_number(tree: Path) -> None:
    ran = make(tree, "-W", "build/iterations/v8/O1/rsa", CHECKED, "LIMIT=abc")
    assert ran.returncode == 2 and "LIMIT" in ran.stderr.splitlines()[0]


def test_a_report_is_of_the_results_that_are_named(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "lab")
    python = tree / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    for words, folder in (([], "local"), (["M=elsewhere"], "elsewhere")):
        assert f" results/{folder} build/REPORT.md" in make(tree, "report", *words).stdout
    ran = make(tree, "reference", "report", "M=x")
    assert ran.returncode == 2 and "M=x" in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_other_levels_are_measured_beside_the_earlier(tree: Path) -> None:
    """Without .git the revision is unknown, and nothing else is missed."""
    for levels in ("Os", "O1"):
        ran = make(tree, "v8", f"LEVELS={levels}")
        assert ran.returncode == 0, ran.stderr
        assert f"-{levels}\n" in ran.stdout
    found = {row["level"] for row in read_rows(tree / "results/local/counts.csv")}
    assert found == {"O1", "Os"}
    facts = json.loads((tree / "results/local/machine.json").read_text())
    assert facts["git_revision"] == "unknown"
    ran = make(tree, "valid")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="no gdb-multiarch here")
def test_debug_stops_at_a_product(tree: Path) -> None:
    ran = make(tree, "debug", "V=v8", typed="info source\nbacktrace\n")
    assert "iterations/v8/mont.S" in ran.stdout and "#0  mont_mul" in ran.stdout, ran.stderr
    assert not list((tree / "build").glob("*.socket"))


@pytest.mark.parametrize("words", [[], ["V=v9"], ["V=v8", "LEVEL=O4"]])
def test_debug_of_nothing(tree: Path, words: list[str]) -> None:
    ran = make(tree, "debug", *words)
    assert ran.returncode == 2 and ran.stderr.startswith("debug: ")


def test_clean_keeps_measurements_unless_all_is_said(tmp_path: Path) -> None:
    path = checkout(tmp_path)
    for folder in ("build", "results/local", "results/qemu-gcc12", "rsalab/__pycache__", ".venv"):
        (path / folder).mkdir(parents=True)
    assert make(path, "clean").returncode == 0 and (path / "results/local").exists()
    assert make(path, "clean", "ALL=1").returncode == 0
    assert sorted(folder.name for folder in (path / "results").iterdir()) == ["qemu-gcc12"]
    assert not (path / "build").exists() and not list(path.rglob("__pycache__"))
    assert not (path / ".venv").exists()


def test_every_target_of_the_help_is_there(tree: Path) -> None:
    said = make(tree, "help").stdout.splitlines()
    targets = [line.split()[1] for line in said if line.startswith("  make ")]
    assert {"all-iterations", "diff", "doctor", "test", "v4", "venv"} <= set(targets)
    rules = make(tree, "-npq", "help").stdout
    for target in set(targets) - {"v4"}:
        assert f"\n{target}:" in rules, target


def test_the_compilers_fault_is_shown_whole(tmp_path: Path) -> None:
    ran = make(checkout(tmp_path), "build/platform", "ARCH=-mno-such-core -mno-such-unit")
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "-mno-such-core" in ran.stderr and "-mno-such-unit" in ran.stderr
