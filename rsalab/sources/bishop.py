"""The first source's estimate of a hardware unit; its Table 1 stands in rsalab.report.tables."""

from __future__ import annotations

from pathlib import Path

from records.ladder import ROOT
from rsalab.published import about, read_csv
from rsalab.report import markdown
from rsalab.sources.status import NONE, NOT_AVAILABLE

SOURCE = "Bishop & Austin 2021"
FIGURES, UNIT = "bishop-austin-2021-figures-6-8.csv", "bishop-austin-2021-hardware-unit.csv"


def text(root: Path = ROOT) -> str:
    """Both tables of estimates; nothing here runs such a unit."""
    code = [
        [f"Figure {row['figure']}", row["code"], row["instructions"], row["cycles"] or NONE, NONE,
         NOT_AVAILABLE]
        for row in read_csv(FIGURES, root)
    ]  # fmt: skip
    unit = [[row["component"], row["cycles"], NONE, NOT_AVAILABLE] for row in read_csv(UNIT, root)]
    head = ["where", "code", "instructions", "cycles, estimated", "ours", "status of ours"]
    return "\n\n".join(
        [
            f"{about(FIGURES, root)['section']}: {about(FIGURES, root)['title']}.",
            markdown.table(head, code, (0, 1, 5)),
            f"{about(UNIT, root)['section']}: {about(UNIT, root)['title']}.",
            markdown.table(["component", "cycles, estimated", *head[-2:]], unit, (0, 3)),
        ]
    )
