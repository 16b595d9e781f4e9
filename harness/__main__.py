"""The commands of the harness, which make calls: `python3 -m harness COMMAND --help`."""

import sys

from records.commands import building

COMMANDS = {
    "check": "check.main",
    "contract": "check.contract",
    "collect": "collect.collect",
    "compilers": "compilers.main",
    "host": "collect.host",
    "run": "run.main",
    "gprof": "gprof.main",
    "annotate": "annotate.main",
    "duel": "clock.duel",
    "counters": "counters.main",
    "doctor": "doctor.main",
    "target": "target.main",
    "target-host": "target.host",
    "calls": "operands.main",
}

if __name__ == "__main__":
    sys.exit(building("harness", COMMANDS))
