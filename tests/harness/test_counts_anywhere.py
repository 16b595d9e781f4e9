"""Counts do not change with the environment, the path, the user or the working directory."""

import subprocess
from pathlib import Path

import pytest
from clone import Clone, environment
from needs import working_counters

from harness import operands
from harness.counters import Counter
from records.rows import read_rows

LONG = Path(*("x" * 200 for _ in range(3)))
AS_ANOTHER = ["unshare", "--user", "--map-user=1234", "--map-group=1234"]


@pytest.mark.parametrize("name", working_counters())
@pytest.mark.parametrize("rung", ["v3", "v7"])
def test_a_run_counts_the_same_anywhere(
    measured: Clone,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    rung: str,
) -> None:
    program = measured.path / f"build/iterations/{rung}/O1/rsa"
    counter = Counter(name, built / {"plugin": "count.so", "unicorn": "unicorn.so"}[name])
    calls, out = tmp_path / "calls", tmp_path / "counts"
    operands.write(calls, operands.drawn(128, "1", (0, 2)), 128)

    def count(program: Path) -> bytes:
        counter.count(program, ["call", str(calls)], out=out)
        return out.read_bytes()

    first = count(program)
    for size in (1, 2, 3, 1000, 100_000):
        monkeypatch.setenv("PADDING", "x" * size)
        assert count(program) == first, f"{size} bytes of environment"
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    (tmp_path / LONG).mkdir(parents=True)
    copy = tmp_path / LONG / "program"
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    assert count(copy) == first, "HOME, locale, a long path"
    monkeypatch.chdir(copy.parent)
    assert count(Path("program")) == first, "another working directory"


def test_another_checkout_of_another_user_counts_the_same(
    measured: Clone, clone: Clone, tmp_path: Path
) -> None:
    """Built and counted from nothing, to the byte of every file of results."""
    if subprocess.run([*AS_ANOTHER, "true"], capture_output=True).returncode:
        pytest.skip("unshare makes no user namespace here")
    copy = clone.copy(tmp_path / LONG / "copy")
    home = environment(HOME=str(tmp_path / "none"), PADDING="x" * 10_000)
    ran = subprocess.run(
        [*AS_ANOTHER, "make", "v7"], cwd=copy.path, env=home, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-1000:] + ran.stderr[-1000:]
    for name in ("counts.csv", "lines.csv", "asm.csv"):
        there, here = (read_rows(c.path / "results/local" / name) for c in (copy, measured))
        assert there and there == [row for row in here if row["snapshot"] == "v7"], name
