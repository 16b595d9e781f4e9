"""Where a source is wrong by its own numbers, and where our counts say otherwise.

A lesson is one sentence with the numbers that carry it; without the numbers
there is no lesson.
"""

import random
from functools import cache
from pathlib import Path

from records.ladder import LEVELS, ROOT
from records.published import CLAIMS, ERRATA, LESSONS, of_source, read_csv
from records.results import Results
from records.tables import NONE, by_level, factor, whole
from rsalab import markdown
from rsalab.sources.tables import BISHOP, DIRK, LEE, gain

PRODUCTS = 20_000  # random ones
FOLLOWS = "`{arithmetic}` = {gives}"


def errata(root: Path = ROOT, source: str = "") -> str:
    """Numbers there that do not follow from the others, of one source or of all."""
    columns = {
        "source": "{source}",
        "where": "{file}: {place}",
        "published": "{published}",
        "what follows": f"{FOLLOWS} {{unit}}",
        "why": "{why}",
    }
    if not source:
        return markdown.formed(read_csv(ERRATA, root), columns, (0, 1, 3, 4))
    del columns["source"]
    return markdown.formed(of_source(ERRATA, source, root), columns, (0, 2, 3))


def claims(source: str, root: Path = ROOT) -> str:
    """The numbers of a source's running text, and what its own tables give."""
    rows = of_source(CLAIMS, source, root)
    follows = [FOLLOWS.format_map(row) if row["arithmetic"] else NONE for row in rows]
    columns = {
        "the text says": "{claim}",
        "section": "{section}",
        "number": "{value} {unit}",
        "from its tables": "{follows}",
    }
    made = [row | {"follows": text} for row, text in zip(rows, follows)]
    return markdown.formed(made, columns, (0, 1, 3))


def of(source: str, results: Results) -> list[str]:
    """The lessons about a source that these results carry."""
    lessons = []
    for row in of_source(LESSONS, source, results.root):
        levels, programs = [row["level"]] if row["level"] else LEVELS, (row["above"], row["below"])
        ratios = {level: gain(results, *programs, level) for level in levels}
        known = {level: ratio for level, ratio in ratios.items() if ratio}
        for first in list(known.values())[:1]:
            numbers = factor(first) if row["level"] else by_level(known)
            lessons.append(row["sentence"].format(numbers, percent=100 * first))
    return lessons


def of_all(results: Results) -> dict[str, list[str]]:
    """Source -> its lessons."""
    return {source: of(source, results) for source in (BISHOP, DIRK, LEE)}


def wrong(source: str, results: Results) -> str:
    """What one source says in words, what does not follow there, and what our counts add."""
    headed = {
        "In words:": claims(source, results.root),
        "What does not follow from its own numbers:": errata(results.root, source),
        "What our counts add:": "\n".join(f"- {one}" for one in of(source, results)),
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
    """How many random products are right in a program whose sum has no room for a carry."""
    right = {bits: right_without_carries(bits) for bits in (127, 128)}
    return ", ".join(
        f"{whole(n)} ({100 * n / PRODUCTS:.2f} %) at {bits} bits" for bits, n in right.items()
    )
