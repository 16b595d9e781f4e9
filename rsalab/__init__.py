"""The lab: seeded inputs, exact counts, results, charts and the report.

A notebook begins with `import rsalab` and `results = rsalab.load()`.
"""

from rsalab.notebook import check, choose, describe, load, measured

__all__ = ["check", "choose", "describe", "load", "measured"]
