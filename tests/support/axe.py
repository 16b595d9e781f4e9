"""axe-core, the checker of accessibility, as a script that a page can run."""

import functools
import subprocess

import pytest
from hangs import HANGS
from needs import require

from records.ladder import ROOT

VERSION = "4.10.3"
FOLDER = ROOT / "build/axe"
RUN = """const done = arguments[arguments.length - 1];
    axe.run({resultTypes: ["violations"]}).then(({violations}) => done(violations
        .filter(({impact}) => impact === "serious" || impact === "critical")
        .map(({id, nodes}) => [id, nodes[0].html.slice(0, 200), nodes[0].failureSummary])));"""


@functools.cache
def script() -> str:
    """Its source, from npm once; skips the running test where npm is
    absent or cannot fetch it."""
    require("npm")
    file = FOLDER / f"node_modules/axe-core/{VERSION}.js"
    if not file.is_file():
        command = [
            "npm",
            "install",
            "--prefix",
            FOLDER,
            "--no-save",
            "--ignore-scripts",
        ]
        ran = subprocess.run(
            [*command, f"axe-core@{VERSION}"],
            capture_output=True,
            text=True,
            timeout=HANGS,
        )
        if ran.returncode:
            pytest.skip(f"npm cannot fetch axe-core here: {ran.stderr.strip()[:200]}")
        file.write_text((file.parent / "axe.min.js").read_text(encoding="utf-8"))
    return file.read_text(encoding="utf-8")


def violations(driver: object) -> list[list[str]]:
    """[rule, element, what to do] of each serious or critical violation of
    the page that is open.

    The script goes in by the debugger, which no content security policy
    hinders.
    """
    driver.execute_cdp_cmd("Runtime.evaluate", {"expression": script()})
    driver.set_script_timeout(HANGS)
    return driver.execute_async_script(RUN)
