"""Exact counts without qemu-arm: Unicorn executes the snapshot's functions, one call at a time.

The second way to the rows of counts.py, for a qemu-user that loads no plugin, and a check on the
first.  Neither the driver nor the C library's start runs: arguments are put into memory, and what
a call leaves there must be the right answer.  All that a call executes counts, run-time included.

A memory instruction that is always executed makes the same number of accesses each time, which a
single trial of it tells (tally.Trials); a conditional one makes as many whenever its
condition holds.  Code outside the snapshot may be Thumb, of which neither is known beforehand;
where any is executed, all is executed once more, with every single access watched.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from harness.count import counts  # noqa: E402
from harness.count.counts import Row  # noqa: E402
from harness.count.unicorn.calls import Call, calls  # noqa: E402
from harness.count.unicorn.engine import library  # noqa: E402
from harness.count.unicorn.program import Program  # noqa: E402
from harness.count.unicorn.tally import HOOKS, Hooks, Trials  # noqa: E402
from records.faults import Failure  # noqa: E402


def why_unsupported() -> str:
    """Why Unicorn cannot count here, or an empty string."""
    try:
        library()
    except Failure as fault:
        return str(fault)
    return ""


def count_calls(
    program: str | Path,
    todo: Iterable[Call],
    *,
    width: int = 128,
    hooks: str | Path = HOOKS,
    watch: bool = False,
) -> list[Row]:
    """What the snapshot of this width in bits executes in these calls.

    ``watch`` has every memory access watched from the start, ten times slower.  Raises Failure for
    a wrong answer or a fault of the program.
    """
    todo, loaded = list(todo), Hooks(hooks)
    try:
        with Program(program, loaded, width, watch) as running:
            for call in todo:
                running.execute(call)
            if watch or not running.leaves_snapshot:
                with Trials(loaded) as trials:
                    return running.rows(trials)
    except ValueError as fault:
        raise Failure(f"{program}: not counted: {fault}") from None
    return count_calls(program, todo, width=width, hooks=hooks, watch=True)


def count(
    program: str | Path,
    args: Sequence[str],
    *,
    width: int = 128,
    hooks: str | Path = HOOKS,
    out: str | Path | None = None,
    timeout: float | None = None,
) -> list[Row]:
    """What the driver's command line ``count ...`` or ``roundtrip ...`` executes in the snapshot.

    The rows are those of counts.count; ``out`` keeps them in the same format.  Unicorn runs in a
    process of its own, which can be ended at any moment.  Raises Failure.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(out or Path(folder, "counts.txt")).resolve()
        file.unlink(missing_ok=True)
        options = ["--width", str(width), "--hooks", str(hooks), "--out", str(file)]
        command = [sys.executable, str(Path(__file__).resolve()), *options, str(program), *args]
        counts.run(command, program, subprocess.DEVNULL, timeout)
        return counts.read_rows(file, program)


def text(rows: Iterable[Row]) -> str:
    """The file that the counter in qemu-arm would write."""
    lines = ["address size opcode class does executions taken load_accesses store_accesses".split()]
    for row in rows:
        opcode = f"{row.opcode:#0{2 + 2 * row.size}x}"
        numbers = (row.executions, row.taken, row.load_accesses, row.store_accesses)
        what = (f"{row.address:#010x}", row.size, opcode, row.cls, row.does)
        lines.append([str(field) for field in (*what, *numbers)])
    return "".join("\t".join(line) + "\n" for line in lines)


def main() -> int:
    """What count() starts; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--hooks", type=Path, default=HOOKS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("program", type=Path)
    parser.add_argument("args", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    try:
        rows = count_calls(a.program, calls(a.args), width=a.width, hooks=a.hooks)
        a.out.write_text(text(rows), encoding="ascii")
    except (OSError, ValueError) as fault:
        said = str(fault).removeprefix(f"{a.program}: ").removeprefix("not counted: ")
        print(said, file=sys.stderr)  # count() says the rest
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
