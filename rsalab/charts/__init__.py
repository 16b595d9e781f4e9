"""The charts: the ladder, the inside of a rung, and two studies that are no ladders."""
