# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 5. Against the sources
#
# Five sources made the same computation faster and printed tables. What do our numbers say beside
# each of their cells, and where are the sources wrong by their own numbers?
#
# Their tables are as printed, from `data/published/`; `index.csv` there says of each the section,
# the unit and the platform. Time there and instructions here are two metrics: compare factors, not
# numbers. For your own run say `load("results/local")`.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.results import load, reference
from rsalab import frames, sources
from rsalab.report import story, tables

results = load(reference())
ladder = frames.ladder_table(results)
display(
    sources.bishop.chart(results, ladder),
    Markdown(f"{story.source(results)}\n\n{sources.MARKS}"),
)

# %% [markdown]
# ## Bishop & Austin 2021: do nine iterations of 128 bits and our rungs fall in the same places?
#
# Beside the chart above: their Table 1, then both ladders step by step, then the estimate of their
# hardware unit.

# %%
theirs = sources.bishop.published()
steps = f"Step by step, factors:\n\n{tables.side_by_side(ladder, theirs)}"
parts = [tables.table_1(theirs), steps, sources.bishop.text()]
Markdown("\n\n".join([*parts, sources.wrong(sources.bishop.SOURCE, results, ladder)]))

# %% [markdown]
# ## Dirk 2019: do five programs of 64 bits and ours fall in the same places?

# %%
display(
    sources.dirk.chart(results),
    Markdown(sources.dirk.text(results)),
    Markdown(sources.wrong(sources.dirk.SOURCE, results, ladder)),
)

# %% [markdown]
# ## Lee 2021: do the steps of the 96-bit ladder help at the same levels here?

# %%
display(
    sources.lee.chart(results),
    Markdown(sources.lee.text(results)),
    Markdown(sources.wrong(sources.lee.SOURCE, results, ladder)),
)

# %% [markdown]
# ## Markovic et al.: from how many bits on does Karatsuba pay, and for which operands?

# %%
display(
    sources.markovic.chart(),
    Markdown(sources.markovic.text()),
    Markdown(sources.wrong(sources.markovic.SOURCE, results, ladder)),
)

# %% [markdown]
# ## OpenSSL: how far does the ARM1176 model reproduce the times of a Pi Zero?
#
# The only source whose code was counted here without being built into a rung: the model's error is
# taken from its times.

# %%
display(sources.openssl.chart(), Markdown(sources.openssl.text()))

# %% [markdown]
# ## An experiment: do the places agree at another level?
#
# Bishop and Austin compiled without optimisation. Change the level and run the cell again. Which of
# our bars move, and does the order stay?

# %%
LEVEL = "O1"

sources.bishop.chart(results, ladder, level=LEVEL)
