# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 10. Your own rung: what does your idea gain?
#
# You have an idea that makes x^e mod n faster. This page makes a folder for it, builds, checks and counts
# it, and puts it among the others in the charts of [01](01-ladder.ipynb). Before you measure, write down
# what you expect: a factor, and why.
#
# As it stands, the page shows the last rung of the ladder. Write `RUNG, FROM = "v9", "v8"` for a rung of
# your own that begins as a copy of v8, and run all cells. You can come back and run them again as
# often as you change your code.

# %%
import subprocess

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from records.ladder import ROOT
from rsalab.charts.picture import LOOK
from studies.limit.floor import floor

RUNG, FROM = "v8", "v7"


def make(*words: str) -> None:
    """Run make in the repository, and print what it says as it says it."""
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(["make", *words], cwd=ROOT, **both) as run:
        for line in run.stdout:
            print(line, end="")


# %% [markdown]
# ## Is there a folder for the rung?
#
# `make new-iteration` copies a rung and gives the copy a README whose blanks you fill in. It never changes
# a rung that is there.

# %%
folder = ROOT / "iterations" / RUNG
if not folder.is_dir():
    make("new-iteration", f"FROM={FROM}", f"NAME={RUNG}")
names = sorted(path.name for path in folder.iterdir())
links = [f"[{name}](../iterations/{RUNG}/{name})" for name in names]
display(Markdown(f"Change these, and save them: {', '.join(links)}."))

# %% [markdown]
# ## Is it right, and what does it execute?
#
# `make v9` compiles the rung at each level, and compares its results with those of Python for thousands of
# operands. Only a rung that is right is counted. Your numbers go to results/local. Nothing is built for a
# rung that the reference has. What did you expect?

# %%
TRIP = {"study": "iterations", "workload": "roundtrip-full"}

results = rsalab.load()
reference = results.lender or results
ladder = reference.frame("ladder", **TRIP)
if RUNG in set(ladder["snapshot"]):
    print(f"{RUNG} is in the reference; `make {RUNG}` in a terminal measures it again.")
else:
    make(RUNG)
    results = rsalab.load("results/local")

# %% [markdown]
# ## Where does its row belong?
#
# Your run has your rung, and the reference has the ladder. `pd.concat` puts the rows into one frame, which
# can be used in every cell of the other notebooks in place of `ladder`. How many times fewer instructions
# than its parent does it execute?

# %%
own = results.frame("ladder", **TRIP, snapshot=RUNG)
own = rsalab.measured(own.dropna(subset="instructions"), f"make {RUNG}")
ladder = pd.concat([ladder[ladder["snapshot"] != RUNG], own], ignore_index=True)
ladder = ladder.sort_values(["place", "level"])

by_rung = ["place", "snapshot"]
costs = ladder.pivot(index=by_rung, columns="level", values="instructions")
costs = costs.droplevel("place")
levels = list(own["level"])
parent = own["parent"].iloc[0]
gain = costs.loc[parent] / costs.loc[RUNG]
texts = [f"x{factor:.2f} at -{level}" for level, factor in gain[levels].items()]
display(Markdown(f"**{parent} / {RUNG}**: {', '.join(texts)}."))
if results.compiler != reference.compiler:
    print(f"Yours is of {results.compiler}, the others are of {reference.compiler}.")
costs.tail(3).style.format("{:,.0f}", na_rep="not measured")

# %% [markdown]
# ## How does it look beside the others?
#
# The charts of 01 with your rung in them, ringed: instructions against the first rung; each step against its
# parent; the distance to the floor; lines of assembly against instructions. In which of them does it
# stand out?

# %%
above = ladder[["snapshot", "level", "instructions"]]
above = above.rename(columns={"snapshot": "parent", "instructions": "before"})
ladder = ladder.merge(above, on=["parent", "level"], how="left")
ladder["first / rung"] = ladder["level"].map(costs.iloc[0]) / ladder["instructions"]
ladder["parent / rung"] = ladder["before"] / ladder["instructions"]
ladder["rung / floor"] = ladder["instructions"] / (2 * floor(128, "variable"))

# %%
charts = ["first / rung", "parent / rung", "rung / floor", "instructions"]
fig, panels = plt.subplots(2, 2, figsize=(7, 6))
for ax, what in zip(panels.flat, charts):
    along = "asm_lines" if what == "instructions" else "snapshot"
    for level, rows in ladder.groupby("level"):
        mine = rows[rows["snapshot"] == RUNG]
        ax.plot(rows[along], rows[what], linestyle="", **LOOK[level])
        ax.plot(mine[along], mine[what], "o", ms=13, mfc="none", color="black")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("x{x:,g}" if along == "snapshot" else "{x:,.0f}")
    ax.set_title(what if along == "snapshot" else "instructions, by lines of assembly")
panels[0, 0].legend()
plt.show()

# %% [markdown]
# How far from the floor is your rung at its best level, and which is the nearest of all?

# %%
best = ladder.groupby("snapshot")["rung / floor"].min()
text = f"{RUNG} executes x{best[RUNG]:.2f} the instructions of the floor"
display(Markdown(f"{text}; the nearest is {best.idxmin()}, x{best.min():.2f}."))

# %% [markdown]
# ## Did you foresee it?
#
# Write into `step.toml` what you expect before you measure: `predicts.O1 = [1.1, 1.4]`. The view
# `scores` compares it with what was measured, and so does 01. What is right, too low or too high?

# %%
scores = results.frame("scores", study="iterations", snapshot=RUNG)
shown = scores[["level", "low", "high", "gain", "outcome"]]
factors = ["low", "high", "gain"]
shown.style.hide(axis="index").format("x{:.2f}", subset=factors, na_rep="none")

# %% [markdown]
# ## A surprise: why is it not what you expected?
#
# Most predictions of the ladder were wrong, as [01](01-ladder.ipynb) shows. Here is what the rung executes
# more (+) or less (-) than its parent, by kind of instruction. `make why B=v9` in a terminal says it by
# function, and `make diff B=v9` shows the lines. Which kind did you not think of?

# %%
every = [whose.frame("classes", **TRIP) for whose in (reference, results)]
kinds = pd.concat(every)
kinds = kinds[kinds["snapshot"].isin([parent, RUNG]) & kinds["level"].isin(levels)]
kinds = kinds.drop_duplicates(["snapshot", "level", "class"], keep="last")
sums = kinds.groupby(["snapshot", "kind", "level"])["mean"].sum()
sums = sums.unstack(fill_value=0)
change = sums.loc[RUNG].sub(sums.loc[parent], fill_value=0)
change = change[change.any(axis=1)]
change.loc["together"] = change.sum()
change.style.format("{:+,.0f}", na_rep="not measured")

# %% [markdown]
# ## An experiment: predict before you measure
#
# Assume that somebody saves four instructions in each call of v8's `mont_mul`, and changes nothing else. How
# many instructions does a round trip execute at -O1? The view `entered` has the calls of each function;
# the cell shows those of another rung. Write the number.

# %%
CALLER = "v7"

entered = reference.frame("entered", study="iterations", snapshot=CALLER)
entered[["function", "calls"]].style.hide(axis="index").format(precision=2)

# %%
answer = None
rsalab.check(answer, "10-your-own-rung", reference)
