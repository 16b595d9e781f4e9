"""The sources' tables beside our numbers: theirs, ours, and what kind of number ours is.

The words are in words.md, the tables are the answers to the questions of
tables.sql.
"""

import random
from functools import cache, partial
from pathlib import Path

from records.results import Results
from records.tables import Table, questions, whole
from rsalab import openssl
from rsalab.templates import Names

BISHOP, DIRK, LEE = "Bishop & Austin 2021", "Dirk 2019", "Lee 2021"
MARKOVIC, OPENSSL = "Markovic et al.", "OpenSSL ARM assembly"
UNKNOWN = "Nothing: the programs are not measured in these results."
WORDS = Path(__file__).with_name("words.md")
PRODUCTS = 20_000  # random ones


def answer(results: Results, name: str, source: str = "") -> Table:
    """The answer to a question of tables.sql, about one source or all."""
    return results.table(__file__, name, source=source)


def told(results: Results, source: str) -> str:
    """Return all that words.md says of a source, in Markdown."""
    names = Names(WORDS)
    names.know({"here": f"{results.platform}, {results.compiler}"})
    files = results.query("select * from sources_index where source = ?", source)
    for number, row in enumerate(map(dict, files), 1):
        names.know({f"{what}_{number}": text for what, text in row.items()})

    def shown(question: str) -> str:
        table = answer(results, question, source)
        return table.markdown if table.rows else UNKNOWN

    def times() -> str:
        return openssl.times(results, "record", ours=False).markdown

    for question in questions(__file__):
        for kind in ("fact", "table", "text"):
            names.add(kind, {question: partial(shown, question)})
    names.add("table", {"times": times})
    return names.section(source)


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
