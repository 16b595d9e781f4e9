"""Random operands, more than the committed vectors have, against Python's own arithmetic."""

from pathlib import Path

import pytest
from clone import Clone
from driver_build import wrong

from harness.counters import QEMU
from harness.operands import drawn
from records import ladder

RUNGS = [snapshot.name for snapshot in ladder.snapshots()]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rung", RUNGS)
def test_random_operands(measured: Clone, tmp_path: Path, rung: str, seed: int) -> None:
    todo = drawn(128, f"{rung} {seed}", (20_000, 100))
    for level in ladder.LEVELS:
        program = measured.path / "build/iterations" / rung / level / "rsa"
        assert wrong(todo, tmp_path, *QEMU, program) == "", level
