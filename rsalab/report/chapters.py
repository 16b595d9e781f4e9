"""Two chapters of the report: the background, and a section for each rung."""

from __future__ import annotations

import re

import pandas as pd

from records.ladder import Snapshot
from rsalab.report import hot, markdown, tables
from rsalab.report.sections import MISSING, Story

BACKGROUND = "docs/montgomery.md"
FIGURES = {
    "process": "How a message gets from Bob to Alice, after Bishop & Austin 2021, Figure 1",
    "use-case": "Who does what with RSA, after Dirk 2019, appendix B",
    "activity": "What every program does with the messages, after Bishop & Austin 2021, Figure 2",
    "mmm": "A bit-serial Montgomery product, after Lee 2021, Figure 2",
    "modexp": "The exponentiation of v6, v7 and v8, after Lee 2021, Figure 1",
}
BELONGS = {"Bit by bit": "mmm", "Stay in the domain": "modexp"}  # heading -> figure at its end


def background(tale: Story) -> dict[str, str]:
    """docs/montgomery.md as a chapter, its headings one deeper, its title left out, and the figures
    that belong to its sections; all figures by name, `figure_use_case`.  Raises Failure."""
    text = markdown.read(tale.root / BACKGROUND, tale.root)
    sections = re.split(r"(?m)^(?=## )", text.split("\n", 1)[1])
    folder = tale.root / "docs" / "figures"
    figures = {
        name: "".join(tale.figure(folder / f"{name}.svg", said)) for name, said in FIGURES.items()
    }
    for place, part in enumerate(sections):
        for name in (name for head, name in BELONGS.items() if part.startswith(f"## {head}")):
            part = f"{part.rstrip()}\n\n{figures[name]}\n\n"
        sections[place] = f"#{part}" if part.startswith("## ") else part
    named = {f"figure_{name.replace('-', '_')}": link for name, link in figures.items()}
    measuring = tale.seen(tale.root / "docs" / "measuring.md")
    return {"background": "".join(sections).strip(), "measuring": measuring, **named}


def steps(tale: Story) -> dict[str, str]:
    """A section for each rung."""
    lines = hot.counted(tale.results)
    return {"sections": "\n\n".join(rung(tale, lines, snapshot) for snapshot in tale.snapshots)}


def rung(tale: Story, lines: pd.Series, snapshot: Snapshot) -> str:
    """One rung: idea, change, prediction, what was measured, what came of it, what to look at."""
    part, came = markdown.parts(snapshot, tale.root), markdown.VERDICT
    name = snapshot.path.relative_to(tale.root).as_posix()
    code = f"Code: [{name}]({tale.seen(snapshot.path)})."
    after = f"Parent: [{snapshot.parent}](#{snapshot.parent}). " if snapshot.parent else ""
    words = tables.verdict_line(tale.ladder, snapshot.name)
    return "\n\n".join(
        [
            f'### <a id="{snapshot.name}"></a>{snapshot.name}. {snapshot.idea}',
            f"{after}Source: {snapshot.source or 'none'}. {code}",
            f"**Change.** {part['Change']}",
            f"**{'Predicted' if snapshot.parent else 'Why'}.** {part['Why']}",
            f"**Measured.** {words}".rstrip() + ("." if words else ""),
            tables.step(tale.ladder, snapshot),
            *([f"**{came}.** {part[came]}"] if part.get(came) else []),
            f"**Look at.** {part['Look at']}",
            *macros(snapshot, part["Look at"]),
            *where(tale, lines, snapshot, part["Look at"]),
        ]
    )


def macros(snapshot: Snapshot, text: str) -> list[str]:
    """The macros of mont.S that a text calls by name, as they stand there."""
    if not snapshot.has_assembly:
        return []
    code = (snapshot.path / "mont.S").read_text(encoding="utf-8")
    found = []
    for name in re.findall(r"macro `(\w+)`", text):
        body = re.search(rf"(?ms)^\s*\.macro\s+{name}\b.*?^\s*\.endm$", code)
        found += [f"```asm\n{body[0].strip(chr(10))}\n```"] if body else []
    return found


def where(tale: Story, lines: pd.Series, snapshot: Snapshot, text: str) -> list[str]:
    """The lines that execute most, or whose counts changed most, at the level that the text names;
    a word where the results have no count of lines."""
    level = hot.level_of(text, tale.levels)
    table = hot.against_parent(lines, snapshot, level, tale.root)
    if table:
        said = f"The lines whose counts changed most at -{level}, `-` where a text lacks the line:"
    else:
        table, said = (
            hot.hottest(lines, snapshot, level),
            f"The lines that execute most at -{level}:",
        )
    return [f"**Lines.** {said}", table] if table else [f"**Lines.** {MISSING}"]
