"""Prints as JSON what `make lab` says of every folder NAME/NN-name of a class, as far as it is a
verdict."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from labs.lab import find, measured
from records.faults import Failure


def printed(folder: Path) -> Iterator[str]:
    """What `make lab` prints of a folder, as far as it is a verdict."""
    try:
        for line in measured(find(folder.name), folder):
            if line.startswith("\n"):
                return
            yield line
    except SystemExit:
        return
    except Failure as fault:
        yield str(fault)


if __name__ == "__main__":
    said = {}
    for folder in sorted(Path(sys.argv[1]).glob("*/[0-9]*/")):
        if folder.is_dir():
            said[folder.parent.name] = [*printed(folder)]
    print(json.dumps(said))
