"""When a test gives up: after an hour of real time, which nothing takes that goes on, on a machine
with thirty times as much to do as it can."""

import time
from collections.abc import Callable

HANGS = 3600  # seconds


def wait_until(is_so: Callable[[], object], what: str, pause: float = 0.01) -> None:
    """Wait until something is so, and look again after a pause of so many seconds."""
    end = time.monotonic() + HANGS
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(pause)
