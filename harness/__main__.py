"""The commands of the harness, which make calls: `python3 -m harness COMMAND --help`."""

import argparse
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from records.faults import command_line
from records.ladder import LADDER

LOCAL = Path("results/local")


def main() -> int:
    """Runs the command that the arguments name: a function whose parameters are its options."""
    parser = argparse.ArgumentParser(prog="harness", description="Checks and measures snapshots.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, place: str, what: str) -> Callable[..., Any]:
        made = commands.add_parser(name, help=what, description=what)
        made.set_defaults(name=name, place=place)
        return made.add_argument

    add = command("check", "check.main", "may this program be measured; or this folder's object")
    add("program", type=Path)
    add("width", type=int, nargs="?")
    add("vectors", type=Path, nargs="*")

    add = command("collect", "collect.collect", "measure checked snapshots")
    add("--messages", default="", help="small, default or all")
    add("--out", type=Path, default=LOCAL)
    add("--no-sizes", dest="sizes", action="store_false", help="needs no binutils")
    add("folders", type=Path, nargs="+", metavar="FOLDER")

    add = command("host", "collect.host", "time this machine's own programs")
    add("folders", type=Path, nargs="+", metavar="FOLDER")

    add = command("gprof", "gprof.main", "which function calls which")
    add("--out", type=Path, default=LOCAL)
    add("folders", type=Path, nargs="+", metavar="FOLDER")

    add = command("annotate", "annotate.main", "exact counts in the format of callgrind")
    add("--study", default=LADDER)
    add("snapshot")
    add("level")

    add = command("duel", "clock.duel", "do two programs differ in time")
    add("--level", default="O1")
    add("--study", default=LADDER)
    add("names", nargs="*", metavar="RUNG")

    add = command("counters", "counters.main", "count one run by symbol; or name the counter")
    add("--width", type=int, default=128)
    add("program", type=Path, nargs="?")
    add("words", nargs=argparse.REMAINDER)

    command("perf", "perf.main", "print perf.csv")("folder", nargs="?", default=str(LOCAL))
    command("doctor", "doctor.main", "is this machine ready")
    command("target", "target.main", "how programs run here")("words", nargs=argparse.REMAINDER)

    add = command("calls", "operands.main", "write the calls of files of vectors")
    add("width", type=int)
    add("files", type=Path, nargs="+")

    options = vars(parser.parse_args())
    name, (module, function) = options.pop("name"), options.pop("place").split(".")
    body = getattr(import_module(f"harness.{module}"), function)
    return command_line(name, lambda: body(**options))


if __name__ == "__main__":
    sys.exit(main())
