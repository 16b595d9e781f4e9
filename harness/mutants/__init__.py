"""Mutants: programs with one small bug, which the check vectors have to find (docs/trust.md)."""
