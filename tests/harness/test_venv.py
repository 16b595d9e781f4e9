"""harness/setup/venv.sh and container.sh on machines made of fake commands, and the lock file."""

import json
import os
import re
from pathlib import Path

import pytest
from machine import ROOT, Machine

NOTEBOOK_LOCK = "notebooks/requirements.lock"
# A Python whose venv is a folder with a link to itself and whose pip can be offline.
PYTHON = """
case "$*" in
*maxsize*) cat "$STATE/version" ;;
"-m venv "*) echo "$*" >>"$STATE/log"; [ ! -e "$STATE/broken" ] || { echo "no ensurepip"; exit 1; }
    for folder; do :; done; mkdir -p "$folder/bin"; ln -s "$0" "$folder/bin/python" ;;
"-m pip "*) echo "$*" >>"$STATE/log"
    [ ! -e "$STATE/offline" ] || { echo "ERROR: No matching distribution"; exit 1; } ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def fake_python(machine: Machine) -> str:
    (machine.folder / "version").write_text("(3, 11) True\n")
    return str(machine.command("a-python", PYTHON))


def test_venv_is_made_once_and_again_when_the_lock_changes(
    machine: Machine, fake_python: str
) -> None:
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    venv, pip = machine.log().splitlines()
    assert venv == "-m venv .venv"
    assert "--require-hashes" in pip
    assert pip.endswith("-r requirements.lock")
    again = machine.run("venv.sh", PYTHON=fake_python)
    assert (again.returncode, again.stderr) == (0, "")
    assert len(machine.log().splitlines()) == 2
    (machine.checkout / "requirements.lock").write_text("a==2 --hash=sha256:0\n")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    (machine.folder / "version").write_text("(3, 13) True\n")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    assert len(machine.log().splitlines()) == 6


def test_half_made_venv_is_made_anew(machine: Machine, fake_python: str) -> None:
    (machine.folder / "offline").touch()
    result = machine.run("venv.sh", PYTHON=fake_python)
    assert result.returncode == 2
    assert "ERROR: No matching distribution" in result.stderr.splitlines()[-1]
    left_over = machine.checkout / ".venv" / "left-over"
    left_over.touch()
    (machine.folder / "offline").unlink()
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    assert not left_over.exists()


def test_venv_without_ensurepip(machine: Machine, fake_python: str) -> None:
    (machine.folder / "broken").touch()
    result = machine.run("venv.sh", PYTHON=fake_python)
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].endswith("-m venv failed: no ensurepip")


def test_32_bit_python_uses_the_systems_packages(machine: Machine, fake_python: str) -> None:
    (machine.folder / "version").write_text("(3, 11) False\n")
    assert machine.run("venv.sh", PYTHON=fake_python).returncode == 0
    assert machine.log() == "-m venv --system-site-packages --without-pip .venv\n"


def test_python_too_old(machine: Machine) -> None:
    old = machine.command("old-python", "exit 1")
    result = machine.run("venv.sh", PYTHON=str(old))
    assert result.returncode == 2
    assert "Python 3.11" in result.stderr


def test_container_without_an_engine(machine: Machine) -> None:
    result = machine.run("container.sh")
    assert result.returncode == 2
    assert "podman" in result.stderr and result.stderr.count("\n") == 1
    machine.command("docker", "exit 1")
    result = machine.run("container.sh")
    assert result.returncode == 2
    assert "docker" in result.stderr


def test_container_mounts_the_checkout(machine: Machine) -> None:
    machine.command("docker", 'echo "$*" >>"$STATE/log"')
    assert machine.run("container.sh").returncode == 0
    _, build, run = machine.log().splitlines()
    assert build == "build -t rsalab -f build/container/Containerfile build/container"
    assert f"--user {os.getuid()}:{os.getgid()}" in run
    assert f"-v {machine.checkout}:/work" in run
    assert run.endswith("rsalab make all-iterations")


def test_a_host_of_repositories_opens_the_same_container() -> None:
    file = ROOT / ".devcontainer/devcontainer.json"
    said = json.loads(file.read_text())
    assert set(said) == {"name", "build", "postCreateCommand"}  # no second list of packages
    build = {key: (file.parent / name).resolve() for key, name in said["build"].items()}
    assert build == {"dockerfile": ROOT / "Containerfile", "context": ROOT}
    copied = re.findall(r"^COPY (\S+)", build["dockerfile"].read_text(), re.M)
    assert copied and all((build["context"] / name).is_file() for name in copied)


def test_the_lock_has_versions_and_hashes_and_no_addresses() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert "index" not in text
    body = "".join(line for line in text.splitlines(True) if not line.startswith("#"))
    entry = r"[a-z0-9-]+==\S+( ; [^\n\\]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+"
    assert re.fullmatch(f"({entry})+", body)


def test_another_lock_goes_on_top_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (machine.folder / "version").write_text("(3, 11) True\n")
    python = str(machine.command("a-python", PYTHON))
    (machine.checkout / "notebooks").mkdir()
    (machine.checkout / NOTEBOOK_LOCK).write_text("b==1 --hash=sha256:0\n")
    for _ in range(2):
        assert machine.run("venv.sh", NOTEBOOK_LOCK, PYTHON=python).returncode == 0
    venv, base, extra = machine.log().splitlines()
    assert base.endswith("-r requirements.lock") and extra.endswith(f"-r {NOTEBOOK_LOCK}")
    (machine.checkout / NOTEBOOK_LOCK).write_text("b==2 --hash=sha256:0\n")
    assert machine.run("venv.sh", PYTHON=python).returncode == 0
    assert len(machine.log().splitlines()) == 3
    (machine.folder / "offline").touch()
    failed = machine.run("venv.sh", NOTEBOOK_LOCK, PYTHON=python)
    assert failed.returncode == 2 and NOTEBOOK_LOCK in failed.stderr
    (machine.folder / "offline").unlink()
    assert machine.run("venv.sh", NOTEBOOK_LOCK, PYTHON=python).returncode == 0
    missing = machine.run("venv.sh", "none.lock", PYTHON=python)
    assert missing.returncode == 2 and "none.lock" in missing.stderr
