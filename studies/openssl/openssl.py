"""OpenSSL 3.1.1 for ARM, three times: C, its own assembly, ours; its tests and its speed.

    PYTHONPATH=. python3 studies/openssl/openssl.py build
    PYTHONPATH=. python3 studies/openssl/openssl.py test [NAME...]
    PYTHONPATH=. python3 studies/openssl/openssl.py speed [--out RESULTS] [--largest BITS]

`build` makes build/openssl/c (no assembly), build/openssl/assembly (OpenSSL's own; it uses NEON
where the core has it) and build/openssl/ours (with bn_mul_mont.S).  cargo has the source as a
crate; OPENSSL_SRC=PATH says where it is otherwise: an archive, or a folder in which nothing has
been built.  Each build keeps what it was made from in `built`, written when all is there.

`test` runs OpenSSL's own tests with our routine in it.  `speed` counts the operations of `openssl
speed rsa` under qemu-arm and writes openssl.csv: `neon` is the build with OpenSSL's own assembly on
a core with NEON, `assembly` the same on one without.  On an ARM board, `openssl speed` says the
times first.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import counters
from harness.cells import WORKERS, Task, on_all_cores
from harness.collect import LOCAL
from records import files
from records.commands import building
from records.faults import Failure, first_line, run
from records.files import digest, read, replace
from records.machine import read_platform
from records.results import Results
from records.rows import Row, write_rows
from records.tables import aligned
from records.workload import RSA_SIZES
from rsalab import openssl as tables

VERSION = "3.1.1"
NAME = "openssl-src-300.1.2+3.1.1"
# SHA-256 of an archive -> the folder in it.
ARCHIVES = {
    "94773a6131a4d91f737a31debb0b3258964a47d923ef539c8be1d496dfb5145d": f"{NAME}/openssl",
    "b3aa61334233b852b63ddb048df181177c2c659eb9d4376008118f9c08d07674": f"openssl-{VERSION}",
}
RELEASE = "MAJOR={}\nMINOR={}\nPATCH={}\n".format(*VERSION.split("."))  # VERSION.dat of a folder
BUILD = Path("build/openssl")
SOURCE, PATCHED = BUILD / "source", BUILD / "patched"
OURS = Path("studies/openssl")
ROUTINE, PATCH = OURS / "bn_mul_mont.S", OURS / "armv4-mont.patch"
HOW = "type make openssl OPENSSL_SRC=PATH, where PATH is an archive or a folder of OpenSSL 3.1.1"
CARGO = '[package]\nname = "obtain"\nversion = "0.0.0"\n[lib]\npath = "lib.rs"\n[dependencies]\n'
PREFIX = "arm-linux-gnueabihf-"
# C code for an ARM1176; OpenSSL's NEON code is there, and used where the core has NEON.
FLAGS = """-O3 -marm -march=armv6+fp -mfloat-abi=hard -D__ARM_MAX_ARCH__=7 -static
    -Wl,-z,max-page-size=65536""".split()
# RSA needs none of these.
WITHOUT = """shared module dso engine threads afalgeng aria bf blake2 camellia cast chacha cmp cms
    ct gost idea md4 mdc2 ocb poly1305 rc2 rc4 rmd160 scrypt seed siphash siv sm2 sm3 sm4 srp ts
    whirlpool""".split()
BUILDS = {"c": (SOURCE, ["no-asm"]), "assembly": (SOURCE, []), "ours": (PATCHED, [])}
# Implementation -> build, what the driver is told of NEON.
ROWS = {"ours": ("ours", "1"), "assembly": ("assembly", "1"), "neon": ("assembly", "0"),
        "c": ("c", "1")}  # fmt: skip
OPERATIONS = ("sign", "verify")
METRICS = ("instructions", "multiplies_long", "multiplies_umaal")
Counts = dict[tuple[str, str, int], list[int]]  # implementation, operation, bits -> METRICS
# Without ecstresstest: a million steps of about 1 ms on P-256, for which OpenSSL has other code.
TESTS = """bntest bn_internal_test exptest rsa_test rsa_mp_test rsa_sp800_56b_test dhtest
    dsatest dsa_no_digest_size_test ffc_internal_test ectest ec_internal_test
    ecdsatest""".split()
PLUGIN = Path("build/operation.so")


# ---- the source: obtained, unpacked, patched


def by_cargo(name: str = NAME, how: str = HOW) -> Path:
    """A crate's archive, fetched unless it is there.  Raises Failure."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    place, project = f"registry/cache/*/{name}.crate", BUILD / "cargo"
    if not any(home.glob(place)):
        if not shutil.which("cargo"):
            raise Failure(f"cargo is not installed, which has the source; {how}")
        crate, _, version = name.rpartition("-")
        replace(project / "Cargo.toml", f'{CARGO}{crate} = "={version}"\n')
        replace(project / "lib.rs", "")
        print(f"  CARGO   {name}", flush=True)
        try:
            run(["cargo", "fetch", "--quiet"], cwd=project)
        except Failure as fault:
            raise Failure(f"{fault}: cargo has no network, or not this crate; {how}") from None
    return max(home.glob(place))


