"""Where a source is wrong by its own numbers, and where our counts say otherwise.

A lesson is one sentence with the numbers that carry it; without the numbers there is no lesson.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from records.ladder import LADDER, ROOT
from rsalab.frames import Results, cell, ladder_table, rungs
from rsalab.published import CLAIMS, ERRATA, TABLE_1, of_source, read_csv
from rsalab.report import markdown
from rsalab.sources import bishop, dirk, lee
from rsalab.sources.status import NONE, TRIP, exact
from rsalab.steps.table import LEVELS, factor, whole

ALONE = "dead-ends"


def table(root: Path = ROOT, source: str | None = None) -> str:
    """Numbers there that do not follow from the others, of one source or of all."""
    rows = [
        [row["source"], f"{row['file'].removesuffix('.csv')}: {row['place']}", row["published"],
         f"`{row['arithmetic']}` = {row['gives']} {row['unit']}", row["why"]]
        for row in read_csv(ERRATA, root) if source in (None, row["source"])
    ]  # fmt: skip
    if source is None:
        head = ["source", "where", "published", "what follows", "why"]
        return markdown.table(head, rows, (0, 1, 3, 4)) if rows else ""
    head = ["where", "published", "what follows", "why"]
    return markdown.table(head, [row[1:] for row in rows], (0, 2, 3)) if rows else ""


def claims(source: str, root: Path = ROOT) -> str:
    """The numbers of a source's running text, and what its own tables give; empty without any."""
    rows = [
        [row["claim"], row["section"], f"{row['value']} {row['unit']}".strip(),
         f"`{row['arithmetic']}` = {row['gives']}" if row["arithmetic"] else NONE]
        for row in of_source(CLAIMS, source, root)
    ]  # fmt: skip
    head = ["the text says", "section", "number", "from its tables"]
    return markdown.table(head, rows, (0, 1, 3)) if rows else ""


def by_level(ratios: dict[str, float]) -> str:
    """`x1.10 at -O0, x2.97 at -O1`."""
    return ", ".join(f"{factor(ratio)} at -{level}" for level, ratio in ratios.items())


def against(ladder: pd.DataFrame, parent: str, child: str) -> dict[str, float]:
    """Level -> how many times fewer instructions a rung takes than another one."""
    found = {}
    for level in LEVELS:
        one, other = cell(ladder, parent, level), cell(ladder, child, level)
        if one is not None and other is not None:
            found[level] = one["instructions"] / other["instructions"]
    return found


def share(results: Results, rung: str, symbol: str, level: str) -> float | None:
    """A function's share of a round trip's instructions, its callees apart; None if unknown."""
    counts = results.counts
    here = (counts["study"] == LADDER) & (counts["snapshot"] == rung) & (counts["level"] == level)
    rows = counts[here & (counts["case"] == TRIP) & (counts["metric"] == "instructions")]
    values = rows.set_index("symbol")["value"]
    return values[symbol] / values["total"] if {symbol, "total"} <= set(values.index) else None


def alone(results: Results, root: Path) -> dict[str, dict[str, float]]:
    """Technique of the first source that was measured alone -> level -> factor against its
    parent."""
    names = {snapshot.name for snapshot in rungs(results, ALONE, root)}
    if not names:
        return {}
    made = ladder_table(results, ALONE, root=root)
    return {
        str(name): {row["level"]: row["versus_parent"] for _, row in rows.iterrows()}
        for name, rows in made[made["versus_parent"].notna()].groupby("rung", sort=False)
    }


def first(results: Results, ladder: pd.DataFrame, root: Path) -> list[str]:
    """Lessons about the first source."""
    said = []
    domain = against(ladder, "v5", "v6")
    if domain:
        said.append(
            "§4.5 expects the kept Montgomery domain to change the instruction count little; what"
            f" is executed falls, v5 to v6, by {by_level(domain)}."
        )
    neon = against(ladder, "v2", "v3")
    if neon:
        said.append(
            "§3.2 drops a struct as costing too much, and §4.1 praises NEON: against a struct of"
            f" named limbs by value, v2 to v3, NEON gives {by_level(neon)}."
        )
    part = share(results, "v6", "mmm_1", "O1")
    if part:
        said.append(
            "§5 proposes hardware for the loop of MMM_1: in v6, -O1, mmm_1 executes"
            f" {100 * part:.2f} % of all instructions: no unit for it can save more than that."
        )
    gone = read_csv(TABLE_1, root)[1]["percent_increase"]
    names = {
        "count-down-only": "§4.2 calls counting down a significant gain; alone it gives {}.",
        "static-inline-only": "§4.2 inlines to gain speed; alone, `static inline` gives {}.",
        "local-copies-only": f"Table 1, row 1, has {gone} % less time by constants and local"
        " copies; local copies alone give {} in instructions.",
    }
    ratios = alone(results, root)
    said += [words.format(by_level(ratios[name])) for name, words in names.items()
             if name in ratios]  # fmt: skip
    return said


def second(results: Results, root: Path) -> list[str]:
    """Lessons about the second source."""
    plain, by_hand = ("O3 no-opt C", "optimized asm")
    theirs = dirk.published(root)
    ours = [dirk.own(results, "instructions", name, root) for name in (plain, by_hand)]
    if None in (ours[0].value, ours[1].value):
        return []
    there = theirs["instructions"][plain] / theirs["instructions"][by_hand]
    return [
        "Plain C at -O3 beats the assembly there in time, though its instructions are"
        f" {factor(there)} those of the assembly; here, v0 -O3 against v2 -O0, they are"
        f" {factor(ours[0].value / ours[1].value)}."
    ]


def third(results: Results) -> list[str]:
    """Lessons about the third source."""
    said, theirs = [], lee.ticks()

    def count(rung: str, level: str) -> float | None:
        return exact(results, lee.STUDY, rung, level, ("instructions",)).value

    v3, v4 = count("v3", "O1"), count("v4", "O1")
    if v3 and v4:
        there = 100 * (theirs["v4", "O1"] / theirs["v3", "O1"] - 1)
        here = "no instruction" if v3 == v4 else f"{100 * (v4 / v3 - 1):+.2f} % in instructions"
        said.append(
            f"v4 against v3 at -O1 is {there:+.1f} % in his ticks, {here} here. A program that runs"
            " for milliseconds in an emulator measures the emulator."
        )
    one, three = count("v2", "O1"), count("v2", "O3")
    if one and three:
        there = theirs["v2", "O3"] / theirs["v2", "O1"]
        said.append(
            f"§5 finds -O1 faster than -O3 from v2 on ({factor(there)} there); here v2 executes"
            f" {whole(one)} instructions at -O1 and {whole(three)} at -O3."
        )
    return said


def found(results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> dict[str, list[str]]:
    """Source -> its lessons, those that these results carry."""
    return {
        bishop.SOURCE: first(results, ladder, root),
        dirk.SOURCE: second(results, root),
        lee.SOURCE: third(results),
    }


def text(lessons: dict[str, list[str]]) -> str:
    """The lessons as a list; empty when there is none."""
    return "\n".join(f"- **{source}.** {one}" for source, said in lessons.items() for one in said)
