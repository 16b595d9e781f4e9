"""The scripts of harness/setup/ on machines made of fake commands,
packages.txt, the lock file."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machine import ROOT, Machine

# A Python whose venv is a folder with a link to itself and whose pip can be offline.
PYTHON = """
case "$*" in
*maxsize*) cat "$STATE/version" ;;
"-m venv "*) echo "$*" >>"$STATE/log"
    for folder; do :; done; mkdir -p "$folder/bin"; ln -s "$0" "$folder/bin/python" ;;
"-m pip "*) echo "$*" >>"$STATE/log"
    [ ! -e "$STATE/offline" ] || { echo "ERROR: No matching distribution"; exit 1; } ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_without_root_the_command_is_printed(machine: Machine) -> None:
    machine.apt(uid=1000)
    sudo = machine.command("sudo", "exit 1")
    result = machine.run("setup.sh", "build", YES="1")
    install = "apt-get install -y --no-install-recommends --no-remove gcc-pkg new-pkg tool-pkg"
    assert result.returncode == 2 and machine.log() == ""
    assert (
        result.stderr.splitlines()[-1] == f"    sudo apt-get update && sudo {install}"
    )
    sudo.unlink()
    result = machine.run("setup.sh", "build")
    assert result.stderr.splitlines()[-1] == f"    su -c 'apt-get update && {install}'"


@pytest.mark.parametrize("uid", [0, 1000])
def test_what_is_missing_is_installed(machine: Machine, uid: int) -> None:
    machine.apt(uid)
    machine.command("sudo", '[ "$2" = true ] || { shift 3; exec "$@"; }')
    machine.command("dpkg", "echo armhf")
    if uid:  # a machine of one's own is not changed unasked, as by ssh pi make
        result = machine.run("setup.sh", "build", CI="")
        assert result.returncode == 2 and "YES=1" in result.stderr and not machine.log()
    result = machine.run("setup.sh", "build", YES="1" if uid else "")
    assert result.returncode == 0, result.stderr
    update, install, optional = machine.log().splitlines()
    assert update.startswith("apt-get update ") and " extra-pkg " in optional
    assert (
        "--no-install-recommends --no-remove arm-pkg gcc-pkg new-pkg tool-pkg "
        in install
    )
    assert machine.run("setup.sh", "build").stderr == ""
    assert len(machine.log().splitlines()) == 3


def test_what_cannot_be_installed_is_one_line(machine: Machine) -> None:
    result = machine.run("setup.sh", "build", "python")
    assert result.returncode == 2 and "old-name | new-pkg" in result.stderr
    assert "make container" in result.stderr.splitlines()[-1]
    machine.apt()
    (machine.folder / "offline").touch()
    result = machine.run("setup.sh", "build")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].endswith("E: Unable to locate package")
    result = machine.run("setup.sh", "bild")
    assert (
        result.returncode == 2
        and "[bild]" in result.stderr
        and result.stderr.count("\n") == 1
    )


GONE = "\n[gone]\ngone-pkg | lost-pkg ; command gone ; is not in the lists\n"
ABSENT = "gone-pkg (none)\nlost-pkg (none)"


@pytest.mark.parametrize("uid", [0, 1000])
def test_a_command_goes_on_without_what_apt_has_not(machine: Machine, uid: int) -> None:
    """It is named once; all else is installed."""
    machine.apt(uid, ABSENT)
    sudo = machine.command("sudo", "exit 1")
    with (machine.checkout / "harness/setup/packages.txt").open("a") as packages:
        packages.write(GONE)
    result = machine.run("setup.sh", "--some", "gone", "build")
    told = [line for line in result.stderr.splitlines() if "gone-pkg" in line]
    left_out = (
        "setup: left out, not in this system's package lists: gone-pkg | lost-pkg"
    )
    assert told == [left_out]
    if uid:
        assert result.returncode == 2 and "sudo apt-get install" in result.stderr
        sudo.write_text('#!/bin/sh\n[ "$2" = true ] || { shift 3; exec "$@"; }\n')
        result = machine.run("setup.sh", "--some", "gone", "build", YES="1")
    assert result.returncode == 0, result.stderr
    assert " gcc-pkg new-pkg tool-pkg " in machine.log().splitlines()[1]
    again = machine.run("setup.sh", "--some", "gone", "build")
    assert (again.returncode, again.stderr) == (0, "")
    needed = machine.run("setup.sh", "gone")
    assert needed.returncode == 2 and "needed, and not in" in needed.stderr


@pytest.mark.parametrize(
    ("version", "chosen"),
    [
        ("3.10.6-1~22.04.1", "python3.11"),
        ("3.11.2-1+b1", "python3"),
        ("3.12.3-0ubuntu2", "python3"),
    ],
)
def test_a_newer_python_is_installed_beside_an_old_one(
    machine: Machine, version: str, chosen: str
) -> None:
    """Ubuntu 22.04's python3 is 3.10; its python3.11 is found from then on."""
    machine.apt(candidates=f"python3 {version}\npython3-venv {version}")
    machine.command("python3", 'case "$*" in *version_info*) exit 1 ;; esac')
    for name in ("python3", "python3.11"):
        machine.brings(name, name, f'exec "{sys.executable}" "$@"')
        machine.brings(f"{name}-venv", "venv", "")
    (machine.checkout / "harness/setup/packages.txt").write_text(
        "[python]\n"
        "python3 | python3.11 ; python 3.11 ; runs it\n"
        "python3-venv | python3.11-venv ; command venv ; builds .venv\n"
    )
    result = machine.run("setup.sh", "python", PYTHON="")
    assert result.returncode == 0, result.stderr
    _, install = machine.log().splitlines()
    assert f" --no-remove {chosen} {chosen}-venv -y " in install
    assert machine.run("setup.sh", "python", PYTHON="").stderr == ""