def how_to_unpack(given: Path) -> list[str]:
    """The command that puts the source of OpenSSL 3.1.1 into the current
    folder.  Raises Failure where this is no folder, nor an archive of it."""
    if given.is_dir():
        if RELEASE not in read(given / "VERSION.dat"):
            raise Failure(f"{given}: not OpenSSL {VERSION}, by its VERSION.dat; {HOW}")
        return ["cp", "-a", f"{given.resolve()}/.", "."]
    inside = ARCHIVES.get(digest(given)) if given.is_file() else None
    if not inside:
        raise Failure(f"{given}: no folder, and no archive with a known SHA-256; {HOW}")
    depth = f"--strip-components={inside.count('/') + 1}"
    return ["tar", "-xzf", str(given.resolve()), "--no-same-owner", depth, inside]


def fill(folder: Path, *commands: list[str]) -> None:
    """Make a folder by commands that run in it, whole or not at all.  Raises Failure."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    print(f"  UNPACK  {folder}", flush=True)
    for words in commands:
        run(words, cwd=new)
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def obtain() -> None:
    """Have both folders there: the source as it is, and with our routine.
    Raises Failure and OSError."""
    told, stamp = os.environ.get("OPENSSL_SRC", ""), PATCHED / "ours.sha256"
    command = how_to_unpack(Path(told)) if told else []
    if not SOURCE.exists():
        fill(SOURCE, command or how_to_unpack(by_cargo()))
    if read(stamp) != digest(ROUTINE, PATCH):
        patch = ["patch", "-s", "-p1", "-i", str(PATCH.resolve())]
        fill(PATCHED, how_to_unpack(SOURCE), patch, ["cp", str(ROUTINE.resolve()), "crypto/bn"])
        replace(stamp, digest(ROUTINE, PATCH))


# ---- the builds, outside the source


def key(name: str) -> str:
    """What a build is made from."""
    source, options = BUILDS[name]
    compiler = first_line(f"{PREFIX}gcc", "--version")
    ours = digest(ROUTINE, PATCH) if source == PATCHED else ""
    return "\n".join([compiler, " ".join([*FLAGS, *WITHOUT, *options]), ours]).strip()


def whole(name: str) -> Path:
    """The folder of a build that is whole, and made from what is here now.  Raises Failure."""
    if read(BUILD / name / "built") != key(name):
        raise Failure(f"{BUILD / name}: not built whole; type make openssl")
    return BUILD / name


def logged(words: Sequence[str], folder: Path) -> None:
    """Run a command in a build's folder, its lines to the log beside it.
    Raises Failure and OSError."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    log = folder.with_suffix(".log")
    with log.open("a") as file:
        ran = subprocess.run(
            words, cwd=folder, env=kept | {"LC_ALL": "C"}, stdout=file, stderr=file
        )
    if ran.returncode:
        why = f"not built: see the end of {log}; where the disk was full, free some space"
        raise Failure(f"{folder}: {why}; then type the same command: it goes on")


def build(name: str) -> None:
    """Have one build there, whole: the library, the command with `openssl
    speed`, and the tests with our routine; from nothing if anything else
    was built there.  Raises Failure and OSError."""
    folder, made_from, (source, options) = BUILD / name, key(name), BUILDS[name]
    if read(folder / "built") == made_from:
        return
    if read(folder / "configured") != made_from:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        words = ["perl", str(source.resolve() / "Configure"), "linux-armv4"]
        words += [*(f"no-{part}" for part in WITHOUT), *options]
        logged([*words, f"--cross-compile-prefix={PREFIX}", *FLAGS], folder)
        # make takes a space in a path for the end of it.
        made = (folder / "Makefile").read_text()
        replace(folder / "Makefile", made.replace(f"{BUILD.resolve()}/", "../"))
        replace(folder / "configured", made_from)
    log = folder.with_suffix(".log")
    print(f"  OPENSSL {folder}: minutes; `tail -f {log}` shows how far it is", flush=True)
    tests = [f"test/{test}" for test in TESTS] if name == "ours" else []
    for goals in (["build_generated"], ["libcrypto.a", "apps/openssl", *tests]):
        logged(["make", f"-j{WORKERS}", *goals], folder)
    replace(folder / "built", made_from)


def build_all() -> None:
    """Builds OpenSSL in all three ways.  Raises Failure and OSError."""
    if not first_line(f"{PREFIX}gcc", "--version"):
        raise Failure(f"{PREFIX}gcc is not installed; `make setup` installs it")
    with files.alone(BUILD / "lock"):
        obtain()
        for name in BUILDS:
            build(name)
    print(f"OpenSSL is built: {', '.join(str(BUILD / name) for name in BUILDS)}")


