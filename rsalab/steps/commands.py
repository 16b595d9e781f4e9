"""What each command of the steps prints; an empty word stands for what is usual."""

import shutil

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot
from records.results import FULL, Results, load
from rsalab import models
from rsalab.steps import diff, predict, scoreboard, spent, tables, why


def columns(usual: int = 80) -> int:
    """Return how wide the terminal is, or else the usual width."""
    return shutil.get_terminal_size((usual, 24)).columns


def of_ladder(folder: str, *words: str) -> None:
    """Print the tables of the studies, or of the rungs, that are named, where the
    files are, and what to type next; without a word the whole ladder."""
    results = load(folder, counted=False)
    studies = [word for word in words if word in ladder.studies()]
    only = [word for word in words if word not in studies]
    for study in studies or [LADDER]:
        text = tables.ladder_text(results, study, only, columns(110))
        print(f"\n{text}")
    step = "v4"
    for snapshot in ladder.snapshots():
        if snapshot.parent and snapshot.name in only:
            step = snapshot.name
            break
    print(f"\nresults    {folder}/")
    print(
        f"next       make diff B={step:<10} what a step changed, in C and in assembly"
    )
    print(
        "           make notebooks      the charts           make report    the report"
    )


def of_models(folder: str) -> None:
    """Print what the model of an ARM1176 says."""
    print(models.text(load(folder), columns()))


def of_step(name: str, study: str, folder_name: str) -> None:
    """Print why a step executes fewer or more instructions, and which of its
    README's claims hold."""
    if not name:
        raise Failure("say which step: make why B=v4")
    child, _, results = step_of(name, study, folder_name)
    print(why.text(results, child, columns()))


def of_reader(name: str, study: str, folder_name: str, again: str) -> None:
    """Ask for a prediction of a step and show what was found; without a step all
    predictions of the reader."""
    if not name:
        print(predict.board(folder_name, columns()))
        return
    child, parent, results = step_of(name, study, folder_name)
    predict.predict(child, parent, results, bool(again), columns())


def step_of(
    name: str, study: str, folder_name: str
) -> tuple[Snapshot, Snapshot, Results]:
    """Return a step, its parent and the results that have both.  Raises Failure."""
    child = ladder.find(name, study)
    parent = ladder.parent_of(child)
    if parent is None:
        raise Failure(f"{study}/{name} has no parent: the ladder starts there")
    results = spent.results_of(folder_name, child)
    spent.warn(results, (parent, child))
    return child, parent, results


def of_predictions(study: str, folder_name: str) -> None:
    """Print what was expected of each step, and what it gained."""
    snapshots = ladder.snapshots(study)
    steps = []
    for snapshot in snapshots:
        if snapshot.parent and snapshot.predicts:
            steps.append(snapshot)
    if not steps:
        raise Failure(f"no prediction in {study}")
    results = spent.results_of(folder_name, steps[-1])
    spent.warn(results, snapshots)
    print(scoreboard.text(results, study))


def of_folders(folders: str, metric: str, workload: str) -> None:
    """Print two results folders side by side."""
    metric = metric or "instructions"
    workload = workload or FULL
    print(tables.compare_text(folders, metric, workload, columns()))


def start(parent: str, name: str, study: str) -> None:
    """Start a snapshot and say what comes next."""
    if not parent or not name:
        raise Failure("type `make new-iteration FROM=v8 NAME=v9`")
    folder = diff.new_iteration(parent, name, study)
    new = folder.relative_to(ROOT)
    print(f"{new} is a copy of {parent}.  Next:")
    print(f"  1. {new}/README.md: the idea; step.toml: what you expect it to do")
    print("  2. the change itself, in nat.h, rsa.c or mont.S")
    if study == LADDER:
        print(f"  3. make {name}                 builds, checks and counts it")
        print(f"  then make diff B={name}, make steps, make all-iterations")
    else:
        print("  3. make studies            builds, checks and counts it")
        print(f"  then make diff B={name} STUDY={study}, make steps STUDY={study}")


def of_times(folder: str) -> None:
    """Print the times of a results folder."""
    results = load(folder, counted=False)
    width = columns(110)
    print(tables.times_text(results, width))


def of_counters(folder: str) -> None:
    """Print the hardware's counters in a results folder."""
    results = load(folder, counted=False)
    width = columns(110)
    print(tables.perf_text(results, width))


def of_sizes(study: str) -> None:
    """Print how large the steps of a study are."""
    print(diff.sizes(study, columns()))
