"""The commands of the harness, which make calls: `python3 -m harness COMMAND --help`."""

import argparse
import sys
from importlib import import_module
from inspect import Parameter, getdoc, signature

from records.faults import command_line

# Command -> the function that it is.
COMMANDS = {
    "check": "check.main",
    "contract": "check.contract",
    "collect": "collect.collect",
    "host": "collect.host",
    "gprof": "gprof.main",
    "annotate": "annotate.main",
    "duel": "clock.duel",
    "counters": "counters.main",
    "perf": "perf.main",
    "doctor": "doctor.main",
    "target": "target.main",
    "calls": "operands.main",
}


def main() -> int:
    """Runs the command that the first argument names: the parameters of its
    function are its options if they have a default, else its words, of
    which `*words` takes all that are left."""
    parser = argparse.ArgumentParser(prog="harness", description="Checks and measures snapshots.")
    parser.add_argument("command", choices=COMMANDS)
    name = parser.parse_args(sys.argv[1:2]).command
    module, _, function = COMMANDS[name].partition(".")
    body = getattr(import_module(f"harness.{module}"), function)
    parser = argparse.ArgumentParser(prog=f"harness {name}", description=getdoc(body))
    words, rest = [], []
    for one in signature(body).parameters.values():
        if one.kind is Parameter.VAR_POSITIONAL:
            parser.add_argument(one.name, type=one.annotation, nargs=argparse.REMAINDER)
            rest.append(one.name)
        elif one.default is Parameter.empty:
            parser.add_argument(one.name, type=one.annotation)
            words.append(one.name)
        else:
            parser.add_argument(f"--{one.name}", type=one.annotation, default=one.default)
    said = vars(parser.parse_args(sys.argv[2:]))
    taken = [said.pop(word) for word in words]
    taken += [one for more in rest for one in said.pop(more)]
    return command_line(name, lambda: body(*taken, **said))


if __name__ == "__main__":
    sys.exit(main())
