"""A step and the ladder on a terminal: table, sizes, diff, comparison."""
