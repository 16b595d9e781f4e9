# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 2. The levels
#
# Every rung is compiled at -O0, -O1 and -O3 from the same source. How many instructions does each
# execute at each level?
#
# Counts are **instructions a round trip**: the exact mean over messages that are encrypted and
# decrypted. A factor of x2.00 means half the instructions. For your own run say
# `load("results/local")`.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.results import load, reference
from rsalab.charts import ladder
from rsalab.pages.borrowed import mark_borrowed
from rsalab.report.story import Story

results = load(reference(), reference=True)
mark_borrowed(results)
display(Markdown(Story(results).get("text:source")))
ladder.by_level(results)

# %% [markdown]
# ## What does -O1 buy over -O0, and -O3 over -O1? Does -O3 ever lose?
#
# First by instructions. Below, -O1 over -O3 in three metrics: a level may execute fewer
# instructions and yet go to memory more often, or take more room. Below x1.00 it loses.

# %%
display(ladder.gains(results), Markdown(ladder.lost(results)))

# %% [markdown]
# ## Which steps survive optimisation, and whose gain is gone with it?
#
# A step is compared with its parent at the same level. One that helps at -O0 and makes no
# difference at -O3 has lost its gain, mostly because the compiler does it anyway; one that helps at
# every level says something that the compiler does not find out by itself.

# %%
ladder.survival(results)

# %% [markdown]
# ## Is hand-made assembly the same at every level?
#
# mont.S passes the assembler, not the optimiser; what is left for the levels is the C around it,
# the loop over the exponent.

# %%
ladder.left_to_the_compiler(results)

# %% [markdown]
# ## Is faster code larger code?

# %%
ladder.code_size(results)

# %% [markdown]
# ## And beside the ladder: do the other studies answer alike?
#
# Every study with counts is here: its verdicts, and its instructions by level where it is a ladder
# of its own.

# %%
for part in ladder.of_studies(results):
    display(Markdown(part) if isinstance(part, str) else part)

# %% [markdown]
# ## An experiment: what does one level buy over another?
#
# Change the two levels and run the cell again. Which rungs gain most, and does any lose?

# %%
LOW, HIGH = "O0", "O3"

ladder.gains(results, shown=(LOW, HIGH))
