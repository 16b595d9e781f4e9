"""What a user gives to the studies: keys, messages, signatures, sources and seeds.  What cannot be
used is named in one line, with the file, what it is and what would be right."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from harness.kinds import Stream
from records.faults import Failure
from records.ladder import ROOT

keys = import_module("studies.width-1024.keys")
LONG = "studies.width-1024.long"
KEY = (ROOT / "data/inputs/rsa-keys/512.txt").read_text()
NUMBERS = dict(line.split() for line in KEY.splitlines() if not line.startswith("#"))
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBANvDe9Foyy9uQFSUQ/EN\n"
SECRET = "-----BEGIN PRIVATE KEY-----\n"


def ran(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of the studies, typed in the root."""
    clean = {
        name: text
        for name, text in os.environ.items()
        if name not in ("SEED", "MAKEFLAGS")
    }
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=ROOT,
        env=clean | environment,
        capture_output=True,
        text=True,
    )


def refused(*words: object, **environment: str) -> str:
    """The one line that a command refuses with."""
    command = ran(*words, **environment)
    assert command.returncode == 2, command.stderr
    assert command.stdout == ""
    assert command.stderr.count("\n") == 1, command.stderr
    return command.stderr


def key(**changed: str) -> str:
    """The text of the key of 512 bits with some numbers changed, or without those that are ""."""
    numbers = NUMBERS | changed
    return "".join(f"{name} {digits}\n" for name, digits in numbers.items() if digits)


def of_primes(bits_of_p: int, bits_of_q: int) -> str:
    """The text of a key whose primes have these lengths."""
    draw = Stream(f"key files {bits_of_p} {bits_of_q}")
    p = draw.prime(bits_of_p)
    q = draw.prime(bits_of_q)
    d = pow(65537, -1, (p - 1) * (q - 1))
    return f"n {p * q:x}\ne 10001\nd {d:x}\np {p:x}\nq {q:x}\n"


REFUSED = {
    "3,072 bits": (
        of_primes(1536, 1536),
        "n has 3072 bits; here a key has a multiple of 64 up to",
    ),
    "500 bits": (of_primes(250, 250), "n has 500 bits"),
    "unequal primes": (
        of_primes(300, 212),
        "p has 300 bits and q 212; here both have 256",
    ),
    "no primes": (key(p=NUMBERS["n"], q="1"), "p has 512 bits and q 1"),
    "a wrong p": (key(p=f"{int(NUMBERS['p'], 16) + 2:x}"), "n is not p q"),
    "a wrong d": (key(d="3"), "e d is not 1 modulo p - 1"),
    "n of zeros": (key(n="0" * 600), "n has 0 bits"),
    "an even n": (key(n=NUMBERS["n"][:-1] + "6"), "n is even"),
    "an even e": (key(e="10002"), "e has to be odd"),
    "a long e": (key(e="1" * 17), "up to 64 bits"),
    "a PEM": (PEM, "a PEM file; `openssl rsa -noout -text -in FILE` prints"),
    "another PEM": (SECRET, "a PEM file"),
    "an OpenSSH key": ("ssh-rsa AAAAB3NzaC1yc2E= me@here\n", "an OpenSSH file"),
    "nothing": ("", "the file is empty"),
    "spaces": (" \n\n", "the file is empty"),
    "a comment": ("# n 5\n", "no line `n HEX`"),
    "a negative number": (key(d="-5"), "line 3, 'd -5', is not a name"),
    "another digit": (key(q="g5"), "line 5, 'q g5', is not a name"),
    "a prefix": (key(e="0x10001"), "line 2, 'e 0x10001', is not a name"),
    "another name": (key() + "x 5\n", "line 6, 'x 5', is not a name"),
    "a name twice": (key() + "e 3\n", "line 6 says e again"),
    "no q": (key(q=""), "no line `q HEX`"),
    "a public key": (
        key(d="", p="", q=""),
        "a public key, n and e alone; a private key has d, p",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_key_that_cannot_be_used_is_named(what: str, tmp_path: Path) -> None:
    text, fault = REFUSED[what]
    path = tmp_path / "my key.txt"
    path.write_text(text)
    with pytest.raises(Failure) as caught:
        keys.read_key(path)
    said = str(caught.value)
    assert said.startswith(f"{path}: no key: ") and fault in said and "\n" not in said


def test_what_is_no_file_with_a_key_is_named(tmp_path: Path) -> None:
    der = tmp_path / "key.der"
    der.write_bytes(bytes.fromhex("3082013b020100024100dbc37b"))
    faults = {
        tmp_path / "absent.txt": "there is no such file",
        tmp_path: "a folder",
        der: "a DER file",
    }
    for path, fault in faults.items():
        with pytest.raises(Failure, match=f"^{re.escape(str(path))}: .*{fault}"):
            keys.read_key(path)


def test_a_key_in_another_shape_is_taken(tmp_path: Path) -> None:
    """Zeros in front, capital digits, lines that end as on Windows, an order of its own."""
    lines = [f"{name} {'0' * 700}{digits.upper()}" for name, digits in NUMBERS.items()]
    path = tmp_path / "key.txt"
    path.write_bytes("\r\n\r\n".join(reversed(lines)).encode())
    assert keys.read_key(path) == keys.read_key(keys.KEYS / "512.txt")


def test_a_message_or_a_signature_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    known, absent = "data/inputs/rsa-keys/512.txt", tmp_path / "absent"
    assert f"{absent}: there is no such file" in refused(LONG, "sign", known, absent)
    assert "data: a folder" in refused(LONG, "sign", known, "data")
    said = refused(LONG, "verify", known, "README.md", absent)
    assert f"{absent}: there is no such file" in said
    for command in (["verify", known, "README.md"], ["open", known]):
        assert "LICENSE: not hexadecimal" in refused(LONG, *command, "LICENSE")
    short = tmp_path / "signature"
    short.write_text("00ff\n")
    assert "2 bytes, where n has 64" in refused(
        LONG, "verify", known, "README.md", short
    )
    short.write_text("00f\n")
    said = refused(LONG, "open", known, short)
    assert "3 hexadecimal digits, and a byte has two: is it whole" in said


def test_a_seed_that_is_no_number_is_refused(tmp_path: Path) -> None:
    said = refused(LONG, "check", tmp_path / "long", SEED="seven")
    assert said == "check: SEED=seven: say a whole number, such as SEED=7\n"


def test_a_largest_key_below_the_smallest_is_refused() -> None:
    said = refused("studies.openssl.openssl", "speed", "--largest", "100")
    assert said == "speed: --largest 100: the smallest key has 512 bits\n"
