# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 6. Long numbers: products, squares, Karatsuba and the Chinese remainder theorem
#
# Markovic, Unkasevic and Djordjevic compare ways to multiply numbers of 64 to 2048 bits on a
# TMS320C54x. studies/width-1024 does the same on 32-bit ARM, in C and in assembly. Which
# multiplication needs the fewest instructions at which size, and what does the Chinese remainder
# theorem (CRT) save?
#
# Theirs are cycles of a 16-bit signal processor, ours are instructions: compare shapes and factors,
# not numbers. For your own counts say `make width-1024` and `load("results/local")`.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.results import load, reference
from rsalab import long_numbers as long
from rsalab.charts import studies
from rsalab.pages.borrowed import mark_borrowed
from rsalab.report.story import Story

results = long.measured(load(reference(), reference=True))
mark_borrowed(results)
Markdown(Story(results).get("text:source"))

# %% [markdown]
# ## From which size on does Karatsuba's method pay?
#
# Each level replaces four products of half the size by three, and adds sums and differences. A
# line below 1 means that the method needs fewer instructions than the plain product.

# %%
display(studies.crossover(results), Markdown(long.crossovers(results).markdown))

# %% [markdown]
# ## How do their Tables 1 to 3 look here?
#
# A product and its Montgomery reduction, without Karatsuba's method (Stand.) and with 1 to 4 levels
# of it (1Lr to 4Lr). A dash marks a size that has no room for so many levels: their smallest part
# has 16 bits, ours 32. Do the counts depend on the operands, as theirs do? Here all operands have
# the same counts, because no branch depends on a limb. Their program skips what is zero (Table 3).

# %%
parts = []
for program in long.PROGRAMS:
    same = {
        operands: long.products(results, program, operands)
        for operands in long.OPERANDS
    }
    equal = all(table == same[long.RANDOM] for table in same.values())
    word = "all four kinds of operands" if equal else "random operands; others differ"
    parts += [f"**{program} -O3**, instructions, {word}:", same[long.RANDOM].markdown]
for number, operands in enumerate(long.PATTERNS, 1):
    table = long.published_products(results, operands)
    parts += [f"**C54x, Table {number}**, cycles, a = b = {operands}:", table.markdown]
Markdown("\n\n".join(parts))

# %% [markdown]
# ## Which window needs the fewest instructions?
#
# A longer window saves products and costs a longer table. The dotted line is a model: counted
# products and squares times how often they are expected.

# %%
studies.windows(results)

# %% [markdown]
# ## What does the Chinese remainder theorem save?
#
# Their Table 4: the private operation with a key of 1024 bits. Our result by CRT is verified with
# the public exponent before it leaves, because a fault in one half would tell the factors of n.
#
# The last row is not theirs. A sliding window reads the one power that the next bits of the secret
# exponent ask for, and the place of its products depends on these bits. Somebody who can measure
# time, or watch the cache, learns them. Fixed windows have their products at fixed places, and
# read the whole table for each of them.
#
# The second table says which technique is worth what: the private operation without it over the
# same with it, and the verdict. Theirs are cycles, ours are instructions.

# %%
display(
    studies.remainder(results),
    Markdown(long.private(results).markdown),
    Markdown(long.savings(results).markdown),
)

# %% [markdown]
# ## How long would that take?
#
# Their Table 5 divides cycles by clocks. These milliseconds are a model, too: instructions + 2 x
# long multiplies + 5 x mispredictions are the cycles of an ARM1176 (docs/measuring.md, "Cycle
# models"). Nothing here was timed. The error is what the same model says of OpenSSL's code over
# what was measured on a Pi Zero W. The other cores have no such comparison, so no number is shown.

# %%
Markdown(long.milliseconds(results).markdown)
