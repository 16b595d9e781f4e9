# %% [markdown]
# # 8. Does hardware pay, and does a step's gain survive in clock cycles?
#
# [The ladder on two simulated cores](../studies/hardware/cores), [units](../studies/hardware).

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/
from IPython.display import Markdown

from studies.hardware import hardware

print(hardware.table(hardware.known()))
Markdown(hardware.verdicts())
