"""What one sees while waiting: a bar on a terminal, one line a cell elsewhere."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm gets the lines
    tqdm = None


def follow(
    steps: Iterable[tuple[str, str]], waiting: Iterable[str], done: Callable[[str], str]
) -> None:
    """Drain `steps`, (cell, what was done) pairs as they end, while showing how far it is.

    `waiting` names the cell of every step to come, one entry a step; `done(cell)` is the line to
    show when the last step of a cell has ended.
    """
    left = Counter(waiting)
    bar = None
    if tqdm is not None and sys.stderr.isatty():
        bar = tqdm(
            total=sum(left.values()),
            unit="run",
            dynamic_ncols=True,
            leave=False,
            bar_format="{desc:<28} {bar} {n_fmt}/{total_fmt}  {remaining} left",
        )
    try:
        for cell, what in steps:
            left[cell] -= 1
            if bar is not None:
                bar.set_description_str(f"{cell} {what}", refresh=False)
                bar.update()
            elif not left[cell]:
                print(f"  COUNT   {done(cell)}", flush=True)
    finally:
        if bar is not None:
            bar.close()
