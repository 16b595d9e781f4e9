"""The commands that print what results say: `python3 -m rsalab.steps COMMAND --help`."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from records import ladder
from records.faults import Failure, command_line
from records.ladder import LADDER, LEVELS, ROOT
from records.results import FULL, load
from records.rows import write_rows
from records.workload import TRIP_SMALL
from rsalab.steps import claims, diff, new_iteration, scoreboard, spent, tables, why

Options = argparse.Namespace


def print_table(options: Options) -> None:
    """The ladder's tables, where the files are, and what to type next."""
    results = load(options.folder, counted=False)
    width = shutil.get_terminal_size((110, 24)).columns
    for study in options.study or [LADDER]:
        print(f"\n{tables.ladder_text(results, study, options.only, width)}")
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
    print(tables.compare_text(options.folders, *words))


def print_models(options: Options) -> None:
    """What the cycle models say; with --keep they are written to models.csv, too."""
    from rsalab.models import cycles, errors  # which need more than Python

    results = load(options.folder)
    rows, missing = cycles.modelled(results)
    if options.keep:
        known = [row for row, _ in errors.known(rows, errors.instructions_of(results))]
        small = {"case": TRIP_SMALL} if results.small(LADDER) else {}
        kept = [row | small if row["case"] == FULL else row for row in known]
        write_rows(results.path(cycles.FILE), kept)
    print(errors.text(results, rows, missing))


def print_why(options: Options) -> None:
    """Why a step executes fewer or more instructions, and which of its README's claims hold."""
    if not options.name:
        raise Failure("say which step: make why B=v4")
    child = ladder.find(options.name, options.study)
    if child.parent is None:
        raise Failure(f"{child.study}/{child.name} has no parent: the ladder starts there")
    folder = spent.results(options.results, child)
    width = shutil.get_terminal_size((160, 24)).columns
    print(f"{child.study}/{child.name}: {child.idea} (results/{folder.name})\n{why.MERGED}\n")
    print(why.text(folder, child, width=width))
    made = {level: spent.compared(folder, child, level) for level in LEVELS}
    faults = claims.faults(folder, child) + claims.untied(child)
    if child.claims:
        print("\nThe claims of its README:", *claims.listing(child, made), sep="\n")
    print("\n".join(["", *faults]) if faults else f"All {len(child.claims)} hold.")


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
    "sizes": (lambda options: diff.show_sizes(options.study), [STUDY]),
    "new-iteration": (
        lambda options: new_iteration.start(options.parent, options.name, options.study),
        [("parent", {}), ("name", {}), STUDY],
    ),
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
