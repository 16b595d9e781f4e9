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

from __future__ import annotations

import argparse
import hashlib
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
from records import files
from records.command import first_line, run
from records.faults import Failure, command_line
from records.files import digest, read, replace
from records.platform import read_platform
from records.rows import Row, write_rows
from records.tables import aligned
from rsalab.openssl import COLUMNS, FILE, OPERATIONS, SIZES, Count, Counts, published

VERSION = "3.1.1"
NAME = "openssl-src-300.1.2+3.1.1"
# SHA-256 of an archive -> the folder in it.
ARCHIVES = {
    "94773a6131a4d91f737a31debb0b3258964a47d923ef539c8be1d496dfb5145d": f"{NAME}/openssl",
    "b3aa61334233b852b63ddb048df181177c2c659eb9d4376008118f9c08d07674": f"openssl-{VERSION}",
}
TREE = "2bbb42a671c88642a417d16603867383ac83b3a3545a3638378bbba3c1cd59be"
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
# Without ecstresstest: a million steps of about 1 ms on P-256, for which OpenSSL has other code.
TESTS = """bntest bn_internal_test exptest rsa_test rsa_mp_test rsa_sp800_56b_test dhtest
    dsatest dsa_no_digest_size_test ffc_internal_test ectest ec_internal_test
    ecdsatest""".split()
PLUGIN = Path("build/operation.so")


# ---- the source: obtained, checked by its SHA-256, unpacked


def by_cargo() -> Path:
    """The crate's archive, fetched unless it is there.  Raises Failure."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    place, project = f"registry/cache/*/{NAME}.crate", BUILD / "cargo"
    if not any(home.glob(place)):
        if not shutil.which("cargo"):
            raise Failure(f"cargo is not installed, which has OpenSSL's source; {HOW}")
        version = NAME.removeprefix("openssl-src-")
        replace(project / "Cargo.toml", f'{CARGO}openssl-src = "={version}"\n')
        replace(project / "lib.rs", "")
        print(f"  CARGO   {NAME}", flush=True)
        try:
            run(["cargo", "fetch", "--quiet"], cwd=project)
        except Failure as fault:
            raise Failure(f"{fault}: cargo has no network, or not this crate; {HOW}") from None
    return max(home.glob(place))


def source_fault(given: Path) -> str:
    """Why this is not the source of OpenSSL 3.1.1, as it was published; empty if it is."""
    if not given.exists():
        return f"no such file or folder; {HOW}"
    if given.is_file():
        known = digest(given) in ARCHIVES
        return "" if known else f"the SHA-256 {digest(given)} is not that of {VERSION}; {HOW}"
    if (given / "configdata.pm").exists():
        return "something has been built here; unpack the source anew"
    whole = hashlib.sha256()  # of what is measured: every C file, header and script in crypto/
    for path in sorted(given.glob("crypto/**/*")):
        if path.suffix in (".c", ".h", ".pl") and path.name != "buildinf.h":
            whole.update(f"{path.relative_to(given)}\0".encode() + path.read_bytes())
    published = whole.hexdigest() == TREE
    return "" if published else f"not OpenSSL {VERSION} as published: other files in crypto/; {HOW}"


def unpack(given: Path, to: Path) -> None:
    """Put the source into a folder, whole or not at all.  Raises Failure."""
    new = to.with_name(f"{to.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    print(f"  UNPACK  {to}", flush=True)
    if given.is_dir():
        shutil.copytree(given, new, dirs_exist_ok=True, symlinks=True)
    else:
        inside = ARCHIVES[digest(given)]
        depth = f"--strip-components={inside.count('/') + 1}"
        run(["tar", "-xzf", given, "-C", new, depth, "--no-same-owner", inside])
    if to == PATCHED:
        run(["patch", "-s", "-p1", "-i", PATCH.resolve()], cwd=new)
        shutil.copy(ROUTINE, new / "crypto/bn")
        replace(new / "ours.sha256", digest(ROUTINE, PATCH))
    shutil.rmtree(to, ignore_errors=True)
    new.rename(to)


def obtain() -> None:
    """Have both folders there: the source as it is, and with our routine.  Raises Failure and
    OSError."""
    told = os.environ.get("OPENSSL_SRC", "")
    ours = read(PATCHED / "ours.sha256") == digest(ROUTINE, PATCH)
    missing = [to for to, there in ((SOURCE, SOURCE.exists()), (PATCHED, ours)) if not there]
    if told or missing:
        given = Path(told) if told else by_cargo()
        if fault := source_fault(given):
            raise Failure(f"{given}: {fault}")
        for to in missing:
            unpack(given, to)


# ---- the builds, outside the source


def key(name: str) -> str:
    """What a build is made from."""
    source, options = BUILDS[name]
    compiler = first_line(f"{PREFIX}gcc", "--version")
    ours = digest(ROUTINE, PATCH) if source == PATCHED else ""
    return "\n".join([compiler, " ".join([*FLAGS, *WITHOUT, *options]), ours]).strip()


def is_built(name: str) -> bool:
    """Whether a build is whole, and made from what is here now."""
    return read(BUILD / name / "built") == key(name)


def follow(words: Sequence[str], folder: Path) -> None:
    """Run a command in a build's folder, its lines to the log beside it; every hundredth file that
    is compiled is told.  Raises Failure and OSError."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    log, done, output = folder.with_suffix(".log"), 0, subprocess.PIPE
    environment = kept | {"LC_ALL": "C"}
    with (
        log.open("a") as file,
        subprocess.Popen(
            words, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True
        ) as running,
    ):
        for line in running.stdout or ():
            file.write(line)
            done += " -c " in line
            if " -c " in line and done % 100 == 0:
                print(f"  OPENSSL {folder}: {done} files compiled", flush=True)
    if running.returncode:
        why = f"not built: see the end of {log}; where the disk was full, free some space"
        raise Failure(f"{folder}: {why}; then type the same command: it goes on")


