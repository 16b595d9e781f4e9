# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 4. The instruction mix
#
# Every instruction executed has one opcode class, and the classes of a rung add up to its
# instructions exactly. Where do the instructions of each rung go?
#
# The totals lie orders of magnitude apart, so the bars show shares, and the totals stand beside
# them on a logarithmic axis. For your own run say `load("results/local")`.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.results import load, reference
from rsalab.charts import inside
from rsalab.pages.borrowed import mark_borrowed
from rsalab.report.story import Story

results = load(reference(), reference=True)
mark_borrowed(results)
display(Markdown(Story(results).get("text:source")))
inside.mix(results)

# %% [markdown]
# ## The same in numbers: how many instructions of each group, at each level?

# %%
Markdown(inside.in_numbers(results))

# %% [markdown]
# ## How often does each rung go to memory?

# %%
inside.memory_accesses(results)

# %% [markdown]
# ## How much of what each step removed was loads and stores?
#
# A step that keeps numbers in registers removes loads and stores; one that needs fewer operations
# removes everything alike. A bar is the whole change against the parent, cut in three.

# %%
inside.loads_and_stores(results)

# %% [markdown]
# ## What is one Montgomery product made of, in C and by hand?
#
# One call of `mont_mul`: the last rung in C beside the one in assembly. Both multiply words. In
# assembly `umaal` (a 32 x 32-bit product plus two words, which never overflows 64 bits) takes both
# additions along. How many of them are there?

# %%
inside.product(results)

# %% [markdown]
# ## An experiment: has another study the same mix?
#
# Change the name of the study and run the cell again: `alone`, `dead-ends`, `width-64`, `width-96`.
# Do fewer bits change the shares?

# %%
STUDY = "width-96"

inside.mix(results, STUDY)
