"""Checks a program of studies/width-1024: `python3 -m harness.long.check PROGRAM STAMP`.

Its code keeps the contract, and it passes every vector: the named kinds, and random operations
that are drawn anew for each run (SEED draws the same again).  The stamp, which names the seed,
appears only then.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.check import contract
from harness.long.keys import KEYS, private_lines, read_key
from harness.long.vectors import SIZES, vectors
from records.faults import Failure, command_line
from records.files import replace
from records.platform import read_platform

HEADER = Path("studies/width-1024/nat.h")
CASES = 100
LIMIT = 1800  # seconds


def functions(header: Path = HEADER) -> set[str]:
    """The functions that the contract declares."""
    return set(re.findall(r"^(?:void|uint32_t) (\w+)\(", header.read_text(), re.M))


def lines(seed: int, cases: int = CASES) -> list[str]:
    """Everything that a program has to compute."""
    rng = random.Random(seed)
    found = list(vectors(cases, seed))
    for bits in SIZES:
        if (path := KEYS / f"{bits}.txt").exists():
            found += private_lines(read_key(path), rng)
    return found


def check(program: Path, seed: int, cases: int = CASES) -> str:
    """What the stamp says.  Raises Failure."""
    contract(program.parent, functions())
    made = lines(seed, cases)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors.txt")
        path.write_text("\n".join(made) + "\n")
        command = [*read_platform().runner, str(program), "check", str(path)]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise Failure(f"{program}: NOT CHECKED: no end after {LIMIT} s") from None
    if ran.returncode != 0 or ran.stdout != f"{len(made)} lines\n":
        said = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[0]
        said = re.sub(r"^\S*vectors\.txt:", "line ", said)
        raise Failure(f"{program}: NOT CHECKED, so it is not measured: {said} (SEED={seed})")
    return f"{len(made)} lines, seed {seed}"


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    program, stamp = map(Path, sys.argv[1:])
    stamp.unlink(missing_ok=True)
    asked = os.environ.get("SEED", "")
    seed = int(asked) if asked.isdigit() else int.from_bytes(os.urandom(4), "big")
    said = check(program, seed)
    replace(stamp, said + "\n")
    print(f"  CHECK   {program.parent}: {said}", flush=True)


if __name__ == "__main__":
    sys.exit(command_line("check", main))
