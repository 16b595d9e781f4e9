"""Powers x^e mod n by our rungs and by libraries that a user would pick, in the same run.

    PYTHONPATH=.:studies/openssl python3 studies/limit/peers/peers.py [--out CSV]

Each library is built for 32-bit ARM or unpacked, and linked with main.c and a file of its own in
this folder.  A program raises the same bases to the same exponent once and twice; the difference is
what the powers execute.  Python's pow is the judge of every result.  What was built and counted is
kept in build/peers, by hashes of all that it depends on; what cannot be had is named in one line.

Crates come by cargo, Debian's packages by apt from this machine's own mirror; PEERS_SRC=FOLDER has
them where there is no network.  An archive is believed by its SHA-256 alone (archives.csv).
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import openssl
from tqdm import tqdm

from harness import counters
from harness.cells import WORKERS, Task, on_all_cores, recall
from harness.kinds import Stream
from records import files
from records.command import first_line, run
from records.faults import Failure, command_line
from records.files import digest, read, replace
from records.tables import NONE, aligned, whole

HERE, BUILD = Path("studies/limit/peers"), Path("build/peers")
ARCHIVES = BUILD / "archives"
GCC, TRIPLET = f"{openssl.PREFIX}gcc", openssl.PREFIX.strip("-")
ARCH = "-O2 -marm -march=armv6+fp -mfloat-abi=hard".split()
STATIC = ["-static", "-Wl,-z,max-page-size=65536"]
CONFIGURE = './configure "$@" 2>errors || ! grep error: errors >&2'  # its warnings come first
WOLFSSL = "sp_int", "sp_arm32", "wolfmath", "memory"  # its files
HOW = "or type make peers PEERS_SRC=FOLDER, where the file is"
BASES = {64: 16, 96: 16, 128: 16, 1024: 4, 2048: 2, 4096: 1}  # bits -> how many
WORD = {"excluded": "once", "included": "each"}  # what n alone decides -> main.c's word
COLUMNS = "peer,version,sha256,way,setup,bits,powers,instructions,multiplies".split(",")
CONSTANT, VARIABLE = ("constant",), ("variable",)  # time
INCLUDED = ("included",)


# ---- archives


def pinned(name: str, suite: str) -> tuple[str, str]:
    """Version and SHA-256 of an archive.  Raises Failure."""
    with (HERE / "archives.csv").open() as file:
        pins = {(row[0], row[1]): (row[2], row[3]) for row in csv.reader(file)}
    if (suite, name) not in pins:
        raise Failure(f"{name} is pinned for Debian 12 and 13; this is {suite or 'not Debian'}")
    return pins[suite, name]


def given(sha256: str) -> Path | None:
    """The archive with this hash, if it is there."""
    folder = Path(os.environ.get("PEERS_SRC") or ARCHIVES)
    there = [*folder.glob("*.crate"), *folder.glob("*.deb")]
    return next((path for path in there if digest(path) == sha256), None)


def crate(name: str) -> Path:
    """A crate's archive.  Raises Failure."""
    version, sha256 = pinned(name, "any")
    path = given(sha256) or openssl.by_cargo(f"{name}-{version}", HOW)
    if digest(path) != sha256:
        raise Failure(f"{path}: its SHA-256 is not {sha256}; {HOW}")
    return path


def apt(*words: str) -> None:
    """Run apt-get for armhf with lists of its own: this machine's packages stay as they are.
    Raises Failure."""
    state = (BUILD / "apt").resolve()
    for folder in (state / "lists/partial", state / "archives/partial", ARCHIVES):
        folder.mkdir(parents=True, exist_ok=True)
    options = [f"Dir::State={state}", f"Dir::Cache={state}", "Dir::State::status=/dev/null"]
    options += ["APT::Architecture=armhf", "APT::Architectures=armhf"]
    run(["apt-get", *(f"-o{option}" for option in options), *words], cwd=ARCHIVES)


def package(name: str) -> tuple[Path, str]:
    """A Debian package of this machine's suite, and its version.  Raises Failure."""
    suite = first_line("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")
    version, sha256 = pinned(name, suite)
    if not given(sha256) and not os.environ.get("PEERS_SRC"):
        print(f"  APT     {name} {version} armhf", flush=True)
        for words in (["update"], ["download", f"{name}={version}"]):
            with suppress(Failure):  # one archive of several may fail without harm
                apt(*words)
    path = given(sha256)
    if not path:
        raise Failure(f"apt-get has not {name} {version} with SHA-256 {sha256}; {HOW}")
    return path, version


# ---- libraries


class Library(NamedTuple):
    """What a driver is compiled with, and what it is.  `a32`: all of it is A32 code, so that its
    multiplications can be counted."""

    words: list[str]
    version: str
    sha256: str
    a32: bool = True


