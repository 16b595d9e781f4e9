"""Counts one exercise: `python3 -m harness.lab.count PROGRAM WIDTH CALLS OUT`.

OUT gets the counts, and OUT.results what the program has printed: the results are compared outside
the sandbox in which this runs.
"""

import os
import sys
from pathlib import Path

from harness.count import counters
from records.faults import Failure, command_line


def main() -> None:
    """The command line.  Raises Failure."""
    program, width, calls, out = sys.argv[1:]
    counter, why_not = counters.choose(os.environ.get("COUNTER", ""))
    if counter is None:
        raise Failure(why_not)
    counter.count(Path(program), ("call", calls), int(width), Path(out), None, False)


if __name__ == "__main__":
    sys.exit(command_line("count", main))
