# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 1. The ladder
#
# Every rung computes the same x^e mod n and changes one idea of its parent. What did each step buy,
# at which level, and what does the table of Bishop and Austin say beside it?
#
# A number without a unit is **instructions a round trip**: the exact mean over messages that are
# encrypted and decrypted with a 128-bit key. x2.00 means half the instructions. For your own run
# say `load("results/local")`.
#
# How many times fewer instructions than v0 does each rung execute, and than its parent?

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.ladder import ROOT
from records.results import load, reference
from records.tables import factor
from rsalab import frames, markdown
from rsalab.charts import ladder as charts
from rsalab.pages.borrowed import mark_borrowed
from rsalab.report.story import Story, settled
from rsalab.sources import charts as pictures
from rsalab.sources import tables

results = load(reference(), reference=True)
mark_borrowed(results)
rungs, story = results.rungs(), Story(results)
display(Markdown(story.get("text:source")))
charts.speed_up(results)

# %% [markdown]
# ## What does each rung cost?
#
# Which rung is made from which; the count at each level; and how many times fewer instructions than
# the first rung at the same level.

# %%
drawn = f"```\n{markdown.tree(rungs)}\n```\n\n{story.get('table:overview')}"
Markdown(settled(drawn, ROOT / "notebooks"))

# %% [markdown]
# ## Does each step help, at every level, and was it predicted?
#
# A step is compared with its parent: `helps` or `hurts` from 1 % of the parent's instructions on.
# Ranges of parent / this, from predictions in words. Not scored: `disclosed`, the result was known
# before the prediction; `open`, it says only that a step hurts.

# %%
Markdown(
    "\n\n".join(map(story.get, ("table:verdicts", "table:predictions", "text:right")))
)

# %% [markdown]
# ## Does shorter assembly execute fewer instructions?

# %%
charts.size_against_work(results)

# %% [markdown]
# ## Do Bishop and Austin's steps and ours fall in the same places?
#
# Bishop & Austin 2021, Table 1 as published (Raspberry Pi 3 B+, gcc 8.3.0, no -O flag), with the
# factor that its times give; then which rung corresponds to which row, and both ladders step by
# step. Theirs is time and ours is instructions: each has its own columns in the table and its own
# panel in the chart, which is their Figure 9 on the left.

# %%
parts = [
    tables.table_1(results).markdown,
    tables.reasons(results),
    tables.steps(results).markdown,
]
display(
    Markdown("\n\n".join(parts)),
    pictures.of_bishop(results),
)

# %% [markdown]
# ## An experiment: what does another baseline say, and another metric?
#
# Change the two names and run the cell again. Metrics: `instructions`, `loads`, `stores`,
# `branches`, `multiplies`, `code_bytes`. What do you expect before you look?

# %%
BASELINE, METRIC = "v2", "loads"

counts = frames.grid(frames.ladder_table(results), rungs, METRIC)
ratios = (frames.row_of(counts, BASELINE) / counts).add_prefix("-")
Markdown(frames.as_table(ratios, factor, f"{METRIC}, {BASELINE}/this"))
