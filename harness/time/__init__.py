"""Noisy numbers: times, and the hardware's own counters."""
