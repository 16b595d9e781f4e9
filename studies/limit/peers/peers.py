"""Powers x^e mod n by our rungs and by libraries that a user would pick, in the same run.

    python3 -m studies.limit.peers.peers

Each library of programs.csv is built for 32-bit ARM or unpacked, and linked with main.c and a file
of its own in this folder.  A program raises the same bases to the same exponent once and twice; the
difference is what the powers execute.  Python's pow is the judge of every result.  What was built
and counted is kept in build/peers, by hashes of all that it depends on; what cannot be had is named
in one line.  The counts go to build/peers/peers.csv; `--record` writes peers.csv of this folder and
README's tables, too.

Crates come by cargo, Debian's packages by apt from this machine's own mirror; PEERS_SRC=FOLDER has
them where there is no network.  An archive is believed by its SHA-256 alone (archives.csv).
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import product
from pathlib import Path
from shutil import rmtree
from typing import Any

from tqdm import tqdm

from harness import counters
from harness.cells import WORKERS, Task, on_all_cores
from harness.compiler import decided
from harness.kinds import Stream
from records import files
from records.commands import command
from records.faults import Failure, first_line, run
from records.files import digest, read, replace
from records.settings import USUAL_TOOLCHAIN
from records.tables import aligned, whole
from records.typed import read_table
from rsalab.markdown import between
from studies.openssl import openssl

HERE = Path("studies/limit/peers")
BUILD = Path("build/peers")
ARCHIVES = BUILD / "archives"
GCC = USUAL_TOOLCHAIN.command
TRIPLET = USUAL_TOOLCHAIN.prefix.rstrip("-")
ARCH = ["-O2", "-marm", "-march=armv6+fp", "-mfloat-abi=hard", *decided(GCC)]
STATIC = ["-static", "-Wl,-z,max-page-size=65536"]
# Its warnings come first.
CONFIGURE = './configure "$@" 2>errors || ! grep error: errors >&2'
WOLFSSL = ["sp_int", "sp_arm32", "wolfmath", "memory"]  # its files
HOW = "or type make peers PEERS_SRC=FOLDER, where the file is"
# Bits -> number of bases.
BASES = {64: 16, 96: 16, 128: 16, 1024: 4, 2048: 2, 4096: 1}
# How often what n alone decides is computed -> the word of main.c for it.
WORDS = {"excluded": "once", "included": "each"}
WAYS = ("constant", "variable")
LONGEST_RUNG = 128  # bits
Row = dict[str, Any]  # of peers.csv


# ---- archives


def archive(
    name: str, suite: str, fetch: Callable[[str], Iterable[Path]]
) -> tuple[Path, str]:
    """Return an archive that is pinned, from PEERS_SRC or fetched, and its version.  Raises
    Failure."""
    pins = {
        (row["suite"], row["name"]): row for row in read_table(HERE / "archives.csv")
    }
    if (suite, name) not in pins:
        raise Failure(
            f"{name} is pinned for Debian 12 and 13; this is {suite or 'not Debian'}"
        )
    pin = pins[suite, name]
    version = pin["version"]
    given = Path(os.environ.get("PEERS_SRC") or ARCHIVES)
    sha256 = pin["sha256"]
    for find in (given.glob, lambda _: fetch(version)):
        for path in find("*.*"):
            if path.is_file() and digest(path) == sha256:
                return path, version
    raise Failure(f"{name} {version} with SHA-256 {sha256} is not here; {HOW}")


def crate(name: str) -> Path:
    """Return a crate's archive.  Raises Failure."""

    def fetch(version: str) -> list[Path]:
        return [by_cargo(f"{name}-{version}")]

    path, _ = archive(name, "any", fetch)
    return path


def by_cargo(name: str) -> Path:
    """Return a crate, fetched by the Makefile of studies/openssl.  Raises Failure."""
    path = Path(f"build/crates/{name}.crate")
    run([*openssl.MAKE, path], env={**os.environ, "HOW": HOW, "MAKEFLAGS": ""})
    return path


def by_apt(package: str, version: str) -> Iterable[Path]:
    """Return Debian's packages for armhf, this one, too, unless there is PEERS_SRC; by apt-get with
    lists of its own: this machine's packages stay as they are."""
    if os.environ.get("PEERS_SRC"):
        return []
    state = (BUILD / "apt").resolve()
    for folder in (state / "lists/partial", state / "archives/partial", ARCHIVES):
        folder.mkdir(parents=True, exist_ok=True)
    options = [
        f"-oDir::State={state}",
        f"-oDir::Cache={state}",
        "-oDir::State::status=/dev/null",
        "-oAPT::Architecture=armhf",
        "-oAPT::Architectures=armhf",
    ]
    print(f"  APT     {package} {version} armhf", flush=True)
    for words in (["update"], ["download", f"{package}={version}"]):
        with suppress(Failure):  # one archive of several may fail without harm
            run(["apt-get", *options, *words], cwd=ARCHIVES)
    return ARCHIVES.glob("*.deb")


# ---- libraries: what a driver is compiled with, the version, the SHA-256 of what it is made of

