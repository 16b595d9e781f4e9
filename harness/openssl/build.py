"""Builds OpenSSL 3.1.1 for ARM three times outside its source.

`python3 -m harness.openssl.build` makes build/openssl/c (no assembly), build/openssl/assembly
(OpenSSL's own; it uses NEON where the core has it) and build/openssl/ours (with bn_mul_mont.S).
Each keeps what it was built from in `built`, written when all is there; a build without it is not
used.  After a stop the same command goes on.  Everything that is printed is kept in `log`.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from harness.openssl.source import BUILD, PATCH, PATCHED, ROUTINE, SOURCE, obtain
from records import lock
from records.command import first_line
from records.faults import Failure, command_line
from records.files import digest, replace

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
PR_SET_PDEATHSIG = 1  # of sys/prctl.h
SPARE = 64 << 20  # bytes; the disk is full if it has no more
LATE = 60  # seconds before a build stopped in which a file may have been left half written
MADE = (".o", ".a", ".S", ".s", ".d", ".h", ".c", "")


def goals(name: str) -> list[str]:
    """What is built: the library, the command with `openssl speed`, the tests with our routine."""
    tests = [f"test/{test}" for test in TESTS] if name == "ours" else []
    return ["libcrypto.a", "apps/openssl", *tests]


def key(name: str) -> str:
    """What a build is made from."""
    source, options = BUILDS[name]
    compiler = first_line(f"{PREFIX}gcc", "--version")
    ours = digest(ROUTINE, PATCH) if source == PATCHED else ""
    return "\n".join([compiler, " ".join([*FLAGS, *WITHOUT, *options]), ours]) + "\n"


def is_built(name: str) -> bool:
    """Whether a build is whole, and made from what is here now."""
    kept = BUILD / name / "built"
    return kept.exists() and kept.read_text() == key(name)


def configured(name: str, made_from: str, log: TextIO) -> None:
    """Have the folder configured, from nothing if anything else was built there."""
    folder, mark = BUILD / name, BUILD / name / "configured"
    if mark.exists() and mark.read_text() == made_from:
        forget_half_written(folder, mark)
        return
    for path in folder.iterdir():
        if path.name != "log":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    source, options = BUILDS[name]
    print(f"  CONFIG  {folder}", flush=True)
    words = ["perl", str(source.resolve() / "Configure"), "linux-armv4"]
    words += [*(f"no-{part}" for part in WITHOUT), *options]
    follow([*words, f"--cross-compile-prefix={PREFIX}", *FLAGS], name, log)
    # make takes a space in a path for the end of it.
    made = (folder / "Makefile").read_text()
    replace(folder / "Makefile", made.replace(f"{BUILD.resolve()}/", "../"))
    replace(mark, made_from)


def forget_half_written(folder: Path, mark: Path) -> None:
    """Remove what the last build wrote at its end: a compiler that was killed, or had no space, may
    have left a part of a file, which make would take for the whole."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "log"]
    written = {path: path.stat().st_mtime for path in files}
    last = max(written.values())
    for path, when in written.items():
        if when > max(last - LATE, mark.stat().st_mtime) and path.suffix in MADE:
            path.unlink()


def ends_with_us() -> None:
    """In a child: ask the kernel for SIGTERM when this program ends, even if it is killed.  make
    then stops its compilers, so that they write nothing beside those of the next run."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def follow(words: Sequence[str], name: str, log: TextIO, total: int = 0) -> None:
    """Run a command in a build's folder, its lines to the log.  Raises Failure and OSError."""
    environment = {
        name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ
    }
    folder, done, said = BUILD / name, 0, 0
    running = subprocess.Popen(
        words,
        cwd=folder,
        env=environment | {"LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        preexec_fn=ends_with_us,
    )
    full = False
    try:
        for line in running.stdout or ():
            log.write(line)
            full = full or "No space left on device" in line
            done += " -c " in line
            if total and done >= said + max(1, total // 10):
                said = done
                print(f"  OPENSSL {folder}: {done} of {total} files compiled", flush=True)
    except BaseException:
        running.terminate()
        raise
    finally:
        running.wait()
    if running.returncode:
        full = full or shutil.disk_usage(folder).free < SPARE  # not every tool says so
        why = "No space left on device; free some space" if full else f"see {folder}/log"
        raise Failure(f"{folder}: not built: {why}, then type the same command: it goes on")


def compile_all(name: str, log: TextIO) -> None:
    """Build what is missing.  Raises Failure and OSError."""
    make = ["make", f"-j{len(os.sched_getaffinity(0))}"]
    follow([*make, "build_generated"], name, log)
    command = ["make", "-n", *goals(name)]
    planned = subprocess.run(
        command, cwd=BUILD / name, capture_output=True, text=True, env=os.environ
    )
    total = sum(" -c " in line for line in planned.stdout.splitlines())
    print(f"  OPENSSL {BUILD / name}: {total} files to compile", flush=True)
    follow([*make, *goals(name)], name, log, total)


def build(name: str, made_from: str) -> None:
    """Have one build there, whole, from what stands in its source.  Raises Failure and OSError."""
    folder = BUILD / name
    if is_built(name):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "built").unlink(missing_ok=True)
    with (folder / "log").open("a") as log:
        configured(name, made_from, log)
        compile_all(name, log)
    replace(folder / "built", made_from)


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    if not first_line(f"{PREFIX}gcc", "--version"):
        raise Failure(f"{PREFIX}gcc is not installed; `make setup` installs it")
    with lock.alone(BUILD / "lock"):
        obtain()
        # Known now: somebody may edit the routine while OpenSSL is compiled.
        for name, made_from in [(name, key(name)) for name in BUILDS]:
            build(name, made_from)
    print(f"OpenSSL is built: {', '.join(str(BUILD / name) for name in BUILDS)}")


if __name__ == "__main__":
    sys.exit(command_line("openssl", main))
