"""REPORT.md and what is generated into README files."""