Library = tuple[list[str], str, str]


def unpacked(archive: Path, *commands: list[str]) -> Path:
    """Return a folder made of an archive by commands that run in it.  Raises Failure."""
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


def tar(archive: Path, *folders: str) -> list[str]:
    """Return the command that takes folders, two deep, out of a crate."""
    top = archive.name.removesuffix(".crate")
    inside = [f"{top}/{folder}" for folder in folders]
    options = ["--no-same-owner", "--strip-components=2"]
    return ["tar", "-xzf", str(archive.resolve()), *options, *inside]


def debian(name: str, library: str = "") -> Library:
    """Return a library of Debian's package `name`-dev, of another name than that.  Raises
    Failure."""
    package = f"{name}-dev"
    suite = first_line("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME")
    deb, version = archive(package, suite, partial(by_apt, package))
    folder = unpacked(deb, ["dpkg-deb", "-x", str(deb.resolve()), "."])
    headers = folder / "usr/include"
    static = folder / f"usr/lib/{TRIPLET}/{library or name}.a"
    folders = [f"-isystem{headers}", f"-isystem{headers}/{TRIPLET}"]
    return [*folders, str(static)], version, digest(deb)


def gmp() -> Library:
    """Return GMP of its own source, with its assembly for ARMv6.  Raises Failure."""
    source = crate("gmp-mpfr-sys")
    options = ["--host=armv6-linux-gnueabihf", "--disable-shared"]
    variables = [f"CC={GCC}", f"CFLAGS={' '.join(ARCH)}"]
    configure = ["sh", "-c", CONFIGURE, "configure", *variables, *options]
    build = ["make", f"-j{WORKERS}"]
    folder = unpacked(source, tar(source, "gmp-6.3.0-c"), configure, build)
    return [f"-isystem{folder}", f"{folder}/.libs/libgmp.a"], "6.3.0", digest(source)


def wolfssl() -> Library:
    """Return wolfSSL's numbers with its assembly for A32.  Raises Failure."""
    source = crate("wolfssl-sys")
    folder = unpacked(
        source, tar(source, "wolfssl-src/wolfssl", "wolfssl-src/wolfcrypt/src")
    )
    options = [
        "-DWOLFSSL_USER_SETTINGS",
        f"-I{HERE}/wolfssl",
        "-march=armv7-a+fp",
        "-w",
    ]
    files = [f"{folder}/wolfcrypt/src/{name}.c" for name in WOLFSSL]
    return [*options, f"-isystem{folder}", *files], "5.9.4", digest(source)


build_openssl = cache(openssl.make)  # once in a run


def of_openssl(name: str, *options: str) -> Library:
    """Return OpenSSL as studies/openssl builds it.  Raises Failure."""
    build_openssl()
    folder = openssl.BUILD / name
    headers = [f"-isystem{folder}/include", f"-isystem{openssl.BUILD}/source/include"]
    if name == "ours":
        sha256 = digest(Path("studies/openssl/bn_mul_mont.S"))
    else:
        sha256 = read(Path("studies/openssl/archives.txt")).split()[0]
    return [*headers, *options, f"{folder}/libcrypto.a"], "3.1.1", sha256


def ours(version: str, file: str, *options: str) -> Library:
    """Return our own, as make has built and checked it.  Raises OSError."""
    return [*options, file], version, digest(Path(file))


# ---- rows


LIBRARIES: dict[str, Callable[..., Library]] = {
    "ours": ours,
    "of_openssl": of_openssl,
    "gmp": gmp,
    "wolfssl": wolfssl,
    "debian": debian,
}


def linked(peer: str, driver: str, words: list[str], version: str) -> Path:
    """Return the program of a peer, whose C file is `driver`.  Raises Failure."""
    name = re.sub(r"\W+", "-", f"{peer} {version}")
    program = BUILD / "programs" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    sources = [HERE / "main.c", HERE / f"{driver}.c"]
    options = [*ARCH, *STATIC, f"-I{HERE}"]
    run([GCC, *options, *sources, *words, "-o", program])
    return program


@cache
def numbers(bits: int) -> tuple[int, int, list[int]]:
    """Return n, e and the bases: the repository's key of this size, else a modulus that is
    drawn."""
    draw = Stream(f"peers {bits}")
    n = draw.odd(bits)
    e = draw.bits(bits) | 1 << bits - 1
    for path in (
        f"data/inputs/width-{bits}/key-full/key.txt",
        f"data/inputs/rsa-keys/{bits}.txt",
    ):
        key = dict(re.findall(r"(?m)^([nd]) (\w+)$", read(Path(path))))
        if key:
            n = int(key["n"], 16)
            e = int(key["d"], 16)
    bases = [draw.below(n) for _ in range(BASES[bits])]
    return n, e, bases


