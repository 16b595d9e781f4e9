# %% [markdown]
# # 8. Does hardware pay, and does a step's gain survive in clock cycles?
#
# [The ladder on two simulated cores](../studies/hardware/cores/README.md),
# [units](../studies/hardware/README.md). Last come the circuits of Bishop and Austin (0 -> 31:31 is
# the bit that they drop) and of Lee.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/
from studies.hardware import charts, hardware

print(hardware.table(hardware.synthesis_rows()))
charts.show()
