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
from rsalab.pages.borrowed import mark_borrowed
from rsalab.report.story import Story
from rsalab.sources import charts, tables

results = load(reference(), reference=True)
mark_borrowed(results)
display(
    charts.of_bishop(results),
    Markdown(f"{Story(results).get('text:source')}\n\n{tables.told(results, 'marks')}"),
)

# %% [markdown]
# ## Bishop & Austin 2021: do nine iterations of 128 bits and our rungs fall in the same places?
#
# Beside the chart above: their Table 1, then both ladders step by step, then the estimate of their
# hardware unit.

# %%
Markdown(tables.told(results, tables.BISHOP))

# %% [markdown]
# ## Dirk 2019: do five programs of 64 bits and ours fall in the same places?

# %%
display(charts.of_dirk(results), Markdown(tables.told(results, tables.DIRK)))

# %% [markdown]
# ## Lee 2021: do the steps of the 96-bit ladder help at the same levels here?

# %%
display(charts.of_lee(results), Markdown(tables.told(results, tables.LEE)))

# %% [markdown]
# ## Markovic et al.: from how many bits on does Karatsuba pay, and for which operands?

# %%
display(charts.of_markovic(results), Markdown(tables.told(results, tables.MARKOVIC)))

# %% [markdown]
# ## OpenSSL: how far does the ARM1176 model reproduce the times of a Pi Zero?
#
# The only source whose code was counted here without being built into a rung: the model's error is
# taken from its times.

# %%
display(charts.of_openssl(results), Markdown(tables.told(results, tables.OPENSSL)))

# %% [markdown]
# ## An experiment: do the places agree at another level?
#
# Bishop and Austin compiled without optimisation. Change the level and run the cell again. Which of
# our bars move, and does the order stay?

# %%
LEVEL = "O1"

charts.of_bishop(results, level=LEVEL)
