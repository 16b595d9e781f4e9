"""`python3 -m harness.count.unicorn WIDTH HOOKS OUT PROGRAM call CALLS [COUNT]` counts one run.

Started by harness/count/counters.py: a process of its own can be ended at any moment.  OUT gets the
counts; the results are printed as the driver prints them.
"""

import sys
from pathlib import Path

from harness.count.counts import text
from harness.count.unicorn.program import count_calls
from harness.operands import read
from records.faults import command_line


def main() -> None:
    """Counts what the arguments say.  Raises Failure and OSError."""
    width, hooks, out, program, _, calls, *count = sys.argv[1:]
    todo = read(Path(calls))[: int(count[0]) if count else None]
    found = count_calls(Path(program), todo, width=int(width), hooks=Path(hooks))
    Path(out).write_text(text(found.rows, found.spent), encoding="ascii")
    print("".join(f"{z:x}\n" for z in found.results), end="")


if __name__ == "__main__":
    sys.exit(command_line("unicorn", main))
