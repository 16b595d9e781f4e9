"""Writes the diff explorer: `python -m rsalab.explorer RESULTS OUT`, what `make explore` calls.

RESULTS is a folder with machine.json, counts.csv and lines.csv; the programs it tells of stand in
build/.  OUT is one HTML file that needs nothing else.  Status 2 with one line when nothing can be
shown; what is left out is named in a line each, here and on the page.
"""

import argparse
import sys
import threading
from pathlib import Path

from records import faults
from records.files import replace
from rsalab.explorer import data, page

PATIENCE = 2.0  # seconds before a word is said


def main() -> int:
    """Status 2 with one line on stderr when the results or the build tree are wrong."""
    parser = argparse.ArgumentParser(prog="explorer", description="Writes the diff explorer.")
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    note = threading.Timer(PATIENCE, print, ["explorer: reading the programs ..."])
    note.daemon = True
    note.start()
    try:
        value = data.gather(args.results)
        replace(args.out, page.build(value))
    except faults.EXPECTED as fault:
        print(f"explorer: {faults.line(fault)}", file=sys.stderr)
        return 2
    finally:
        note.cancel()
    for line in value["missing"]:
        print(f"explorer: {line}", file=sys.stderr)
    size = args.out.stat().st_size / 1e6
    print(f"{args.out}: {len(value['snapshots'])} snapshots, {size:.1f} MB; open it in a browser")
    return 0


if __name__ == "__main__":
    sys.exit(main())
