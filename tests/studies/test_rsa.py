"""Signatures and envelopes of studies/width-1024 against the cryptography package."""

import os
from pathlib import Path

import long as rsa
import pytest
from long_program import Bench
from needs import needs
from vectors import KEYS, read_key

from harness.operands import Key
from records.faults import Failure
from rsalab.inputs.rsa_keys import SIZES, make_key

pytestmark = [
    needs("arm-linux-gnueabihf-gcc", "qemu-arm", "python:cryptography"),
    pytest.mark.slow,
]
MESSAGE = b"Attack at dawn"


@pytest.fixture(scope="module", autouse=True)
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rsa")
    (folder / "build").mkdir()
    (folder / "build/platform").write_text("platform=qemu\nrunner='qemu-arm -cpu cortex-a7'\n")
    place = folder / rsa.PROGRAM
    place.parent.mkdir(parents=True)
    Bench(folder / "objects").program().rename(place)
    return folder


@pytest.fixture(autouse=True)
def there(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(program)


def theirs(key: Key):  # type: ignore[no-untyped-def]
    """The key in the package's own form."""
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateNumbers, RSAPublicNumbers

    p, q, d = key.p, key.q, key.d
    parts = d % (p - 1), d % (q - 1), pow(q, -1, p)
    return RSAPrivateNumbers(p, q, d, *parts, RSAPublicNumbers(key.e, key.n)).private_key()


@pytest.mark.parametrize("bits", SIZES)
def test_the_committed_keys_are_those_of_the_seed(bits: int) -> None:
    assert read_key(KEYS / f"{bits}.txt") == make_key(bits)


@pytest.mark.parametrize(
    ("bits", "digest"), [*((1024, name) for name in rsa.PREFIXES), (2048, "sha256")]
)
def test_signatures_are_those_of_the_package(bits: int, digest: str) -> None:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    key, of = read_key(KEYS / f"{bits}.txt"), getattr(hashes, digest.upper())()
    ours = rsa.sign(key, MESSAGE, digest)
    theirs(key).public_key().verify(ours, MESSAGE, padding.PKCS1v15(), of)
    signed = theirs(key).sign(MESSAGE, padding.PKCS1v15(), of)
    rsa.verify(key, MESSAGE, signed, digest)
    assert signed == ours  # PKCS#1 version 1.5 draws nothing


@pytest.mark.parametrize("bits", [1024, 2048])
def test_envelopes_open_on_the_other_side(bits: int) -> None:
    from cryptography.hazmat.primitives.asymmetric import padding

    key, secret = read_key(KEYS / f"{bits}.txt"), os.urandom(16)
    assert theirs(key).decrypt(rsa.seal(key, secret), padding.PKCS1v15()) == secret
    sealed = theirs(key).public_key().encrypt(secret, padding.PKCS1v15())
    assert rsa.unseal(key, sealed) == secret


def test_a_public_key_verifies_and_does_not_sign(tmp_path: Path) -> None:
    lines = (KEYS / "1024.txt").read_text().splitlines(keepends=True)
    (tmp_path / "public.txt").write_text(
        "".join(line for line in lines if line[:2] in ("n ", "e "))
    )
    public = read_key(tmp_path / "public.txt", public=True)
    rsa.verify(public, MESSAGE, rsa.sign(read_key(KEYS / "1024.txt"), MESSAGE))
    with pytest.raises(Failure):
        read_key(tmp_path / "public.txt")


def test_what_does_not_verify_is_refused() -> None:
    key = read_key(KEYS / "512.txt")
    signed = rsa.sign(key, MESSAGE)
    rsa.verify(key, MESSAGE, signed)
    for message, signature in [
        (b"Attack at noon", signed),
        (MESSAGE, signed[:-1] + bytes([signed[-1] ^ 1])),
        (MESSAGE, signed[:-1]),
        (MESSAGE, key.n.to_bytes(64, "big")),
    ]:
        with pytest.raises(Failure):
            rsa.verify(key, message, signature)


def test_a_wrong_half_gives_no_signature() -> None:
    key = read_key(KEYS / "1024.txt")
    wrong = key._replace(d=key.d ^ 1)
    with pytest.raises(Failure, match="withheld"):
        rsa.sign(wrong, MESSAGE)
