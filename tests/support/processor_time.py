"""Processor seconds of each test, with those of the processes it starts.

The clock on the wall would say what else the machine had to do.
`durations.csv` has the tests that take more than KEPT_SECONDS: modules that
have many of them begin.  Who changes the tests writes it anew:
`make test TESTS=--write-durations=tests/durations.csv`.
"""

import collections
import contextlib
import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DURATIONS = Path(__file__).parent.parent / "durations.csv"
KEPT_SECONDS = 2.0
NAMED_SECONDS = 10.0
# Modules that stand on one worker: a part of their names.
TOGETHER = ("test_explorer", "tests/labs/", "tests/live/")
TICKS = os.sysconf("SC_CLK_TCK")

Seconds = collections.Counter[str]


def have_children() -> bool:
    """Are there processes that this one has started and not yet waited for?"""
    looked = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        os.waitid(os.P_ALL, 0, looked)
    except ChildProcessError:
        return False
    return True


def processes() -> Iterator[tuple[str, str, float]]:
    """Number, parent and seconds of every process, with those of the children
    for which it has waited.  Nothing where there is no /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            ticks = sum(map(int, fields[11:15]))
            yield folder.name, fields[1], ticks / TICKS


def of_descendants() -> float:
    """Seconds of what still runs below this process."""
    seconds = {}
    children = collections.defaultdict(list)
    for number, parent, spent in processes():
        seconds[number] = spent
        children[parent].append(number)
    found = list(children[str(os.getpid())])
    for number in found:
        found += children[number]
    return sum(seconds[number] for number in found)


def used() -> float:
    """Seconds of this process and of all that it has started."""
    own = sum(os.times()[:4])
    return own + of_descendants() if have_children() else own


def group_of(test: str) -> str:
    """The module of a test; of those with a dear fixture in common, its name."""
    module = test.partition("::")[0]
    return next((name for name in TOGETHER if name in module), module)


def seconds_by_group() -> Seconds:
    """What the recorded tests of a group take."""
    seconds = Seconds()
    with DURATIONS.open() as lines:
        for row in csv.DictReader(lines):
            seconds[group_of(row["test"])] += float(row["seconds"])
    return seconds


class ProcessorTime:
    """The plugin: a worker measures, the process that has the terminal adds
    up and says which tests are slow."""

    def __init__(self) -> None:
        self.began = used()
        self.spent = Seconds()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        """A test has been set up, called or torn down."""
        ended = used()
        outcome = yield
        report = outcome.get_result()
        report.processor_seconds = max(0.0, ended - self.began)
        self.began = ended

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What fixtures take stands with the first test that needs them."""
        self.spent[report.nodeid] += getattr(report, "processor_seconds", 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if hasattr(terminalreporter.config, "workerinput"):
            return
        slowest = sorted(self.spent.items(), key=lambda entry: -entry[1])
        for test, seconds in slowest:
            if seconds > NAMED_SECONDS:
                terminalreporter.line(f"{seconds:.0f} s of processor time: {test}")
        if path := terminalreporter.config.option.write_durations:
            with open(path, "w", newline="") as file:
                rows = csv.writer(file, lineterminator="\n")
                rows.writerow(["seconds", "test"])
                for test, seconds in slowest:
                    if seconds > KEPT_SECONDS:
                        rows.writerow([f"{seconds:.0f}", test])
