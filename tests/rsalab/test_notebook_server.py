"""`make jupyter`: JupyterLab on this machine alone, with a token, and nothing of it elsewhere."""

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
from machine import ROOT
from needs import require

from records.faults import command_line
from rsalab.notebooks import jupyter

LIMIT = 120  # seconds to start
LOCK = "notebooks/requirements.lock"
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/lab\?token=([0-9a-f]{32,})")


def test_without_jupyterlab_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jupyter, "find_spec", lambda name: None)
    assert command_line("jupyter", jupyter.lab) == 2
    said = capsys.readouterr().err
    assert "make jupyter" in said and said.count("\n") == 1


def test_it_listens_here_and_opens_a_browser_only_where_somebody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "--no-browser" not in jupyter.command()
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert "--no-browser" in jupyter.command()
    assert "--ServerApp.ip=127.0.0.1" in jupyter.command()


def test_the_users_own_settings_do_not_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("JUPYTER_TOKEN", "known")
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    told = jupyter.environment()
    assert not {"JUPYTER_TOKEN", "JUPYTER_RUNTIME_DIR"} & told.keys()
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        assert Path(told[name]).is_relative_to(ROOT / "build")


def test_the_notebooks_read_the_users_own_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RSALAB_RESULTS", raising=False)
    assert "RSALAB_RESULTS" not in jupyter.environment(tmp_path)
    own = tmp_path / "results/local"
    own.mkdir(parents=True)
    (own / "machine.json").touch()
    assert jupyter.environment(tmp_path)["RSALAB_RESULTS"] == str(own)


class Lab:
    """A JupyterLab that has been started in a home of its own; `port` and `token` are what it
    says."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home.with_name("log")
        kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "rsalab.notebooks.jupyter"],
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


@pytest.mark.slow
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
