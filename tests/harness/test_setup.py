"""harness/setup/setup.sh on machines made of fake commands, and packages.txt."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from machine import APT_GET, PACKAGES, ROOT, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_root_the_command_is_printed(machine: Machine) -> None:
    machine.apt(uid=1000)
    machine.command("sudo", "exit 1")
    result = machine.run("setup.sh", "build", YES="1")
    install = "apt-get install -y --no-install-recommends --no-remove new-pkg tool-pkg"
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1] == f"    sudo apt-get update && sudo {install}"
    assert machine.log() == ""
    (machine.bin / "sudo").unlink()
    result = machine.run("setup.sh", "build")
    assert result.stderr.splitlines()[-1] == f"    su -c 'apt-get update && {install}'"


@pytest.mark.parametrize("extra", [{"YES": "1"}, {}])
def test_root_installs_what_is_missing(machine: Machine, extra: dict[str, str]) -> None:
    machine.apt()
    result = machine.run("setup.sh", "build", **extra)
    assert result.returncode == 0, result.stderr
    update, install, optional = machine.log().splitlines()
    assert update.startswith("apt-get update ")
    assert " new-pkg tool-pkg " in install
    assert "--no-install-recommends --no-remove" in install
    assert " extra-pkg " in optional
    assert machine.run("setup.sh", "build").stderr == ""
    assert len(machine.log().splitlines()) == 3


def test_sudo_without_a_password_installs(machine: Machine) -> None:
    machine.apt(uid=1000)
    machine.command("sudo", '[ "$2" = true ] || { shift 3; exec "$@"; }')
    assert machine.run("setup.sh", "build").returncode == 0
    assert "new-pkg tool-pkg" in machine.log()


def test_nothing_missing_does_nothing(machine: Machine) -> None:
    machine.apt()
    for name in ("tool", "newer"):
        machine.command(name, "")
    result = machine.run("setup.sh", "build")
    assert result.returncode == 0
    assert machine.log() == ""
    assert result.stderr.split()[-1] == "extra-pkg"
    assert machine.run("setup.sh", "build").stderr == ""


def test_probes_run_again_when_the_machine_changes(machine: Machine) -> None:
    """build/setup.SECTION keeps the state that they passed in: list, machine and commands."""
    machine.apt(uid=1000)
    for name in ("tool", "newer", "extra"):
        machine.command(name, "")
    stamp = machine.checkout / "build/setup.build"
    assert machine.run("setup.sh", "build").returncode == 0
    state = stamp.read_text()
    assert machine.run("setup.sh", "build").returncode == 0 and stamp.read_text() == state
    (machine.bin / "tool").unlink()
    result = machine.run("setup.sh", "build")
    assert result.returncode == 2 and result.stderr.splitlines()[-1].endswith(" tool-pkg'")
    machine.command("tool", "")
    (machine.checkout / "packages.txt").write_text(PACKAGES + "late-pkg ; command late ; more\n")
    assert machine.run("setup.sh", "build").returncode == 0 and stamp.read_text() != state


def test_a_package_that_does_not_help(machine: Machine) -> None:
    machine.apt()
    result = machine.run("setup.sh", "build", "python")
    assert result.returncode == 2
    assert "still not found" in result.stderr
    assert "module-pkg" in result.stderr.splitlines()[-1]


def test_an_optional_package_that_apt_does_not_have(machine: Machine) -> None:
    machine.apt()
    refusal = "case $* in *extra*) exit 100 ;; esac"
    machine.command("apt-get", APT_GET.replace("for word", f"{refusal}\nfor word"))
    result = machine.run("setup.sh", "build")
    assert result.returncode == 0
    assert result.stderr.splitlines()[-2].split()[-1] == "extra-pkg"


def test_architectures(machine: Machine) -> None:
    machine.apt()
    machine.command("dpkg", "echo armhf")
    machine.run("setup.sh", "build")
    assert "arm-pkg new-pkg tool-pkg" in machine.log()


def test_apt_fails(machine: Machine) -> None:
    machine.apt()
    (machine.folder / "offline").touch()
    result = machine.run("setup.sh", "build")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].endswith("E: Unable to locate package")


def test_no_apt(machine: Machine) -> None:
    result = machine.run("setup.sh", "build", "python")
    assert result.returncode == 2
    assert "old-name | new-pkg" in result.stderr
    assert "make container" in result.stderr.splitlines()[-1]


def test_unknown_section(machine: Machine) -> None:
    result = machine.run("setup.sh", "bild")
    assert result.returncode == 2 and "[bild]" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(("answer", "status"), [("n\n", 2), ("\n", 2), ("y\n", 0)])
def test_the_question(machine: Machine, answer: str, status: int) -> None:
    machine.apt()
    result, shown = machine.answer(answer)
    assert result == status
    assert "[y/N]" in shown
    assert ("apt-get update && apt-get install" in shown) == (status == 2)
    assert (machine.log() == "") == (status == 2)


def test_the_real_list_is_met_here() -> None:
    script = [ROOT / "harness/setup/setup.sh", "build", "python"]
    result = subprocess.run(script, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_the_real_list_is_well_formed() -> None:
    for line in (ROOT / "packages.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = r"\[[a-z]+\] +# \S"
            assert re.match(section, line), line
            continue
        packages, probe, purpose = line.split(";")
        limit = r"( \[!?[a-z0-9]+( [a-z0-9]+)*\])?"
        name = rf"[a-z0-9.+-]+{limit}"
        assert re.fullmatch(rf"{name}( \| {name})*", packages.strip()), line
        kinds = "command|python|module|header|armlib|clangrt"
        assert re.fullmatch(rf"({kinds}) \S+", probe.strip()), line
        assert purpose.strip(), line


def test_what_a_fast_clock_has_made_gets_a_date_of_now_in_its_order(tmp_path: Path) -> None:
    build, now = tmp_path / "build", time.time()
    build.mkdir()
    dates = {"kept": now - 9, "object": now + 9000, "a stamp": now + 9001}
    for name, date in dates.items():
        build.joinpath(name).touch()
        os.utime(build / name, (date, date))
    words = [ROOT / "harness/setup/writable.sh"]
    assert [subprocess.run(words, cwd=tmp_path).returncode for _ in range(2)] == [2, 0]
    kept, object_, stamp = (build.joinpath(name).stat().st_mtime for name in dates)
    assert abs(kept - dates["kept"]) < 1e-3  # as it was
    assert kept < object_ < stamp <= time.time()
