# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 1. The ladder: what does each step buy?
#
# Every rung computes the same x^e mod n. It changes one idea of its parent and nothing else. One would
# expect that every step helps: at every optimisation level, and in cycles as much as in instructions.
# Does it?
#
# A number without a unit is **instructions a round trip**: the exact mean over messages that are
# encrypted and decrypted. A factor is how many times fewer: x2.00 means half the instructions.
#
# `rsalab.load()` reads your own last run (`make all-iterations`), and the committed reference if there
# is none. To read another folder, write its name between the quotes.

# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import COLOUR, LOOK
from studies.limit.floor import floor

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)
SIDE_BY_SIDE = {"figsize": (7.5, 3.4), "sharey": True, "squeeze": False}

# %% [markdown]
# ## What does each rung cost?
#
# `results.frame(NAME)` gives a view of the results as a DataFrame. The view `ladder` has a row for each
# rung and level; [docs/results.md](../docs/results.md) lists all views and columns. Which level do you
# expect to be cheapest?

# %%
ladder = results.frame("ladder", study="iterations", workload="roundtrip-full")
ladder = rsalab.measured(ladder, "make all-iterations")
by_rung = ["place", "snapshot"]  # in the order of the ladder
costs = ladder.pivot(index=by_rung, columns="level", values="instructions")
costs = costs.droplevel("place")

pages = [f"[{rung}](../iterations/{rung}/README.md)" for rung in costs.index]
display(Markdown(f"The page of each rung: {', '.join(pages)}."))
ideas = ladder.drop_duplicates("snapshot").set_index("snapshot")
table = costs.join(ideas[["parent", "idea"]])
table.style.format("{:,.0f}", subset=list(costs), na_rep="not measured")

# %% [markdown]
# ## How many times fewer instructions than the first rung?
#
# The axis is logarithmic, so equal distances are equal factors. How far apart do you expect the three
# levels to end?

# %%
factors = costs.iloc[0] / costs
fig, ax = plt.subplots(figsize=(7.5, 3.4))
for level in factors:
    ax.plot(factors[level].dropna(), **LOOK[level])
ax.set_yscale("log")
ax.yaxis.set_major_formatter("x{x:,.0f}")
ax.set_title(f"instructions of {factors.index[0]} / instructions of the rung")
ax.legend()
plt.show()

last = factors.iloc[-1].dropna()
ends = [f"x{factor:,.0f} at -{level}" for level, factor in last.items()]
display(Markdown(f"{last.name} against {factors.index[0]}: {', '.join(ends)}."))

# %% [markdown]
# ## Are fewer instructions fewer cycles?
#
# Instructions are exact, but a program takes time. The view `cores` has the cycles of the same code on
# three [cores](../studies/hardware/cores/README.md): a Cortex-M4, by a model whose error was measured, and
# two RISC-V cores in simulation. If instructions told the whole story, the lines of a panel would lie
# on each other. A gap: the core has not run the rung. Where do the lines part?

# %%
cores = results.frame("cores", study="iterations", operation="roundtrip")
cycles = cores.assign(measure=cores["core"] + ", cycles", cost=cores["cycles"])
counts = ladder.assign(measure="A32, instructions", cost=ladder["instructions"])
both = pd.concat([counts, cycles])[["measure", "snapshot", "level", "cost"]]

levels = list(costs)
gains = {}
fig, [panels] = plt.subplots(1, len(levels), **SIDE_BY_SIDE)
for ax, level in zip(panels, levels):
    here = both[both["level"] == level]
    wide = here.pivot(index="snapshot", columns="measure", values="cost")
    gains[f"-{level}"] = wide.iloc[0] / wide
    gains[f"-{level}"].plot(ax=ax, marker=".", logy=True, xlabel="", legend=False)
    ax.set_xticks(range(len(wide)), wide.index, fontsize=7)
    ax.yaxis.set_major_formatter("x{x:,.0f}")
    ax.set_title(f"-{level}: {wide.index[0]} / rung", color=COLOUR[level])
panels[-1].legend(fontsize=7)
plt.show()

runs = both.groupby("snapshot")["measure"].nunique()
rung = runs.index[runs == runs.max()][-1]
display(Markdown(f"How many times less than the first rung does **{rung}** take?"))
ends = pd.DataFrame({level: gain.loc[rung] for level, gain in gains.items()})
ends.style.format("x{:,.0f}", na_rep="not run")

# %% [markdown]
# ## Was each step's gain foreseen?
#
# A step is compared with its parent. Before a step was measured, its author wrote down what it would
# gain. The grey bar is the range that these words allow. The point is what was measured. It is hollow
# where the result was known before, so that the range proves nothing. Of v3 only one end was said: that
# it hurts. How many solid points lie on their bars?

