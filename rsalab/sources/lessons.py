"""Where a source is wrong by its own numbers, and where our counts say otherwise.

A lesson is one sentence with the numbers that carry it; without the numbers there is no lesson.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pandas as pd

from records.ladder import LADDER, ROOT
from records.published import CLAIMS, ERRATA, TABLE_1, of_source, read_csv
from records.results import FULL, Results
from records.tables import NONE, by_level, factor, whole
from rsalab import markdown
from rsalab.frames import cells
from rsalab.sources import bishop, dirk, lee

PRODUCTS = 20_000  # random ones


def table(root: Path = ROOT, source: str | None = None) -> str:
    """Numbers there that do not follow from the others, of one source or of all."""
    rows = [
        [row["source"], f"{row['file'].removesuffix('.csv')}: {row['place']}", row["published"],
         f"`{row['arithmetic']}` = {row['gives']} {row['unit']}", row["why"]]
        for row in read_csv(ERRATA, root) if source in (None, row["source"])
    ]  # fmt: skip
    if not rows:
        return ""
    head = ["source", "where", "published", "what follows", "why"]
    if source is None:
        return markdown.table(head, rows, (0, 1, 3, 4))
    return markdown.table(head[1:], [row[1:] for row in rows], (0, 2, 3))


def claims(source: str, root: Path = ROOT) -> str:
    """The numbers of a source's running text, and what its own tables give; empty without any."""
    rows = [
        [row["claim"], row["section"], f"{row['value']} {row['unit']}".strip(),
         f"`{row['arithmetic']}` = {row['gives']}" if row["arithmetic"] else NONE]
        for row in of_source(CLAIMS, source, root)
    ]  # fmt: skip
    head = ["the text says", "section", "number", "from its tables"]
    return markdown.table(head, rows, (0, 1, 3)) if rows else ""


def share(results: Results, rung: str, symbol: str, level: str) -> float | None:
    """A function's share of a round trip's instructions, its callees apart; None if unknown."""
    asked = (
        "select symbol, value from counts where metric = 'instructions'"
        ' and (study, snapshot, level, "case") = (?, ?, ?, ?)'
    )
    values = dict(map(tuple, results.query(asked, LADDER, rung, level, FULL)))
    return values[symbol] / values["total"] if {symbol, "total"} <= values.keys() else None


def step_factors(table: pd.DataFrame, parent: str, child: str) -> dict[str, float]:
    """Level -> how many times fewer instructions a rung takes than another one."""
    one, other = (dict(cells(table, rung)) for rung in (parent, child))
    return {
        level: row["instructions"] / other[level]["instructions"]
        for level, row in one.items()
        if level in other
    }


def alone(results: Results, name: str) -> dict[str, float]:
    """Level -> factor against its parent of a technique that studies/alone has; {} where
    it was not measured with its parent."""
    asked = (
        "select level, versus_parent from ladder where study = 'alone' and \"case\" = ?"
        " and rung = ? and verdict <> ''"
    )
    return dict(map(tuple, results.query(asked, FULL, name)))


def of_bishop(results: Results, ladder: pd.DataFrame, root: Path) -> list[str]:
    """Lessons about Bishop & Austin 2021."""
    gone = read_csv(TABLE_1, root)[1]["percent_increase"]
    part = share(results, "v6", "mmm_1", "O1")
    lessons = {
        "§4.5 expects that the kept Montgomery domain changes the instruction count little. From v5"
        " to v6 the executed instructions fall by {}.": by_level(step_factors(ladder, "v5", "v6")),
        "§3.2 rejects a struct because of its overhead, and §4.1 recommends NEON. Against a struct"
        " of named limbs by value, NEON (v2 to v3) gives {}.": by_level(
            step_factors(ladder, "v2", "v3")
        ),
        "§5 proposes hardware for the loop of MMM_1. In v6 at -O1 mmm_1 executes {} % of all"
        " instructions, so a unit for it cannot save more.": f"{100 * part:.2f}" if part else "",
        "§4.2 calls counting down a significant gain. Alone it gives {}.": by_level(
            alone(results, "count-down-only")
        ),
        "§4.2 inlines functions to gain speed. Alone, `static inline` gives {}.": by_level(
            alone(results, "static-inline-only")
        ),
        f"Table 1, row 1, has {gone} % less time by constants and local copies. v0 without local"
        " copies of the key gives {} in instructions.": by_level(
            alone(results, "key-in-every-product")
        ),
    }
    return [sentence.format(numbers) for sentence, numbers in lessons.items() if numbers]


