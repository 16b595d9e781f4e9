# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 4. The instruction mix: what are the instructions?
#
# Every instruction that is executed has one class, and every class one kind: loads, adds, branches, ...
# The kinds of a rung add up to its instructions exactly. One would expect that a program which computes
# products mostly multiplies. Does it?

# %%
import matplotlib.pyplot as plt
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import COLOUR, LOOK
from rsalab.charts.tree import tree
from rsalab.charts.waterfall import waterfall

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## What share has each kind?
#
# The view `classes` has the mean of each class; here they are added up by kind, and divided by the total,
# because the totals lie far apart. Which kind do you expect to be largest, in v2 and in v8?

# %%
LEVEL = "O1"

classes = results.frame("classes", study="iterations", workload="roundtrip-full")
classes = rsalab.measured(classes[classes["level"] == LEVEL], "make all-iterations")
by_kind = classes.groupby(["place", "snapshot", "kind"])["mean"].sum()
kinds = by_kind.unstack(fill_value=0).droplevel("place")
kinds = kinds[[kind for kind in COLOUR if kind in kinds and kinds[kind].any()]]
total = kinds.sum(axis=1)
shares = 100 * kinds.div(total, axis="index")

colours = [COLOUR[kind] for kind in shares]
ax = shares.plot.barh(stacked=True, figsize=(7, 4), width=0.85, color=colours)
ax.invert_yaxis()
ax.set_ylabel("")
ax.set_xlim(0, 100)
ax.set_title(f"% of the instructions of a round trip at -{LEVEL}")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%
largest = shares.idxmax(axis=1)
texts = []
for kind, rungs in largest.groupby(largest):
    texts.append(f"{kind} in {', '.join(rungs.index)}")
display(Markdown(f"The largest kind: {'; '.join(texts)}."))

# %% [markdown]
# ## How often does each rung go to memory?
#
# Words, not instructions: an `ldm` of four registers is one instruction and four words. On a core without
# a cache this is often what time goes into. At which rung is the largest step?

# %%
ladder = results.frame("ladder", study="iterations", workload="roundtrip-full")
ladder["words"] = ladder["load_accesses"] + ladder["store_accesses"]
words = ladder.pivot(index=["place", "snapshot"], columns="level", values="words")
words = words.droplevel("place").dropna(how="all")
words = rsalab.measured(words, "make all-iterations")
parents = ladder.drop_duplicates("snapshot").set_index("snapshot")["parent"]

fig, ax = plt.subplots(figsize=(7, 3.2))
for level in words:
    tree(ax, words[level], parents, **LOOK[level])
ax.set_yscale("log")
ax.yaxis.set_major_formatter("{x:,.0f}")
ax.set_title("words loaded and stored in a round trip")
ax.legend()
plt.show()

ends = [f"{words[level].iloc[-1]:,.0f} at -{level}" for level in words]
display(Markdown(f"{words.index[-1]}: {', '.join(ends)}."))

# %% [markdown]
# ## Of which kinds does a step take its instructions?
#
# A waterfall begins with the parent and ends with the child; each bar between them is the change of one
# kind, green for fewer, orange for more. v2 holds its limbs in named variables. Which kinds should change?

# %%
PARENT, CHILD = "v1", "v2"

both = kinds.T.reindex(columns=[PARENT, CHILD]).dropna()
both = rsalab.measured(both, "make all-iterations")
fig, ax = plt.subplots(figsize=(7, 3.6))
waterfall(ax, both[PARENT], both[CHILD])
ax.set_title(f"instructions of {PARENT} -> {CHILD} at -{LEVEL}, by kind")
plt.show()

# %% [markdown]
# ## What is one Montgomery product made of, in C and by hand?
#
# The workload `mont_mul` is the product alone. v7 is the last rung in C, v8 has the same algorithm in
# assembly. `umaal` is a 32 x 32-bit product plus two words, in one instruction. What does C need in its
# place?

# %%
product = results.frame("classes", study="iterations", workload="mont_mul", level=LEVEL)
product = product[product["snapshot"].isin(["v7", "v8"]) & (product["mean"] > 0)]
product = rsalab.measured(product, "make all-iterations")
wide = product.pivot_table("mean", ["class_place", "usual"], "snapshot", fill_value=0)
wide = wide.droplevel("class_place")

ax = wide.plot.barh(figsize=(7, 4.2), width=0.8, ylabel="")
ax.invert_yaxis()
ax.set_title(f"instructions of one product at -{LEVEL}")
plt.show()

sums = [f"{rung} {count:,.1f}" for rung, count in wide.sum().items()]
display(Markdown(f"Together: {', '.join(sums)}."))

# %% [markdown]
# ## A surprise: is the rung that multiplies most the slowest?
#
# A multiplication is the dearest of the common instructions, so one would expect that a fast program has few.
# Here are multiplications and all instructions of each rung. Which rungs have no multiplication at all?

# %%
shown = ladder[ladder["level"] == LEVEL].set_index("snapshot")
shown = shown[["multiplies", "instructions"]]
share = 100 * shown["multiplies"] / shown["instructions"]
styled = shown.assign(share=share).style.format("{:,.0f}", na_rep="not measured")
styled.format("{:.1f} %", subset=["share"], na_rep="")

# %% [markdown]
# ## An experiment: which program branches most?
#
# The study `width-64` computes with half as many bits. Which of its snapshots has the largest share of
# branches at -O1? The cell shows other studies, too. Write the name.


# %%
def of_study(study: str, level: str) -> None:
    other = results.frame("ladder", study=study, workload="roundtrip-full", level=level)
    other = other.set_index("snapshot")[["instructions", "loads", "stores", "branches"]]
    display(other.style.format("{:,.0f}").set_caption(f"{study} at -{level}"))


studies = ["width-96", "width-64", "alone"]
rsalab.choose(of_study, study=studies, level=list(words)[::-1])

# %%
answer = None
rsalab.check(answer, "04-instruction-mix", results)
