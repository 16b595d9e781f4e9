"""The driver's command lines as calls: the workload, part by part, with the right answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.count.unicorn.calls import calls
from records import workload

INPUTS = Path(__file__).resolve().parents[2] / "data" / "inputs" / "width-128"


def test_calls_are_the_workload() -> None:
    for task in workload.tasks(INPUTS, "default"):
        made = calls(task.arguments)
        assert len(made) == task.n * (2 if task.case.startswith("roundtrip") else 1)
        for call in made[:10]:
            if call.function == "mod_exp":
                assert pow(call.x, call.y, call.n) == call.z
            else:
                assert call.x * call.y * pow(2, -128, call.n) % call.n == call.z


def test_parts_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("# key\nn f\ne 3\nd 3\n")
    (tmp_path / "messages").write_text('"\x05" 5\n2 8\n\n4 4\n' + '"A B" 1\n')
    key, messages = str(tmp_path / "key"), str(tmp_path / "messages")
    made = calls(["roundtrip", key, "-s", "1", "-n", "2", messages, "-s", "3", messages])
    assert [call.x for call in made] == [2, 8, 4, 4, 0x412042, 1]
    with pytest.raises(ValueError, match="messages.* 3 "):
        calls(["roundtrip", key, "-s", "2", "-n", "3", messages])
    with pytest.raises(ValueError, match="'time'"):
        calls(["time", key, messages])
