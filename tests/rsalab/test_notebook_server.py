"""`make notebook`: JupyterLab on this machine alone, with a token, and nothing of it elsewhere."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from machine import ROOT, Machine
from needs import require
from test_venv import PYTHON

from rsalab.pages import lab

LIMIT = 120  # seconds to start
LOCK = "notebooks/requirements.lock"
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/lab\?token=([0-9a-f]{32,})")


def test_without_jupyterlab_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert lab.lab([]) == 2
    assert capsys.readouterr().err == f"pages: {lab.INSTALL}\n"


def test_a_browser_only_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "has_screen", lambda: True)
    assert "--no-browser" not in lab.command([])
    monkeypatch.setattr(lab, "has_screen", lambda: False)
    assert "--no-browser" in lab.command([])
    assert "--ServerApp.ip=127.0.0.1" in lab.command([])


def test_the_users_own_settings_do_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", "known")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    told = lab.environment(tmp_path / "here")
    assert "JUPYTER_TOKEN" not in told
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        assert Path(told[name]).is_relative_to(tmp_path / "here" / "build")


class Lab:
    """A JupyterLab that has been started in a home of its own; `port` and `token` are what it
    says."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home.with_name("log")
        kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rsalab.pages", "lab"],
                cwd=ROOT,
                env={**kept, "HOME": str(home)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait(self) -> None:
        """Until it says its address."""
        end = time.monotonic() + LIMIT
        while not (found := ADDRESS.search(self.log.read_text())):
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text()
            time.sleep(0.2)
        self.port, self.token = int(found[1]), found[2]

    def status(self, path: str) -> int:
        """What it answers to a request."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as got:
                return got.status
        except urllib.error.HTTPError as fault:
            return fault.code

    def stop(self) -> None:
        """Ends it."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        finally:
            self.process.kill()


@pytest.fixture
def running(tmp_path: Path) -> Lab:
    require("python:jupyterlab", "localhost")
    (tmp_path / "home").mkdir()
    started = Lab(tmp_path / "home")
    try:
        started.wait()
        yield started
    finally:
        started.stop()


def listeners(port: int) -> set[str]:
    """The local addresses, in hexadecimal, on which something listens at a port."""
    found = set()
    for name in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(name).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            if state == "0A" and int(address.rpartition(":")[2], 16) == port:
                found.add(address.rpartition(":")[0])
    return found


def test_it_answers_here_and_only_with_its_token(running: Lab) -> None:
    assert running.status("/api/status") == 403
    assert running.status("/api/status?token=0") == 403
    assert running.status(f"/api/status?token={running.token}") == 200
    assert running.status(f"/api/contents/01-ladder.ipynb?content=0&token={running.token}") == 200
    assert running.status(f"/api/kernelspecs/python3?token={running.token}") == 200
    if Path("/proc/net/tcp").exists():
        assert listeners(running.port) == {"0100007F"}
    second = Lab(running.home)  # the port is taken: the next one
    try:
        second.wait()
        assert second.port != running.port and second.token != running.token
    finally:
        second.stop()
    assert not list(running.home.rglob("*")), "it writes outside the repository"


def test_its_lock_goes_on_top_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    (machine.folder / "version").write_text("(3, 11) True\n")
    python = str(machine.command("a-python", PYTHON))
    (machine.checkout / "notebooks").mkdir()
    (machine.checkout / LOCK).write_text("b==1 --hash=sha256:0\n")
    for _ in range(2):
        assert machine.run("venv.sh", LOCK, PYTHON=python).returncode == 0
    venv, base, extra = machine.log().splitlines()
    assert base.endswith("-r requirements.lock") and extra.endswith(f"-r {LOCK}")
    (machine.checkout / LOCK).write_text("b==2 --hash=sha256:0\n")
    assert machine.run("venv.sh", PYTHON=python).returncode == 0
    assert len(machine.log().splitlines()) == 3
    (machine.folder / "offline").touch()
    failed = machine.run("venv.sh", LOCK, PYTHON=python)
    assert failed.returncode == 2 and LOCK in failed.stderr
    (machine.folder / "offline").unlink()
    assert machine.run("venv.sh", LOCK, PYTHON=python).returncode == 0
    missing = machine.run("venv.sh", "none.lock", PYTHON=python)
    assert missing.returncode == 2 and "none.lock" in missing.stderr


def test_its_lock_agrees_with_the_other_and_names_no_address() -> None:
    text = (ROOT / LOCK).read_text()
    assert "://" not in text and "index" not in text
    body = "".join(line for line in text.splitlines(True) if not line.startswith("#"))
    entry = r"[a-z0-9-]+==\S+( ; [^\n\\]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+"
    assert re.fullmatch(f"({entry})+", body)
    versions = [
        dict(re.findall(r"(?m)^([a-z0-9-]+)==(\S+)", (ROOT / name).read_text()))
        for name in ("requirements.lock", LOCK)
    ]
    both = versions[0].keys() & versions[1].keys()
    assert both and {k: versions[0][k] for k in both} == {k: versions[1][k] for k in both}
