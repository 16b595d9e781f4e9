"""Results folders of other machines: checked, taken over, traced to their programs."""
