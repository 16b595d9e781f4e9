# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 5. Against the sources: do five published results hold here?
#
# Five sources made the same computation faster, on other machines, and printed tables. One would expect
# that their steps and ours gain in the same places. Do they?
#
# Each section has one source: its frame, ours beside it, one picture.
# `results.frame("sources_index")` says of each printed table its section, unit and platform. Time there
# and instructions here are two metrics, so only factors are compared. The tables themselves, and what
# our counts add to them, are in [the report](../REPORT.md).

# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab import models
from rsalab.charts.picture import GREY, LOOK, times
from rsalab.charts.tree import tree

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## Bishop & Austin 2021: do nine iterations of 128 bits gain where our rungs do?
#
# Their Table 1 has times of a Raspberry Pi 3 B+ without an -O flag. `bishop_austin_2021_map` says which rung
# is like a row of theirs. A row without a second mark is no rung: it was measured alone, or names no
# technique. Which row do you expect to gain most?

# %%
theirs = results.frame("bishop_austin_2021_table_1")
theirs = theirs.merge(results.frame("bishop_austin_2021_map"))
ladder = results.frame("ladder", workload="roundtrip-full", level="O0")
ladder = ladder[ladder["study"] == "iterations"].set_index("snapshot")
rsalab.measured(ladder[ladder.index == "v0"], "make all-iterations")
theirs["rung"] = theirs["ours"].where(theirs["counterpart"] == "rung")
theirs["instructions"] = theirs["rung"].map(ladder["instructions"])
needs = theirs.set_index("iteration")[["seconds", "instructions"]]
factors = needs.loc[0] / needs
factors.columns = ["time there", "instructions here"]

# %%
row = theirs["iteration"].astype(str) + "  " + theirs["description"]
fig, ax = plt.subplots(figsize=(7, 4.6))
for side, mark in zip(factors, "oD"):
    ax.plot(factors[side], row.str.wrap(34), mark, label=side)
ax.set_xscale("log", base=2)
ax.set_xlabel("row 0 / this row")
ax.xaxis.set_major_formatter("x{x:g}")
ax.invert_yaxis()
ax.legend()
plt.show()

# %% [markdown]
# Where the two marks of a row lie apart, how far is it?

# %%
rungs = theirs.set_index("iteration")["rung"]
apart = (factors["instructions here"] / factors["time there"]).dropna()
texts = [f"{rungs[row]} {times(ratio)}" for row, ratio in apart.items() if row]
display(Markdown(f"Instructions here over time there: {', '.join(texts)}."))

# %% [markdown]
# Where a row is like a rung, how many instructions does ours take at -O0? Their table, with our counts
# beside it:

# %%
columns = ["iteration", "description", "seconds", "percent_increase", "asm_lines"]
beside = theirs[[*columns, "rung", "instructions"]]
styled = beside.style.hide(axis="index").format(na_rep="", precision=6)
styled.format("{:g}", subset="percent_increase", na_rep="")
styled.format("{:.6f}", subset="seconds")
styled.format("{:,.0f}", subset="instructions", na_rep="")
styled.set_properties(subset=["description"], **{"text-align": "left"})

# %% [markdown]
# ## Dirk 2019: do five programs of 64 bits count as ours do?
#
# Dirk counted with `perf` on an ARM board, so the same metrics stand side by side. The view `dirk` has his
# numbers of one round trip, and names the snapshot of width-64 that is like each program. `known` has the
# metrics of our snapshots. Our cycles are those of a model of the ARM1176, which cannot run the program
# with NEON. At x1 both sides count the same. Which metric do you expect nearest to it?

# %%
dirk = results.frame("dirk")
programs = dirk.drop_duplicates("program")[["program", "snapshot", "level"]]
there = dirk.pivot(index="program", columns="label", values="number")
known = rsalab.measured(results.frame("known", study="width-64"), "make studies")
known = known.merge(programs).pivot(index="program", columns="metric", values="mean")
armv6 = models.for_armv6(results)
model = armv6.frame("modelled", study="width-64")
if armv6.is_borrowed("modelled", "width-64"):  # programs that the core does not run
    model["cycles"] = float("nan")
model = model[model["workload"] == "roundtrip-full"].merge(programs)
here = {
    "instructions": known["instructions"],
    "branches": known["branches_taken"],
    "cache references": known["load_accesses"] + known["store_accesses"],
    "cycles": model.set_index("program")["cycles"],
}
ratio = (pd.DataFrame(here) / there)[list(here)].reindex(programs["program"])

