"""Random operands, more than the committed vectors have, against Python's own arithmetic."""

import random
import subprocess
from pathlib import Path

import pytest
from clone import Clone

from records import ladder

BITS = 128
RUNGS = [snapshot.name for snapshot in ladder.snapshots()]
BATCH = {"mont_mul": 20_000, "mod_exp": 100}  # records a file


def number(random: random.Random, below: int) -> int:
    """A number below a bound: of any length, near the bound, or with runs of equal bits."""
    kind = random.randrange(3)
    if kind == 0:
        return random.getrandbits(random.randint(1, BITS)) % below
    if kind == 1:
        return below - 1 - random.getrandbits(random.randint(0, 40)) % below
    runs, value = random.randint(1, 6), 0
    for _ in range(runs):
        length = random.randint(1, 64)
        value = value << length | (random.getrandbits(1) * ((1 << length) - 1))
    return value % below


def record(random: random.Random, operation: str) -> str:
    """A line of a vector file."""
    n = number(random, 2**BITS) | 1
    while n < 3:
        n = number(random, 2**BITS) | 1
    x = number(random, n)
    if operation == "mont_mul":
        y = number(random, n)
        z = x * y * pow(2, -BITS, n) % n
    else:
        y = number(random, 2**BITS)
        z = pow(x, y, n)
    return f"{operation} random {n:x} {x:x} {y:x} {z:x}\n"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("operation", BATCH)
@pytest.mark.parametrize("rung", RUNGS)
def test_random_operands(
    measured: Clone, tmp_path: Path, rung: str, operation: str, seed: int
) -> None:
    source = random.Random(f"{rung} {operation} {seed}")
    vectors = tmp_path / f"{operation}.txt"
    vectors.write_text("".join(record(source, operation) for _ in range(BATCH[operation])))
    for level in ladder.LEVELS:
        program = measured.path / "build/iterations" / rung / level / "rsa"
        command = ["qemu-arm", "-cpu", "cortex-a7", program, "check", vectors]
        ran = subprocess.run(command, capture_output=True, text=True)
        assert ran.returncode == 0, f"{level}: {ran.stderr[-500:]}"
