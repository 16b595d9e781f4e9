"""machine.json is read by one function, which names what is wrong with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from records.faults import Failure
from records.machine import NEEDED, read_machine, write_machine

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


@pytest.mark.parametrize("plant", [Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_is_no_file_is_named_and_healed(tmp_path: Path, plant: Callable[[Path], None]) -> None:
    """Twice; a folder is kept, with what is in it."""
    path = tmp_path / "machine.json"
    for i in (1, 2):
        path.unlink(missing_ok=True)
        plant(path)
        with pytest.raises(Failure, match="measure again"):
            read_machine(tmp_path)
        folder = path.is_dir()
        if folder:
            (path / "notes").write_text(str(i))
        write_machine(tmp_path, WHOLE)
        assert read_machine(tmp_path)["platform"] == "said"
        assert not folder or (tmp_path / f"machine.json.{i}" / "notes").read_text() == str(i)
