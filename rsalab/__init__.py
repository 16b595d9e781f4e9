"""The lab: seeded inputs, exact counts, results, charts and the report."""