def made(archive: Path, *commands: list[str]) -> Path:
    """A folder made of an archive by commands that run in it.  Raises Failure."""
    folder = BUILD / archive.name.partition("_")[0]
    key = f"{digest(archive)} {first_line(GCC, '--version')} {commands}"
    if read(folder / "built") != key:
        openssl.fill(folder, *commands)
        replace(folder / "built", key)
    return folder


def unpack(archive: Path, *inside: str) -> list[str]:
    """The command that takes folders, two deep, out of a crate."""
    top = archive.name.removesuffix(".crate")
    words = ["tar", "-xzf", str(archive.resolve()), "--no-same-owner", "--strip-components=2"]
    return [*words, *(f"{top}/{folder}" for folder in inside)]


def debian(name: str, library: str = "") -> Library:
    """A library of Debian's package `name`-dev, of another name than that.  Raises Failure."""
    archive, version = package(f"{name}-dev")
    usr = made(archive, ["dpkg-deb", "-x", str(archive.resolve()), "."]) / "usr"
    words = [f"-isystem{usr}/include", f"-isystem{usr}/include/{TRIPLET}"]
    words.append(f"{usr}/lib/{TRIPLET}/{library or name}.a")
    return Library(words, version, digest(archive), a32=False)


def gmp() -> Library:
    """GMP of its own source, with its assembly for ARMv6.  Raises Failure."""
    archive = crate("gmp-mpfr-sys")
    options = ["--host=armv6-linux-gnueabihf", "--disable-shared", f"CFLAGS={' '.join(ARCH)}"]
    configure = ["sh", "-c", CONFIGURE, "configure", f"CC={GCC}", *options]
    folder = made(archive, unpack(archive, "gmp-6.3.0-c"), configure, ["make", f"-j{WORKERS}"])
    return Library([f"-isystem{folder}", f"{folder}/.libs/libgmp.a"], "6.3.0", digest(archive))


def wolfssl() -> Library:
    """wolfSSL's numbers with its assembly for A32.  Raises Failure."""
    archive = crate("wolfssl-sys")
    folder = made(archive, unpack(archive, "wolfssl-src/wolfssl", "wolfssl-src/wolfcrypt/src"))
    words = ["-DWOLFSSL_USER_SETTINGS", f"-I{HERE}/wolfssl", "-march=armv7-a+fp", "-w"]
    words += [f"-isystem{folder}", *(f"{folder}/wolfcrypt/src/{name}.c" for name in WOLFSSL)]
    return Library(words, "5.9.4", digest(archive))


build_openssl = cache(openssl.build_all)  # once in a run


def of_openssl(name: str, *more: str) -> Library:
    """OpenSSL as studies/openssl builds it.  Raises Failure."""
    build_openssl()
    folder, source = openssl.BUILD / name, openssl.BUILDS[name][0]
    words = [f"-isystem{place}/include" for place in (folder, source)]
    with_ours = source == openssl.PATCHED
    sha256 = digest(openssl.ROUTINE) if with_ours else next(iter(openssl.ARCHIVES))
    return Library([*words, *more, f"{folder}/libcrypto.a"], openssl.VERSION, sha256)


def ours(version: str, file: str, *more: str) -> Library:
    """Our own, as make has built and checked it.  Raises OSError."""
    return Library([*more, file], version, digest(Path(file)))


# ---- rows


class Peer(NamedTuple):
    """`driver` is its C file.  `setups`: whether what it makes of n alone can be kept."""

    name: str
    driver: str
    library: Callable[[], Library]
    ways: tuple[str, ...] = CONSTANT + VARIABLE
    setups: tuple[str, ...] = tuple(WORD)
    bits: tuple[int, ...] = tuple(BASES)


def rung(name: str, folder: str, bits: int, ways: tuple[str, ...] = VARIABLE) -> Peer:
    """A snapshot of ours."""
    words = f"build/{folder}/O1/snapshot.o", "-Iharness", f"-DWIDTH={bits}"
    return Peer(name, "limit", partial(ours, Path(folder).name, *words), ways, bits=(bits,))


