"""Powers x^e mod n by our rungs and by libraries that a user would pick, in the same run.

    PYTHONPATH=.:studies/openssl python3 studies/limit/peers/peers.py

Each library of programs.csv is built for 32-bit ARM or unpacked, and linked with main.c and a file
of its own in this folder.  A program raises the same bases to the same exponent once and twice; the
difference is what the powers execute.  Python's pow is the judge of every result.  What was built
and counted is kept in build/peers, by hashes of all that it depends on; what cannot be had is named
in one line.  The counts go to build/peers/peers.csv.

Crates come by cargo, Debian's packages by apt from this machine's own mirror; PEERS_SRC=FOLDER has
them where there is no network.  An archive is believed by its SHA-256 alone (archives.csv).
"""

import csv
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from shutil import rmtree
from typing import Any

import openssl
from tqdm import tqdm

from harness import counters
from harness.cells import WORKERS, Task, on_all_cores
from harness.kinds import Stream
from records import files
from records.faults import Failure, command_line, first_line, run
from records.files import digest, read, replace
from records.tables import aligned, whole

HERE, BUILD = Path("studies/limit/peers"), Path("build/peers")
ARCHIVES, OUT = BUILD / "archives", BUILD / "peers.csv"
TRIPLET = "arm-linux-gnueabihf"
GCC = f"{TRIPLET}-gcc"
ARCH = "-O2 -marm -march=armv6+fp -mfloat-abi=hard".split()
STATIC = ["-static", "-Wl,-z,max-page-size=65536"]
CONFIGURE = './configure "$@" 2>errors || ! grep error: errors >&2'  # its warnings come first
WOLFSSL = "sp_int", "sp_arm32", "wolfmath", "memory"  # its files
HOW = "or type make peers PEERS_SRC=FOLDER, where the file is"
BASES = {64: 16, 96: 16, 128: 16, 1024: 4, 2048: 2, 4096: 1}  # bits -> how many
WORD = {"excluded": "once", "included": "each"}  # what n alone decides -> main.c's word
COLUMNS = "peer,version,sha256,way,setup,bits,powers,instructions,multiplies".split(",")


# ---- archives


def table_of(name: str) -> list[dict[str, str]]:
    """A table of this folder."""
    with (HERE / name).open() as file:
        return list(csv.DictReader(file))


def archive(name: str, suite: str, fetch: Callable[[str], Iterable[Path]]) -> tuple[Path, str]:
    """An archive that is pinned, from PEERS_SRC or fetched, and its version.  Raises Failure."""
    pins = {(row["suite"], row["name"]): row for row in table_of("archives.csv")}
    if (suite, name) not in pins:
        raise Failure(f"{name} is pinned for Debian 12 and 13; this is {suite or 'not Debian'}")
    version, sha256 = pins[suite, name]["version"], pins[suite, name]["sha256"]
    for there in (Path(os.environ.get("PEERS_SRC") or ARCHIVES).glob, lambda _: fetch(version)):
        for path in there("*.*"):
            if path.is_file() and digest(path) == sha256:
                return path, version
    raise Failure(f"{name} {version} with SHA-256 {sha256} is not here; {HOW}")


def crate(name: str) -> Path:
    """A crate's archive.  Raises Failure."""
    return archive(name, "any", lambda version: [by_cargo(f"{name}-{version}")])[0]


def by_cargo(name: str) -> Path:
    """A crate, fetched by the Makefile of studies/openssl.  Raises Failure."""
    path = Path(f"build/crates/{name}.crate")
    run([*openssl.MAKE, path], env={**os.environ, "HOW": HOW, "MAKEFLAGS": ""})
    return path


def by_apt(package: str, version: str) -> Iterable[Path]:
    """Debian's packages for armhf, this one, too, unless there is PEERS_SRC; by apt-get with lists
    of its own: this machine's packages stay as they are."""
    if os.environ.get("PEERS_SRC"):
        return []
    state = (BUILD / "apt").resolve()
    for folder in (state / "lists/partial", state / "archives/partial", ARCHIVES):
        folder.mkdir(parents=True, exist_ok=True)
    options = [f"Dir::State={state}", f"Dir::Cache={state}", "Dir::State::status=/dev/null"]
    options += ["APT::Architecture=armhf", "APT::Architectures=armhf"]
    print(f"  APT     {package} {version} armhf", flush=True)
    for words in (["update"], ["download", f"{package}={version}"]):
        with suppress(Failure):  # one archive of several may fail without harm
            run(["apt-get", *(f"-o{option}" for option in options), *words], cwd=ARCHIVES)
    return ARCHIVES.glob("*.deb")


