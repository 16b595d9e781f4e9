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
from rsalab.charts.tree import tree
from studies.limit.floor import floor

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)
SIDE_BY_SIDE = {"figsize": (7, 3.4), "sharey": True, "squeeze": False}

# %% [markdown]
# ## What does each rung cost?
#
# `results.frame(NAME)` gives a view of the results as a DataFrame. The view `ladder` has a row for each
# rung and level. `rsalab.describe(results)` in a cell of your own says which views there are, and
# `rsalab.describe(results, "ladder")` what each column means. Which level do you expect to be cheapest?

# %%
ladder = results.frame("ladder", study="iterations", workload="roundtrip-full")
ladder = rsalab.measured(ladder, "make all-iterations")
by_rung = ["place", "snapshot"]  # in the order of the ladder
costs = ladder.pivot(index=by_rung, columns="level", values="instructions")
costs = costs.droplevel("place")

ideas = ladder.drop_duplicates("snapshot").set_index("snapshot")
parents = ideas["parent"]
table = costs.join(ideas[["parent", "idea"]])

pages = [f"[{rung}](../iterations/{rung}/README.md)" for rung in costs.index]
display(Markdown(f"The page of each rung: {', '.join(pages)}."))
styled = table.style.format("{:,.0f}", subset=list(costs), na_rep="not measured")
styled.set_properties(subset=["idea"], **{"text-align": "left"})

# %% [markdown]
# ## How many times fewer instructions than the first rung?
#
# A line leads from each rung to its parent: v3 is a branch, and v4 goes on from v2. The axis is
# logarithmic, so equal distances are equal factors. `tree??` shows how it is drawn. How far apart do
# you expect the three levels to end?

# %%
factors = costs.iloc[0] / costs
fig, ax = plt.subplots(figsize=(7, 3.4))
for level in factors:
    tree(ax, factors[level], parents, **LOOK[level])
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
# on each other. No point: the core has not run the rung. Where do the lines part?

# %%
cores = results.frame("cores", study="iterations", operation="roundtrip")
cycles = cores.assign(measure=cores["core"] + ", cycles", cost=cores["cycles"])
counts = ladder.assign(measure="A32, instructions", cost=ladder["instructions"])
both = pd.concat([counts, cycles])
measures = ["level", "measure"]
wide = both.pivot(index="snapshot", columns=measures, values="cost")
gains = wide.iloc[0] / wide.sort_index(axis=1)

# %%
levels = list(costs)
fig, [panels] = plt.subplots(1, len(levels), **SIDE_BY_SIDE)
for ax, level in zip(panels, levels):
    for number, measure in enumerate(gains[level]):
        look = {"color": f"C{number}", "marker": ".", "label": measure}
        tree(ax, gains[level, measure], parents, **look)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("x{x:,.0f}")
    ax.tick_params(axis="x", labelsize=8)
    ax.set_title(f"-{level}: {gains.index[0]} / rung", color=COLOUR[level])
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2)
plt.show()

# %% [markdown]
# How far apart are the lines at the last rung that every core has run? A factor says how many times less
# than the first rung it takes.

# %%
runs = gains.notna().sum(axis=1)
rung = runs.index[runs == runs.max()][-1]
ends = gains.loc[rung].unstack("level")
ends.style.format("x{:,.0f}", na_rep="not run").set_caption(f"first rung / {rung}")

# %% [markdown]
# ## Was each step's gain foreseen?
#
# A step is compared with its parent. Before a step was measured, its author wrote down what it would
# gain. The grey bar is this range, the stroke is what was measured. A thin stroke: the result was known
# before, so that the range proves nothing. Of v3 at -O1 and -O3 only one end was said, that it hurts; such
# a range is not counted. How many of the other thick strokes lie on their bars?

# %%
scores = results.frame("scores", study="iterations")
scores = rsalab.measured(scores, "make all-iterations")
scores["step"] = scores["parent"] + " to " + scores["snapshot"]
scores["known"] = scores["outcome"] == "disclosed"

