"""A run that goes on where an earlier run of the same files ended, and the record of both."""

import hashlib
import platform
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from clone import sources

from records.ladder import ROOT

RECORD = "tests/last-long.txt"
TOOLS = ("arm-linux-gnueabihf-gcc", "gcc", "make", "qemu-arm", "chromium", "pandoc", "perf")


def digest() -> str:
    """A hash of every file under test."""
    whole = hashlib.sha256()
    for name in sources():
        if str(name) != RECORD:
            whole.update(f"{name}\0".encode() + hashlib.sha256((ROOT / name).read_bytes()).digest())
    return whole.hexdigest()[:16]


def version(command: str) -> str:
    """The first line of what a command says of itself."""
    if not shutil.which(command):
        return "not installed"
    said = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    return said.partition("\n")[0].strip()


class LongRun:
    """Leaves out the tests that have passed already; keeps the result of each as it comes.

    The file FOLDER/<hash of the files>.txt has a line for each test: status, seconds, name.
    """

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self.seen: dict[str, tuple[str, float]] = {}
        self.all: list[str] = []
        self.worker = hasattr(config, "workerinput")
        if self.worker:
            self.done = set(config.workerinput["done"])
            return
        folder.mkdir(parents=True, exist_ok=True)
        self.digest = digest()
        self.path = folder / f"{self.digest}.txt"
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.old = [line.split(" ", 2) for line in lines]
        self.done = {name for status, _, name in self.old if status != "failed"}
        self.file = self.path.open("a")

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Tells a worker what has passed: every worker must collect the same tests."""
        node.workerinput["done"] = sorted(self.done)  # type: ignore[attr-defined]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leaves out what has passed."""
        kept = [item for item in items if item.nodeid not in self.done]
        config.hook.pytest_deselected(items=[i for i in items if i.nodeid in self.done])
        items[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds a line when a test has ended."""
        if self.worker:
            return
        name = report.nodeid
        status, seconds = self.seen.get(name, ("passed", 0.0))
        if report.failed or (report.skipped and status == "passed"):
            status = report.outcome
        self.seen[name] = status, seconds + report.duration
        if report.when == "teardown":
            self.file.write(f"{status} {self.seen[name][1]:.2f} {name}\n")
            self.file.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Writes the record of a run of all tests in which nothing is left to do."""
        if self.worker or exitstatus not in (0, 5) or not (self.done or self.seen):
            return
        session.exitstatus = 0
        self.file.close()
        config = session.config
        chosen = config.option.markexpr or config.option.keyword
        if chosen or config.args_source is not config.ArgsSource.TESTPATHS:
            return
        lines = [line.split(" ", 2) for line in self.path.read_text().splitlines()]
        last = {name: (status, float(seconds)) for status, seconds, name in lines}
        skipped = sorted(name for name, (status, _) in last.items() if status == "skipped")
        text = [
            f"date      {time.strftime('%Y-%m-%d %H:%M:%SZ', time.gmtime())}",
            f"files     {self.digest} (hash)",
            f"tests     {len(last) - len(skipped)} passed, {len(skipped)} skipped, 0 failed",
            f"seconds   {sum(seconds for _, seconds in last.values()):.0f} (sum over all tests)",
            f"machine   {platform.platform()}, Python {platform.python_version()}",
            *(f"{tool:<9} {version(tool)}" for tool in TOOLS),
            *(f"skipped   {name}" for name in skipped),
        ]
        (ROOT / RECORD).write_text("\n".join(text) + "\n")
