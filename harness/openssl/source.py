"""The source of OpenSSL 3.1.1: obtained, checked by its SHA-256, unpacked.

cargo has it as a crate.  OPENSSL_SRC=PATH says where it is otherwise: OpenSSL's own archive, the
crate's, or an unpacked folder in which nothing has been built.  The source stands in
build/openssl/source as it is, and in build/openssl/patched with our routine; each gets its name
only when it is whole.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
from pathlib import Path

from records.command import run
from records.faults import Failure
from records.files import digest, replace

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


def in_cargo() -> list[Path]:
    """The crate's archive in cargo's own folder, if it has been fetched."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    return sorted(home.glob(f"registry/cache/*/{NAME}.crate"))


def by_cargo() -> Path:
    """The crate's archive, fetched unless it is there.  Raises Failure."""
    if not in_cargo():
        if not shutil.which("cargo"):
            raise Failure(f"cargo is not installed, which has OpenSSL's source; {HOW}")
        project = BUILD / "cargo"
        version = NAME.removeprefix("openssl-src-")
        replace(project / "Cargo.toml", f'{CARGO}openssl-src = "={version}"\n')
        replace(project / "lib.rs", "")
        print(f"  CARGO   {NAME}", flush=True)
        try:
            run(["cargo", "fetch", "--quiet"], cwd=project)
        except Failure as fault:
            raise Failure(f"{fault}: cargo has no network, or not this crate; {HOW}") from None
    found = in_cargo()
    if not found:
        raise Failure(f"cargo has fetched {NAME}, but not to its own folder; {HOW}")
    return found[-1]


def tree_digest(folder: Path) -> str:
    """The SHA-256 of what is measured: every C file, header and script in crypto/."""
    whole = hashlib.sha256()
    for path in sorted(folder.glob("crypto/**/*")):
        if path.suffix in (".c", ".h", ".pl") and path.name != "buildinf.h":
            whole.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return whole.hexdigest()


def version_of(folder: Path) -> str:
    """What a folder's VERSION.dat says.  Raises Failure where there is none."""
    try:
        text = (folder / "VERSION.dat").read_text()
    except OSError:
        raise Failure(f"{folder}: not a source of OpenSSL 3; {HOW}") from None
    return ".".join(re.findall(r"(?m)^(?:MAJOR|MINOR|PATCH)=(\d+)", text))


def check(given: Path) -> None:
    """Raises Failure unless this is the source of OpenSSL 3.1.1, as it was published."""
    if given.is_dir():
        if version_of(given) != VERSION:
            raise Failure(f"{given}: OpenSSL {version_of(given)}, not {VERSION}; {HOW}")
        if (given / "configdata.pm").exists():
            raise Failure(f"{given}: something has been built here; unpack the source anew")
        if tree_digest(given) != TREE:
            raise Failure(
                f"{given}: not OpenSSL {VERSION} as published: other files in crypto/; {HOW}"
            )
    elif not given.exists():
        raise Failure(f"{given}: no such file or folder; {HOW}")
    elif digest(given) not in ARCHIVES:
        raise Failure(
            f"{given}: the SHA-256 {digest(given)} is not that of OpenSSL {VERSION}; {HOW}"
        )


def unpack(given: Path, to: Path) -> None:
    """Put the source into a folder, whole or not at all."""
    new = to.with_name(f"{to.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    print(f"  UNPACK  {to}", flush=True)
    if given.is_dir():
        shutil.copytree(given, new, dirs_exist_ok=True, symlinks=True)
    else:
        inside = ARCHIVES[digest(given)]
        with tarfile.open(given) as archive:
            for member in archive:
                if member.isreg() and member.name.startswith(f"{inside}/"):
                    member.name = member.name.removeprefix(f"{inside}/")
                    archive.extract(member, new)
    if to == PATCHED:
        put_ours(new)
    new.rename(to)


def put_ours(folder: Path) -> None:
    """Our routine into a source of OpenSSL.  Raises Failure."""
    run(["patch", "-s", "-p1", "-i", PATCH.resolve()], cwd=folder)
    shutil.copy(ROUTINE, folder / "crypto/bn")


def obtain() -> None:
    """Have both folders there.  Raises Failure and OSError."""
    said = os.environ.get("OPENSSL_SRC", "")
    if said:
        check(Path(said))
    key = digest(ROUTINE, PATCH)
    kept = PATCHED / "ours.sha256"
    if PATCHED.exists() and (not kept.exists() or kept.read_text() != key):
        shutil.rmtree(PATCHED)
    missing = [folder for folder in (SOURCE, PATCHED) if not folder.exists()]
    if missing and not said:
        given = by_cargo()
        check(given)
    elif missing:
        given = Path(said)
    for folder in missing:
        unpack(given, folder)
    if PATCHED in missing:
        replace(kept, key)
