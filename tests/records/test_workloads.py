"""What is measured by default, at every width that has inputs, and who has
which width."""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness import clock
from records import ladder, workloads
from records.faults import Failure

INPUTS = sorted((ladder.ROOT / "data" / "inputs").glob("width-*"))
every_width = pytest.mark.parametrize("inputs", INPUTS, ids=lambda path: path.name)


def parts(arguments: Iterable[str]) -> list[tuple[int, int, str]]:
    """(first, messages, name of the file) for each message file on the
    driver's command line."""
    words = re.findall(
        r"(?:-s (\d+) )?-n (\d+) [^\n]*?/(\w+\.txt)", " ".join(arguments)
    )
    return [(int(first or 0), int(n), name) for first, n, name in words]


def trips(inputs: Path, messages: str) -> dict[str, list[tuple[int, int, str]]]:
    """Case -> its parts, for round trips alone."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    for run in workloads.runs(inputs, messages):
        if run.workload.startswith("roundtrip"):
            found.setdefault(run.workload, []).extend(parts(run.arguments))
            assert sum(n for _, n, _ in parts(run.arguments)) == run.n
    return found


def each(found: list[tuple[int, int, str]]) -> list[tuple[str, int]]:
    """Every message of parts: its file and its number there."""
    return [(name, first + i) for first, n, name in found for i in range(n)]


@every_width
def test_the_default_and_the_small_workload(inputs: Path) -> None:
    """The small one's ten messages are the first of the default one's,
    with the full key."""
    dirk = inputs.name == "width-64"
    mixed = [(0, 80, "strings.txt"), (0, 20, "integers.txt")]
    few = [(0, 8, "strings.txt"), (0, 2, "integers.txt")]
    small = [(0, 10, "integers.txt")] if dirk else few
    full = [(0, 1000, "integers.txt")] if dirk else mixed
    assert trips(inputs, "small") == {"roundtrip-small": small}
    assert trips(inputs, "default") == {
        "roundtrip-small": small,
        "roundtrip-full": full,
        "roundtrip-65537": small,
    }
    assert {run.workload for run in workloads.runs(inputs, "default")} == set(
        workloads.WORKLOADS
    )


def test_another_word_is_refused() -> None:
    with pytest.raises(Failure, match="small, default or all"):
        workloads.runs(INPUTS[0], "some")


@every_width
def test_all_is_every_message_once(inputs: Path) -> None:
    every = trips(inputs, "all")
    del every["roundtrip-small"]
    for found in every.values():
        assert len(each(found)) == len(set(each(found))) == 5000


@every_width
def test_the_timed_parts_make_up_the_default_workload(inputs: Path) -> None:
    timed = []
    for part in range(clock.PARTS):
        (_, one, _), *found = parts(clock.arguments(inputs, part))
        assert one == 1  # the message that warms up
        timed += each(found)
    assert sorted(timed) == sorted(each(trips(inputs, "default")["roundtrip-full"]))


def test_make_and_python_read_the_same_widths() -> None:
    """A width of the study's README holds for each of its snapshots
    without a width of its own."""
    rule = "widths:;@$(foreach s,$(SNAPSHOTS),echo $(s) $(call width_of,$(s));)"
    command = ["make", "-s", f"--eval={rule}", "widths"]
    said = subprocess.run(
        command, cwd=ladder.ROOT, capture_output=True, text=True, check=True
    )
    known = {
        snapshot.path.relative_to(ladder.ROOT).as_posix(): str(snapshot.width)
        for study in (ladder.LADDER, *ladder.studies())
        for snapshot in ladder.snapshots(study)
    }
    assert dict(line.split() for line in said.stdout.splitlines()) == known
    assert set(known.values()) <= {path.name.removeprefix("width-") for path in INPUTS}
