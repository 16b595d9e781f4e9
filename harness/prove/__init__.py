"""Proofs about the machine code of the snapshots (docs/trust.md)."""
