"""OpenSSL 3.1.1 for ARM, four times: C, its own assembly, ours, lanes; its tests and its speed.

    python3 -m studies.openssl.openssl build
    python3 -m studies.openssl.openssl test [NAME...]
    python3 -m studies.openssl.openssl speed [--out RESULTS] [--largest BITS]

`build` is the Makefile of this folder.  `test` runs OpenSSL's own tests with our routines in it.
`speed` counts the operations of `openssl speed rsa` under qemu-arm and writes openssl.csv: `neon`
is the build with OpenSSL's own assembly on a core with NEON, `assembly` the same on one without;
`lanes` is for a core with NEON.
On an ARM board, `openssl speed` says the times first.
"""

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

from harness import counters
from harness.cells import WORKERS, Task, on_all_cores
from harness.collect import LOCAL, prepare
from records import files
from records.commands import building
from records.faults import Failure, run
from records.files import digest, read
from records.machine import read_compiler, read_platform
from records.results import Results
from records.rows import Row, number, write_rows
from records.tables import aligned
from records.workloads import RSA_SIZES
from rsalab import openssl as tables
from studies.openssl import powers

BUILD = Path("build/openssl")
MAKE = ["make", "--no-print-directory", "-f", "studies/openssl/Makefile"]
# Implementation -> its build, and "1" where the driver is to use no NEON.
ROWS = {
    "ours": ("ours", "1"),
    "assembly": ("assembly", "1"),
    "neon": ("assembly", "0"),
    "c": ("c", "1"),
    "lanes": ("lanes", "0"),
}
OPERATIONS = ("sign", "verify")
METRICS = ("instructions", "multiplies_long", "multiplies_umaal")
# Implementation, operation, bits -> METRICS.
Counts = dict[tuple[str, str, int], list[int]]
PLUGIN = Path("build/operation.so")


def make(*goals: str) -> None:
    """Build OpenSSL three times, or these goals of the Makefile.  Raises Failure."""
    with files.alone(BUILD / "lock"):
        # This make is no part of the one that has called this module.
        alone = {**os.environ, "MAKEFLAGS": ""}
        if subprocess.run([*MAKE, *goals], env=alone).returncode:
            raise Failure("OpenSSL is not built; the message is above")


# ---- OpenSSL's own tests


TESTED = ("ours", "lanes")


def parts(name: str, build: str) -> tuple[str, int, int]:
    """Run a test of a build, and return the log's path, how many parts of it said `ok`, and how
    many did not, or 1 where it failed."""
    folder = BUILD / build / "test"  # some leave files
    words = [*read_platform().runner, str((folder / name).resolve())]
    log = folder / f"{name}.txt"
    with log.open("w") as file:
        status = subprocess.run(
            words, cwd=folder, stdout=file, stderr=subprocess.STDOUT
        ).returncode
    verdicts = re.findall(r"(?m)^ *(not )?ok \d+", read(log))
    passed = verdicts.count("")
    failed = verdicts.count("not ")
    if failed == 0 and (status != 0 or passed == 0):
        failed = 1
    print(f"  TEST    {build}/{name}: {passed} passed", flush=True)
    return str(log), passed, failed


def test(*names: str) -> None:
    """Run these tests of OpenSSL, or all that are built, and then powers.py's.  Raises Failure and
    OSError."""
    make()
    built = sorted(path.stem for path in (BUILD / TESTED[0] / "test").glob("*test"))
    for name in names:
        if name not in built:
            raise Failure(
                f"{name}: no test that is built; say one of {', '.join(built)}"
            )
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        builds_and_tests = product(TESTED, names or built)
        running = [pool.submit(parts, name, build) for build, name in builds_and_tests]
        ended = [one.result() for one in running]
    lines = [["test of OpenSSL", "parts passed", "failed"]]
    bad = []
    for log, passed, failed in ended:
        name = log.removeprefix(f"{BUILD}/").removesuffix(".txt").replace("/test/", " ")
        lines.append([name, str(passed), str(failed)])
        if failed:
            bad.append(log)
    print("\n".join(aligned(lines, (0,))))
    if bad:
        raise Failure(f"{len(bad)} tests failed; see {bad[0]}")
    if not names:
        powers.test(random.SystemRandom().getrandbits(32))


# ---- what an operation executes


def count(program: Path, *words: str) -> list[int]:
    """Run a program under the plugin and return the METRICS of what it does.  Raises Failure."""
    option = counters.plugin_option(PLUGIN, program)
    command = [*counters.QEMU, "-plugin", option, str(program), *words]
    # The plugin's line is the last on stderr, which `run` does not keep, hence the shell.
    printed = run(["sh", "-c", 'exec "$@" 2>&1 >/dev/null', "sh", *command])
    last = printed.splitlines()[-1]
    numbers = [int(word) for word in last.split()]
    what = f"{program.parent.name}-{'-'.join(words)}"
    print(f"  COUNT   {what}: {numbers[0]:,} instructions", flush=True)
    return numbers


def measured(sizes: Iterable[int]) -> Counts:
    """Return the METRICS of every operation, each kept in a file.  Raises Failure."""
    operations = list(product(sizes, OPERATIONS, ROWS))
    tasks = []
    for bits, what, name in operations:
        build, integer_only = ROWS[name]
        program = BUILD / build / "speed"
        words = what, str(bits), integer_only
        kept = BUILD / "counts" / f"{build}-{'-'.join(words)}.json"
        tasks.append(
            Task(kept, digest(program, PLUGIN), partial(count, program, *words))
        )
    keys = [(name, what, bits) for bits, what, name in operations]
    return dict(zip(keys, on_all_cores(tasks)))


def rows(counts: Counts, compiler: str) -> Iterator[Row]:
    """Yield the rows of openssl.csv, of builds by a compiler."""
    for (name, what, bits), numbers in counts.items():
        for metric, value in zip(METRICS, numbers):
            yield number(
                metric,
                value,
                study="openssl",
                snapshot=name,
                level="O3",
                compiler=compiler,
                workload=f"{what}-{bits}",
                unit="instructions",
            )


def speed(out: Path = LOCAL, largest: int = RSA_SIZES[-1]) -> None:
    """Count the operations of `openssl speed rsa`, of keys up to `largest`
    bits.  Raises Failure and OSError."""
    sizes = [bits for bits in RSA_SIZES if bits <= largest]
    if not sizes:
        raise Failure(f"--largest {largest}: the smallest key has {RSA_SIZES[0]} bits")
    make()
    if read_platform().direct:  # OpenSSL measures itself
        for name, (build, integer_only) in ROWS.items():
            print(f"\n{name}", flush=True)
            cap = {"OPENSSL_armcap": "0"} if integer_only == "1" else {}
            command = [str(BUILD / build / "apps/openssl"), "speed", "-seconds", "10"]
            command += [f"rsa{bits}" for bits in RSA_SIZES]
            subprocess.run(command, env=os.environ | cap, check=True)
    with files.alone(BUILD / "lock"):
        made = rows(measured(sizes), read_compiler())
    with files.alone():
        prepare(out)
        write_rows(out / "openssl.csv", made)
    print(tables.text(Results(out, str(out), {})))


if __name__ == "__main__":
    sys.exit(building("openssl", {"build": make, "test": test, "speed": speed}))
