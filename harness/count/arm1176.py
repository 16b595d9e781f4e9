"""The cycle model of an ARM1176, a core that issues one instruction at a time.

A long multiply (umull, umlal, smull, smlal, umaal) occupies it for three cycles, any other
instruction for one.  It knows no cache and no wait for a result.
"""

from __future__ import annotations

# Cycles that a misprediction adds.  ARM DDI 0301H, table 16-11: such a branch takes 5 to 7 cycles,
# by its distance from what set the flags; 6 is the middle, and the instruction itself counts 1.
PENALTY = 5
PENALTIES = (4, 6)  # the ends of that range


def arm1176(
    instructions: float, long_multiplies: float, mispredictions: float = 0, penalty: int = PENALTY
) -> float:
    """Cycles: `model`.  Without mispredictions where they were not simulated."""
    return instructions + 2 * long_multiplies + penalty * mispredictions