# %%
scores = results.frame("scores", study="iterations")
scores = rsalab.measured(scores, "make all-iterations")

fig, [panels] = plt.subplots(1, len(levels), **SIDE_BY_SIDE)
for ax, level in zip(panels, levels):
    here = scores[scores["level"] == level]
    step = here["snapshot"] + " / " + here["parent"]
    ax.hlines(
        step, here["low"].clip(lower=0.5), here["high"], color="#cccccc", linewidth=9
    )
    known = here["outcome"] == "disclosed"
    ax.plot(here["gain"].mask(known), step, "o", color=COLOUR[level])
    ax.plot(here["gain"].where(known), step, "o", color=COLOUR[level], mfc="white")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("x{x:g}")
    ax.set_title(f"-{level}: parent / rung", color=COLOUR[level])
panels[0].invert_yaxis()
plt.show()

ranges = scores[scores["outcome"].isin(["right", "too low", "too high"])]
right = (ranges["outcome"] == "right").sum()
display(
    Markdown(
        f"**{right}** of {len(ranges)} solid points lie on their bars. A guess is not scored; "
        "an estimate, which is computed from the parent's counts, is: "
        "[all predictions](../docs/predictions.md)."
    )
)
pd.crosstab([ranges["snapshot"], ranges["kind"]], ranges["outcome"])

# %% [markdown]
# ## How far is each rung from the floor?
#
# No program that works this way needs fewer 32-bit multiplications than the floor
# ([how it is computed](../studies/limit/README.md)). A program that did nothing else would be at 1. How
# much can still be gained over the last rung?

# %%
least = 2 * floor(128, "variable")  # a round trip is two powers
distance = costs / least
fig, ax = plt.subplots(figsize=(7.5, 3.2))
for level in distance:
    ax.plot(distance[level], distance.index, linestyle="", **LOOK[level])
ax.axvline(1, color="black")
ax.set_xscale("log")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.invert_yaxis()
ax.set_title(f"instructions / the {least:,.0f} multiplications that a round trip needs")
ax.legend()
plt.show()

rung, level = distance.stack().idxmin()
each = distance.loc[rung, level]
display(
    Markdown(f"The nearest is {rung} at -{level}: {each:.2f} instructions for each.")
)

# %% [markdown]
# ## A surprise: is shorter code faster code?
#
# One would expect that a program of fewer lines executes fewer instructions. To the right are lines of
# assembly, upwards instructions. What do you make of the longest program at the highest level?

# %%
with_lines = ladder.dropna(subset="asm_lines")
with_lines = rsalab.measured(with_lines, "make all-iterations")
fig, [panels] = plt.subplots(1, len(levels), **SIDE_BY_SIDE)
for ax, level in zip(panels, levels):
    here = with_lines[with_lines["level"] == level].set_index("snapshot")
    ax.plot(here["asm_lines"], here["instructions"], linestyle="", **LOOK[level])
    for rung, place in here[["asm_lines", "instructions"]].iterrows():
        ax.annotate(rung, place, (5, 3), textcoords="offset points", fontsize=8)
    ax.set_yscale("log")
    ax.set_xlabel("lines of assembly")
    ax.set_title(f"-{level}: instructions", color=COLOUR[level])
plt.show()

in_c = rsalab.measured(here[here["code"] != "assembly"], "make all-iterations")
extremes = {
    "shortest": in_c["asm_lines"].idxmin(),
    "fastest": in_c["instructions"].idxmin(),
}
found = in_c.loc[extremes.values(), ["asm_lines", "instructions"]]
found.index = [f"{word} in C at -{level}: {rung}" for word, rung in extremes.items()]
found.style.format("{:,.0f}")

# %% [markdown]
# ## An experiment: fewer instructions, and yet more loads?
#
# On most cores a load costs more than an addition. Is there a step that executes fewer instructions than
# its parent at -O1, and yet more loads? Choose in the menus, or call `compare("O1", "loads", "v2")`, and
# write your answer below: a list of rungs, such as `["v2", "v3"]`.

# %%
METRICS = ["stores", "loads", "instructions", "branches", "multiplies", "code_bytes"]


def compare(level: str, metric: str, base: str) -> None:
    shown = ladder[ladder["level"] == level].set_index("snapshot")
    factors = shown.loc[base, metric] / shown[[metric]]
    display(
        factors.style.format("x{:.2f}").set_caption(
            f"{metric}, -{level}: {base} / rung"
        )
    )


rsalab.choose(compare, level=levels[::-1], metric=METRICS, base=list(costs.index))

# %%
answer = None
rsalab.check(answer, "01-ladder", results)