def build(name: str) -> None:
    """Have one build there, whole: the library, the command with `openssl speed`, and the tests
    with our routine; from nothing if anything else was built there.  Raises Failure and OSError."""
    folder, made_from, (source, options) = BUILD / name, key(name), BUILDS[name]
    if is_built(name):
        return
    if read(folder / "configured") != made_from:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(f"  CONFIG  {folder}", flush=True)
        words = ["perl", str(source.resolve() / "Configure"), "linux-armv4"]
        words += [*(f"no-{part}" for part in WITHOUT), *options]
        follow([*words, f"--cross-compile-prefix={PREFIX}", *FLAGS], folder)
        # make takes a space in a path for the end of it.
        made = (folder / "Makefile").read_text()
        replace(folder / "Makefile", made.replace(f"{BUILD.resolve()}/", "../"))
        replace(folder / "configured", made_from)
    goals = ["libcrypto.a", "apps/openssl"]
    goals += [f"test/{test}" for test in TESTS] if name == "ours" else []
    print(f"  OPENSSL {folder}: minutes", flush=True)
    for words in (["build_generated"], goals):
        follow(["make", f"-j{WORKERS}", *words], folder)
    replace(folder / "built", made_from)


def build_all() -> None:
    """The subcommand `build`.  Raises Failure and OSError."""
    if not first_line(f"{PREFIX}gcc", "--version"):
        raise Failure(f"{PREFIX}gcc is not installed; `make setup` installs it")
    with files.alone(BUILD / "lock"):
        obtain()
        for name in BUILDS:
            build(name)
    print(f"OpenSSL is built: {', '.join(str(BUILD / name) for name in BUILDS)}")


# ---- OpenSSL's own tests


def parts(name: str) -> tuple[str, int, int]:
    """A test's name, how many parts of it said `ok`, and how many did not, or 1 where it failed.
    What it prints is kept beside it."""
    folder = BUILD / "ours/test"  # some leave files
    words = [*read_platform().runner, str((folder / name).resolve())]
    with (folder / f"{name}.txt").open("w") as file:
        status = subprocess.run(words, cwd=folder, stdout=file, stderr=subprocess.STDOUT).returncode
    verdicts = re.findall(r"(?m)^ *(not )?ok \d+", read(folder / f"{name}.txt"))
    passed, failed = verdicts.count(""), verdicts.count("not ")
    print(f"  TEST    {name}: {passed} passed", flush=True)
    return name, passed, failed or int(status != 0 or passed == 0)


def test(names: Sequence[str]) -> None:
    """The subcommand `test`.  Raises Failure and OSError."""
    if not is_built("ours"):
        raise Failure(f"{BUILD / 'ours'}: not built whole; type make openssl")
    with ThreadPoolExecutor(max_workers=WORKERS) as pool:
        ended = list(pool.map(parts, names))
    lines = [["test of OpenSSL", "parts passed", "failed"]]
    lines += [[name, str(passed), str(failed)] for name, passed, failed in ended]
    print("\n".join(aligned(lines, (0,))))
    if bad := [name for name, _, failed in ended if failed]:
        raise Failure(f"{', '.join(bad)} failed; see {BUILD}/ours/test/{bad[0]}.txt")


