"""OpenSSL's own tests, with our routine in it.

`python3 -m harness.openssl.suite [NAME...]` runs the tests for big numbers, powers, RSA, DH, DSA
and elliptic curves of build/openssl/ours.  What each prints is kept beside it.  A test passes when
it ends with status 0 and has said `ok` of every part, of which there is at least one.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from os import sched_getaffinity

from harness.openssl.build import TESTS, is_built
from harness.openssl.source import BUILD
from records.faults import Failure, command_line
from records.files import replace
from records.platform import read_platform
from records.tables import aligned

FOLDER = BUILD / "ours" / "test"
PART = re.compile(r"(?m)^ *(not )?ok \d+")


def passes(name: str, runner: tuple[str, ...]) -> tuple[str, int, int]:
    """A test's name, how many parts of it passed, and how many did not."""
    begun = time.monotonic()
    ran = subprocess.run(
        [*runner, str((FOLDER / name).resolve())],
        cwd=FOLDER,  # some leave files
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    replace(FOLDER / f"{name}.txt", ran.stdout)
    parts = PART.findall(ran.stdout)
    failed = parts.count("not ")
    passed = len(parts) - failed
    failed = failed or int(ran.returncode != 0 or passed == 0)
    print(f"  TEST    {name}: {passed} passed, {time.monotonic() - begun:.0f} s", flush=True)
    return name, passed, failed


def main() -> int:
    """The command line.  Raises Failure and OSError."""
    if not is_built("ours"):
        raise Failure(f"{BUILD / 'ours'}: not built whole; type make openssl")
    runner = read_platform().runner
    names = sys.argv[1:] or TESTS
    with ThreadPoolExecutor(max_workers=len(sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda name: passes(name, runner), names))
    lines = [["test of OpenSSL", "parts passed", "failed"]]
    lines += [[name, str(passed), str(failed)] for name, passed, failed in found]
    print("\n".join(aligned(lines, (0,))))
    bad = [name for name, _, failed in found if failed]
    if bad:
        raise Failure(f"{', '.join(bad)} failed; see {FOLDER}/{bad[0]}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(command_line("openssl-test", main))
