"""The one command line: the parameters of a function are what its command takes.

A parameter without a default is a word, one with a default an option, `--out FOLDER`, or a flag
where that is False; `*folders` takes all words that are left.  Its annotation makes the value of
the word, and the function's docstring is the help.  Behind `--` no word is an option.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from inspect import Parameter, getdoc, signature

from records.faults import command_line

Body = Callable[..., int | None]


def building(name: str, commands: Mapping[str, str | Body]) -> int:
    """Run the command that the first word names, and return its exit
    status.  A command that is a text, `MODULE.FUNCTION` of the package
    `name`, is imported when it is asked for."""
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("command", choices=commands)
    first = sys.argv[1:2]
    others = sys.argv[2:]
    what = parser.parse_args(first).command
    return command_line(
        what, lambda: call(f"{name} {what}", found(name, commands[what]), others)
    )


def found(package: str, body: str | Body) -> Body:
    """Return the function of a command.  Raises ModuleNotFoundError."""
    if not isinstance(body, str):
        return body
    module, _, function = body.partition(".")
    named: Body = getattr(import_module(f"{package}.{module}"), function)
    return named


def command(name: str, body: Body, words: Sequence[str] | None = None) -> int:
    """Run a function with these words, or those of the command line, and return
    its exit status."""
    return command_line(
        name, lambda: call(name, body, sys.argv[1:] if words is None else words)
    )


def call(name: str, body: Body, words: Sequence[str]) -> int | None:
    """Return what the function returns for the words of a command line.  Raises
    SystemExit, after a line on how it is typed, where they do not fit."""
    parser = argparse.ArgumentParser(prog=name, description=getdoc(body))
    parameters = signature(body, eval_str=True).parameters.values()
    for one in parameters:
        if one.kind is Parameter.VAR_POSITIONAL:
            parser.add_argument(one.name, type=one.annotation, nargs=argparse.REMAINDER)
        elif one.default is Parameter.empty:
            parser.add_argument(one.name, type=one.annotation)
        elif one.default is False:
            parser.add_argument(f"--{one.name}", action="store_true")
        else:
            parser.add_argument(
                f"--{one.name}", type=one.annotation, default=one.default
            )
    options = vars(parser.parse_args(words))
    values: list[object] = []
    for one in parameters:
        if one.kind is Parameter.VAR_POSITIONAL:
            left = options.pop(one.name)
            values += left[1:] if left[:1] == ["--"] else left
        elif one.default is Parameter.empty:
            values.append(options.pop(one.name))
    return body(*values, **options)
