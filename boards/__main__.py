"""The commands of the boards, which make calls: `python3 -m boards COMMAND --help`."""

import sys

from records.commands import building

COMMANDS = {
    "farm": "farm.farm",
    "job": "farm.on_board",  # of the farm, on the board
    "import": "exchange.take",
    "check": "exchange.check",
    "contribute": "exchange.contribute",
    "board": "emulated.main",
    "kernel": "emulated.on_board",  # on the emulated computer: count by its kernel
}

if __name__ == "__main__":
    sys.exit(building("boards", COMMANDS))
