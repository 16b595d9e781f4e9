"""The commands of the boards, which make calls: `python3 -m boards COMMAND --help`."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boards import emulated, exchange, farm
from records.faults import command_line


def main() -> int:
    """Runs the command that the arguments name: a function whose parameters are its options."""
    parser = argparse.ArgumentParser(prog="boards", description="Other machines and their results.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, body: Callable[..., int | None], what: str) -> Callable[..., Any]:
        made = commands.add_parser(name, help=what, description=what)
        made.set_defaults(command=name, body=body)
        return made.add_argument

    add = command("farm", farm.farm, "measure on several boards at once, over ssh")
    add("--ssh", default="ssh", help="the ssh command with its options")
    add("--messages", default="default")
    add("hosts", type=Path)
    add("folders", nargs="+", type=Path, metavar="FOLDER")

    add = command("job", farm.on_board, "a job of the farm, on the board")
    add("out", type=Path)
    add("messages")
    add("sender")
    add("folder", type=Path)

    add = command("import", exchange.take, "take over results from another machine")
    add("--name", default="")
    add("--force", action="store_true")
    add("folder", type=Path)
    command("check", exchange.check, "name the faults of a results folder")("folder", type=Path)
    command("contribute", exchange.contribute, "pack a results folder")("folder", type=Path)

    add = command("board", emulated.main, "emulate a computer and use it")
    add("--kind", default="armhf")
    add("--rung", default="")
    add("action", choices=("run", "count", "shell", "test"))
    add = command("kernel", emulated.on_board, "on the emulated computer: count by its kernel")
    add("sent", type=Path, nargs="?", default="build")

    options = vars(parser.parse_args())
    name, body = options.pop("command"), options.pop("body")
    return command_line(name, lambda: body(**options))


if __name__ == "__main__":
    sys.exit(main())