# ---- libraries: what a driver is compiled with, the version, the SHA-256 of what it is made of

Library = tuple[list[str], str, str]


def made(archive: Path, *commands: list[str]) -> Path:
    """A folder made of an archive by commands that run in it.  Raises Failure."""
    folder = BUILD / archive.name.partition("_")[0]
    key = f"{digest(archive)} {first_line(GCC, '--version')} {commands}"
    if read(folder / "built") != key:
        rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(f"  UNPACK  {folder}", flush=True)
        for words in commands:
            run(words, cwd=folder)
        replace(folder / "built", key)
    return folder


def unpack(archive: Path, *inside: str) -> list[str]:
    """The command that takes folders, two deep, out of a crate."""
    top = archive.name.removesuffix(".crate")
    words = ["tar", "-xzf", str(archive.resolve()), "--no-same-owner", "--strip-components=2"]
    return [*words, *(f"{top}/{folder}" for folder in inside)]


def debian(name: str, library: str = "") -> Library:
    """A library of Debian's package `name`-dev, of another name than that.  Raises Failure."""
    suite = first_line("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")
    deb, version = archive(f"{name}-dev", suite, partial(by_apt, f"{name}-dev"))
    usr = made(deb, ["dpkg-deb", "-x", str(deb.resolve()), "."]) / "usr"
    words = [f"-isystem{usr}/include", f"-isystem{usr}/include/{TRIPLET}"]
    return [*words, f"{usr}/lib/{TRIPLET}/{library or name}.a"], version, digest(deb)


def gmp() -> Library:
    """GMP of its own source, with its assembly for ARMv6.  Raises Failure."""
    source = crate("gmp-mpfr-sys")
    options = ["--host=armv6-linux-gnueabihf", "--disable-shared", f"CFLAGS={' '.join(ARCH)}"]
    configure = ["sh", "-c", CONFIGURE, "configure", f"CC={GCC}", *options]
    folder = made(source, unpack(source, "gmp-6.3.0-c"), configure, ["make", f"-j{WORKERS}"])
    return [f"-isystem{folder}", f"{folder}/.libs/libgmp.a"], "6.3.0", digest(source)


def wolfssl() -> Library:
    """wolfSSL's numbers with its assembly for A32.  Raises Failure."""
    source = crate("wolfssl-sys")
    folder = made(source, unpack(source, "wolfssl-src/wolfssl", "wolfssl-src/wolfcrypt/src"))
    words = ["-DWOLFSSL_USER_SETTINGS", f"-I{HERE}/wolfssl", "-march=armv7-a+fp", "-w"]
    words += [f"-isystem{folder}", *(f"{folder}/wolfcrypt/src/{name}.c" for name in WOLFSSL)]
    return words, "5.9.4", digest(source)


build_openssl = cache(openssl.make)  # once in a run


def of_openssl(name: str, *more: str) -> Library:
    """OpenSSL as studies/openssl builds it.  Raises Failure."""
    build_openssl()
    folder, study = openssl.BUILD / name, Path("studies/openssl")
    words = [f"-isystem{place}/include" for place in (folder, openssl.BUILD / "source")]
    known = read(study / "archives.txt").split()[0]
    sha256 = digest(study / "bn_mul_mont.S") if name == "ours" else known
    return [*words, *more, f"{folder}/libcrypto.a"], "3.1.1", sha256


def ours(version: str, file: str, *more: str) -> Library:
    """Our own, as make has built and checked it.  Raises OSError."""
    return [*more, file], version, digest(Path(file))


# ---- rows


LIBRARIES: dict[str, Any] = {one.__name__: one for one in (ours, of_openssl, gmp, wolfssl, debian)}


def linked(peer: str, driver: str, words: list[str], version: str) -> Path:
    """The program of a peer, whose C file is `driver`.  Raises Failure."""
    program = BUILD / "programs" / re.sub(r"\W+", "-", f"{peer} {version}")
    program.parent.mkdir(parents=True, exist_ok=True)
    sources = [f"{HERE}/main.c", f"{HERE}/{driver}.c", f"-I{HERE}"]
    run([GCC, *ARCH, *STATIC, *sources, *words, "-o", program])
    return program


