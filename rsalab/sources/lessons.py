"""Where a source is wrong by its own numbers, and where our counts say otherwise.

A lesson is one sentence with the numbers that carry it; without the numbers
there is no lesson.
"""

import random
from functools import cache
from pathlib import Path

from records.ladder import LADDER, LEVELS, ROOT
from records.published import CLAIMS, ERRATA, TABLE_1, of_source, read_csv
from records.results import FULL, Results
from records.tables import NONE, by_level, factor, whole
from rsalab import markdown
from rsalab.sources import tables
from rsalab.sources.tables import BISHOP, DIRK, LEE

PRODUCTS = 20_000  # random ones


def errata(root: Path = ROOT, source: str = "") -> str:
    """Numbers there that do not follow from the others, of one source or of all."""
    rows = [
        [row["source"], f"{row['file'].removesuffix('.csv')}: {row['place']}", row["published"],
         f"`{row['arithmetic']}` = {row['gives']} {row['unit']}", row["why"]]
        for row in (of_source(ERRATA, source, root) if source else read_csv(ERRATA, root))
    ]  # fmt: skip
    head = ["source", "where", "published", "what follows", "why"]
    if source:
        head, rows = head[1:], [row[1:] for row in rows]
    left = tuple(at for at, name in enumerate(head) if name != "published")
    return markdown.table(head, rows, left) if rows else ""


def claims(source: str, root: Path = ROOT) -> str:
    """The numbers of a source's running text, and what its own tables give; empty without any."""
    rows = [
        [row["claim"], row["section"], f"{row['value']} {row['unit']}".strip(),
         f"`{row['arithmetic']}` = {row['gives']}" if row["arithmetic"] else NONE]
        for row in of_source(CLAIMS, source, root)
    ]  # fmt: skip
    head = ["the text says", "section", "number", "from its tables"]
    return markdown.table(head, rows, (0, 1, 3)) if rows else ""


def gains(results: Results, slow: str, fast: str) -> str:
    """How many times fewer instructions one program takes than another, by
    level; "" without any."""
    ratios = {level: tables.gain(results, slow, fast, level) for level in LEVELS}
    return by_level({level: ratio for level, ratio in ratios.items() if ratio})


def of_bishop(results: Results) -> list[str]:
    """Lessons about Bishop & Austin 2021."""
    gone = read_csv(TABLE_1, results.root)[1]["percent_increase"]
    place = "(study, snapshot, level, \"case\", symbol) = (?, 'v6', 'O1', ?, 'mmm_1')"
    rows = results.query(f"select share from shares where {place}", LADDER, FULL)
    lessons = {
        "§4.5 expects that the kept Montgomery domain changes the instruction count little. From v5"
        " to v6 the executed instructions fall by {}.": gains(results, "v5", "v6"),
        "§3.2 rejects a struct because of its overhead, and §4.1 recommends NEON. Against a struct"
        " of named limbs by value, NEON (v2 to v3) gives {}.": gains(results, "v2", "v3"),
        "§5 proposes hardware for the loop of MMM_1. In v6 at -O1 mmm_1 executes {} % of all"
        " instructions, so a unit for it cannot save more.": "".join(f"{r[0]:.2f}" for r in rows),
        "§4.2 calls counting down a significant gain. Alone it gives {}.": gains(
            results, "v4", "alone/count-down-only"
        ),
        "§4.2 inlines functions to gain speed. Alone, `static inline` gives {}.": gains(
            results, "v4", "alone/static-inline-only"
        ),
        f"Table 1, row 1, has {gone} % less time by constants and local copies. v0 without local"
        " copies of the key gives {} in instructions.": gains(
            results, "v0", "alone/key-in-every-product"
        ),
    }
    return [sentence.format(numbers) for sentence, numbers in lessons.items() if numbers]


def of_dirk(results: Results) -> list[str]:
    """Lessons about Dirk 2019."""
    names = ["O3 no-opt C", "optimized asm"]
    plain, by_hand = (tables.of_dirk(results, name)["instructions"].value for name in names)
    if plain is None or by_hand is None:
        return []
    there, here = tables.perf_table(results.root).loc["instructions", names]
    return [
        "In his table plain C at -O3 takes less time than the assembly, although it executes"
        f" {factor(there / here)} as many instructions; here, v0 at -O3"
        f" against v2 at -O0, it executes {factor(plain / by_hand)} as many."
    ]


def of_lee(results: Results) -> list[str]:
    """Lessons about Lee 2021."""
    lessons, (his, ours) = [], tables.of_lee(results)
    (v3, v4), (one, three) = ours.loc[["v3", "v4"], "O1"], ours.loc["v2", ["O1", "O3"]]
    if v3 > 0 and v4 > 0:
        there = 100 * (his.loc["v4", "O1"] / his.loc["v3", "O1"] - 1)
        here = "no instruction" if v3 == v4 else f"{100 * (v4 / v3 - 1):+.2f} % in instructions"
        lessons.append(
            f"v4 against v3 at -O1 is {there:+.1f} % in his ticks, {here} here."
            + " We infer that the ticks differ by an error of measurement." * (v3 == v4)
        )
    if one > 0 and three > 0:
        ratio = factor(his.loc["v2", "O3"] / his.loc["v2", "O1"])
        lessons.append(
            f"§5 finds -O1 faster than -O3 from v2 on ({ratio} there); here v2 executes"
            f" {whole(one)} instructions at -O1 and {whole(three)} at -O3."
        )
    return lessons


OF_SOURCE = {BISHOP: of_bishop, DIRK: of_dirk, LEE: of_lee}


def of_all(results: Results) -> dict[str, list[str]]:
    """Source -> its lessons, those that these results carry."""
    return {name: of(results) for name, of in OF_SOURCE.items()}


def wrong(source: str, results: Results) -> str:
    """What one source says in words, what does not follow there, and what our counts add."""
    lessons = of_all(results).get(source, [])
    headed = {
        "In words:": claims(source, results.root),
        "What does not follow from its own numbers:": errata(results.root, source),
        "What our counts add:": "\n".join(f"- {lesson}" for lesson in lessons),
    }
    return "\n\n".join(f"{head}\n\n{text}" for head, text in headed.items() if text)


@cache
def right_without_carries(bits: int, products: int = PRODUCTS, width: int = 128) -> int:
    """How many of so many random Montgomery products, bit by bit with
    random moduli of exactly `bits` bits, are right where the sum loses
    every bit from `width` on."""
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
    shares = ", ".join(
        f"{whole(n)} ({100 * n / PRODUCTS:.2f} %) at {bits} bits" for bits, n in right.items()
    )
    return (
        "The sum of t, y and n has up to 130 bits. A program that drops bits 128 and 129 is right"
        " for every product when the modulus has at most 126 bits. Of"
        f" {whole(PRODUCTS)} random products it is right for {shares}. The vectors"
        " therefore include moduli of every width, moduli of all ones, operands that share the top"
        " limb of the modulus, and results just below it."
    )