# %%
fig, ax = plt.subplots(figsize=(7, 3.4))
for metric, mark in zip(ratio, "os^D"):
    ax.plot(ratio[metric], ratio.index, mark, label=metric)
ax.axvline(1, color=GREY)
ax.set_xscale("log", base=2)
ax.set_xlabel("here / there")
ax.xaxis.set_major_formatter("x{x:g}")
ax.invert_yaxis()
fig.legend(loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# Which metric is nearest, by the median of the five programs? Cycles are a model's, so its error belongs
# beside them. Below are the numbers themselves, his and ours, of one round trip.

# %%
errors = results.frame("errors", code="compiled C")
spans = [f"{row.low:+.0%} to {row.high:+.0%}" for row in errors.itertuples()]
middle = ratio.median()
nearest = (middle - 1).abs().idxmin()
text = f"Nearest: {nearest}, {times(middle[nearest])}."
display(Markdown(f"{text} Error of the model for compiled C: {', '.join(spans)}."))
beside = pd.concat({"there": there[list(here)], "here": pd.DataFrame(here)}, axis=1)
beside.reindex(ratio.index).style.format("{:,.0f}", na_rep="")

# %% [markdown]
# ## Lee 2021: do the steps of the 96-bit ladder help at the same levels here?
#
# Lee prints ticks of `clock()` in an emulator, at three levels. The view `lee` has them beside our
# instructions of width-96. At which level do you expect the steps to gain most?

# %%
lee = results.frame("lee")
sides = ["ticks", "instructions"]
wide = lee.pivot(index=["place", "snapshot"], columns="level", values=sides)
wide = wide[wide["ticks"].notna().any(axis=1)].droplevel("place")
factors = wide.iloc[0] / wide
snapshots = results.frame("snapshots", study="width-96")
parents = snapshots.set_index("snapshot")["parent"]

# %%
titles = {
    "ticks": "ticks there: v0 / this",
    "instructions": "instructions here: v0 / this",
}
fig, panels = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True)
for ax, (side, title) in zip(panels, titles.items()):
    for level in factors[side]:
        tree(ax, factors[side, level], parents, **LOOK[level])
    ax.axhline(1, color=GREY)
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("x{x:g}")
    ax.yaxis.set_minor_formatter("x{x:g}")
    ax.tick_params(axis="x", labelsize=9)
    ax.set_title(title)
panels[0].legend()
plt.show()

# %% [markdown]
# A version below the black line is slower than v0. Is one slower in ticks that executes fewer instructions?

# %%
both = factors.stack(future_stack=True).dropna()
loses = both[(both["ticks"] < 1) & (both["instructions"] > 1)]
texts = [f"{version} at -{level}" for version, level in loses.index]
text = "Slower than v0 in ticks, with fewer instructions"
display(Markdown(f"{text}: {', '.join(texts) or 'no version'}."))
wide.style.format("{:,.1f}", na_rep="")

# %% [markdown]
# And how often does each function run? Lee used gprof at -O1, for five round trips, before and after the
# loops over limbs were written out. What the compiler has inlined has no calls.

# %%
NAMES = {
    "modular_exponentiation_mont_32x3": "mod_exp",
    "modular_multiplication_32x3": "mmm",
    "rshift_uint32x3": "rshift",
    "add_uint32x3": "add",
    "sub_uint32x3": "sub",
}

gprof = results.frame("lee_2021_gprof", role="function")
gprof = gprof[gprof["name"].isin(NAMES)]
gprof["snapshot"] = gprof["output"].map({1: "v0", 2: "v2"})
gprof["function"] = gprof["name"].map(NAMES)
gprof["calls"] = gprof["called"].astype(float) / 5

# %%
calls = results.frame("trip_calls", study="width-96", level="O1")
calls = calls[calls["snapshot"].isin(["v0", "v2"])]
calls = rsalab.measured(calls, "make gprof").rename(columns={"callee": "function"})
parts = []
for side, rows in (("there", gprof), ("here", calls)):
    rows = rows[rows["function"].isin(NAMES.values())]
    parts.append(rows.assign(side=side))
both = pd.concat(parts).dropna(subset="snapshot")
beside = both.pivot(index="function", columns=["snapshot", "side"], values="calls")
styled = beside.sort_index(axis=1, ascending=[True, False]).style
styled.format("{:,.1f}", na_rep="inlined").set_caption("calls a round trip")

# %% [markdown]
# ## Markovic et al.: from how many bits on does Karatsuba's method pay, and for which operands?
#
# Tables 1 to 3 are cycles of a signal processor with words of 16 bits, for three patterns of operands. The
# picture has what the best number of levels takes, over the ordinary product. Ours has the same counts for
# all operands, because no branch of it depends on a limb. [06](06-multiplication.ipynb) goes deeper.

