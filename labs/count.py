"""Counts an exercise, in the sandbox: `python3 -m labs.count PROGRAM WIDTH CALLS SOURCES`.

Prints two things as JSON: what the program has printed, which is compared outside, and the number
of instructions by function of the sources, inlined ones too; the run-time's by their symbol.
"""

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from harness.count import counters, counts, scopes
from harness.count.elf import read_elf
from records.faults import Failure, command_line


def main() -> None:
    """The command line.  Raises Failure."""
    program, width, calls, sources = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    counter, why_not = counters.choose(os.environ.get("COUNTER", ""))
    if counter is None:
        raise Failure(why_not)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counts")
        rows = counter.count(program, ("call", calls), width, out, None, False)
        printed = counts.results_of(out).read_text(encoding="ascii", errors="replace")
    scope, elf = scopes.functions(program, Path(sources)), read_elf(program)
    spent: Counter[str] = Counter()
    for row in rows:
        spent[scope.get(row.address) or elf.function(row.address)] += row.executions
    json.dump([printed, spent], sys.stdout)


if __name__ == "__main__":
    sys.exit(command_line("count", main))
