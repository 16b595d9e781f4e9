"""What is shown about the programs without measuring them: `python3 -m verification COMMAND`."""

import sys

from records.commands import building

COMMANDS = {
    "prove": "prove.main",  # does the code compute what it should, for all operands?
    "mutants": "mutants.main",  # would the check vectors see a bug?
    "traces": "traces.main",  # does what a call executes and accesses depend on its operands?
}

if __name__ == "__main__":
    sys.exit(building("verification", COMMANDS))
