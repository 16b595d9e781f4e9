"""`python3 -m harness.prove`: every proof, one line each; `make prove`."""

from __future__ import annotations

import sys
import time

from harness.prove.decode import Beyond, Unproved
from harness.prove.proofs import every_snapshot, of_assembly, of_numbers, why_not
from records.faults import Failure, command_line
from records.ladder import LEVELS


def main() -> int:
    """Status 1 when a proof fails.  Raises Failure where none can be tried."""
    if why_not():
        raise Failure(why_not())
    failed = beyond = count = 0
    start = time.monotonic()
    for snapshot in every_snapshot():
        assembly = of_assembly(snapshot) if snapshot.has_assembly else None
        in_c = (proof for level in LEVELS for proof in of_numbers(snapshot, level=level))
        for proof in [*([assembly] if assembly else []), *in_c]:
            count += 1
            try:
                proof.check(proof.code)
                said = "proved"
            except Beyond as fault:
                beyond += 1
                said = f"beyond these proofs: {fault}"
            except Unproved as fault:
                failed += 1
                said = f"NOT PROVED: {fault}"
            print(f"{proof.name:<52}{said}", flush=True)
    seconds = time.monotonic() - start
    print(f"{count - failed - beyond} proofs, {failed} failed, {beyond} not tried; {seconds:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(command_line("prove", main))
