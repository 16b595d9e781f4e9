"""REPORT.md, from results."""