# %%
markovic = results.frame("markovic").set_index(["a", "operands"])
levels = markovic[["product_1", "product_2", "product_3", "product_4"]]
there = (levels.min(axis=1) / markovic["product_standard"]).unstack()
plain = {"implementation": "plain", "level": "O3", "operation": "product"}
long = results.frame("long", operands="random", **plain)
long = rsalab.measured(long, "make width-1024")
counts = long.pivot(index="bits", columns="way", values="instructions")
here = counts.drop(columns="levels-0").min(axis=1) / counts["levels-0"]
beside = there.add_prefix("there, ").assign(**{"here, C, all operands": here})

# %%
fig, ax = plt.subplots(figsize=(7, 3.6))
beside.plot(ax=ax, style=["o-", "s-", "^-", "D-"], loglog=True)
ax.axhline(1, color=GREY)
ax.set_xticks(beside.index, beside.index)
ax.set_xticks([], minor=True)
ax.set(xlabel="bits", ylabel="with Karatsuba / without")
ax.yaxis.set_major_formatter("x{x:g}")
ax.yaxis.set_minor_formatter("x{x:g}")
plt.show()

# %% [markdown]
# Below the line the method pays. From which size on does it save 1 % or more?

# %%
texts = []
for program, ratio in beside.items():
    pays = ratio.index[ratio < 0.99]
    size = f"from {pays.min()} bits" if any(pays) else "never"
    texts.append(f"{program}: {size}")
display(Markdown(f"{'; '.join(texts)}."))

# %% [markdown]
# ## A surprise in OpenSSL: does C lose as much in time there as in instructions here?
#
# The source timed OpenSSL's own C and OpenSSL's own assembly on a Pi Zero W before it wrote its new
# assembly. The same two builds are counted here. How many times as much as the assembly does the C take?
# [07](07-openssl.ipynb) goes deeper.

# %%
keys = ["operation", "bits"]
published = results.frame("published_rsa")
ms = published.pivot(index=keys, columns="implementation", values="ms")
rsa = rsalab.measured(results.frame("rsa", whose="here"), "make openssl-speed")
counts = rsa.pivot(index=keys, columns="implementation", values="instructions")
ratios = {
    "time there": ms["c"] / ms["assembly"],
    "instructions here": counts["c"] / counts["assembly"],
}
beside = pd.DataFrame(ratios).dropna()

# %%
sizes = [512, 1024, 2048, 4096, 15360]
fig, panels = plt.subplots(1, 2, figsize=(7, 3.2), sharey=True)
for ax, operation in zip(panels, ("sign", "verify")):
    beside.loc[operation].plot(ax=ax, style=["o-", "D-"], logx=True, title=operation)
    ax.axhline(1, color=GREY)
    ax.set_xticks(sizes, sizes)
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter("x{x:g}")
panels[0].set_ylabel("C / assembly")
plt.show()

# %% [markdown]
# Below the line the C needs less than the assembly. At how many sizes is that so, in time and in
# instructions?

# %%
below = (beside < 1).groupby("operation").sum()
sizes = len(beside.loc["sign"])
below.style.set_caption(f"of {sizes} sizes, the C needs less at")

# %% [markdown]
# ## Do the numbers in their texts follow from their own tables?
#
# The frame `claims` has what their sentences say, `value`, and where their tables allow it the same
# number worked out from these, `gives`. Which are more than 10 % apart?

# %%
claims = results.frame("claims")
claims["gives / value"] = claims["gives"] / claims["value"]
apart = claims[(claims["gives / value"] - 1).abs() > 0.1]
display(Markdown(f"{len(apart)} of {claims['gives'].count()} claims:"))
shown = apart[["source", "section", "claim", "value", "gives", "unit"]]
styled = shown.style.hide(axis="index").format(precision=1)
styled.set_properties(subset=["claim"], **{"text-align": "left"})

# %% [markdown]
# ## An experiment: how exact are Lee's ticks?
#
# Where a step executes exactly as many instructions as its parent, its ticks can differ from the parent's
# by nothing but the error of measurement. Take all steps and levels of width-96 where this is so. What
# is the largest difference of the ticks, in per cent of the smaller number? The frame `steps` names the
# parent of each version. Put the number in place of `None`.

# %%
steps = results.frame("ladder", study="width-96", workload="roundtrip-full")
steps = steps[["snapshot", "level", "parent", "verdict", "versus_parent"]].merge(lee)

answer = None
rsalab.check(answer, "05-against-the-sources", results)
