"""Counts what OpenSSL's RSA arithmetic executes, for the validation of the ARM1176 model.

`python3 -m harness.count.openssl_counts SOURCE` where SOURCE is an unpacked OpenSSL of the 3.x line
(on Debian: `apt-get source --download-only openssl`).  Writes data/published/openssl-counts.csv.
crypto/bn is compiled as the OpenSSL source compiled it (-O3, an ARM core without NEON), once with
OpenSSL's Montgomery assembly and once in C, and counted under qemu-arm.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.count import counts, qemu
from records.command import run
from records.faults import Failure, command_line
from records.files import replace

CC = "arm-linux-gnueabihf-gcc"
ARCH = "-O3 -marm -march=armv5te+fp -mfloat-abi=hard -DNDEBUG -w".split()
LINK = "-static -Wl,-z,max-page-size=65536 -Wl,--unresolved-symbols=ignore-all -Wl,-w".split()
PARTS = "add asm ctx conv div exp gcd intern lib mod mont mul shift sqr word".split()
SIZES = {"verify": (512, 1024, 2048, 3072, 4096, 7680), "sign": (512, 1024, 2048, 3072, 4096)}
VARIANTS = {"OpenSSL assembly": ["-DOPENSSL_BN_ASM_MONT"], "OpenSSL C": []}
OUT = Path("data/published/openssl-counts.csv")


def build(source: Path, defines: list[str], out: Path) -> Path:
    """The driver linked with crypto/bn; `source` has its generated headers."""
    out.mkdir(parents=True, exist_ok=True)
    include = [f"-I{source / folder}" for folder in ("include", ".", "crypto", "crypto/bn")]
    files = [source / f"crypto/bn/bn_{part}.c" for part in PARTS]
    if defines:
        run(["perl", "crypto/bn/asm/armv4-mont.pl", "void", "mont.S"], cwd=source)
        files.append(source / "mont.S")
    program = out / "driver"
    driver = Path("harness/count/openssl_driver.c")
    options = [*ARCH, *include, "-DOPENSSL_BUILDING_OPENSSL", *defines]
    run([CC, *options, *files, driver, *LINK, "-o", program])
    return program


def operation(program: Path, name: str, bits: int) -> tuple[int, int]:
    """(instructions, long multiplies) of one operation: what the second of two adds."""
    found = []
    for times in ("1", "2"):
        with tempfile.TemporaryDirectory() as folder:
            rows = qemu.count(program, [name, str(bits), times], out=Path(folder, "counts"))
        total = counts.by_symbol(rows, program)["total"]
        long = total["multiplies_long"] + total["multiplies_umaal"]
        found.append((total["instructions"], long))
    (first, first_long), (both, both_long) = found
    return both - first, both_long - first_long


def lines(source: Path) -> Iterator[str]:
    """The lines of the file."""
    yield "implementation,operation,bits,instructions,multiplies_long"
    for name, defines in VARIANTS.items():
        program = build(source, defines, Path("build/openssl", name.replace(" ", "-")))
        for what, sizes in SIZES.items():
            for bits in sizes:
                yield ",".join([name, what, str(bits), *map(str, operation(program, what, bits))])


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise Failure("say where OpenSSL's source is: make openssl-counts DIR=openssl-3.x")
    source = Path(sys.argv[1]).resolve()
    if not (source / "Configure").is_file():
        raise Failure(f"DIR={sys.argv[1]}: no source of OpenSSL, which has a file Configure")
    run(["perl", "Configure", "linux-armv4", "no-shared", "no-threads"], cwd=source)
    run(["make", "-s", "build_generated"], cwd=source)
    replace(OUT, "\n".join(lines(source)) + "\n")


if __name__ == "__main__":
    sys.exit(command_line("openssl_counts", main))