# ---- OpenSSL's own tests


def parts(name: str) -> tuple[str, int, int]:
    """A test's name, how many parts of it said `ok`, and how many did not,
    or 1 where it failed. What it prints is kept beside it."""
    folder = BUILD / "ours/test"  # some leave files
    words = [*read_platform().runner, str((folder / name).resolve())]
    with (folder / f"{name}.txt").open("w") as file:
        status = subprocess.run(words, cwd=folder, stdout=file, stderr=subprocess.STDOUT).returncode
    verdicts = re.findall(r"(?m)^ *(not )?ok \d+", read(folder / f"{name}.txt"))
    passed, failed = verdicts.count(""), verdicts.count("not ")
    print(f"  TEST    {name}: {passed} passed", flush=True)
    return name, passed, failed or int(status != 0 or passed == 0)


def test(*names: str) -> None:
    """Runs these tests of OpenSSL, or all TESTS.  Raises Failure and OSError."""
    whole("ours")
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        ended = list(pool.map(parts, names or TESTS))
    lines = [["test of OpenSSL", "parts passed", "failed"]]
    lines += [[name, str(passed), str(failed)] for name, passed, failed in ended]
    print("\n".join(aligned(lines, (0,))))
    if bad := [name for name, _, failed in ended if failed]:
        raise Failure(f"{', '.join(bad)} failed; see {BUILD}/ours/test/{bad[0]}.txt")


# ---- what an operation executes


def link(name: str) -> Path:
    """The program of a build.  Raises Failure."""
    folder = whole(name)
    program, include = folder / "speed", (folder / "include", SOURCE / "include", SOURCE / "apps")
    words = [f"{PREFIX}gcc", *FLAGS, "-w", *(f"-I{place}" for place in include)]
    words += [] if name == "c" else ["-DINTEGER_PATH"]
    run([*words, OURS / "speed.c", folder / "libcrypto.a", "-o", program])
    return program


def operation(program: Path, *words: str) -> Task:
    """The METRICS of one operation, kept."""
    kept = BUILD / "counts" / f"{program.parent.name}-{'-'.join(words)}.json"

    def compute() -> list[int]:
        option = counters.plugin_option(PLUGIN, program)
        command = [*counters.QEMU, "-plugin", option, str(program), *words]
        # The plugin's line is the last on stderr, which `run` does not keep, hence the shell.
        printed = run(["sh", "-c", 'exec "$@" 2>&1 >/dev/null', "sh", *command])
        numbers = [int(word) for word in printed.splitlines()[-1].split()]
        print(f"  COUNT   {kept.stem}: {numbers[0]:,} instructions", flush=True)
        return numbers

    return Task(kept, digest(program, PLUGIN), compute)


def measured(sizes: Iterable[int]) -> Counts:
    """(row's name, operation, bits) -> its METRICS.  Raises Failure."""
    programs = {name: link(name) for name in BUILDS}
    places = [(name, what, bits) for bits in sizes for what in OPERATIONS for name in ROWS]
    tasks = []
    for name, what, bits in places:
        build, integer_only = ROWS[name]
        tasks.append(operation(programs[build], what, str(bits), integer_only))
    return dict(zip(places, on_all_cores(tasks)))


def rows(counts: Counts) -> Iterator[Row]:
    """The rows of openssl.csv."""
    for (name, what, bits), numbers in counts.items():
        place = {"implementation": name, "level": "O3", "operation": what, "bits": bits}
        for metric, value in zip(METRICS, numbers):
            number = {"metric": metric, "value": value, "unit": "instructions"}
            yield place | {"operands": "openssl-speed", "way": "rsa"} | number


def speed(out: Path = LOCAL, largest: int = RSA_SIZES[-1]) -> None:
    """Counts the operations of `openssl speed rsa`, of keys up to `largest`
    bits.  Raises Failure and OSError."""
    if read_platform().direct:  # OpenSSL measures itself
        for name, (build, integer_only) in ROWS.items():
            print(f"\n{name}", flush=True)
            cap = {"OPENSSL_armcap": "0"} if integer_only == "1" else {}
            command = [str(BUILD / build / "apps/openssl"), "speed", "-seconds", "10"]
            command += [f"rsa{bits}" for bits in RSA_SIZES]
            subprocess.run(command, env=os.environ | cap, check=True)
    sizes = [bits for bits in RSA_SIZES if bits <= largest]
    with files.alone(BUILD / "lock"):
        write_rows(out / "openssl.csv", rows(measured(sizes)))
    print(tables.text(Results(out, str(out), {})))


if __name__ == "__main__":
    sys.exit(building("openssl", {"build": build_all, "test": test, "speed": speed}))
