"""What is shown about the programs without measuring them: `python3 -m verification` and

prove      does the code compute what it should, for all operands?
mutants    would the check vectors see a bug?
traces     does what a call executes and accesses depend on its operands?
"""

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from harness.collect import LOCAL
from records.faults import Failure, command_line

PROVERS = ("capstone", "bitwuzla", "sympy")


def main() -> int:
    """The status of a command.  Raises Failure and OSError."""
    kept = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("verification", description=__doc__, formatter_class=kept)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in ("prove", "mutants"):
        commands.add_parser(name)
    traces = commands.add_parser("traces")
    traces.add_argument("--clang", default="", help="its name and version, if it has compiled")
    traces.add_argument("--out", type=Path, default=LOCAL, help="where traces.csv goes")
    traces.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of a snapshot")
    options = vars(parser.parse_args())
    command = options.pop("command")
    for name in PROVERS if command != "traces" else ():
        if not find_spec(name):
            raise Failure(f"{name} is not installed: make installs it where there is a wheel")
    return int(import_module(f"verification.{command}").main(**options))


if __name__ == "__main__":
    sys.exit(command_line("".join(sys.argv[1:2]) or "verification", main))
