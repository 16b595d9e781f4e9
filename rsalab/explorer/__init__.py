"""The diff explorer: two snapshots side by side, C or assembly, with exact counts, on one page."""
