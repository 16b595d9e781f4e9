"""`python3 -m harness.count.unicorn WIDTH HOOKS OUT PROGRAM ARGUMENTS`: Unicorn counts one run.

Started by harness/count/counters.py: a process of its own can be ended at any moment.  ARGUMENTS
are those of the driver; OUT gets the counts.
"""

import sys
from pathlib import Path

from harness.count.counts import text
from harness.count.unicorn.calls import calls
from harness.count.unicorn.program import count_calls
from records.faults import command_line


def main() -> None:
    """Counts what the arguments say.  Raises Failure and OSError."""
    width, hooks, out, program, *args = sys.argv[1:]
    found = count_calls(Path(program), calls(args), width=int(width), hooks=Path(hooks))
    Path(out).write_text(text(*found), encoding="ascii")


if __name__ == "__main__":
    sys.exit(command_line("unicorn", main))
