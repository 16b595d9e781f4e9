"""What our counts add to the sources' tables: lessons, steps beside steps, numbers that do not follow."""

import random
from functools import cache
from sqlite3 import Row

from records.ladder import EVERY_LEVEL, LADDER
from records.results import Results
from records.tables import (
    NONE,
    Column,
    Table,
    factor,
    pivot,
    whole,
)

BISHOP = "Bishop & Austin 2021"
DIRK = "Dirk 2019"
LEE = "Lee 2021"
Columns = dict[str, Column]


def worked_out(row: Row) -> str | None:
    """Return what follows from a source's own numbers."""
    return f"`{row['arithmetic']}` = {row['gives']}" if row["arithmetic"] else None


def bare(program: str) -> str:
    """Return a program's name without its study."""
    return program.rpartition("/")[2]


def gains(results: Results, slow: str, fast: str) -> dict[str, float]:
    """Return by level how many times fewer instructions one program executes than another."""
    above = instructions(results, slow)
    below = instructions(results, fast)
    both = [level for level in above if level in below]
    return {level: above[level] / below[level] for level in both}


def instructions(results: Results, program: str) -> dict[str, float]:
    """Return the mean instructions of a round trip, by level, of a program as data/published/ names
    it: a rung `v6`, `alone/NAME` of a study, a function `v6:mmm_1`.  What `width-64/v2 -O0` executes
    stands at every level."""
    label, _, only = program.partition(" -")
    path, _, symbol = label.partition(":")
    study, _, snapshot = path.rpartition("/")
    rows = results.rows(
        __file__,
        "instructions",
        study=study or LADDER,
        snapshot=snapshot,
        symbol=symbol or "total",
    )
    means = {row["level"]: row["mean"] for row in rows}
    if not only:
        return means
    return dict.fromkeys(EVERY_LEVEL, means[only]) if only in means else {}


# --- of every source ------------------------------------------------------------------------------


def errata(results: Results) -> str:
    """Return what does not follow from a source's own numbers, a line for each number."""
    lines = []
    for row in results.rows(__file__, "errata"):
        place = f"[{row['file']}](/data/published/{row['file']}), {row['place']}"
        found = " ".join(filter(None, [worked_out(row), row["unit"]]))
        lines.append(
            f"- **{row['source']}**, {place}. Published: {row['published']}; worked out:"
            f" {found}. {row['why']}"
        )
    return "\n".join(lines)


def lessons(results: Results, source: str = "") -> str:
    """Return what our counts add, a line for each lesson of which all numbers are here."""
    lines = []
    for lesson in results.rows(__file__, "lessons", source=source):
        ratios = gains(results, lesson["above"], lesson["below"])
        only = lesson["level"]
        if only:
            gained = [factor(ratios[only])] if only in ratios else []
        else:
            gained = [f"{factor(gain)} at -{level}" for level, gain in ratios.items()]
        if not gained:
            continue
        text = lesson["sentence"].replace("{}", ", ".join(gained))
        if only:
            text = text.replace("{percent}", f"{100 * ratios[only]:.2f}")
        if not source:
            text = f"**{lesson['source']}.** {text}"
        lines.append(f"- {text}")
    return "\n".join(lines)


# --- Bishop & Austin ------------------------------------------------------------------------------


def steps(results: Results) -> Table:
    """Return their steps in time beside ours in instructions, by level."""
    levels = [level for (level,) in results.query("select distinct level from cells")]
    rows = []
    for row in results.rows(__file__, "bishop"):
        programs = (row["ours"] or "").split()
        named = [bare(program) for program in programs]
        against = row["against"] or ""
        if against:
            named = [f"{bare(against)} to {name}" for name in named]
        found = [gains(results, against, program) for program in programs]
        for level in levels:
            ratios = [factor(gained.get(level)) for gained in found] or [NONE]
            step = {"ours": ", ".join(named) or row["counterpart"], "level": level}
            rows.append({**dict(row), **step, "instructions": ", ".join(ratios)})
    by: Columns = {
        "iteration": "iteration",
        "their step, time": lambda row: factor(row["step"]),
        "our step": "ours",
    }
    return pivot(rows, by, "level", {"instructions": "instructions"})


# --- what the sources' programs lose --------------------------------------------------------------

PRODUCTS = 20_000  # random ones


@cache
def right_without_carries(bits: int, products: int = PRODUCTS, width: int = 128) -> int:
    """Return how many of so many random Montgomery products, bit by bit with random moduli of
    exactly `bits` bits, are right where the sum loses every bit from `width` on."""
    pick = random.Random(bits)
    right = 0
    for _ in range(products):
        n = pick.getrandbits(bits) | 1 << bits - 1 | 1
        x = pick.randrange(n)
        y = pick.randrange(n)
        t = 0
        for i in range(width):
            t += y * (x >> i & 1)
            t += n * (t & 1)
            t = t % (1 << width) >> 1
        product = t - n if t >= n else t
        right += product == x * y * pow(1 << width, -1, n) % n
    return right


def dropped() -> str:
    """Return how many random products are right in a program whose sum has no room for a carry."""
    parts = []
    for bits in (127, 128):
        right = right_without_carries(bits)
        parts.append(f"{whole(right)} ({100 * right / PRODUCTS:.2f} %) at {bits} bits")
    return ", ".join(parts)
