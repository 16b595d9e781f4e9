"""What every part shares: snapshots, results files, verdicts, faults.

Standard library only; imports neither harness nor rsalab.
"""
