"""The Makefile on a small checkout whose path has a space: wrong words get
one line, other levels are measured, and equal sources make equal
programs."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import clone
import pytest
from fake_programs import script
from representatives import mostly_long
from two_rungs import checkout, make

from records.ladder import ROOT
from records.rows import read_rows
from records.settings import LEVEL_TABLE, LEVELS

pytestmark = pytest.mark.slow

CHECKED = "build/iterations/v8/O1/check.ok"


# Words -> what the one line says.
REFUSED = {
    "openssl CC=clang": "CC=clang: openssl is by gcc alone",
    "cores CC=gcc14": "CC=gcc14: cores is by gcc alone",
    "check LEVLE=O1": "LEVLE",
    "check whole=true": "whole",
    "check LEVELS=O4": "LEVELS",
    "check MESSAGES=few": "MESSAGES",
    "board BOARD=nope": "BOARD=nope",
    "board B=v9": "B=v9",
    "v9": " v9; ",
    "studys": " studys; ",
    "reference report M=x": "M=x",
    "debug": "debug: ",
    "debug V=v9": "debug: ",
    "debug V=v8 LEVEL=O4": "debug: ",
    "import DIR=/nowhere": "import: DIR=/nowhere: no such folder; ",
    "annotate": "annotate: say which: make annotate V=v6 LEVEL=O1",
    "annotate V=v99": "annotate: no snapshot 'v99' in iterations; there are: v0 v1",
    "annotate V=v6 LEVEL=O2": "annotate: no level 'O2'; there are: O0 O1 O3",
    "annotate V=v6 STUDY=none": "annotate: no study 'none'; there are: iterations",
    "diff B=v5 SPACE=maybe": "SPACE=maybe: say 1",
    "duel A=v2": "duel: name two rungs: make duel A=v2 B=v4 LEVEL=O1",
    "duel A=v2 B=v4 LEVEL=O9": "duel: LEVEL=O9: ",
    "duel A=v99 B=v2": "duel: no snapshot 'v99' in iterations; there are: ",
    "compilers M=qemu-gcc12": "M=qemu-gcc12: compilers does not read it; those that do: comp",
    "v8 LEVEL=O2": "LEVEL=O2: v8 does not read it; those that do: annotate debug diff",
    "studies V=v8": "V=v8: studies does not read it",
    "lanes SECRETS=x": "SECRETS=x: say a whole number, such as SECRETS=32",
    "lanes SECRETS=0": "SECRETS=0: say a whole number",
    "why B=-v4": "why: no snapshot '-v4' in iterations; there are: v0 ",
    "why B=v4 M=--help": "why: results/--help: no such folder; ",
    "steps STUDY=-x": "sizes: no snapshots in -x; there are: iterations",
    "models M=-x": "models: results/-x: no such folder; there ",
    "compare M=-x,--y": "compare: results/-x: no such folder; ",
    "perf M=nope": "perf: results/nope: no such folder; ",
    "valid M=nope": "check: results/nope: no such folder; ",
    "contribute M=nope": "contribute: results/nope: no such folder; ",
    "import DIR=-x": "import: DIR=-x: no such folder; ",
    "import DIR=harness": "import: DIR=harness: no machine.json in it, so no results",
    "import DIR=harness NAME=-x": "import: NAME='-x': 64 lower-case letters",
    "run V=-v TEXT=-x": "run: no snapshot '-v' in iterations; there are: v0 ",
    "new-iteration FROM=-x NAME=--help": "new-iteration: '--help' is not a name",
}


@pytest.mark.parametrize("words", mostly_long(REFUSED, list(REFUSED)[::3]))
def test_a_wrong_word_is_one_line(tree: Path, words: str) -> None:
    ran = make(tree, *words.split())
    first, *rest = ran.stderr.splitlines()
    assert ran.returncode == 2 and REFUSED[words] in first, ran.stderr
    assert all(line.startswith("make: ***") for line in rest)


def test_an_old_make_is_one_line(tree: Path) -> None:
    ran = make(tree, "help", "MAKE_VERSION=4.1")
    (line,) = ran.stderr.splitlines()
    assert ran.returncode == 2 and "4.2.1 or later" in line


def test_no_variable_is_undefined(tree: Path) -> None:
    ran = make(tree, "-n", "--warn-undefined-variables", "v8")
    assert "undefined" not in ran.stderr


def test_a_file_in_the_root_stands_for_no_module_of_pythons(tree: Path) -> None:
    (tree / "json.py").write_text("raise SystemExit('not this one')\n")
    ran = make(tree, "steps")
    (tree / "json.py").unlink()
    assert ran.returncode == 0, ran.stderr


def test_the_farm_measures_what_is_named(tree: Path) -> None:
    ran = make(tree, "-n", "farm", "B=v8")
    (line,) = [line for line in ran.stdout.splitlines() if "-m boards farm" in line]
    assert line.endswith(" iterations/v8")


def test_names_of_folders_are_plain_or_refused(tmp_path: Path) -> None:
    path = checkout(tmp_path)
    for place in ("iterations/a b/rsa.c", "studies/alone/a b/rsa.c"):
        (path / place).parent.mkdir(parents=True)
        (path / place).touch()
        ran = make(path, "help")
        assert (
            ran.returncode == 2
            and len(ran.stderr.splitlines()) == 1
            and "a b" in ran.stderr
        )
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


# The checkout $0 goes to $1, a file system that runs no programs; $2 is a folder elsewhere.
NOEXEC = """set -e
mount -t tmpfs -o noexec tmpfs "$1"
cp -a "$0/." "$1"
cd "$1" && rm -rf build
make build/iterations/v8/O1/check.ok LEVELS=O1 || make v8 LEVELS=O1 BUILD="$2"
make clean
"""


def test_a_file_system_that_runs_no_programs(tree: Path, tmp_path: Path) -> None:
    """One line says so, and what to type."""
    alone = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*alone, "true"], capture_output=True).returncode:
        pytest.skip("no user may mount a file system here")
    mounted = tmp_path / "mounted here"
    elsewhere = tmp_path / "else where"
    mounted.mkdir()
    script = ["sh", "-c", NOEXEC, tree, mounted, elsewhere]
    environment = clone.environment()
    ran = subprocess.run(
        [*alone, *script], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    said = [line for line in ran.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1 and "BUILD=" in said[0]
    counted = r"(?m)^v8 .*\b2\d,\d{3}\b"
    assert re.search(counted, ran.stdout), ran.stdout
    assert list(elsewhere.iterdir()) == []


def test_nothing_to_do_makes_nothing(tree: Path) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o")}
    checked = (tree / CHECKED).stat().st_mtime_ns
    ran = make(tree, CHECKED, "LEVELS=O1")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert (tree / CHECKED).stat().st_mtime_ns == checked
    assert stamps == {
        path: path.stat().st_mtime_ns for path in (tree / "build").rglob("*.o")
    }


def test_equal_sources_make_equal_programs(tree: Path, tmp_path: Path) -> None:
    """And equal stamps of the flags, which provenance.csv has the hashes
    of."""
    other = checkout(tmp_path / "elsewhere")
    for name in ("build/iterations/v8/O1/rsa", "build/flags"):
        assert make(other, name).returncode == 0
        assert hashes(other / name) == hashes(tree / name)


def hashes(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_report_is_of_the_results_that_are_named(tmp_path: Path) -> None:
    tree = checkout(tmp_path / "lab")
    python = tree / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    script(python, 'echo "$@"')
    for words, folder in (([], "local"), (["M=elsewhere"], "elsewhere")):
        assert f" -- {folder} build/REPORT.md" in make(tree, "report", *words).stdout


def test_other_levels_are_measured_beside_the_earlier(tree: Path) -> None:
    """Without .git the revision is unknown, and nothing else is missed."""
    for levels in ("Os", "O1"):
        ran = make(tree, "v8", f"LEVELS={levels}")
        assert ran.returncode == 0, ran.stderr
        assert re.search(rf"(?m)^v8 +-{levels} ", ran.stdout)
    found = {row["level"] for row in read_rows(tree / "results/local/counts.csv")}
    assert found == {"O1", "Os"}
    facts = json.loads((tree / "results/local/machine.json").read_text())
    assert facts["git_revision"] == "unknown"
    ran = make(tree, "valid")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="no gdb-multiarch here")
def test_debug_stops_at_a_product(tree: Path) -> None:
    ran = make(tree, "debug", "V=v8", typed="info source\nbacktrace\n")
    assert "iterations/v8/mont.S" in ran.stdout and "#0  mont_mul" in ran.stdout, (
        ran.stderr
    )
    assert not list((tree / "build").glob("*.socket"))


def test_a_rung_is_measured_with_its_parent_where_that_has_no_results(
    tmp_path: Path,
) -> None:
    path = checkout(tmp_path)
    counts = path / "results/local/counts.csv"
    counts.parent.mkdir(parents=True)
    with_parent = re.compile(r" collect .* iterations/v8 +iterations/v7$", re.M)
    assert with_parent.search(make(path, "-n", "v8").stdout)
    trips = [f"iterations,v7,{level},gcc,roundtrip-full,\n" for level in LEVELS]
    default = ("-n", "v8", "MESSAGES=default")
    counts.write_text("".join(trips).replace("full", "small"))
    assert with_parent.search(make(path, *default).stdout)
    assert not with_parent.search(make(path, "-n", "v8", "MESSAGES=small").stdout)
    counts.write_text("".join(trips))
    assert not with_parent.search(make(path, *default).stdout)
    assert with_parent.search(make(path, *default, "LEVELS=O2").stdout)


def test_clean_keeps_measurements_unless_all_is_said(tmp_path: Path) -> None:
    path = checkout(tmp_path)
    for folder in (
        "build",
        "results/local",
        "results/qemu-gcc12",
        "rsalab/__pycache__",
        "labs/work",
        ".venv",
    ):
        (path / folder).mkdir(parents=True)
    assert make(path, "clean").returncode == 0 and (path / "results/local").exists()
    assert make(path, "clean-all").returncode == 0
    assert sorted(folder.name for folder in (path / "results").iterdir()) == [
        "qemu-gcc12"
    ]
    assert not (path / "build").exists() and not list(path.rglob("__pycache__"))
    assert not (path / ".venv").exists()


def targets(tree: Path, *words: str) -> list[str]:
    """The targets that a help lists, in 80 columns."""
    said = make(tree, *words).stdout.splitlines()
    assert max(map(len, said)) <= 80
    return [line.split()[1] for line in said if line.startswith("  make ")]


def test_every_target_of_the_help_is_there(tree: Path) -> None:
    first, every = targets(tree, "help"), targets(tree, "help-all")
    assert len(first) == 14 + 1 and {"all-iterations", "diff", "run", "v4"} <= set(
        first
    )
    assert set(first) - {"help-all"} < set(every) and len(every) == len(set(every))
    rules = make(tree, "-npq", "help").stdout
    phony = re.findall(r"(?m)^\.PHONY: (?!\$)(.*)$", rules)[0].split()
    for target in set(every) - {"v4"}:
        assert f"\n{target}:" in rules and target in phony, target


# What people export for other programs.
EXPORTED = {
    "BASH_ENV": "/nowhere/bashrc",
    "CDPATH": "/usr:/tmp",
    "ENV": "/nowhere/shrc",
    "GREP_OPTIONS": "--color=always",
    "LC_ALL": "tr_TR.utf8",
    "MAKEFLAGS": "k",
    "POSIXLY_CORRECT": "1",
    "PYTHONHOME": "/nowhere",
    "PYTHONPATH": "/nowhere",
    "PYTHONSAFEPATH": "1",
    "PYTHONSTARTUP": "/nowhere/start.py",
}


@pytest.mark.parametrize(
    "name", mostly_long(EXPORTED, ["LC_ALL", "MAKEFLAGS", "PYTHONPATH"])
)
def test_what_people_export_changes_nothing(
    tree: Path, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if name == "LC_ALL":
        monkeypatch.setenv("LOCPATH", str(turkish(tmp_path)))
    plain = [
        make(tree, *words).stdout
        for words in (["help-all"], ["steps"], ["-npq", "check"])
    ]
    monkeypatch.setattr(clone, "OF_MAKE", ("MFLAGS", "LEVEL", "YES"))
    for of_the_make_around_this_test in ("MAKEFLAGS", "MAKELEVEL"):
        monkeypatch.delenv(of_the_make_around_this_test, raising=False)
    monkeypatch.setenv(name, EXPORTED[name])
    for words, before in zip((["help-all"], ["steps"]), plain):
        ran = make(tree, *words)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, before, "")
    phony = re.compile(r"(?m)^\.PHONY: (?!\$).*$")
    assert phony.findall(make(tree, "-npq", "check").stdout) == phony.findall(plain[2])
    ran = make(tree, "v8", "LEVELS=O1")
    counted = re.search(r"(?m)^v8 .*\b2\d,\d{3}\b", ran.stdout)
    assert ran.returncode == 0 and counted, ran.stdout + ran.stderr


def test_a_name_that_the_system_exports_is_no_name_of_results(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAME", "DESKTOP-7")  # as WSL does
    ran = make(tree, "import", "DIR=harness")
    assert ran.returncode == 2 and "DESKTOP" not in ran.stderr, ran.stderr
    assert "DESKTOP" in make(tree, "import", "DIR=harness", "NAME=DESKTOP-7").stderr


def turkish(folder: Path) -> Path:
    """A folder with the locale in which [a-z] has no i."""
    words = ["localedef", "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.utf8")]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(
            "localedef makes no locale tr_TR.utf8 here: apt-get install locales"
        )
    return folder


def test_a_level_is_measured_because_its_line_says_so(tmp_path: Path) -> None:
    """In make, in the table and on the pages."""
    path = checkout(tmp_path)
    table = path / "records/levels.csv"
    table.write_text(table.read_text().replace("\nO2,no,", "\nO2,yes,"))
    ran = make(path, "v8")
    assert ran.returncode == 0, ran.stderr
    assert re.findall(r"(?m)^v8 +-(O\w) ", ran.stdout) == ["O0", "O1", "O2", "O3"]
    said = "from records import ladder; print(*ladder.LEVELS)"
    words = [sys.executable, "-c", said]
    shown = subprocess.run(words, cwd=path, capture_output=True, text=True, check=True)
    assert shown.stdout == "O0 O1 O2 O3\n"


def test_every_level_has_a_colour_and_a_mark() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.colors import is_color_like
    from matplotlib.markers import MarkerStyle

    from rsalab.pages.document import style_sheet

    for row in LEVEL_TABLE:
        assert all(map(is_color_like, (row.colour, row.dark))), row
        assert MarkerStyle(row.marker) and row.shape.startswith("M"), row
        assert (
            f"#chart .{row.level} {{ --level: var(--{row.level}); }}" in style_sheet()
        )


def test_what_a_recipe_reads_may_be_typed() -> None:
    """A setting that a recipe reads from the environment is one that a user may type."""
    files = [ROOT / "Makefile", *ROOT.glob("studies/*/study.mk")]
    recipes = "".join(path.read_text() for path in files)
    read = set(re.findall(r"\$\$\{?([A-Z][A-Z_]*)", recipes))
    takes = (ROOT / "mk/takes.mk").read_text()
    may_be_typed = set(re.findall(r"(?m)^takes_(\w+)", takes))
    may_be_typed.update(re.findall(r"(?m)^DATA := (.*)$", takes)[0].split())
    from_the_shell = {"PWD", "PPID", "HOME"}
    assert read - from_the_shell <= may_be_typed
