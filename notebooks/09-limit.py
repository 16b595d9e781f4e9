# %% [markdown]
# # 9. How far is every program from the floor?
#
# The floor of x^e mod n is its 32-bit multiplications: no load, no carry. A program's x^e mod n is
# half a round trip: the mean of its two exponents, those of the key. `make compare CASE=mod_exp`
# has another number, because it counts 20 random exponents.
# [How](../studies/limit/README.md).

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/
from IPython.display import Markdown, display

from records.results import load, reference
from rsalab.pages.borrowed import mark_borrowed
from studies.limit import floor

results = load(reference(), reference=True)
mark_borrowed(results)
display(
    floor.chart(results), Markdown(floor.table(results) + "\n\n" + floor.cores(results))
)