@pytest.mark.parametrize("after", ["", ">log 2>&1; status=$?; cat log; exit $status"])
@pytest.mark.parametrize(("answer", "status"), [("\n", 2), ("y\n", 0)])
def test_the_question(machine: Machine, answer: str, status: int, after: str) -> None:
    """On the terminal, wherever the output goes (make 2>&1 | tee log)."""
    machine.apt()
    result, shown = machine.answer(answer, after)
    assert result == status and "[y/N]" in shown
    assert ("apt-get update && apt-get install" in shown) == (status == 2)
    assert (machine.log() == "") == (status == 2)


def test_the_real_list_is_well_formed_and_met_here() -> None:
    script = ["sh", ROOT / "harness/setup/setup.sh", "build", "python"]
    ran = subprocess.run(
        script, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    name = r"[a-z0-9.+-]+( \[!?[a-z0-9]+( [a-z0-9]+)*\])?"
    kinds = "command|python|sqlite|module|header|armlib|clangrt"
    for line in (ROOT / "harness/setup/packages.txt").read_text().splitlines():
        if line.startswith("["):
            assert re.match(r"\[[a-z0-9]+\] +# \S", line), line
        elif line and not line.startswith("#"):
            need = rf"{name}( \| {name})* *; ({kinds}) \S+ *; \S.*"
            assert re.fullmatch(need, line), line


# --- .venv --------------------------------------------------------------------------------------


@pytest.fixture
def fake_python(machine: Machine) -> str:
    (machine.folder / "version").write_text("(3, 11) True\n")
    return str(machine.command("a-python", PYTHON))


def test_venv_is_made_once_and_again_when_it_changes(
    machine: Machine, fake_python: str
) -> None:
    (machine.folder / "offline").touch()
    result = machine.run("venv.sh", PYTHON=fake_python)
    assert result.returncode == 2
    assert "ERROR: No matching distribution" in result.stderr.splitlines()[-1]
    for left in ("offline", "log"):
        (machine.folder / left).unlink()
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    venv, pip, folder = machine.log().splitlines()
    assert venv == "-m venv .venv"
    assert "--require-hashes" in pip and pip.endswith("-r requirements.lock")
    assert folder.endswith(" -e .")
    again = machine.run("venv.sh", PYTHON=fake_python)
    assert (again.returncode, again.stderr) == (0, "")
    assert len(machine.log().splitlines()) == 3
    (machine.checkout / "requirements.lock").write_text("a==2 --hash=sha256:0\n")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    assert len(machine.log().splitlines()) == 6


def test_a_folder_that_was_moved_is_installed_again(
    machine: Machine, fake_python: str
) -> None:
    """A copy that has only a link to this .venv leaves it as it is."""
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    before = machine.log().splitlines()
    stands = machine.checkout
    copy = machine.folder / "a copy"
    shutil.copytree(stands, copy, ignore=shutil.ignore_patterns(".venv"))
    (copy / ".venv").symlink_to(stands / ".venv")
    machine.checkout = copy
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    assert machine.log().splitlines() == before
    machine.checkout = stands.rename(machine.folder / "moved")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    (again,) = machine.log().splitlines()[len(before) :]
    assert again.endswith(" -e .")


def test_pythons_of_32_bits_and_old_ones(machine: Machine, fake_python: str) -> None:
    old = machine.command("old-python", "exit 1")
    result = machine.run("venv.sh", PYTHON=str(old))
    assert result.returncode == 2 and "Python 3.11" in result.stderr
    (machine.folder / "version").write_text("(3, 11) False\n")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    venv, folder = machine.log().splitlines()
    assert venv == "-m venv --system-site-packages --without-pip .venv"
    assert folder.endswith(" --no-index --no-deps --no-build-isolation -e .")


# --- another folder for what is built -------------------------------------------------------------


def test_what_is_built_moves_to_another_folder(machine: Machine) -> None:
    made = machine.checkout / "build"
    for part in ("build/flags", ".venv/bin/python"):
        (machine.checkout / part).parent.mkdir(parents=True)
        (machine.checkout / part).touch()
    for name in ("first", "second", "second"):
        folder = machine.folder / name
        ran = machine.run("elsewhere.sh", str(folder))
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
        assert made.readlink() == folder and (folder / "flags").exists()
        assert (machine.checkout / ".venv").readlink() == Path("build/.venv")
        assert (machine.checkout / ".venv/bin/python").exists()
    assert not (machine.folder / "first").exists()


def test_a_folder_that_cannot_have_what_is_built(machine: Machine) -> None:
    """One line says so, and nothing has moved."""
    kept = machine.checkout / "build/flags"
    kept.parent.mkdir()
    kept.touch()
    refused = {
        machine.bin: "not empty",
        kept.parent / "deeper": "is in build",
        kept: "cannot be made",
    }
    for folder, why in refused.items():
        ran = machine.run("elsewhere.sh", str(folder))
        assert ran.returncode == 2 and ran.stdout.startswith(f"BUILD={folder}: ")
        assert why in ran.stdout and ran.stdout.count("\n") == 1
    (machine.bin / "ln").unlink()
    machine.command("ln", "exit 1")
    ran = machine.run("elsewhere.sh", str(machine.folder / "new"))
    assert ran.returncode == 2 and "has no links" in ran.stdout
    assert kept.exists() and not kept.parent.is_symlink()


# --- a container --------------------------------------------------------------------------------


def test_what_a_container_is_made_from_can_set_it_up(machine: Machine) -> None:
    machine.command("docker", "exit 0")
    assert machine.run("container.sh").returncode == 0
    machine.apt()
    machine.checkout /= "build/container"
    result = machine.run("setup.sh", "build")
    assert result.returncode == 0, result.stderr
