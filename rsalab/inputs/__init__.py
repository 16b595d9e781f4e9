"""Keys, messages and vectors: data/inputs/."""
