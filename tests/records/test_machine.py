"""Facts of a machine: none of them may stop the record, and what is written
is read back by the same rules."""

import platform
from pathlib import Path

import pytest

from records import machine

FLAGS = "gcc (Débian <12>) 12.2.0\n-O2\n"


@pytest.mark.parametrize(
    "name", ["Système `d'exploitation` <b>", "Linux\\n\x9b", "日本", "a\tb"]
)
def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch, name: str) -> None:
    """A second run finds its own results, and sets nothing aside."""
    monkeypatch.setattr(
        platform, "freedesktop_os_release", lambda: {"PRETTY_NAME": name}
    )
    monkeypatch.setattr(machine, "cpu", lambda: name)
    monkeypatch.setattr(platform, "release", lambda: name)
    facts = machine.machine_facts("qemu-gcc12", (), FLAGS, {})
    machine.write_machine(tmp_path, {**facts, "timing": {"tainted": {name: 1}}})
    again = machine.read_machine(tmp_path)
    assert {key: again[key] for key in facts} == facts
    assert facts["compiler"] == "gcc (Debian ?12?) 12.2.0" and facts["os"].isprintable()


def test_a_system_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No os-release file, and one without a name in it."""

    def absent() -> dict[str, str]:
        raise OSError("no os-release")

    for said in (absent, dict):
        monkeypatch.setattr(platform, "freedesktop_os_release", said)
        facts = machine.machine_facts("qemu-gcc12", (), FLAGS, {})
        assert facts["os"] == platform.system()
