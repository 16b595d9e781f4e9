"""The studies beside the ladder: a row for each snapshot, with its factors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from records import ladder
from records.ladder import LADDER, ROOT, Snapshot
from records.results import Results, load
from records.tables import NONE, factor, percent, whole
from rsalab import long_numbers, markdown, openssl
from rsalab.frames import cells, measured
from rsalab.models import errors
from rsalab.models.cycles import CASES, MODELS, model_of
from rsalab.report.story import MISSING, Story

ALONE = "alone"
SORTED_BY = "O1"
FUNCTIONS = ("mont_mul", "mod_exp")  # of traces.csv


def alone(tale: Story) -> str:
    """The techniques that were measured alone, those that gain most at SORTED_BY first."""
    table = measured(tale.results).get(ALONE)
    if table is None:
        return MISSING
    at = table[table["level"] == SORTED_BY].set_index("rung")["versus_parent"].fillna(0)
    snapshots = tale.results.rungs(ALONE)
    return rows_of(tale, sorted(snapshots, key=lambda s: -at.get(s.name, 0)), table)


def others(tale: Story) -> str:
    """Every other study: a table for each; a study that was not measured is named as such."""
    found, parts = measured(tale.results), []
    for study in ladder.studies(tale.root):
        if study == ALONE:
            continue
        path = ladder.study_path(study, tale.root)
        parts.append(f"**[studies/{study}]({tale.seen(path)})**")
        snapshots = tale.results.rungs(study)
        parts.append(rows_of(tale, snapshots, found[study]) if study in found else MISSING)
    return "\n\n".join([*parts, *longer(tale), *in_openssl(tale)]) or MISSING


def longer(tale: Story) -> list[str]:
    """The study of long numbers, if it was counted: what the best program needs at each size, from
    which size on Karatsuba's method pays, and what each technique gains.  Raises Failure."""
    counts = long_numbers.load(tale.results.folder)
    if not counts:
        return []
    path = tale.root / "studies" / "width-1024"
    notebook = tale.root / "notebooks" / "06-multiplication.ipynb"
    kind, level = long_numbers.BEST
    return [
        f"**[studies/width-1024]({tale.seen(path)})**: numbers of 64 to 2048 bits. Instructions of"
        f" {kind} at -{level}:",
        markdown.table(*long_numbers.summary(counts)),
        "Size from which on Karatsuba's method needs fewer instructions:",
        markdown.table(*long_numbers.crossovers(counts)),
        "The private operation of 1024 bits, without the technique / with it; of the C54x: cycles"
        f" (published). [Notebook 06]({tale.seen(notebook)}) has the times by model.",
        markdown.table(*long_numbers.savings(counts)),
    ]


def in_openssl(tale: Story) -> Iterator[str]:
    """Our Montgomery product in OpenSSL, if that was counted."""
    counts = openssl.load(tale.results.query("select * from openssl"))
    if counts:
        link = f"**[studies/openssl]({tale.seen(tale.root / 'studies/openssl')})**"
        yield f"{link}: instructions of an RSA operation of OpenSSL 3.1.1."
        yield openssl.instructions(counts)
        yield (
            "The model of an ARM1176 at 1 GHz (instructions + 2 x long multiplies) beside what"
            " the OpenSSL source measured on a Pi Zero W:"
        )
        yield openssl.times(counts, tale.root)
        yield "The model is close for long numbers in assembly. It is far too low for compiled C:"
        yield openssl.validation(counts, tale.root)


def rows_of(tale: Story, snapshots: Iterable[Snapshot], table: pd.DataFrame) -> str:
    """A row for each snapshot: its folder, its parent, parent/this with its verdict by level."""
    levels, rows = tale.levels, []
    for snapshot in snapshots:
        found = dict(cells(table[table["verdict"] != ""], snapshot.name))
        said = [f"{factor(found[at]['versus_parent'])} {found[at]['verdict']}" if at in found
                else NONE for at in levels]  # fmt: skip
        link = f"[{snapshot.name}]({tale.seen(snapshot.path / 'README.md')})"
        parent = (snapshot.parent or NONE).rpartition("/")[2]
        rows.append([link, snapshot.idea, parent, *said])
    head = ["folder", "idea", "parent", *(f"-{level}" for level in levels)]
    return markdown.table(head, rows, tuple(range(len(head))))


# --- leaks ----------------------------------------------------------------------------------------