@cache
def numbers(bits: int) -> tuple[int, int, list[int]]:
    """n, e and the bases: the repository's key of this size, else a modulus that is drawn."""
    drawn = Stream(f"peers {bits}")
    n, e = drawn.odd(bits), drawn.bits(bits) | 1 << bits - 1
    for path in (f"data/inputs/width-{bits}/key-full/key.txt", f"data/inputs/rsa-keys/{bits}.txt"):
        key = dict(re.findall(r"(?m)^([nd]) (\w+)$", read(Path(path))))
        n, e = (int(key["n"], 16), int(key["d"], 16)) if key else (n, e)
    return n, e, [drawn.below(n) for _ in range(BASES[bits])]


def count(program: Path, way: str, setup: str, bits: int) -> list[int]:
    """Instructions and multiplications of as many powers as there are bases.  Raises Failure."""
    (n, e, bases), spent = numbers(bits), []
    text = "".join(f"{number:0{bits // 4}x}\n" for number in (n, e, *bases))
    option = counters.plugin_option(openssl.PLUGIN, program)
    for times in ("1", "2"):
        words = [*counters.QEMU, "-plugin", option, str(program), way, WORD[setup], times]
        # The counter's line is the last on stderr, which `run` does not keep, hence the shell.
        printed = run(["sh", "-c", 'exec "$@" 2>&1', "sh", *words], input=text).splitlines()
        if [int(line, 16) for line in printed[:-1]] != [pow(x, e, n) for x in bases]:
            raise Failure(f"{program}: a power of {bits} bits is wrong, {way} time")
        instructions, *multiplies = map(int, printed[-1].split())
        spent.append([instructions, sum(multiplies)])
    return [twice - once for once, twice in zip(*spent)]


def measured() -> list[dict[str, Any]]:
    """The rows of the table; says why a peer cannot be had.  Raises Failure."""
    rows: list[dict[str, Any]] = []
    tasks = []
    for peer in table_of("programs.csv"):
        name = peer["peer"]
        try:
            words, version, sha256 = LIBRARIES[peer["library"]](*peer["arguments"].split())
            program = linked(name, peer["driver"], words, version)
        except (Failure, OSError) as fault:
            print(f"  NOTE    {name} is not to be had: {fault}", flush=True)
            continue
        for bits, way, setup in product(*(peer[c].split() for c in ("bits", "time", "set-up"))):
            kept = BUILD / "counts" / f"{program.name}-{way}-{setup}-{bits}.json"
            of = f"{digest(program, openssl.PLUGIN)} {numbers(int(bits))}"
            tasks.append(Task(kept, of, partial(count, program, way, setup, int(bits))))
            place = name, version, sha256, way, setup, bits, BASES[int(bits)], 0, peer["code"]
            rows.append(dict(zip(COLUMNS, place)))
    with tqdm(total=len(tasks), unit="count", disable=None, leave=False) as bar:
        counted = on_all_cores(tasks, lambda _: bar.update() and None)
    for row, (row["instructions"], multiplies) in zip(rows, counted):
        row["multiplies"] = multiplies if row["multiplies"] == "A32" else ""
    return rows


def table(rows: list[dict[str, Any]], way: str) -> str:
    """Instructions a power by peer and size."""
    cells: dict[tuple[str, str], dict[int, float]] = {}
    for row in (row for row in rows if row["way"] == way):
        of = cells.setdefault((row["peer"], row["setup"]), {})
        of[int(row["bits"])] = int(row["instructions"]) / int(row["powers"])
    lines = [[f"{way} time", "set-up of n", *(f"{bits} bits" for bits in BASES)]]
    lines += [[*place, *(whole(of.get(bits)) for bits in BASES)] for place, of in cells.items()]
    return "\n".join(aligned(lines, (0, 1)))


def main() -> None:
    """Raises Failure and OSError."""
    with files.alone(BUILD / "lock"):
        rows = measured()
    lines = [COLUMNS, *(map(str, row.values()) for row in rows)]
    replace(OUT, "".join(f"{','.join(line)}\n" for line in lines))
    print("Instructions of a power x^e mod n, e as long as n; the mean over several x")
    print(*(table(rows, way) for way in ("constant", "variable")), sep="\n\n", end="\n\n")
    print(f"  WROTE   {OUT}: {len(rows)} rows")


if __name__ == "__main__":
    sys.exit(command_line("peers", main))