NO_NEON = "-DWITHOUT_NEON"
LONG = "build/studies/width-1024/assembly/O3/snapshot.o", "-Istudies/width-1024"
TWO = "studies/limit/odd-powers/mont.S", "-Iharness", "-DWIDTH=128", "-DTWO"
PEERS = (
    rung("v8", "iterations/v8", 128),
    rung("limit", "studies/limit/width-64", 64),
    rung("limit", "studies/limit/width-96", 96),
    rung("limit", "studies/limit/window", 128),
    rung("limit", "studies/limit/one-trace", 128, CONSTANT),
    Peer("odd-powers", "limit", partial(ours, "odd-powers", *TWO), VARIABLE, bits=(128,)),
    Peer("width-1024", "long", partial(ours, "assembly", *LONG), bits=(64, 96, 128, 1024, 2048)),
    Peer("OpenSSL with ours", "openssl", partial(of_openssl, "ours", NO_NEON)),
    Peer("OpenSSL NEON", "openssl", partial(of_openssl, "assembly")),
    Peer("OpenSSL assembly", "openssl", partial(of_openssl, "assembly", NO_NEON)),
    Peer("OpenSSL C", "openssl", partial(of_openssl, "c")),
    Peer("GMP for ARMv6", "gmp", gmp, setups=INCLUDED),
    Peer("GMP of Debian", "gmp", partial(debian, "libgmp"), setups=INCLUDED),
    Peer("wolfSSL", "wolfssl", wolfssl, setups=INCLUDED),
    Peer("Mbed TLS", "mbedtls", partial(debian, "libmbedtls", "libmbedcrypto"), CONSTANT),
    Peer("BearSSL", "bearssl", partial(debian, "libbearssl"), CONSTANT),
    Peer("LibTomMath", "tommath", partial(debian, "libtommath"), VARIABLE, INCLUDED),
)


def linked(peer: Peer, library: Library) -> Path:
    """The program of a peer.  Raises Failure."""
    program = BUILD / "programs" / re.sub(r"\W+", "-", f"{peer.name} {library.version}")
    program.parent.mkdir(parents=True, exist_ok=True)
    sources = [f"{HERE}/main.c", f"{HERE}/{peer.driver}.c", f"-I{HERE}"]
    run([GCC, *ARCH, *STATIC, *sources, *library.words, "-o", program])
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


def measured() -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of the table, and why a peer cannot be had.  Raises Failure."""
    rows: list[dict[str, Any]] = []
    tasks, lacking = [], {}
    for peer in PEERS:
        try:
            library = peer.library()
            program = linked(peer, library)
        except (Failure, OSError) as fault:
            lacking[peer.name] = f"  NOTE    {peer.name} is not to be had: {fault}"
            continue
        for bits, way, setup in product(peer.bits, peer.ways, peer.setups):
            kept = BUILD / "counts" / f"{program.name}-{way}-{setup}-{bits}.json"
            of = f"{digest(program, openssl.PLUGIN)} {numbers(bits)}"
            tasks.append(Task(kept, of, partial(count, program, way, setup, bits)))
            place = peer.name, library.version, library.sha256, way, setup, bits, BASES[bits]
            rows.append(dict(zip(COLUMNS, (*place, 0, library.a32))))
    with tqdm(total=len(tasks), unit="count", disable=None, leave=False) as bar:
        bar.update(sum(recall(task.path, task.key) is not None for task in tasks))
        counted = on_all_cores(tasks, lambda _: bar.update() and None)
    for row, (instructions, multiplies) in zip(rows, counted):
        row["instructions"] = instructions
        row["multiplies"] = multiplies if row["multiplies"] else ""
    return rows, lacking


def table(rows: list[dict[str, Any]], way: str, lacking: Iterable[str] = ()) -> str:
    """Instructions a power by peer and size; `lacking` are the peers that cannot be had."""
    cells: dict[tuple[str, str], dict[int, float]] = {}
    for row in (row for row in rows if row["way"] == way):
        of = cells.setdefault((row["peer"], row["setup"]), {})
        of[int(row["bits"])] = int(row["instructions"]) / int(row["powers"])
    lines = [[f"{way} time", "set-up of n", *(f"{bits} bits" for bits in BASES)]]
    for place, of in cells.items():
        lines.append([*place, *(whole(of.get(bits)) for bits in BASES)])
    lines += ([name, "not to be had", *[NONE] * len(BASES)] for name in lacking)
    return "\n".join(aligned(lines, (0, 1)))


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=BUILD / "peers.csv")
    out: Path = parser.parse_args().out
    with files.alone(BUILD / "lock"):
        rows, lacking = measured()
    lines = [COLUMNS, *(map(str, row.values()) for row in rows)]
    replace(out, "".join(f"{','.join(line)}\n" for line in lines))
    print("Instructions of a power x^e mod n, e as long as n; the mean over several x")
    print(*(table(rows, *way, lacking) for way in (CONSTANT, VARIABLE)), sep="\n\n", end="\n\n")
    print(*lacking.values(), f"  WROTE   {out}: {len(rows)} rows", sep="\n")


if __name__ == "__main__":
    sys.exit(command_line("peers", main))