fig, [panels] = plt.subplots(1, len(levels), **SIDE_BY_SIDE)
for ax, level in zip(panels, levels):
    here = scores[scores["level"] == level]
    low = here["low"].clip(lower=0.5)
    ax.hlines(here["step"], low, here["high"], color="#cccccc", linewidth=10)
    for known, rows in here.groupby("known"):
        look = {"color": COLOUR[level], "ms": 13, "mew": 1 if known else 3}
        ax.plot(rows["gain"], rows["step"], "|", **look)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("x{x:g}")
    ax.set_title(f"-{level}: parent / rung", color=COLOUR[level])
panels[0].invert_yaxis()
plt.show()

# %% [markdown]
# Where the strokes are near the ends of their bars, what do the numbers say?

# %%
ranges = scores[scores["outcome"].isin(["right", "too low", "too high"])]
right = (ranges["outcome"] == "right").sum()
text = f"**{right}** of {len(ranges)} thick strokes lie on their bars."
display(Markdown(f"{text} [All predictions](../docs/predictions.md)."))
shown = ranges[["step", "level", "low", "high", "gain", "outcome"]]
shown.style.hide(axis="index").format("x{:.2f}", subset=["low", "high", "gain"])

# %% [markdown]
# ## How far is each rung from the floor?
#
# No program that works this way needs fewer 32-bit multiplications than the floor
# ([how it is computed](../studies/limit/README.md)). A program that did nothing else would be at 1. How
# much can still be gained over the last rung?

# %%
least = 2 * floor(128, "variable")  # a round trip is two powers
distance = costs / least
fig, ax = plt.subplots(figsize=(7, 3.2))
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
each = f"{distance.loc[rung, level]:.2f} instructions for each multiplication"
display(Markdown(f"The nearest is {rung} at -{level}: {each}."))

# %% [markdown]
# ## A surprise: is shorter code faster code?
#
# One would expect that a program of fewer lines executes fewer instructions. To the right are lines of
# assembly, upwards instructions, at one level. Programs of the same lines share a point. What do you make
# of the longest program?

# %%
LEVEL = levels[-1]

with_lines = ladder[ladder["level"] == LEVEL].dropna(subset="asm_lines")
with_lines = rsalab.measured(with_lines, "make all-iterations")
size, cost = with_lines["asm_lines"], with_lines["instructions"]

fig, ax = plt.subplots(figsize=(7, 3.4))
ax.plot(size, cost, linestyle="", **LOOK[LEVEL])
points = with_lines.groupby(["asm_lines", "instructions"])["snapshot"]
for number, (place, rungs) in enumerate(points):
    left = number % 2  # so that neighbours do not cover each other
    look = {"ha": "right" if left else "left", "va": "center"}
    offset = (-7 if left else 7, 0)
    ax.annotate(", ".join(rungs), place, offset, textcoords="offset points", **look)
ax.set_yscale("log")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.set_xlabel("lines of assembly")
ax.set_title(f"instructions of a round trip at -{LEVEL}")
plt.show()

# %%
in_c = with_lines[with_lines["code"] != "assembly"].set_index("snapshot")
in_c = rsalab.measured(in_c, "make all-iterations")
short, fast = in_c["asm_lines"].idxmin(), in_c["instructions"].idxmin()
longer = in_c.loc[fast, "asm_lines"] / in_c.loc[short, "asm_lines"]
fewer = in_c.loc[short, "instructions"] / in_c.loc[fast, "instructions"]
text = f"Of the rungs in C {short} is the shortest and {fast} the fastest."
text += f" {fast} has x{longer:.1f} as many lines, and executes x{fewer:,.0f} fewer."
display(Markdown(text))

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
    styled = factors.style.format("x{:,.2f}", na_rep="not measured")
    display(styled.set_caption(f"{metric}, -{level}: {base} / rung"))


rsalab.choose(compare, level=levels[::-1], metric=METRICS, base=list(costs.index))

# %%
answer = None
rsalab.check(answer, "01-ladder", results)
