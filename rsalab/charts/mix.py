"""Where the instructions went: counts by opcode class, in groups that a picture can hold.

Every instruction executed in the snapshot has one class (harness/count/plugin/a32.h), every
class one group; what the compiler's run-time executes is a group of its own.  So the groups of a
rung and level add up to its instructions exactly, which `classes` checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from records.faults import Failure
from records.ladder import Snapshot
from records.numbers import whole
from records.summary import FULL
from rsalab import markdown
from rsalab.charts import marks
from rsalab.charts.picture import GREY, Chart, drawing
from rsalab.frames import Results, levels

CLASS = "class_"
RUNTIME, OTHER = "run-time", "other"


@dataclass(frozen=True)
class Group:
    """A group of opcode classes: Okabe and Ito's colour for it; class -> its usual mnemonics."""

    colour: str
    classes: dict[str, str]


GROUPS = {
    "loads": Group(
        "#0072b2", {"load": "ldr", "load_multiple": "ldm, pop", "neon_load": "NEON load"}
    ),
    "stores": Group(
        "#56b4e9", {"store": "str", "store_multiple": "stm, push", "neon_store": "NEON store"}
    ),
    "branches": Group("#d55e00", {"branch": "b", "call": "bl", "return": "bx lr, pop {pc}"}),
    "add, sub": Group("#e69f00", {"add_sub": "add, sub", "add_sub_carry": "adc, sbc"}),
    "logic, shift": Group(
        "#f0e442",
        {"logical": "and, orr, eor", "shift": "lsl, lsr, rrx"}
        | {"bitfield": "ubfx, uxtb", "media": "uadd8, sel"},
    ),
    "move, compare": Group("#c8c8c8", {"move": "mov", "compare": "cmp, tst"}),
    "multiply": Group(
        "#cc79a7",
        {"mul": "mul, mla", "mul_half": "smlabb", "mul_long": "umull, umlal"}
        | {"umaal": "umaal", "divide": "udiv"},
    ),
    "NEON": Group(
        "#009e73", {"neon_arith": "NEON arithmetic", "neon_move": "NEON move", "vfp": "VFP"}
    ),
    RUNTIME: Group("#000000", {}),
    OTHER: Group("#6e6e6e", {"system": "nop", "exclusive": "ldrex", "unknown": "unknown"}),
}
CLASS_WORDS = {cls: words for group in GROUPS.values() for cls, words in group.classes.items()}
GROUP_OF = {cls: name for name, group in GROUPS.items() for cls in group.classes}
GROUP_OF[RUNTIME] = RUNTIME


def classes(results: Results, study: str, case: str = FULL) -> pd.DataFrame:
    """Mean instructions an operation by class: index (snapshot, level), a column for each class
    that occurs, `run-time` and `total`.  Empty where no classes were counted.

    Raises Failure when the classes of a cell do not add up to its instructions.
    """
    rows = results.counts
    rows = rows[(rows["study"] == study) & (rows["case"] == case)]
    wide = rows[rows["symbol"].isin(["snapshot", "total"])].pivot_table(
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
        f"{marks.caption(results, snapshots)} Left: share of the instructions, in per cent where"
        " there is room. Right: all instructions, logarithmic. A conditional instruction counts"
        " whether its condition holds or not; NEON loads and stores are loads and stores; a pop"
        " into pc is a branch; dark grey: nop. The compiler's run-time is called by"
        f" {', '.join(called) or 'none'}."
    )
    with drawing(
        marks.named("instruction-mix", snapshots), "Where do the instructions of each rung go?",
        _answer(groups, names), note, (11, 1.9 + len(shown) * (0.5 + 0.235 * len(names))),
        nrows=len(shown), ncols=2, sharex="col", squeeze=False, width_ratios=[5, 1.35],
    ) as (chart, panels):  # fmt: skip
        for (left, right), level in zip(panels, shown):
            here = groups.reindex([(name, level) for name in names]).set_axis(names)
            _shares(left, here)
            _totals(right, here["total"], groups["total"])
            left.set_title(f"-{level}", fontweight="bold")
        marks.grey_title(panels[0][1], "instructions")
        panels[-1][0].set_xlabel("% of the instructions of a round trip")
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


def _shares(axes: Axes, here: pd.DataFrame) -> None:
    """A bar for each rung; a group's name stands in the first bar that has room for it."""
    named_already: set[str] = set()
    for y, (_, row) in enumerate(here.iterrows()):
        left = 0.0
        for name, group in GROUPS.items() if pd.notna(row["total"]) else ():
            share = 100 * row[name] / row["total"]
            axes.barh(y, share, left=left, color=group.colour, height=0.84, edgecolor="white",
                      linewidth=0.6)  # fmt: skip
            number = f"{share:.0f}"
            full = f"{name} {number}"
            text = number if share >= 2.5 else ""
            if name not in named_already and share >= 0.9 * len(full) + 0.5:
                text = full
                named_already.add(name)
            axes.text(left + share / 2, y, text, ha="center", va="center_baseline", fontsize=7.5,
                      color=marks.ink(group.colour))  # fmt: skip
            left += share
    marks.rows(axes, here.index)
    axes.set_xlim(0, 100)
    axes.grid(False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", length=0)


def _totals(axes: Axes, here: pd.Series, everywhere: pd.Series) -> None:
    """The number of instructions beside each bar, on a logarithmic axis."""
    low, high = everywhere.min() / 2, everywhere.max()
    for y, value in enumerate(here):
        if pd.notna(value):
            axes.plot([low, value], [y, y], color=GREY, linewidth=0.8, alpha=0.5)
            axes.plot(value, y, marker="o", color="black", markersize=4)
            text = marks.brief(value)
            marks.label(axes, text, (value, y), (6, 0), va="center_baseline", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(low, high * (high / low) ** 0.4)
    axes.set_ylim(len(here) - 0.5, -0.5)
    axes.set_yticks([])
    powers = [10.0**k for k in range(12) if low < 10.0**k <= high]
    axes.set_xticks(powers[len(powers) % 2 :: 2] if len(powers) > 3 else powers)
    marks.numbers(axes, "x", marks.power, few=True)


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
