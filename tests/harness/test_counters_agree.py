"""Every cell of ladder and studies: the plugin's and Unicorn's counts are the same bytes."""

from dataclasses import replace
from pathlib import Path

import pytest
from clone import Clone

from harness import operands
from harness.count import counters, qemu
from harness.count.unicorn import engine
from records import ladder, workload

if why := engine.why_unsupported() or qemu.why_unsupported():
    pytest.skip(why, allow_module_level=True)

QUICK = {("width-64", "v2", "O1"), ("width-96", "v2neon", "O3"), ("alone", "words-64", "O3")}
CELLS = [
    pytest.param(s, level, id=f"{study}-{s.name}-{level}", marks=() if quick else pytest.mark.long)
    for study in (ladder.LADDER, *ladder.studies())
    for s in ladder.snapshots(study)
    for level in ladder.LEVELS
    for quick in [(study, s.name, level) in QUICK]
]


@pytest.mark.parametrize(("snapshot", "level"), CELLS)
def test_counters_agree(
    clone: Clone,
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: ladder.Snapshot,
    level: str,
) -> None:
    """In the whole small workload: executions, branches, accesses of every instruction, which the
    plugin counts inline as it does by call-backs."""
    monkeypatch.chdir(clone.path)
    program = Path("build", snapshot.path.relative_to(ladder.ROOT), level, "rsa")
    made = clone.make(str(program))
    assert made.returncode == 0, made.stderr[-2000:]
    files = tmp_path / "plugin", tmp_path / "unicorn"
    for task in workload.tasks(Path(f"data/inputs/width-{snapshot.width}"), "small"):
        out = {"plugin": built / "count.so", "out": files[0]}
        calls = operands.command(task.arguments, snapshot.width)
        inline = qemu.count(program, calls, **out)
        slowly = qemu.count(program, calls, **out, predict=True)
        assert inline == [replace(row, mispredicted=0) for row in slowly], task.case
        words = program.absolute(), calls, snapshot.width, files[1], None
        counters.count_with_unicorn(*words, hooks=built / "unicorn.so")
        assert files[0].read_bytes() == files[1].read_bytes(), task.case
