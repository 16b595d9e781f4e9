"""The studies beside the ladder: a row for each snapshot, with its factors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from records import ladder
from records.ladder import Snapshot
from records.tables import NONE, factor
from rsalab import long_numbers, markdown, openssl
from rsalab.frames import cells, measured
from rsalab.report.story import MISSING, Story

ALONE = "alone"
SORTED_BY = "O1"


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
