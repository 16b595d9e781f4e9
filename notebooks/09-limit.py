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
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import GREY, times
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
# ## Are the libraries nearer than the rungs?
#
# `floor.programs` has one x^e mod n of 128 bits by every program: each rung at its best level, which is half
# a round trip, and the libraries of [peers](../studies/limit/peers/README.md). Divided by the floor it is a
# distance; `floor.dots??` draws it. A library cannot know that all numbers have 128 bits, and most of them
# protect the exponent (constant time). Which programs do you expect within x2?

# %%
programs = rsalab.measured(floor.programs(results), "make all-iterations")
fig, ax = plt.subplots(figsize=(7, 6.5))
floor.dots(ax, programs)
plt.show()

nearest = programs.sort_values("distance").drop_duplicates("kind").set_index("kind")
texts = []
for distance in programs.loc[programs["program"] == "v8", "distance"]:
    texts.append(f"v8 is {times(distance)} above it")
for kind, row in nearest.reindex(["rung", "library"]).dropna(how="all").iterrows():
    texts.append(f"the nearest {kind}, {row['program']}, {times(row['distance'])}")
display(Markdown(f"From the floor: {'; '.join(texts)}."))

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

fig, ax = plt.subplots(figsize=(7, 3.8))
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
texts = [f"{name} {times(distance)}" for name, distance in of_2048.items()]
display(Markdown(f"All programs at 2048 bits: {', '.join(texts)}."))

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
plain = {"implementation": "assembly", "operands": "random", "way": "levels-0"}
single = results.frame("long", level="O3", **plain)
single = single[single["operation"].isin(["product", "square"])]
twice = single.assign(step="umaal", instructions=2 * single["instructions"])
both = pd.concat([pairs[pairs["operation"] != "private"], twice])
both = both[both["bits"].isin(pairs["bits"])]

# %%
limbs = both["bits"] / 32
reduction = limbs**2 + limbs
products = limbs**2 + reduction
squares = limbs * (limbs + 1) / 2 + reduction
both["floor"] = 2 * products.where(both["operation"] == "product", squares)
both["distance"] = both["instructions"] / both["floor"]
wide = both.pivot(index=["operation", "step"], columns="bits", values="distance")

# %%
LOOKS = {
    "umaal": {"color": "C0", "marker": "s"},
    "one-lane": {"color": "C1", "marker": "o"},
    "two-lanes": {"color": "C2", "marker": "v"},
    "blocks": {"color": "C3", "marker": "^"},
    "signed": {"color": "C4", "marker": "D"},
    "square": {"color": "C5", "marker": "x"},
}
fig, panels = plt.subplots(1, 2, figsize=(7, 3.8), sharey=True)
for ax, operation in zip(panels, ("product", "square")):
    for step, look in LOOKS.items():
        if (operation, step) in wide.index:
            ax.plot(wide.loc[operation, step].dropna(), label=step, **look)
    ax.axhline(1, color=GREY)
    ax.set_yscale("log")
    ax.set_xticks(wide.columns, wide.columns)
    ax.set_yticks([0.5, 1, 2, 5, 10], ["x0.5", "x1", "x2", "x5", "x10"])
    ax.set_yticks([], minor=True)
    ax.set(title=f"{operation} of a pair", xlabel="bits")
panels[0].set_ylabel("instructions / floor")
labels = panels[0].get_legend_handles_labels()
fig.legend(*labels, loc="outside upper center", ncols=3)
plt.show()

# %%
best = wide.stack().groupby("operation").agg(["idxmin", "min"])
texts = []
for operation, row in best.iterrows():
    _, step, bits = row["idxmin"]
    texts.append(f"{operation} {times(row['min'])}, {step} at {bits} bits")
display(Markdown(f"Nearest to its floor: {'; '.join(texts)}."))

# %% [markdown]
# ## How many cycles is the floor?
#
# A multiplication is not a cycle. The published cycles of a 32 x 32 multiply-accumulate, times the floor
# of a power of 128 bits in constant time, are the least cycles of each core. Behind its name is who
# published them. How much do cores of twenty years differ?

# %%
cores = results.frame("multiply_accumulate")
cores["of the floor"] = cores["cycles"] * floor.floor(128, floor.CONSTANT)
cores = cores.sort_values("cycles", ascending=False)
names = cores["core"] + ", " + cores["source"].str.partition(":")[0]

fig, ax = plt.subplots(figsize=(7, 3.6))
ax.plot(cores["of the floor"], names, "o")
ax.set_xlim(left=0)
ax.set_xlabel("cycles of the floor")
ax.xaxis.set_major_formatter("{x:,.0f}")
plt.show()

text = "Cycles of a multiply-accumulate"
most, least = cores["cycles"].max(), cores["cycles"].min()
display(Markdown(f"{text}: {least:.2f} to {most:.2f}."))

# %% [markdown]
# ## A surprise: can a whole private operation be below the floor?
#
# Between the products of an operation stand tables, blinding and the way back from p and q to n. No
# multiplication of them is in the floor, so one would expect every program well above it. The view
# `private_operations` has all programs with 2,048 bits; `private.dots??` draws the frame. The dotted lines
# are the floor for one lane and for two: two numbers at once halve the instructions, not the
# multiplications. Which programs are left of the right one?

# %%
operations = rsalab.measured(private.programs(results), "make lanes peers")
fig, ax = plt.subplots(figsize=(7, 5.5))
private.dots(ax, operations)
plt.show()

constant = operations[operations["time"] == "constant"]
one_lane = floor.floor(private.BITS, floor.BY_CRT)
constant = constant.assign(distance=constant["instructions"] / one_lane)
texts = []
for name, distance in constant.set_index("name")["distance"].head(3).items():
    texts.append(f"{name}, {times(distance)}")
display(Markdown(f"From the floor of one lane: {'; '.join(texts)}."))

# %% [markdown]
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