def spent(program: Path, bits: int, *words: str) -> list[int]:
    """Return instructions and multiplications of a run.  Raises Failure where a power is wrong."""
    n, e, bases = numbers(bits)
    digits = bits // 4
    text = "".join(f"{number:0{digits}x}\n" for number in (n, e, *bases))
    plugin = counters.plugin_option(openssl.PLUGIN, program)
    under_qemu = [*counters.QEMU, "-plugin", plugin, str(program), *words]
    # The counter's line is the last on stderr, which `run` does not keep, hence the shell.
    printed = run(["sh", "-c", 'exec "$@" 2>&1', "sh", *under_qemu], input=text)
    *lines, counted = printed.splitlines()
    powers = [int(line, 16) for line in lines]
    right = [pow(x, e, n) for x in bases]
    if powers != right:
        raise Failure(f"{program}: a power of {bits} bits is wrong, {words[0]} time")
    instructions, *multiplies = map(int, counted.split())
    return [instructions, sum(multiplies)]


def count(program: Path, way: str, setup: str, bits: int) -> list[int]:
    """Return instructions and multiplications of as many powers as there are bases: what two powers
    of each take more than one.  Raises Failure."""
    when = WORDS[setup]
    once = spent(program, bits, way, when, "1")
    twice = spent(program, bits, way, when, "2")
    instructions = twice[0] - once[0]
    multiplies = twice[1] - once[1]
    return [instructions, multiplies]


def measured() -> list[Row]:
    """Return the rows of the table; say why a peer cannot be had.  Raises Failure."""
    rows: list[Row] = []
    tasks = []
    for peer in read_table(HERE / "programs.csv"):
        name = peer["peer"]
        try:
            library = LIBRARIES[peer["library"]]
            words, version, sha256 = library(*peer["arguments"].split())
            program = linked(name, peer["driver"], words, version)
        except (Failure, OSError) as fault:
            print(f"  NOTE    {name} is not to be had: {fault}", flush=True)
            continue
        hashed = digest(program, openssl.PLUGIN)
        columns = [peer[column].split() for column in ("bits", "time", "set-up")]
        for size, way, setup in product(*columns):
            bits = int(size)
            case = f"{program.name}-{way}-{setup}-{bits}"
            kept = BUILD / "counts" / f"{case}.json"
            depends_on = f"{hashed} {numbers(bits)}"
            tasks.append(
                Task(kept, depends_on, partial(count, program, way, setup, bits))
            )
            row = {
                "peer": name,
                "version": version,
                "sha256": sha256,
                "way": way,
                "setup": setup,
            }
            rows.append(
                {**row, "bits": bits, "powers": BASES[bits], "code": peer["code"]}
            )
    with tqdm(total=len(tasks), unit="count", disable=None, leave=False) as bar:
        counted = on_all_cores(tasks, lambda _: bar.update() and None)
    for row, (instructions, multiplies) in zip(rows, counted):
        row["instructions"] = instructions
        row["multiplies"] = multiplies if row.pop("code") == "A32" else ""
    return rows


# ---- what is shown


def table(rows: Sequence[Row], way: str) -> str:
    """Return instructions a power by peer and size: first of the sizes that rungs have."""
    means: dict[tuple[str, str], dict[int, float]] = {}
    for row in rows:
        if row["way"] == way:
            name = row["peer"], row["setup"]
            bits = int(row["bits"])
            by_bits = means.setdefault(name, {})
            by_bits[bits] = int(row["instructions"]) / int(row["powers"])
    short = [bits for bits in BASES if bits <= LONGEST_RUNG]
    long = [bits for bits in BASES if bits > LONGEST_RUNG]
    blocks = []
    for sizes in (short, long):
        lines = [[f"{way} time", "set-up of n", *(f"{bits} bits" for bits in sizes)]]
        for name, by_bits in means.items():
            cells = [whole(by_bits.get(bits)) for bits in sizes]
            if not by_bits.keys().isdisjoint(sizes):
                lines.append([*name, *cells])
        blocks.append("\n".join(aligned(lines, (0, 1))))
    return "\n\n".join(blocks)


def write_page(rows: Sequence[Row]) -> None:
    """Write README's tables.  Raises Failure and OSError."""
    readme = HERE / "README.md"
    text = readme.read_text("utf-8")
    for way in WAYS:
        block = f"```text\n{table(rows, way)}\n```"
        text = between(text, way, block, str(readme))
    replace(readme, text)


def main(record: bool = False) -> None:
    """Build, count, and show.  Raises Failure and OSError."""
    given = os.environ.get("PEERS_SRC")
    if given and not Path(given).is_dir():
        raise Failure(
            f"PEERS_SRC={given}: no such folder; say the one where the archives are"
        )
    with files.alone(BUILD / "lock"):
        rows = measured()
    if not rows:
        raise Failure("no program can be built; the notes above say why")
    lines = [",".join(rows[0])]
    for row in rows:
        lines.append(",".join(map(str, row.values())))
    text = "\n".join(lines) + "\n"
    out = BUILD / "peers.csv"
    replace(out, text)
    if record:
        replace(HERE / "peers.csv", text)
        write_page(rows)
    print("Instructions of a power x^e mod n, e as long as n; the mean over several x")
    print(*(table(rows, way) for way in WAYS), sep="\n\n", end="\n\n")
    print(f"  WROTE   {out}: {len(rows)} rows")


if __name__ == "__main__":
    sys.exit(command("peers", main))
