"""Cycles by model, and the model's error."""
