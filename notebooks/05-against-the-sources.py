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
# Each section has one source: its table, ours beside it, one picture. Their tables are as printed;
# `results.frame("sources_index")` says of each file its section, unit and platform, and the report has
# [what does not follow from their own numbers](../docs/claims.md). Time there and instructions here are
# two metrics, so only factors are compared. Notebooks [06](06-multiplication.ipynb) and
# [07](07-openssl.ipynb) go deeper into two of the sources.

# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from records.tables import digits
from rsalab import models
from rsalab.charts.picture import GREY, times
from rsalab.sources import tables

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## Bishop & Austin 2021: do nine iterations of 128 bits gain where our rungs do?
#
# Their Table 1 has times of a Raspberry Pi 3 B+ without an -O flag. `bishop_austin_2021_map` says which rung
# is like a row of theirs. A row that is no rung was measured alone, or names no technique.

# %%
theirs = results.frame("bishop_austin_2021_table_1").merge(
    results.frame("bishop_austin_2021_map")
)
theirs["ms"] = 1000 * theirs["seconds"].astype(float)
ladder = results.frame(
    "ladder", study="iterations", workload="roundtrip-full", level="O0"
)
rsalab.measured(ladder[ladder["snapshot"] == "v0"], "make all-iterations")
ours = ladder.set_index("snapshot")["instructions"]
theirs["instructions"] = theirs["ours"].where(theirs["counterpart"] == "rung").map(ours)
theirs["time there"] = theirs["ms"].iloc[0] / theirs["ms"]
theirs["instructions here"] = theirs["instructions"].iloc[0] / theirs["instructions"]
theirs["row"] = (theirs["iteration"] + "  " + theirs["description"]).str.wrap(38)

fig, ax = plt.subplots(figsize=(7.5, 4.4))
for side, mark in (("time there", "o"), ("instructions here", "D")):
    ax.plot(theirs[side], theirs["row"], mark, label=side)
ax.set_xscale("log", base=2)
ax.set_xlabel("row 0 / this row")
ax.xaxis.set_major_formatter("x{x:g}")
ax.invert_yaxis()
ax.legend()
plt.show()

display(Markdown(tables.lessons(results, tables.BISHOP)))
theirs_and_ours = theirs[
    [
        "iteration",
        "seconds",
        "percent_increase",
        "asm_lines",
        "time there",
        "counterpart",
        "ours",
    ]
].assign(**{"instructions here": theirs["instructions here"]})
factors = ["time there", "instructions here"]
theirs_and_ours.style.hide(axis="index").format(
    times, subset=factors, na_rep=""
).format(subset=["percent_increase", "asm_lines", "ours"], na_rep="")

# %% [markdown]
# ## Dirk 2019: do five programs of 64 bits count as ours do?
#
# Dirk counted with `perf` on an ARM board, so instructions stand beside instructions here. The view `dirk`
# has his numbers, divided by his thousand round trips, and names the snapshot of width-64 that is like
# each program. The view `known` has the metrics of our snapshots. Our cycles are those of a model of the
# ARM1176, of the same snapshots built for ARMv6, which that core runs. A dash: that program needs NEON. His
# board may run more than one instruction a cycle. On a board `perf` counts ours, too.

# %%
dirk = results.frame("dirk")
programs = dirk.drop_duplicates("program")[["program", "snapshot", "level"]]
known = rsalab.measured(results.frame("known", study="width-64"), "make studies")
known = known.merge(programs).pivot(index="metric", columns="program", values="mean")
for_armv6 = (
    models.for_armv6(results).frame("modelled", study="width-64").merge(programs)
)
round_trips = for_armv6[for_armv6["workload"] == "roundtrip-full"]
perf = results.frame("perf_table", study="width-64").merge(programs)
here = {
    "instructions": known.loc["instructions"],
    "branches": known.loc["branches_taken"],
    "cache references": known.loc[["load_accesses", "store_accesses"]].sum(),
    "cycles": round_trips.set_index("program")["cycles"],
}
parts = {
    "there": dirk.pivot(index="label", columns="program", values="number"),
    "here": pd.DataFrame(here).T,
    "here, perf": perf.pivot(index="label", columns="program", values="number"),
}
beside = pd.concat(parts).swaplevel().sort_index()[programs["program"]]

fig, ax = plt.subplots(figsize=(7.5, 2.6))
for side, mark in (("there", "o"), ("here", "D")):
    ax.plot(beside.loc[("instructions", side)] / 1000, beside.columns, mark, label=side)
ax.set_xlim(left=0)
ax.set_xlabel("thousand instructions a round trip")
ax.invert_yaxis()
ax.legend()
plt.show()

display(Markdown(tables.lessons(results, tables.DIRK)))
for error in results.query("select * from errors where code = 'compiled C'"):
    display(Markdown(f"Error of the model for compiled C: {models.error_of(error)}."))
beside.style.format(digits)

# %% [markdown]
# ## Lee 2021: do the steps of the 96-bit ladder help at the same levels here?
#
# Lee prints ticks of `clock()` in an emulator, at three levels. The view `lee` has them beside our
# instructions of width-96. Versions that Lee does not have come last.

# %%
lee = results.frame("lee").astype({"ticks": float, "instructions": float})
wide = lee.pivot(
    index=["place", "snapshot"], columns="level", values=["ticks", "instructions"]
)
wide = wide.droplevel("place")
factors = wide.iloc[0] / wide

fig, panels = plt.subplots(1, 2, figsize=(7.5, 3.2), sharey=True)
titles = {
    "ticks": "ticks there: v0 / this",
    "instructions": "instructions here: v0 / this",
}
for ax, (side, title) in zip(panels, titles.items()):
    shown = factors[side].loc["v0":"v4"]
    shown.plot(ax=ax, style=["o-", "s-", "^-"], logy=True, title=title, xlabel="")
    ax.axhline(1, color=GREY)
    ax.yaxis.set_major_formatter("x{x:g}")
    ax.yaxis.set_minor_formatter("x{x:g}")
