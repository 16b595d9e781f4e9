"""Counts one exercise: `python3 -m harness.lab.count PROGRAMS WIDTH QUESTIONS VECTORS OUT`.

The plugin counts PROGRAMS/answer, which holds no expected result, and leaves the answers in
OUT.answers.  Unicorn calls the functions of PROGRAMS/rsa itself, with nothing in memory but the
operands, and compares the results with VECTORS.
"""

import os
import sys
from pathlib import Path

from harness.count import counters
from records.faults import Failure, command_line


def main() -> None:
    """The command line.  Raises Failure."""
    programs, width, questions, vectors, out = sys.argv[1:]
    counter, why_not = counters.choose(os.environ.get("COUNTER", ""))
    if counter is None:
        raise Failure(why_not)
    if counter.name == "unicorn":
        counter.count(Path(programs, "rsa"), ["count", vectors], int(width), Path(out), None, False)
    else:
        words = [questions, f"{out}.answers"]
        counter.count(Path(programs, "answer"), words, int(width), Path(out), None, False)


if __name__ == "__main__":
    sys.exit(command_line("count", main))
