# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 3. Calls: where does the work go?
#
# A faster program may call less, or do less in each call. One would expect that the function which is
# called most often is the one to improve. Is it?
#
# gprof counts every call that the compiler leaves in the program: exactly, and of the first message's
# round trip. The counter counts every instruction, and takes the mean of all messages.

# %%
import matplotlib.pyplot as plt
from IPython.display import Markdown, display

import rsalab
from rsalab.charts import inside
from rsalab.charts.picture import LOOK
from rsalab.charts.tree import tree
from rsalab.charts.waterfall import waterfall

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## How many calls are left at each level?
#
# The view `trip_calls` has a row for each function that is called. At -O0 every call of the source is
# one. A line leads from each rung to its parent. How many calls does inlining remove at the higher
# levels?

# %%
calls = results.frame("trip_calls", study="iterations")
calls = rsalab.measured(calls, "make gprof")
every = calls.pivot_table("calls", "snapshot", "level", aggfunc="sum")
snapshots = results.frame("snapshots", study="iterations")
parents = snapshots.set_index("snapshot")["parent"]

fig, ax = plt.subplots(figsize=(7, 3.2))
for level in every:
    tree(ax, every[level], parents, **LOOK[level])
ax.set_yscale("log")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.set_title("calls in a round trip")
ax.legend()
plt.show()

low, high = every.columns[[0, -1]]
left = (100 * every[high] / every[low]).dropna()
text = ", ".join(f"{rung} {share:.1f} %" for rung, share in left.items())
display(Markdown(f"Of the calls at -{low}, -{high} keeps: {text}."))

# %% [markdown]
# ## Of which functions are the calls at -O0?
#
# A row is a function, a column a rung; an empty cell: the rung has no such function. Which functions
# disappear, and at which rung?

# %%
names = calls[calls["level"] == low].pivot_table("calls", "callee", "snapshot")
names = names.sort_values(names.columns[0], ascending=False)
names.style.format("{:,.0f}", na_rep="")

# %% [markdown]
# ## How many Montgomery products does a round trip take?
#
# A product is a call of `mmm`, `mont_mul` or `mmm_1`, the product by 1. The exponents have 127 and 128 bits,
# so a few hundred products should do. What makes the first rungs need more?

# %%
is_product = calls["callee"].isin(["mmm", "mont_mul", "mmm_1"])
products = calls[is_product & (calls["level"] == low)]
products = products.pivot_table("calls", "snapshot", "callee", fill_value=0)

total = products.sum(axis=1)
ax = products.plot.barh(stacked=True, figsize=(7, 3.4), ylabel="")
ax.bar_label(ax.containers[-1], total.map("{:,.0f}".format), padding=3)
ax.set_xlim(right=1.1 * total.max())
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.invert_yaxis()
ax.set_title("products in a round trip, by function")
plt.show()

first, last = total.index[[0, -1]]
display(Markdown(f"{first}: {total[first]:,.0f}. {last}: {total[last]:,.0f}."))

# %% [markdown]
# ## Who calls whom?
#
# The graphs of two neighbours, between which three of four products disappear: v6 stays in the Montgomery
# domain. The number at an arrow is of its calls; a larger and darker box has more of the instructions.
# Which arrow is gone?

# %%
for rung in ("v5", "v6"):
    display(*inside.call_graph(results, rung, "O0"))

# %% [markdown]
# ## A surprise: is the function with most calls the one that costs most?
#
# The view `entered` has the calls of each function, `spent` its instructions. A point is a function of v0
# at -O0. If all calls cost the same, the points would lie on a line. Which point is highest?

# %%
RUNG = "v0"

spent = results.frame("spent", study="iterations", level="O0")
spent = spent.assign(instructions=spent["instructions"] / spent["n"])  # of a round trip
own = spent[spent["snapshot"] == RUNG].groupby("function")["instructions"].sum()
entered = results.frame("entered", study="iterations", snapshot=RUNG)
cost = entered.set_index("function")[["calls"]].join(own).dropna()
cost = rsalab.measured(cost.sort_values("instructions"), "make all-iterations")

fig, ax = plt.subplots(figsize=(7, 3.8))
ax.loglog(cost["calls"], cost["instructions"], "o")
for number, (function, place) in enumerate(cost.iterrows()):
    left = number % 2  # so that neighbours do not cover each other
    look = {"ha": "right" if left else "left", "va": "center"}
    offset = (-7 if left else 7, 0)
    ax.annotate(function, place, offset, textcoords="offset points", **look)
ax.set_xlabel("calls in a round trip")
ax.set_ylabel("instructions")
plt.show()

often, dear = cost["calls"].idxmax(), cost["instructions"].idxmax()
display(Markdown(f"Most calls: `{often}`. Most instructions: `{dear}`."))

# %% [markdown]
# ## From which functions does a step take its instructions?
#
# A waterfall begins with the parent and ends with the child; each bar between them is the change of one
# function, green for fewer, orange for more. `waterfall??` in a cell shows how it is drawn. v5 holds one limb
# at a time. Where do you expect its gain?

# %%
PARENT, CHILD, LEVEL = "v4", "v5", "O1"

spent = results.frame("spent", study="iterations", level=LEVEL)
spent = spent.assign(instructions=spent["instructions"] / spent["n"])
cost = spent.groupby(["function", "snapshot"])["instructions"].sum()
wide = cost.unstack(fill_value=0).reindex(columns=[PARENT, CHILD])
both = rsalab.measured(wide.dropna(), "make all-iterations")

fig, ax = plt.subplots(figsize=(7, 3.4))
waterfall(ax, both[PARENT], both[CHILD])
ax.set_title(f"instructions of {PARENT} -> {CHILD} at -{LEVEL}, by function")
plt.show()

# %% [markdown]
# ## An experiment: what does one call cost?
#
# How many instructions does one call of `shr` take in v0 at -O0, without what it calls? The cell has what
# you need, of any rung. Write the number.


# %%
def each_call(rung: str) -> None:
    spent = results.frame("spent", study="iterations", level="O0", snapshot=rung)
    entered = results.frame("entered", study="iterations", snapshot=rung)
    own = spent.groupby("function")["instructions"].sum() / spent["n"].max()
    cost = entered.set_index("function")[["calls"]].assign(instructions=own)
    display(cost.style.format("{:,.0f}").set_caption(f"a round trip of {rung} at -O0"))


rungs = results.frame("entered", study="iterations")["snapshot"].unique()
rsalab.choose(each_call, rung=list(rungs[::-1]))

# %%
answer = None
rsalab.check(answer, "03-call-graphs", results)
