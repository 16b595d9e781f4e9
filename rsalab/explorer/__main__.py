"""Writes the diff explorer: `python -m rsalab.explorer RESULTS OUT`, what `make explore` calls.

RESULTS is a folder with machine.json, counts.csv and lines.csv; the programs it tells of stand in
build/.  OUT is one HTML file that needs nothing else.  Status 2 with one line when nothing can be
shown; what is left out is named in a line each, here and on the page.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from records.faults import command_line
from records.files import replace
from rsalab.explorer import data, page


def write(results: Path, out: Path) -> dict[str, Any]:
    """Writes the page of a results folder; returns its data.  Raises Failure when nothing can be
    shown, OSError."""
    value = data.gather(results)
    replace(out, page.build(value))
    return value


def main() -> int:
    """Status 2 with one line on stderr when the results or the build tree are wrong."""
    parser = argparse.ArgumentParser(prog="explorer", description="Writes the diff explorer.")
    parser.add_argument("results", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()

    def body() -> None:
        value = write(args.results, args.out)
        for line in value["missing"]:
            print(f"explorer: {line}", file=sys.stderr)
        size = args.out.stat().st_size / 1e6
        number = len(value["snapshots"])
        print(f"{args.out}: {number} snapshots, {size:.1f} MB; open it in a browser")

    return command_line("explorer", body)


if __name__ == "__main__":
    sys.exit(main())
