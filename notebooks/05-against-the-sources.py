# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 5. Against the sources
#
# Five sources made the same computation faster and printed tables. What do our numbers say beside
# each of their cells, and where are the sources wrong by their own numbers?
#
# Their tables are as printed, from `data/published/`; `index.csv` there says of each the section,
# the unit and the platform. Time there and instructions here are two metrics: compare factors, not
# numbers. For your own run say `frames.load("results/local")`.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from rsalab import frames
from rsalab import sources as beside
from rsalab.charts import charts
from rsalab.report import sections, tables

results = frames.load(frames.reference())
ladder = frames.ladder_table(results)
Markdown(f"{sections.source(results)}\n\n{beside.MARKS}")

# %% [markdown]
# ## Bishop & Austin 2021: do nine iterations of 128 bits and our rungs fall in the same places?
#
# Their Table 1, then both ladders step by step, then the estimate of their hardware unit.

# %%
theirs = frames.published()
steps = f"Step by step, factors:\n\n{tables.side_by_side(ladder, theirs)}"
parts = [tables.table_1(theirs), steps, beside.bishop.text()]
display(
    charts.beside_bishop_austin(results, ladder, theirs),
    Markdown("\n\n".join([*parts, beside.wrong(beside.bishop.SOURCE, results, ladder)])),
)

# %% [markdown]
# ## Dirk 2019: do five programs of 64 bits and ours fall in the same places?

# %%
display(
    beside.dirk.chart(results),
    Markdown(beside.dirk.text(results)),
    Markdown(beside.wrong(beside.dirk.SOURCE, results, ladder)),
)

# %% [markdown]
# ## Lee 2021: do the steps of the 96-bit ladder help at the same levels here?

# %%
display(
    beside.lee.chart(results),
    Markdown(beside.lee.text(results)),
    Markdown(beside.wrong(beside.lee.SOURCE, results, ladder)),
)

# %% [markdown]
# ## Markovic et al.: from how many bits on does Karatsuba pay, and for which operands?

# %%
display(
    beside.markovic.chart(),
    Markdown(beside.markovic.text(results, short=False)),
    Markdown(beside.wrong(beside.markovic.SOURCE, results, ladder)),
)

# %% [markdown]
# ## OpenSSL: how far does the ARM1176 model reproduce the times of a Pi Zero?
#
# The only source whose code was counted here without being built into a rung: the model's error is
# taken from its times.

# %%
display(beside.openssl.chart(), Markdown(beside.openssl.text()))
