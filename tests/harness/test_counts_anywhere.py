"""Counts do not change with the environment, the path, the user or the working directory."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from clone import Clone, environment
from needs import working_counters

from harness.counters import Counter
from harness.operands import calls as operands_of
from harness.operands import text
from records.rows import read_rows

INPUTS = "data/inputs/width-128"
LONG = Path(*("x" * 200 for _ in range(3)))
AS_ANOTHER = ["unshare", "--user", "--map-user=1234", "--map-group=1234"]


def cannot_be_another() -> str:
    """Why no other user can be had here, with the same rights on files."""
    try:
        subprocess.run([*AS_ANOTHER, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return "unshare makes no user namespace here"
    return ""


needs_another = pytest.mark.skipif(bool(cannot_be_another()), reason=cannot_be_another() or "can")


Count = Callable[[Path, Path, Path], bytes]


@pytest.fixture(params=working_counters())
def count(request: pytest.FixtureRequest, built: Path) -> Count:
    """Counts one round trip: program, folder of the inputs, file of the counter."""

    def counted(program: Path, inputs: Path, out: Path) -> bytes:
        key = inputs / "key-full"
        words = ["roundtrip", str(key / "key.txt"), "-n", "1", str(key / "strings.txt")]
        calls = out.with_name("calls")
        calls.write_text(text(operands_of(words), 128))
        args = ["call", str(calls.absolute())]
        library = {"plugin": "count.so", "unicorn": "unicorn.so"}[request.param]
        counter = Counter(request.param, built / library)
        counter.count(program, args, out=out)
        return out.read_bytes()

    return counted


@pytest.mark.parametrize("rung", ["v3", "v7"])
def test_a_run_counts_the_same_anywhere(
    measured: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count, rung: str
) -> None:
    program, out = measured.path / f"build/iterations/{rung}/O1/rsa", tmp_path / "counts"
    monkeypatch.chdir(measured.path)
    first = count(program, Path(INPUTS), out)
    for size in (1, 2, 3, 1000, 100_000):
        monkeypatch.setenv("PADDING", "x" * size)
        assert count(program, Path(INPUTS), out) == first, f"{size} bytes of environment"
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    assert count(program, Path(INPUTS), out) == first, "HOME and locale"

    folder = tmp_path / LONG
    folder.mkdir(parents=True)
    copy = folder / "program"
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    (folder / "inputs").symlink_to((measured.path / INPUTS).resolve())
    assert count(copy, folder / "inputs", out) == first, "a long path"
    monkeypatch.chdir(folder)
    assert count(Path("program"), Path("inputs"), out) == first, "another working directory"


@needs_another
def test_another_checkout_of_another_user_counts_the_same(
    measured: Clone, clone: Clone, tmp_path: Path
) -> None:
    """Built and counted from nothing, to the byte of every file of results."""
    copy = clone.copy(tmp_path / LONG / "copy")
    home = environment(HOME=str(tmp_path / "none"), PADDING="x" * 10_000)
    ran = subprocess.run(
        [*AS_ANOTHER, "make", "v7"], cwd=copy.path, env=home, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-1000:]
    for name in ("counts.csv", "lines.csv", "asm.csv"):
        there, here = (read_rows(c.path / "results/local" / name) for c in (copy, measured))
        assert there and there == [row for row in here if row["snapshot"] == "v7"], name
    programs = [c.path / "build/iterations/v7/O1/rsa" for c in (copy, measured)]
    assert programs[0].read_bytes() == programs[1].read_bytes()