plt.show()

display(Markdown(tables.lessons(results, tables.LEE)))
parts = {
    "ticks there": wide["ticks"],
    "v0 / this, ticks": factors["ticks"],
    "v0 / this, instructions here": factors["instructions"],
}
beside = pd.concat(parts, axis=1).style.format(times, na_rep="")
beside.format("{:,.1f}", subset=["ticks there"], na_rep="")

# %% [markdown]
# How often does each function run? Lee used gprof at -O1, for five round trips. What the compiler has
# inlined has no calls; what is shifted by the same routine there has functions of its own here.

# %%
gprof = results.frame("lee_2021_gprof", role="function")
gprof["snapshot"] = gprof["output"].map({"1": "v0", "2": "v2"})
gprof = gprof.dropna(subset="snapshot").query("name != 'main'")
his = gprof.assign(calls=gprof["called"].astype(float) / 5)
calls = results.frame("trip_calls", study="width-96", level="O1")
calls = rsalab.measured(calls[calls["snapshot"].isin(["v0", "v2"])], "make gprof")
parts = {
    "there": his.pivot(index="name", columns="snapshot", values="calls"),
    "here": calls.pivot(index="callee", columns="snapshot", values="calls"),
}
pd.concat(parts).style.format("{:,.1f}", na_rep="inlined").set_caption(
    "calls a round trip"
)

# %% [markdown]
# ## Markovic et al.: from how many bits on does Karatsuba's method pay, and for which operands?
#
# Tables 1 to 3 are cycles of a signal processor with words of 16 bits, for three patterns of operands. The
# picture has what the best number of levels takes, over the ordinary product. Ours has the same counts for
# all operands, because no branch of it depends on a limb.

# %%
markovic = results.frame("markovic").astype({"a": int}).set_index(["a", "operands"])
levels = markovic[["product_1", "product_2", "product_3", "product_4"]].astype(float)
there = (levels.min(axis=1) / markovic["product_standard"].astype(float)).unstack()
long = results.frame(
    "long", implementation="plain", level="O3", operation="product", operands="random"
)
counts = rsalab.measured(long, "make width-1024").pivot(
    index="bits", columns="way", values="instructions"
)
here = counts.drop(columns="levels-0").min(axis=1) / counts["levels-0"]
beside = there.add_prefix("there, ").assign(**{"here, C, all operands": here})

fig, ax = plt.subplots(figsize=(7.5, 3.2))
beside.plot(ax=ax, style=["o-", "s-", "^-", "D-"], loglog=True)
ax.axhline(1, color=GREY)
ax.set_xticks(beside.index, beside.index)
ax.set_xticks([], minor=True)
ax.set(xlabel="bits", ylabel="with Karatsuba / without")
ax.yaxis.set_major_formatter("x{x:g}")
ax.yaxis.set_minor_formatter("x{x:g}")
plt.show()

texts = []
for program, ratio in beside.items():
    pays = ratio[ratio < 0.99].index
    texts.append(
        f"{program}: from {pays[0]} bits" if len(pays) else f"{program}: never"
    )
display(Markdown(f"The method saves 1 % or more: {'; '.join(texts)}."))
beside.style.format(times)

# %% [markdown]
# ## OpenSSL: does C lose as much in time there as in instructions here?
#
# The source timed OpenSSL's own C and OpenSSL's own assembly on a Pi Zero W before it wrote its new
# assembly. The same two builds are counted here. How many times as much as the assembly does the C take?

# %%
published = results.frame("published_rsa").pivot(
    index=["operation", "bits"], columns="implementation", values="ms"
)
counted = rsalab.measured(
    results.frame("rsa", whose="here"), "make openssl-speed"
).pivot(index=["operation", "bits"], columns="implementation", values="instructions")
ratios = {
    "time there": published["c"] / published["assembly"],
    "instructions here": counted["c"] / counted["assembly"],
}
beside = pd.DataFrame(ratios).dropna()

fig, panels = plt.subplots(1, 2, figsize=(7.5, 3), sharey=True)
for ax, operation in zip(panels, ("sign", "verify")):
    beside.loc[operation].plot(ax=ax, style=["o-", "D-"], logx=True, title=operation)
    ax.axhline(1, color=GREY)
    ax.set_xticks([512, 1024, 2048, 4096, 15360], [512, 1024, 2048, 4096, 15360])
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter("x{x:g}")
panels[0].set_ylabel("C / assembly")
plt.show()

fewer = (beside["instructions here"] < 1).groupby("operation").sum()
texts = [
    f"{number} of {len(beside.loc[operation])} sizes of {operation}"
    for operation, number in fewer.items()
]
display(
    Markdown(
        f"**A surprise.** The C executes fewer instructions than the assembly at {', '.join(texts)}."
    )
)
beside.unstack("operation").style.format(times)

# %% [markdown]
# ## Do the numbers in their texts follow from their own tables?
#
# The frame `claims` has what their sentences say, `value`, and where their tables allow it the same
# number worked out from these, `gives`. Which are more than 10 % apart?

# %%
claims = results.frame("claims").astype({"value": float, "gives": float})
claims["gives / value"] = claims["gives"] / claims["value"]
apart = claims[(claims["gives / value"] - 1).abs() > 0.1]
display(Markdown(f"{len(apart)} of {claims['gives'].count()} claims:"))
shown = apart[["source", "section", "claim", "value", "gives", "unit"]]
shown.style.hide(axis="index").format(precision=1)

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
