"""Counts an exercise, in the sandbox: `python3 -m labs.count PROGRAM WIDTH CALLS SOURCES`.

Prints two things as JSON: what the program has printed, which is compared outside, and the number
of instructions by function of the sources, inlined ones too; the run-time's by their symbol.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from harness import counters, elf
from records.faults import command_line


def main() -> None:
    """The command line.  Raises Failure."""
    program, width, calls, sources = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counts")
        rows = counters.chosen().count(program, ("call", calls), width, out=out)
        printed = counters.results_of(out).read_text(encoding="ascii", errors="replace")
    lines = elf.lines(program, (row.address for row in rows), Path(sources))
    symbols = elf.read_elf(program)
    spent: Counter[str] = Counter()
    for row in rows:
        spent[lines[row.address].function or symbols.function(row.address)] += row.executions
    json.dump([printed, spent], sys.stdout)


if __name__ == "__main__":
    sys.exit(command_line("count", main))
