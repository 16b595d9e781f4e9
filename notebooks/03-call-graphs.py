# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 3. Call graphs
#
# gprof counts every call of a function that the compiler leaves one: exactly, under emulation, too.
# Its program is a build of its own (`-pg`). Who calls whom, how often, from v0 to the last rung?
# The calls are those of one round trip, of the first message; READMEs and slides have the mean of
# all messages, which differs a little.
# For your own: `make gprof`, and here `load("results/local")`.

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
inside.calls_by_rung(results)

# %% [markdown]
# ## Of which functions are the calls at -O0, where nothing is inlined?

# %%
Markdown(inside.by_function(results))

# %% [markdown]
# ## Which calls does inlining remove?
#
# Against -O0 a call is missing because its function was inlined there. What is left at -O1 and at
# -O3 is the products, and whatever the compiler takes for too large.

# %%
Markdown(inside.inlined(results))

# %% [markdown]
# ## How many Montgomery products does a round trip take?
#
# v0 makes four of each modular product: it leaves the Montgomery domain every time. v4 gives the
# one by 1 a function of its own, MMM_1. v6 stays in the domain: of four products one is left.

# %%
inside.products(results)

# %% [markdown]
# ## Who calls whom at the turning points of the ladder?
#
# v0 with every helper; v5, with four products for one, beside v6, where the calls of `mod_mul` are
# gone; v6 at -O1, with helpers inlined; v8, where assembly does the product. Then v0 and v2 of the
# 96-bit study at -O1, whose graphs Lee 2021 prints. The number at an arrow is of its calls. A box
# has the function's own instructions, its share and its calls; more make it larger and darker.

# %%
for rung, level in (
    ("v0", "O0"),
    ("v5", "O0"),
    ("v6", "O0"),
    ("v6", "O1"),
    ("v8", "O0"),
):
    display(*inside.call_graph(results, rung, level))
for rung in ("width-96-v0", "width-96-v2"):
    display(*inside.call_graph(results, rung, "O1"))

# %% [markdown]
# ## In which functions are the instructions?
#
# Calls do not say what a function costs: here are the exact instructions of the measured build.
# `make annotate V=v6 LEVEL=O1` puts them beside every line, for KCachegrind, too.

# %%
inside.shares(results)

# %% [markdown]
# ## An experiment: which calls are left in another rung, at another level?
#
# Change both names and run the cell again. What do you expect to see at -O1, which inlines?

# %%
RUNG, LEVEL = "v7", "O1"

display(*inside.call_graph(results, RUNG, LEVEL))
