"""RSA with the program of studies/width-1024: signatures and envelopes of PKCS#1 version 1.5.

    python3 -m harness.long.rsa sign KEY FILE                  the signature, hexadecimal
    python3 -m harness.long.rsa verify KEY FILE SIGNATURE      SIGNATURE is a file
    python3 -m harness.long.rsa seal KEY FILE                  a session key, encrypted
    python3 -m harness.long.rsa open KEY FILE                  ... and decrypted again

Before KEY, --digest NAME says which hash is signed: sha256 unless another one is named.
Numbers are computed on ARM, hashes and padding by Python.  For learning only: the keys in
data/inputs/rsa-keys are public, and padding is not checked in constant time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.long.keys import Key, read_key
from harness.long.vectors import Setting
from records.faults import Failure, command_line
from records.platform import read_platform

PROGRAM = Path("build/studies/width-1024/assembly/O3/long")
# DigestInfo up to the digest itself (RFC 8017, section 9.2, note 1).
PREFIXES = {
    "md5": "3020300c06082a864886f70d020505000410",
    "sha1": "3021300906052b0e03021a05000414",
    "sha224": "302d300d06096086480165030402040500041c",
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}


def size(key: Key) -> int:
    """Bytes of n."""
    return key.n.bit_length() // 8


def answer(line: str, program: Path = PROGRAM) -> int:
    """What the program computes of a line.  Raises Failure with the program's own words."""
    if not program.exists():
        raise Failure(f"{program} is missing; make width-1024 builds it")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "line.txt")
        path.write_text(line + "\n")
        command = [*read_platform().runner, str(program), "answer", str(path)]
        ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode != 0:
        said = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[0]
        raise Failure(said.split("line.txt:1: ")[-1])
    return int(ran.stdout, 16)


def private(key: Key, x: int) -> int:
    """x^d mod n by the Chinese remainder theorem, in constant time.  Raises Failure, also for a
    wrong result."""
    return answer(key.private(Setting(key.limbs, method="fixed"), x))


def public(key: Key, x: int) -> int:
    """x^e mod n.  Raises Failure."""
    at = Setting(key.limbs, method="binary", window=1)
    return answer(at.line("mod_exp", key.n, x, key.e))


def encoded(key: Key, message: bytes, digest: str) -> int:
    """The number that is signed: 00 01 ff .. ff 00 DigestInfo.  Raises Failure."""
    told = bytes.fromhex(PREFIXES[digest]) + hashlib.new(digest, message).digest()
    room = size(key) - 3 - len(told)
    if room < 8:
        raise Failure(f"n has {key.n.bit_length()} bits: too few for {digest}")
    return int.from_bytes(b"\x00\x01" + b"\xff" * room + b"\x00" + told, "big")


def sign(key: Key, message: bytes, digest: str = "sha256") -> bytes:
    """A signature.  Raises Failure."""
    return private(key, encoded(key, message, digest)).to_bytes(size(key), "big")


def verify(key: Key, message: bytes, signature: bytes, digest: str = "sha256") -> None:
    """Raises Failure unless the signature is that of the message."""
    number = int.from_bytes(signature, "big")
    if len(signature) != size(key):
        raise Failure(f"no signature: {len(signature)} bytes, where n has {size(key)}")
    if number >= key.n or public(key, number) != encoded(key, message, digest):
        raise Failure("the signature does not verify")


def seal(key: Key, secret: bytes) -> bytes:
    """A session key, encrypted: 00 02 random 00 secret.  Raises Failure."""
    room = size(key) - 3 - len(secret)
    if room < 8:
        raise Failure(f"{len(secret)} bytes do not fit: n has room for {size(key) - 11}")
    padding = b""
    while len(padding) < room:
        padding += bytes(b for b in os.urandom(room - len(padding)) if b)
    number = int.from_bytes(b"\x00\x02" + padding + b"\x00" + secret, "big")
    return public(key, number).to_bytes(size(key), "big")


def unseal(key: Key, sealed: bytes) -> bytes:
    """The session key again.  Raises Failure."""
    number = int.from_bytes(sealed, "big")
    if len(sealed) != size(key) or number >= key.n:
        raise Failure("no envelope of this key")
    block = private(key, number).to_bytes(size(key), "big")
    padding, zero, secret = block[2:].partition(b"\x00")
    if block[:2] != b"\x00\x02" or len(padding) < 8 or not zero:
        raise Failure("no envelope of this key")
    return secret


def read(path: Path, what: str) -> bytes:
    """A file's bytes.  Raises Failure."""
    try:
        return path.read_bytes()
    except OSError as fault:
        raise Failure(f"{path}: no {what}: {fault.strerror}") from None


def hexadecimal(path: Path, what: str) -> bytes:
    """The bytes of a file of hexadecimal digits.  Raises Failure."""
    try:
        return bytes.fromhex(read(path, what).decode("ascii"))
    except ValueError:
        raise Failure(f"{path}: no {what}: not hexadecimal") from None


def main() -> None:
    """The command line.  Raises Failure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("task", choices=("sign", "verify", "seal", "open"))
    parser.add_argument("--digest", choices=PREFIXES, default="sha256")
    parser.add_argument("key", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("signature", type=Path, nargs="?")
    options = parser.parse_args()
    if options.task == "verify" and options.signature is None:
        raise Failure("verify KEY FILE SIGNATURE: the signature is missing")
    key = read_key(options.key, public=options.task in ("verify", "seal"))
    if options.task == "sign":
        print(sign(key, read(options.file, "message"), options.digest).hex())
    elif options.task == "seal":
        print(seal(key, read(options.file, "session key")).hex())
    elif options.task == "open":
        sys.stdout.buffer.write(unseal(key, hexadecimal(options.file, "envelope")))
    else:
        signature = hexadecimal(options.signature, "signature")
        verify(key, read(options.file, "message"), signature, options.digest)
        print("the signature is right")


if __name__ == "__main__":
    sys.exit(command_line("rsa", main))
