"""Where the instructions went: counts by opcode class, in groups that a picture can hold.

Every instruction executed in the snapshot has one class (harness/plugin/a32.h), every
class one group; what the compiler's run-time executes is a group of its own.  So the groups of a
rung and level add up to its instructions exactly, which `classes` checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from records.faults import Failure
from records.ladder import Snapshot
from records.results import Results
from records.summary import FULL
from records.tables import whole
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.picture import WIDTH, Chart, drawing, settle
from rsalab.frames import levels
from rsalab.steps import spent

CLASS = "class_"
RUNTIME, OTHER = "run-time", spent.OTHER


WORDS = {  # class -> its usual mnemonics
    "load": "ldr",
    "load_multiple": "ldm, pop",
    "neon_load": "NEON load",
    "store": "str",
    "store_multiple": "stm, push",
    "neon_store": "NEON store",
    "branch": "b",
    "call": "bl",
    "return": "bx lr, pop {pc}",
    "add_sub": "add, sub",
    "add_sub_carry": "adc, sbc",
    "logical": "and, orr, eor",
    "shift": "lsl, lsr, rrx",
    "bitfield": "ubfx, uxtb",
    "media": "uadd8, sel",
    "move": "mov",
    "compare": "cmp, tst",
    "mul": "mul, mla",
    "mul_half": "smlabb",
    "mul_long": "umull, umlal",
    "umaal": "umaal",
    "divide": "udiv",
    "neon_arith": "NEON arithmetic",
    "neon_move": "NEON move",
    "vfp": "VFP",
    "system": "nop",
    "exclusive": "ldrex",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class Group:
    """A group of a picture: Okabe and Ito's colour for it; which of the counter's groups it has."""

    colour: str
    parts: tuple[str, ...]

    @property
    def classes(self) -> list[str]:
        """The opcode classes in it."""
        return [cls for cls in WORDS if spent.GROUP_OF.get(cls, OTHER) in self.parts]


GROUPS = {
    "loads": Group("#0072b2", ("loads",)),
    "stores": Group("#56b4e9", ("stores",)),
    "branches": Group("#d55e00", ("branches",)),
    "add, sub": Group("#e69f00", ("adds",)),
    "logic, shift": Group("#f0e442", ("logic",)),
    "move, compare": Group("#c8c8c8", ("moves", "compares")),
    "multiply": Group("#cc79a7", ("multiplies",)),
    "NEON": Group("#009e73", ("NEON", "VFP moves")),
    RUNTIME: Group("#000000", ()),
    OTHER: Group("#6e6e6e", (OTHER,)),
}
GROUP_OF = {cls: name for name, group in GROUPS.items() for cls in group.classes}
GROUP_OF[RUNTIME] = RUNTIME


def classes(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by class: index (snapshot, level), a column for each class
    that occurs, `run-time` and `total`.  Empty where no classes were counted.

    Raises Failure when the classes of a cell do not add up to its instructions.
    """
    asked = (
        "select snapshot, level, symbol, metric, value, n from counts"
        " where study = ? and \"case\" = ? and symbol in ('snapshot', 'total')"
    )
    rows = pd.read_sql(asked, results.db, params=[study, case])
    wide = rows.pivot_table(
        index=["snapshot", "level"], columns=["symbol", "metric"], values="value", aggfunc="sum"
    )
    inside = wide.get("snapshot", pd.DataFrame()).filter(regex=f"^{CLASS}")
    if inside.empty:
        return pd.DataFrame()
    found = inside.fillna(0).rename(columns=lambda name: name.removeprefix(CLASS))
    found[RUNTIME] = wide["total", "instructions"] - wide["snapshot", "instructions"]
    wrong = (found.sum(axis=1) != wide["total", "instructions"]) | (found[RUNTIME] < 0)
    if wrong.any():
        name, level = found.index[wrong][0]
        raise Failure(
            f"{results.label}/counts.csv: the classes of {study}/{name} -{level} ({case}) do not"
            " add up to its instructions; measure again"
        )
    found["total"] = wide["total", "instructions"]
    n = rows[rows["metric"] == "instructions"].groupby(["snapshot", "level"])["n"].max()
    return found.div(n.reindex(found.index), axis=0)


