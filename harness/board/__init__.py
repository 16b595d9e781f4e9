"""The emulated board: its image, its start, its runs."""