def leaks(tale: Story) -> str:
    """A row for each rung, and for each other snapshot that has a function without a leak."""
    if not tale.results.query("select 1 from traces limit 1"):
        return MISSING
    made = []
    for study in (LADDER, *ladder.studies(tale.root)):
        for snapshot in ladder.snapshots(study, tale.root):
            said = [leaks_of(tale, snapshot, function) for function in FUNCTIONS]
            if study == LADDER or not all(one == "leaks" for one in said):
                name = snapshot.name if study == LADDER else f"{study}/{snapshot.name}"
                made.append([f"[{name}]({tale.seen(snapshot.path / 'README.md')})", *said])
    return markdown.table(["snapshot", *FUNCTIONS], made, (0, 1, 2))


def leaks_of(tale: Story, snapshot: Snapshot, function: str) -> str:
    """What the traces of a function say, over all levels and compilers."""
    asked = "select * from traces where (study, snapshot, function) = (?, ?, ?)"
    found = tale.results.query(asked, snapshot.study, snapshot.name, function)
    if not found:
        return MISSING
    leaking = sorted({f"-{row['level']}" for row in found if row["traces"] > 1})
    if not leaking:
        return f"the same for {min(row['secrets'] for row in found)} secrets"
    every = {f"-{row['level']}" for row in found}
    return "leaks" if set(leaking) == every else f"leaks at {', '.join(leaking)}"


# --- agreement ------------------------------------------------------------------------------------


def agreement(root: Path = ROOT) -> str:
    """A table for each board whose kernel has counted.  Raises Failure."""
    return "\n\n".join(of_board(board) for board in boards(root)) or MISSING


def largest(root: Path = ROOT) -> str:
    """The table of the board that counted most cells.  Raises Failure."""
    found = sorted(boards(root), key=lambda board: len(board.query("select 1 from agreement")))
    return of_board(found[-1]) if found else MISSING


def boards(root: Path) -> list[Results]:
    """The results of boards whose kernel has counted."""
    folders = sorted(path.parent for path in root.glob("results/board-*/agreement.csv"))
    return [load(folder, root, counted=False) for folder in folders]


def of_board(results: Results) -> str:
    """Instructions of the same calls of mont_mul by plugin and Unicorn, a row for each snapshot, a
    column for each level; and what the kernel counts beyond them."""
    rows = results.query("select * from agreements")
    levels = sorted({row["level"] for row in rows})
    cell = {(row["snapshot"], row["level"]): row for row in rows}
    made = []
    for name in dict.fromkeys(name for name, _ in cell):
        both = [cell[name, level] for level in levels if (name, level) in cell]
        texts = (dict.fromkeys(f"{one[at]:,}" for at in ("plugin", "unicorn")) for one in both)
        made.append([name, *map(" or ".join, texts)])
    agreed = sum(row["plugin"] == row["unicorn"] for row in rows)
    shares = sorted({(row["kernel"] - row["plugin"]) / row["n"] for row in rows})
    more = " or ".join(f"{share:g}" for share in shares)
    facts, calls = results.machine, max(row["n"] for row in rows)
    return (
        f"{markdown.table(['', *(f'-{level}' for level in levels)], made, (0,))}\n\n"
        f"Instructions of {calls} calls of mont_mul; plugin and Unicorn agree in {agreed} of"
        f" {len(rows)} cells, and the kernel counts {more} more a call. {results.label}:"
        f" {facts['os']}, kernel {facts['kernel']}, {facts['compiler']}."
    )


# --- cycles ---------------------------------------------------------------------------------------


def cycles(tale: Story) -> dict[str, str]:
    """A table for each model: cycles a call of mont_mul and a round trip by rung and level, and the
    model's error.  A rung whose cycles are its instructions at every level is left out."""
    says, ranges = {}, {}
    for row, error in errors.known_in(tale.results):
        model = model_of(row)
        says[model, row["snapshot"], row["level"], row["case"]] = row["value"] / row["n"]
        ranges[model, row["snapshot"]] = percent(*error)
    head = ["rung", *(f"{name} -{level}" for name in ("mont_mul", "round trip")
                      for level in tale.levels), "error"]  # fmt: skip
    parts = {}
    for model in MODELS:
        rows, same = [], []
        for rung in (s.name for s in tale.snapshots if (model, s.name) in ranges):
            places = [(level, case) for case in CASES for level in tale.levels]
            had = [says.get((model, rung, *cell)) for cell in places]
            counted = [tale.results.means(LADDER, rung, *cell).get("instructions")
                       for cell in places]  # fmt: skip
            if had == counted:
                same.append(rung)
            else:
                rows.append([rung, *map(whole, had), ranges[model, rung]])
        name = model.replace("-", "_")
        parts[f"model_{name}"] = markdown.table(head, rows) if rows else MISSING
        parts[f"{name}_left_out"] = (
            f"Left out are rungs whose cycles are their instructions: {', '.join(same)}."
            if same else "Every rung that was modelled is shown."
        )  # fmt: skip
    return parts
