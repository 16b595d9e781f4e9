"""A program over its check vectors and over operands drawn anew, once its code keeps the contract.

`python3 -m harness.check PROGRAM WIDTH VECTORS...` writes check.ok beside the program only if
every result is right.  LIMIT: seconds that this may take (the slowest program, v0 at -O0, takes 8
under the emulator on a laptop; a board may be 200 times slower).  PLATFORM: another file that says
how programs run.  SEED: draw the same operands again.
"""

from __future__ import annotations

import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from harness import contract, operands
from harness.operands import Call
from records import command
from records.faults import Failure, command_line
from records.files import replace
from records.platform import FILE, read_platform

LIMIT = 1800  # s
DRAWN = 64, 8  # products and powers


def ran(words: Sequence[object], seconds: int) -> tuple[str, str, int]:
    """What a program printed, what it said on stderr, its status.  It stays in the foreground, so
    that Ctrl-C ends it, too.  Raises Failure."""
    typed = [*map(str, words)]
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            done = subprocess.run(
                typed, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=seconds
            )
            printed, said = (contents(file).decode(errors="replace") for file in (out, err))
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {seconds} s; LIMIT={4 * seconds} allows more") from None
    except OSError as fault:
        hint = "make setup installs what is missing"
        raise Failure(f"{words[0]} cannot be started ({fault.strerror}); {hint}") from None
    return printed, said, done.returncode


def contents(file: IO[bytes]) -> bytes:
    """All that another process has written."""
    file.seek(0)
    return file.read()


def fault(todo: Sequence[Call], printed: str, said: str, status: int) -> str:
    """What is wrong with a run of `rsa check`, in one line, or an empty string."""
    found = operands.results(printed)
    wrong = operands.wrong(todo[: len(found)], found)
    if wrong:
        return wrong
    if at := re.search(r"(?m)^call (\d+): (.*)", said):
        return f"{todo[int(at[1]) - 1].place}: {at[2]}"
    if status < 0 or status > 128:
        last = f", {todo[len(found)].place}" if len(found) < len(todo) else ""
        return f"crashed with signal {-status if status < 0 else status - 128}{last}"
    if status:
        return said.partition("\n")[0] or f"status {status}"
    return operands.wrong(todo, found)


def check(program: Path, width: int, files: Sequence[Path], seed: str) -> str:
    """What has been checked, in words.  Raises Failure with the first fault."""
    if program.with_name("snapshot.o").exists():  # not of this machine, nor sent to a board
        contract.check(program.parent)
    todo = [call for path in files for call in operands.vectors(path)]
    for function in contract.EXPORTED - {call.function for call in todo}:
        folder = f"data/inputs/width-{width}/vectors"
        raise Failure(f"{folder}: no vectors of {function}; `git checkout {folder}` brings them")
    drawn = operands.drawn(width, seed, DRAWN)
    calls = operands.write(program.with_name("check.calls"), [*todo, *drawn], width)
    platform = read_platform(Path(os.environ.get("PLATFORM") or FILE))
    words = [*platform.runner, program, "check", calls]
    if wrong := fault([*todo, *drawn], *ran(words, command.limit(LIMIT))):
        alone = shlex.join(map(str, words))
        raise Failure(f"{wrong}\n    its calls alone (SEED={seed}):  {alone}")
    calls.unlink()
    return f"{len(todo)} vectors and {len(drawn)} drawn with seed {seed}"


def main() -> int:
    """The command line."""
    program, files = Path(sys.argv[1]), [Path(name) for name in sys.argv[3:]]
    stamp = program.with_name("check.ok")
    stamp.unlink(missing_ok=True)
    try:
        said = check(
            program, int(sys.argv[2]), files, os.environ.get("SEED") or str(secrets.randbits(32))
        )
    except Failure as wrong:
        print(f"{program}: NOT CHECKED, so it is not measured: {wrong}", file=sys.stderr)
        return 2
    replace(stamp, f"{said}\n")
    print(f"  CHECK   {program.parent}: {said}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(command_line("check", main))