def table(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by group: index (snapshot, level), a column for each of GROUPS
    and `total`, which is their sum.  Empty where no classes were counted.  Raises Failure."""
    found = classes(results, study, case)
    if found.empty:
        return found
    parts = found.drop(columns="total").T
    groups = parts.groupby(lambda cls: GROUP_OF.get(cls, OTHER)).sum().T
    return groups.reindex(columns=list(GROUPS), fill_value=0.0).assign(total=found["total"])


def stacked(results: Results, ladder: pd.DataFrame, snapshots: list[Snapshot]) -> Chart:
    """Shares of the groups, stacked to 100 %, a panel for each level, totals beside them.

    Raises Failure where no classes were counted.
    """
    groups = table(results, snapshots[0].study)
    if groups.empty:
        raise Failure(f"{results.label}: no opcode classes were counted there")
    shown, names = levels(ladder), [snapshot.name for snapshot in snapshots]
    called = groups.index[groups[RUNTIME] > 0].get_level_values(0).unique()
    note = (
        f"{marks.caption(results, snapshots)} Share of the instructions, in per cent where"
        " there is room; right of a bar: all instructions. A conditional instruction counts"
        " whether its condition holds or not; NEON loads and stores are loads and stores; a pop"
        " into pc is a branch; dark grey: nop. The compiler's run-time is called by"
        f" {', '.join(called) or 'none'}."
    )
    with drawing(
        marks.named("instruction-mix", snapshots), "Where do the instructions of each rung go?",
        _answer(groups, names), note, (WIDTH, 2.1 + len(shown) * (0.45 + 0.19 * len(names))),
        nrows=len(shown), ncols=1, sharex=True, squeeze=False,
    ) as (chart, panels):  # fmt: skip
        for axes, level in zip(panels[:, 0], shown):
            here = groups.reindex([(name, level) for name in names]).set_axis(names)
            axes.set_xlim(0, 109)
            axes.set_xticks(range(0, 101, 20))
            axes.set_title(f"-{level}", fontweight="bold")
            for y, total in enumerate(here["total"]):
                axes.text(101, y, "" if pd.isna(total) else marks.brief(total), va="center")
            shares = 100 * here[list(GROUPS)].div(here["total"], axis=0)
            marks.stacked(axes, shares, [group.colour for group in GROUPS.values()])
        panels[-1][0].set_xlabel("% of the instructions of a round trip")
        settle(chart.figure)
        for axes in panels[:, 0]:
            marks.name_parts(axes, "{:.0f}".format)
    return chart


def _answer(groups: pd.DataFrame, names: list[str]) -> str:
    """The largest group of the first and of the last snapshot, level by level."""
    names = [name for name in names if name in groups.index.get_level_values(0)]
    said = []
    for name in dict.fromkeys((names[0], names[-1])):
        most: dict[str, list[str]] = {}
        for level, group in groups.loc[name].drop(columns="total").idxmax(axis=1).items():
            most.setdefault(group.replace(", ", " and "), []).append(f"-{level}")
        where = "" if len(most) == 1 else " ({})"
        parts = [group + where.format(" and ".join(at)) for group, at in most.items()]
        said.append(f"in {name}: {', '.join(parts)}")
    return f"Most {'; '.join(said)}"


def in_numbers(results: Results, snapshots: list[Snapshot]) -> str:
    """Instructions a round trip by group, a table for each level (Markdown).

    Raises Failure for classes that do not add up.
    """
    groups = table(results, snapshots[0].study)
    if groups.empty:
        return "No opcode classes were counted here."
    used = groups.loc[:, (groups > 0).any()]
    blocks = []
    for level, part in used.groupby("level"):
        here = part.droplevel("level")
        rows = [[s.name, *map(whole, here.loc[s.name])] for s in snapshots if s.name in here.index]
        blocks.append(f"**-{level}**\n\n{markdown.table(['rung', *used.columns], rows)}")
    return "\n\n".join(blocks)
