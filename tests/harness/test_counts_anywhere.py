"""Counts do not change with the environment, the path, the user or the working directory."""

from pathlib import Path

import pytest
from clone import Clone
from needs import working_counters

from harness import operands
from harness.counters import Counter

LONG = Path(*("x" * 200 for _ in range(3)))


@pytest.mark.parametrize("name", working_counters())
def test_a_run_counts_the_same_anywhere(
    measured: Clone, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    program = measured.path / "build/iterations/v7/O1/rsa"
    counter = Counter(name, built / {"plugin": "count.so", "unicorn": "unicorn.so"}[name])
    calls, out = tmp_path / "calls", tmp_path / "counts"
    operands.write(calls, operands.drawn(128, "1", (0, 2)), 128)

    def count(program: Path) -> bytes:
        counter.count(program, ["call", str(calls)], out=out)
        return out.read_bytes()

    first = count(program)
    for size in (1, 2, 1000, 100_000):
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
