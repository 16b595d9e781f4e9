"""What a test takes is what its processes take, and a slow one is named."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

from processor_time import ProcessorTime, Seconds, used

BUSY = "ulimit -t 1; while :; do :; done"  # for a second of processor time


def test_a_child_counts_while_it_runs_and_when_it_has_ended() -> None:
    began = used()
    with subprocess.Popen(["sh", "-c", BUSY]) as child:
        while child.poll() is None and used() < began + 0.5:
            pass
        assert child.poll() is None
    assert used() - began > 0.9


def test_what_takes_more_than_ten_seconds_is_named(tmp_path: Path) -> None:
    plugin = ProcessorTime()
    plugin.spent = Seconds({"slow": 11.2, "listed": 3.1, "quick": 1.0})
    lines: list[str] = []
    asked = SimpleNamespace(write_durations=tmp_path / "durations.csv")
    config = SimpleNamespace(option=asked)
    plugin.pytest_terminal_summary(SimpleNamespace(line=lines.append, config=config))
    assert lines == ["11 s of processor time: slow"]
    assert asked.write_durations.read_text() == "seconds,test\n11,slow\n3,listed\n"
