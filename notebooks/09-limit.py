# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 9. The limit: how far is every program from the floor?
#
# v8 is assembly that a person has tuned by hand. One would expect that little is left to gain: some
# per cent. How much is it, and are the libraries that everybody uses nearer or farther?
#
# The yardstick is the **floor**: the 32-bit multiplications that x^e mod n cannot do without. No load,
# no carry and no branch is in it, so no program reaches it.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import COLOUR, GREY, LEVEL, times
from studies.limit import floor, private

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## How many multiplications is the floor?
#
# A number of 32 n bits has n limbs. A product needs n² multiplications, its Montgomery reduction n² + n,
# and a square n (n + 1) / 2 and a reduction. A power is squares and products, and a window says how many
# of each. `floor.floor??` shows how the best window is found. In constant time the window is fixed, and
# every power of x is in the table.

# %%
BITS = [64, 96, 128, 1024, 2048, 4096]

floors = pd.DataFrame({"bits": BITS, "limbs": [bits // 32 for bits in BITS]})
for time in (floor.VARIABLE, floor.CONSTANT):
    floors[f"{time} time"] = [floor.floor(bits, time) for bits in BITS]
floors["constant / variable"] = floors["constant time"] / floors["variable time"]
styled = floors.style.format("{:,.0f}", subset=["variable time", "constant time"])
styled.format("x{:.3f}", subset=["constant / variable"]).hide(axis="index")

# %% [markdown]
# ## How far above the floor is each rung?
#
# The view `powers` has one x^e mod n of 128 bits by every program: of a rung half a round trip, the mean
# of the two exponents of the key. Divided by the floor this is a distance. Where on the ladder do you
# expect the largest step towards the floor?

# %%
powers = rsalab.measured(results.frame("powers"), "make all-iterations")
ladder = powers[powers["study"] == "iterations"]
ladder = rsalab.measured(ladder, "make all-iterations")
distance = ladder.pivot(index="program", columns="level", values="instructions")
distance = distance / floor.floor(128, floor.VARIABLE)

fig, ax = plt.subplots(figsize=(7.5, 3.4))
for level in distance:
    ax.plot(
        distance[level],
        LEVEL[level].marker,
        color=COLOUR[level],
        label=f"-{level}",
        alpha=0.7,
    )
ax.set_yscale("log")
ax.axhline(1, color=GREY)
ax.set_ylim(bottom=0.8)
ax.set_ylabel("instructions / floor")
ax.yaxis.set_major_formatter("x{x:,.0f}")
ax.legend()
plt.show()

distance.style.format(times, na_rep="not measured")

# %% [markdown]
# ## Are the libraries nearer?
#
# `floor.programs` takes each rung at its best level and sets the libraries of
# [peers](../studies/limit/peers/README.md) beside it; `floor.dots??` draws the frame. A library cannot
# know that all numbers have 128 bits, and most of them protect the exponent (constant time).

# %%
programs = floor.programs(results)
fig, ax = plt.subplots(figsize=(7.5, 6.5))
floor.dots(ax, programs)
plt.show()

in_order = programs.sort_values("distance")
nearest = in_order.drop_duplicates("kind").set_index("kind")
texts = [
    f"v8 is {times(d)} above it"
    for d in programs.loc[programs["program"] == "v8", "distance"]
]
for kind in ("rung", "library"):
    row = nearest.loc[kind]
    texts.append(f"the nearest {kind}, {row['program']}, {times(row['distance'])}")
display(Markdown(f"From the floor: {'; '.join(texts)}."))
columns = ["program", "kind", "level", "time", "instructions", "distance"]
form = {"instructions": "{:,.0f}", "distance": times}
best = in_order[columns].head(8)
best.style.format(form, na_rep="").hide(axis="index")

# %% [markdown]
# ## Do long numbers bring the libraries nearer?
#
# What surrounds a multiplication of short numbers (calls, copies, checks) grows slower than the
# multiplications. The frame `peers` has all lengths. Only constant time is shown, with the set-up for n,
# so that all programs do the same.

# %%
peers = results.frame("peers", way="constant", setup="included")
peers["distance"] = peers["instructions"] / peers["powers"]
peers["distance"] /= [floor.floor(bits, floor.CONSTANT) for bits in peers["bits"]]
wide = peers.pivot(index="peer", columns="bits", values="distance").sort_values(2048)

fig, ax = plt.subplots(figsize=(7.5, 3.8))
for name in ("width-1024", "GMP for ARMv6", "OpenSSL NEON", "BearSSL"):
    line = wide.loc[name].dropna()
    ax.loglog(line, "o-", markersize=4)
    ax.annotate(f"  {name}", (line.index[-1], line.iloc[-1]), va="center")
ax.axhline(1, color=GREY)
ax.set_xticks(wide.columns, wide.columns)
ax.set_xticks([], minor=True)
ax.set_xlim(right=12_000)
ax.set(xlabel="bits", ylabel="instructions / floor")
ax.yaxis.set_major_formatter("x{x:g}")
plt.show()

of_2048 = wide[2048].dropna()
texts = [
    f"{name} {times(of_2048[name])}" for name in (of_2048.index[0], of_2048.index[-1])
]
display(Markdown(f"Nearest and farthest at 2048 bits: {', '.join(texts)}."))
wide.style.format(times, na_rep="-").background_gradient(
    "Blues", axis=None, gmap=-np.log(wide), text_color_threshold=0.179
)

# %% [markdown]
# ## Are two numbers at once nearer than twice one?
#
# RSA's private operation is one power modulo p and one modulo q, of the same length. So two Montgomery
# products can be computed side by side, one in each lane of NEON:
# [lanes](../studies/width-1024/lanes/README.md) does this in five steps. The frame `pairs` has their
# instructions. A pair needs the multiplications of two products, 2 (2 n² + n), or of two squares. One
# instruction makes two of them, so that a pair can come below x1. `umaal` is two products of
# [width-1024](../studies/width-1024/README.md), one after the other. A square of long numbers needs three
# quarters of the multiplications of a product. Do you expect it as near to its own floor?

# %%
pairs = rsalab.measured(results.frame("pairs", level="O3"), "make lanes")
steps = pairs["step"].unique()
single = results.frame(
    "long",
    implementation="assembly",
    operands="random",
    way="levels-0",
    level="O3",
)
single = single[single["operation"].isin(["product", "square"])]
twice = single.assign(step="umaal", instructions=2 * single["instructions"])
both = pd.concat([pairs[pairs["operation"] != "private"], twice])
both = both[both["bits"].isin(pairs["bits"])]

limbs = both["bits"] / 32
reduction = limbs**2 + limbs
products = limbs**2 + reduction
squares = limbs * (limbs + 1) / 2 + reduction
both["floor"] = 2 * products.where(both["operation"] == "product", squares)
both["distance"] = both["instructions"] / both["floor"]
wide = both.pivot(index=["operation", "step"], columns="bits", values="distance")
in_order = [step for step in ["umaal", *steps] if step != "private"]
wide = wide.reindex(in_order, level="step")

fig, panels = plt.subplots(1, 2, figsize=(7.5, 3.4), sharey=True)
for ax, operation in zip(panels, ("product", "square")):
    for place, step in enumerate(in_order):
        if (operation, step) in wide.index:
            line = wide.loc[operation, step].dropna()
            ax.plot(line, f"{'sov^Dx'[place]}-", color=f"C{place}", label=step)
    ax.axhline(1, color=GREY)
    ax.set_yscale("log")
    ax.set_xticks(wide.columns, wide.columns)
    ax.set_yticks([0.5, 1, 2, 5, 10], ["x0.5", "x1", "x2", "x5", "x10"])
    ax.set_yticks([], minor=True)
    ax.set(title=f"{operation} of a pair", xlabel="bits")
panels[0].set_ylabel("instructions / floor")
fig.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
plt.show()

wide.style.format(times, na_rep="-")

# %% [markdown]
# ## What does a whole private operation cost?
#
# Between the products of an operation stand tables, blinding and the way back from p and q to n. The view
# `private_operations` has it by every program; `private.dots??` draws the frame. The dotted lines are the
# floor for one lane and for two.

# %%
operations = rsalab.measured(private.programs(results), "make lanes peers")
fig, ax = plt.subplots(figsize=(7.5, 5.5))
private.dots(ax, operations)
plt.show()

constant = operations[operations["time"] == "constant"]
one_lane = floor.floor(private.BITS, floor.BY_CRT)
constant = constant.assign(distance=constant["instructions"] / one_lane)
texts = [
    f"{row['name']}, {times(row['distance'])}" for _, row in constant.head(3).iterrows()
]
display(Markdown(f"From the floor of one lane: {'; '.join(texts)}."))
constant[["name", "instructions", "distance"]].style.format(
    {"instructions": "{:,.0f}", "distance": times}
).hide(axis="index")

# %% [markdown]
# ## How many cycles is the floor?
#
# A multiplication is not a cycle. The published cycles of a 32 x 32 multiply-accumulate, times the floor
# of a power of 128 bits in constant time, are the least cycles of each core. How much do cores of twenty
# years differ?

# %%
cores = results.frame("multiply_accumulate")
cores["cycles"] = cores["cycles"].astype(float)
cores["of the floor"] = cores["cycles"] * floor.floor(128, floor.CONSTANT)
cores = cores.sort_values("cycles", ascending=False)

fig, ax = plt.subplots(figsize=(7.5, 3))
ax.plot(cores["of the floor"], cores["core"], "o")
ax.set_xlim(left=0)
ax.set_xlabel("cycles of the floor")
ax.xaxis.set_major_formatter("{x:,.0f}")
plt.show()

shown = cores[["core", "cycles", "of the floor", "source"]]
shown.style.format({"cycles": "{:.2f}", "of the floor": "{:,.0f}"}).hide(axis="index")

# %% [markdown]
# ## A surprise: a program with more multiplications than the floor counts executes fewer instructions
#
# odd-powers is nearer to the floor than any other program here. One instruction of NEON makes two
# products of 32 bits. So the floor is a floor of multiplications, not of instructions: for two messages at
# once an instruction can do the work of two.
#
# ## An experiment: what does a new key cost?
#
# Some numbers depend on n alone, so a program computes them once a key: its set-up. The column `setup` of
# the frame says whether it is in the count. How many times as many instructions does one power of 64
# bits take OpenSSL's assembly in constant time when the set-up is included? And how many do you expect
# at 4096 bits? Put the factor of 64 bits in place of `None`.

# %%
setups = results.frame("peers", peer="OpenSSL assembly", way="constant")

answer = None
rsalab.check(answer, "09-limit", results)
