"""The commands that print what results say: `python3 -m rsalab.steps COMMAND --help`."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LADDER, LEVELS, ROOT
from records.results import FULL, load
from records.rows import write_rows
from records.workload import TRIP_SMALL
from rsalab import models
from rsalab.steps import claims, diff, scoreboard, spent, tables, why

Options = argparse.Namespace


def columns(usual: int = why.WIDTH) -> int:
    """How wide the terminal is, or else the usual width."""
    return shutil.get_terminal_size((usual, 24)).columns


def print_table(options: Options) -> None:
    """The ladder's tables, where the files are, and what to type next."""
    results = load(options.folder, counted=False)
    for study in options.study or [LADDER]:
        print(f"\n{tables.ladder_text(results, study, options.only, columns(110))}")
    print(f"\nresults    {options.folder}/")
    parents = {snapshot.name: snapshot.parent for snapshot in ladder.snapshots()}
    step = next(filter(parents.get, options.only), "v4")
    print(f"next       make diff B={step:<10} what a step changed, in C and in assembly")
    print("           make notebooks      the charts           make report    the report")


def print_times(options: Options) -> None:
    """The table of times."""
    print(tables.times_text(load(options.folder, counted=False)))


def print_comparison(options: Options) -> None:
    """Two results folders side by side; an empty word stands for the usual metric and case."""
    words = options.metric or "instructions", options.case or FULL
    print(tables.compare_text(options.folders, *words, width=columns(999)))


def print_models(options: Options) -> None:
    """What the cycle models say; with --keep they are written to models.csv, too."""
    results = load(options.folder)
    rows, missing = models.modelled(results)
    if options.keep:
        known = [row for row, _ in models.known(rows, models.instructions_of(results))]
        small = {"case": TRIP_SMALL} if results.small(LADDER) else {}
        kept = [row | small if row["case"] == FULL else row for row in known]
        write_rows(results.path(models.FILE), kept)
    print(models.text(results, rows, missing, columns()))


def print_why(options: Options) -> None:
    """Why a step executes fewer or more instructions, and which of its README's claims hold."""
    if not options.name:
        raise Failure("say which step: make why B=v4")
    child = ladder.find(options.name, options.study)
    if child.parent is None:
        raise Failure(f"{child.study}/{child.name} has no parent: the ladder starts there")
    folder, width = spent.results(options.results, child), columns()
    head = f"{child.study}/{child.name}: {child.idea} (results/{folder.name})"
    print(textwrap.fill(head, width), textwrap.fill(why.MERGED, width), "", sep="\n")
    print(why.text(folder, child, width=width))
    made = {level: spent.compared(folder, child, level) for level in LEVELS}
    faults = list(dict.fromkeys(claims.faults(folder, child) + claims.untied(child)))
    listed = claims.listing(child, made)
    lines = ["", "The claims of its README:", *listed] if listed else []
    lines += ["", *faults] if faults else [f"All {len(child.claims)} hold."]
    whole = textwrap.TextWrapper(width, subsequent_indent="    ", break_on_hyphens=False)
    print(*map(whole.fill, lines), sep="\n")


def print_scoreboard(options: Options) -> None:
    """What was expected of each step, and what it gained."""
    steps = [s for s in ladder.snapshots(options.study) if s.parent and s.predicts]
    if not steps:
        raise Failure(f"no prediction in {options.study}")
    folder = spent.results(options.results, steps[-1])
    print(f"{options.study}: parent / this in instructions (results/{folder.name})\n")
    print(scoreboard.text(folder, options.study))
    if not scoreboard.whole(ROOT):
        print("No history here to name the commits: `git fetch --unshallow` brings it.")


def print_diff(options: Options) -> None:
    """A step side by side."""
    diff.show(*diff.pair(options.name, options.study, options.parent), options.level)


def print_sizes(options: Options) -> None:
    """How many lines each step changes."""
    print(diff.sizes(options.study, columns()))


def start(options: Options) -> None:
    """Starts a snapshot and says what comes next."""
    parent, name, study = options.parent, options.name, options.study
    if not parent or not name:
        raise Failure("type `make new-iteration FROM=v8 NAME=v9`")
    new = diff.new_iteration(parent, name, study).relative_to(ROOT)
    print(f"{new} is a copy of {parent}.  Next:")
    print(f"  1. {new}/README.md: the idea, and in predicts: what you expect it to do")
    print("  2. the change itself, in nat.h, rsa.c or mont.S")
    if study == LADDER:
        print(f"  3. make {name}                 builds, checks and counts it")
    print(f"  then make diff B={name}, make steps, make all-iterations")


NAME, FOLDER = ("name", {"nargs": "?", "default": ""}), ("folder", {"type": Path})
STUDY, RESULTS = ("--study", {"default": LADDER}), ("--results", {"default": ""})
COMMANDS: dict[str, tuple[Callable[[Options], None], list[tuple[str, dict[str, Any]]]]] = {
    "table": (print_table, [FOLDER, ("only", {"nargs": "*"}), ("--study", {"action": "append"})]),
    "times": (print_times, [FOLDER]),
    "compare": (print_comparison, [("folders", {}), ("metric", {}), ("case", {})]),
    "models": (print_models, [FOLDER, ("--keep", {"action": "store_true"})]),
    "why": (print_why, [NAME, STUDY, RESULTS]),
    "scoreboard": (print_scoreboard, [STUDY, RESULTS]),
    "diff": (print_diff, [NAME, STUDY, ("--parent", {}), ("--level", {"default": "O1"})]),
    "sizes": (print_sizes, [STUDY]),
    "new-iteration": (start, [("parent", {}), ("name", {}), STUDY]),
}


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="steps", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    for name, (run, words) in COMMANDS.items():
        command = commands.add_parser(name, help=run.__doc__)
        for word, how in words:
            command.add_argument(word, **how)
        command.set_defaults(run=run)
    options = parser.parse_args()
    return command_line(options.command, lambda: options.run(options))


if __name__ == "__main__":
    sys.exit(main())
