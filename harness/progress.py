"""What a user sees during a long run: how long it takes, a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait

try:
    from tqdm import tqdm
except ImportError:  # a machine without Debian's python3-tqdm gets the lines
    tqdm = None

Run = tuple[str, str, str]  # cell, case, part of the case
TICK = 1.0  # seconds between two looks
SILENCE = 10.0  # seconds after which a line says how far it is
BAR = "{desc:<28} {bar} {percentage:3.0f} %  {elapsed} so far"


def duration(seconds: float) -> str:
    """`40 s` or `5 min`, no better than an estimate is."""
    return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Progress:
    """Follows runs, of which each belongs to a cell and has a weight: the processor time in seconds
    that it is expected to take."""

    def __init__(self, expected: Mapping[Run, float], workers: int) -> None:
        """`expected` has the weight of every run."""
        self.expected, self.total = expected, sum(expected.values())
        self.estimate = self.total / workers
        self.left = Counter(cell for cell, _, _ in expected)
        self.done, self.started = 0.0, time.monotonic()
        self.last_line = self.started

    def announce(self) -> None:
        """Says beforehand how much there is to do."""
        runs, programs = len(self.expected), len(self.left)
        some = f"{runs} runs of {programs} program{'s' * (programs > 1)}"
        self.line(f"{some}: about {duration(self.estimate)}")

    def line(self, text: str) -> None:
        """A line of progress."""
        print(f"  COUNT   {text}", flush=True)
        self.last_line = time.monotonic()

    def remaining(self) -> float:
        """Seconds that are left: by the estimate at first, then by the pace up to now."""
        elapsed = time.monotonic() - self.started
        if self.done < self.total / 20:
            return max(0.0, self.estimate - elapsed)
        return elapsed * (self.total - self.done) / self.done

    def follow(self, runs: Iterable[Future[Run]], summary: Callable[[str], str]) -> None:
        """Waits for the runs, each of which returns its name; `summary(cell)` is the line to show
        when the last run of a cell has ended.  Raises what a run raised."""
        pending, bar = set(runs), None
        if tqdm is not None and sys.stderr.isatty():
            bar = tqdm(
                total=self.total, dynamic_ncols=True, leave=False, bar_format=f"{BAR}{{postfix}}"
            )
        try:
            while pending:
                ended, pending = wait(pending, TICK, FIRST_COMPLETED)
                for run in ended:
                    cell, case, part = run.result()
                    weight = self.expected[cell, case, part]
                    self.done += weight
                    self.left[cell] -= 1
                    if bar is not None:
                        bar.set_description_str(f"{cell} {case}", refresh=False)
                        bar.update(weight)
                    elif not self.left[cell]:
                        self.line(summary(cell))
                if bar is not None:
                    bar.set_postfix_str(f"about {duration(self.remaining())} left")
                elif pending and time.monotonic() - self.last_line > SILENCE:
                    share = 100 * self.done / self.total
                    self.line(f"{share:.0f} % done, about {duration(self.remaining())} left")
        finally:
            if bar is not None:
                bar.close()