# ---- what an operation executes


def link(name: str) -> Path:
    """The program of a build.  Raises Failure."""
    if not is_built(name):
        raise Failure(f"{BUILD / name}: not built whole; type make openssl")
    program = BUILD / name / "speed"
    include = [f"-I{folder}" for folder in (BUILD / name / "include", SOURCE / "include")]
    include += [f"-I{SOURCE / 'apps'}", *([] if name == "c" else ["-DINTEGER_PATH"])]
    files = [OURS / "speed.c", BUILD / name / "libcrypto.a"]
    run([f"{PREFIX}gcc", *FLAGS, "-w", *include, *files, "-o", program])
    return program


def operation(program: Path, *words: str) -> Task:
    """The numbers of Count of one operation, kept."""
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
    """(row's name, operation, bits) -> count.  Raises Failure."""
    programs = {name: link(name) for name in BUILDS}
    todo = [(name, what, bits) for bits in sizes for what in OPERATIONS for name in COLUMNS]
    tasks = []
    for name, what, bits in todo:
        source, integer_only = COLUMNS[name][:2]
        tasks.append(operation(programs[source], what, str(bits), integer_only))
    return {place: Count(*numbers) for place, numbers in zip(todo, on_all_cores(tasks))}


def rows(counts: Counts) -> Iterator[Row]:
    """The rows of openssl.csv."""
    for (name, what, bits), count in counts.items():
        place = {"implementation": name, "level": "O3", "operation": what, "bits": bits}
        for metric, value in count._asdict().items():
            number = {"metric": metric, "value": value, "unit": "instructions"}
            yield place | {"operands": "openssl-speed", "way": "rsa"} | number


def table(counts: Counts, sizes: Iterable[int]) -> Iterator[str]:
    """In the layout of `openssl speed`; an ARM1176 has no NEON."""
    there = published()
    yield "Times of an ARM1176 at 1 GHz by model: instructions + 2 x long multiplies."
    yield "Published: times of a Pi Zero W, which is one, at 1 GHz."
    for name, (_, _, title, source) in COLUMNS.items():
        yield ""
        yield title + (f" (published: {source})" if source else "")
        head = "sign    verify    sign/s verify/s   instructions: sign       verify"
        yield " " * 18 + head + (" published: sign          verify" if source else "")
        for bits in sizes:
            pair = [counts[name, what, bits] for what in OPERATIONS]
            theirs = [there[source, bits, what] for what in OPERATIONS] if source else []
            beside = " ".join(f"{seconds:>14.6f}s" for seconds in theirs)
            numbers = f"{pair[0].instructions:>20,} {pair[1].instructions:>12,}"
            times = [count.seconds for count in pair]
            model = " ".join([*(f"{t:.6f}s" for t in times), *(f"{1 / t:8.1f}" for t in times)])
            if name == "neon":
                model = f"{'-':>9} {'-':>9} {'-':>8} {'-':>8}"
            yield f"rsa {bits:>5} bits {model} {numbers} {beside}".rstrip()


def speed(out: Path, largest: int) -> None:
    """The subcommand `speed`.  Raises Failure and OSError."""
    if read_platform().direct:  # OpenSSL measures itself
        for source, integer_only, title, _ in COLUMNS.values():
            print(f"\n{title}", flush=True)
            cap = {"OPENSSL_armcap": "0"} if integer_only == "1" else {}
            command = [str(BUILD / source / "apps/openssl"), "speed", "-seconds", "10"]
            command += [f"rsa{bits}" for bits in SIZES]
            subprocess.run(command, env=os.environ | cap, check=True)
    sizes = [bits for bits in SIZES if bits <= largest]
    with files.alone(BUILD / "lock"):
        counts = measured(sizes)
        write_rows(out / FILE, rows(counts))
    print("\n".join(table(counts, sizes)))


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    tasks = parser.add_subparsers(dest="task", required=True)
    tasks.add_parser("build")
    tasks.add_parser("test").add_argument("names", nargs="*", default=TESTS, metavar="NAME")
    options = tasks.add_parser("speed")
    options.add_argument("--out", type=Path, default=Path("results/local"))
    options.add_argument("--largest", type=int, default=SIZES[-1], metavar="BITS")
    told = parser.parse_args()
    if told.task == "build":
        build_all()
    elif told.task == "test":
        test(told.names)
    else:
        speed(told.out, told.largest)


if __name__ == "__main__":
    sys.exit(command_line("openssl", main))