def of_dirk(results: Results, root: Path) -> list[str]:
    """Lessons about Dirk 2019."""
    names = ("O3 no-opt C", "optimized asm")
    plain, by_hand = (dirk.own(results, "instructions", name, root).value for name in names)
    if plain is None or by_hand is None:
        return []
    theirs = dirk.published(root)["instructions"]
    return [
        "In his table plain C at -O3 takes less time than the assembly, although it executes"
        f" {factor(theirs[names[0]] / theirs[names[1]])} as many instructions; here, v0 at -O3"
        f" against v2 at -O0, it executes {factor(plain / by_hand)} as many."
    ]


def of_lee(results: Results) -> list[str]:
    """Lessons about Lee 2021."""
    said, theirs = [], lee.ticks()
    v3, v4 = (lee.own(results, rung, "O1").value for rung in ("v3", "v4"))
    if v3 and v4:
        there = 100 * (theirs.loc["v4", "O1"] / theirs.loc["v3", "O1"] - 1)
        here = "no instruction" if v3 == v4 else f"{100 * (v4 / v3 - 1):+.2f} % in instructions"
        said.append(
            f"v4 against v3 at -O1 is {there:+.1f} % in his ticks, {here} here."
            + " The difference in ticks is an error of measurement." * (v3 == v4)
        )
    one, three = (lee.own(results, "v2", level).value for level in ("O1", "O3"))
    if one and three:
        there = theirs.loc["v2", "O3"] / theirs.loc["v2", "O1"]
        said.append(
            f"§5 finds -O1 faster than -O3 from v2 on ({factor(there)} there); here v2 executes"
            f" {whole(one)} instructions at -O1 and {whole(three)} at -O3."
        )
    return said


@cache
def right_without_carries(bits: int, products: int = PRODUCTS, width: int = 128) -> int:
    """How many of so many random Montgomery products, bit by bit with random moduli of exactly
    `bits` bits, are right where the sum loses every bit from `width` on."""
    pick, right = random.Random(bits), 0
    for _ in range(products):
        n = pick.getrandbits(bits) | 1 << bits - 1 | 1
        x, y, t = pick.randrange(n), pick.randrange(n), 0
        for i in range(width):
            t += y * (x >> i & 1)
            t += n * (t & 1)
            t = t % (1 << width) >> 1
        right += (t - n if t >= n else t) == x * y * pow(1 << width, -1, n) % n
    return right


def dropped() -> str:
    """What random operands show of a program whose sum has no room for a carry."""
    right = {bits: right_without_carries(bits) for bits in (127, 128)}
    said = ", ".join(f"{whole(n)} ({n / PRODUCTS:.2%}) at {bits} bits" for bits, n in right.items())
    return (
        "The sum of t, y and n has up to 130 bits. A program that drops bits 128 and 129 is right"
        " for every product when the modulus has at most 126 bits. Of"
        f" {whole(PRODUCTS)} random products it is right for {said.replace('%', ' %')}. The vectors"
        " therefore include moduli of every width, moduli of all ones, operands that share the top"
        " limb of the modulus, and results just below it."
    )


def found(results: Results, ladder: pd.DataFrame, root: Path = ROOT) -> dict[str, list[str]]:
    """Source -> its lessons, those that these results carry."""
    return {
        bishop.SOURCE: of_bishop(results, ladder, root),
        dirk.SOURCE: of_dirk(results, root),
        lee.SOURCE: of_lee(results),
    }
