"""machine.json is read by one function, which names what is wrong with it."""

import json
from pathlib import Path

import pytest

from records.faults import Failure
from records.machine import NEEDED, read_machine

WHOLE = dict.fromkeys(NEEDED, "said")


def test_what_is_whole_is_read(tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text(json.dumps({**WHOLE, "cpu": "A7"}))
    assert read_machine(tmp_path) == {**WHOLE, "cpu": "A7", "programs": {}}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{\n"platform": ', ":2: not whole"),
        ("[]", ": "),
        ("\udcff", ": cannot be read"),
        (json.dumps({**WHOLE, "compiler": None}), ": no 'compiler'"),
        (json.dumps({**WHOLE, "programs": []}), ": "),
        (json.dumps({**WHOLE, "cpu": "A" * 1001}), ": "),
        (json.dumps({**WHOLE, "rounds": 7}).replace("7", "1e999"), ": cannot be read"),
    ],
)
def test_a_fault_is_one_line_that_names_the_file(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "machine.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Failure) as refused:
        read_machine(tmp_path, "given")
    assert str(refused.value).startswith(f"given/machine.json{fault}")
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="nowhere/machine.json: missing"):
        read_machine(tmp_path / "nowhere")
