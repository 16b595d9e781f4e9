"""The charts, one function each."""
