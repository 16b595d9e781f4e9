"""studies/width-1024: planted bugs are found, bad input is refused, a
wrong half does not leave; signatures and envelopes are those of the
cryptography package."""

import os
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from long_program import Bench
from needs import needs
from representatives import mostly_long

from harness.kinds import Stream
from harness.operands import Key
from records.faults import Failure
from records.ladder import ROOT
from rsalab.inputs.rsa_keys import SIZES, make_key

rsa = import_module("studies.width-1024.long")
keys = import_module("studies.width-1024.keys")
vectors = import_module("studies.width-1024.vectors")
pytestmark = needs("arm-linux-gnueabihf-gcc", "qemu-arm")
slow = pytest.mark.slow
BOTH = pytest.mark.parametrize("kind", ["assembly", "plain"])

# file, what stands there, the bug
BUGS = [
    ("assembly/columns.inc", "umaal   \\c, \\d, xb, y3", "umaal   \\c, \\d, xa, y3"),
    ("assembly/multiply.S", "stm     r0!, {r4-r11}", "add     r0, r0, #32"),
    ("assembly/multiply.S", "str     r7, [r0], #4", "add     r0, r0, #4"),
    ("assembly/square.S", "adcs    y2, y2, y2", "adds    y2, y2, y2"),
    ("assembly/square.S", "bic     \\w0, y0, r2", "mov     \\w0, #0"),
    ("assembly/square.S", "and     \\w3, y3, y2, asr #31", "mov     \\w3, #0"),
    ("assembly/square.S", "adds    r4, r4, #0", "cmp     r4, r4"),
    ("assembly/reduce.S", "adcs    r7, r7, r3", "adds    r7, r7, r3"),
    ("assembly/reduce.S", "adc     r12, r12, #0", "nop"),
    (
        "assembly/reduce.S",
        "sbcs    r12, r12, #0",
        "cmp     r11, r9",
    ),  # by the top limb alone
    ("assembly/reduce.S", "mov     r11, r7", "mov     r11, #0"),
    ("assembly/reduce.S", "mvn     r12, r12", "mov     r12, #0"),
    ("assembly/linear.S", "and     r8, r8, r12", "nop"),
    ("assembly/columns.inc", "push    {r4-r11, lr}", "push    {r3, r5-r11, lr}"),
    ("plain/kernels.c", "mask = 0 - (top | (borrow ^ 1))", "mask = 0 - (borrow ^ 1)"),
    ("plain/kernels.c", "shifted = high >> 31", "shifted = 0"),
    ("plain/kernels.c", "t[i + k] + top;", "t[i + k];"),
    ("karatsuba.c", "c -= top;", ""),
    ("karatsuba.c", "c = sum < c;", "c = 0;"),
    ("exponent.c", "zeros + count", "zeros + w"),
    ("crt.c", "0 - borrow", "0"),
    (
        "assembly/linear.S",
        "r12, [sp, #36]",
        "r12, [sp, #36]\n cmp r3, #40\n mvnhs r12, #0",
    ),
    ("assembly/choose.S", "movgt   r12, r10", "nop"),
    ("assembly/choose.S", "add     r4, r3, #2", "add     r4, r3, #3"),
    (
        "assembly/choose.S",
        "r6, r0",
        "r6, r0\n cmp r7, #4\n cmpeq r4, #65\n moveq r4, #64",
    ),
    ("plain/kernels.c", "table += 4", "table += 3"),
]
# What stands before private_crt, and what is said of it.
BREACHES = [
    ("void exit(int); static __attribute__((used)) void two(void) { exit(2); }", "calls exit"),
    ("uint32_t two(void) { return 2; }", "exports two"),
    ("static volatile uint32_t last; static __attribute__((used)) void two(void) { last = 2; }",
     "writable data"),
    ('__attribute__((section("elsewhere"), used)) static void two(void) {}', "section elsewhere"),
]  # fmt: skip


@cache
def lines(seed: int) -> list[str]:
    """Vectors that are quickly computed: the small sizes, and a few of
    every length."""
    made = list(vectors.vectors(40, seed, (64, 128, 256)))
    return made + list(
        vectors.private_lines(keys.read_key(keys.KEYS / "512.txt"), Stream(str(seed)))
    )


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("long"))


@pytest.fixture(scope="module")
def place(bench: Bench) -> Path:
    """A checkout in which the program is built."""
    place = bench.folder / "here"
    (place / rsa.PROGRAM).parent.mkdir(parents=True)
    (place / "build/platform").write_text(
        "platform=qemu\nrunner='qemu-arm -cpu cortex-a7'\n"
    )
    (place / rsa.STUDY).parent.mkdir()
    (place / rsa.STUDY).symlink_to(ROOT / rsa.STUDY)
    (place / rsa.PROGRAM).symlink_to(bench.program())
    return place


@pytest.fixture(autouse=True)
def there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)


# --- the program ----------------------------------------------------------------------------------


@slow
@BOTH
def test_no_vector_fails(bench: Bench, kind: str) -> None:
    assert (
        rsa.answers(bench.program(kind), "check", lines(1))
        == f"{len(lines(1))} lines\n"
    )


@pytest.mark.long
@BOTH
def test_ten_thousand_random_cases(bench: Bench, kind: str) -> None:
    rsa.answers(bench.program(kind), "check", list(vectors.vectors(5000, 2, ())))


@slow
@pytest.mark.parametrize(
    ("file", "old", "new"),
    mostly_long(BUGS, [BUGS[at] for at in (0, 3, 9, 14, 17, 20)]),
)
def test_a_planted_bug_is_found(
    bench: Bench, file: str, old: str, new: str, tmp_path
) -> None:
    with pytest.raises(Failure):
        rsa.answers(bench.planted(file, old, new, tmp_path), "check", lines(3))


@slow
@pytest.mark.parametrize(("new", "fault"), mostly_long(BREACHES, BREACHES[1:3]))
def test_a_breach_of_the_contract_is_refused(
    bench: Bench, new: str, fault: str, tmp_path
) -> None:
    """nat.h says what a program exports, calls and keeps."""
    old = "uint32_t private_crt("
    program = bench.planted("crt.c", old, f"{new}\n{old}", tmp_path)
    with pytest.raises(Failure, match=fault):
        rsa.check(program, seed=1, cases=0)


RIGHT = vectors.Setting(2).line("mont_mul", (1 << 64) - 1, 5, 7)


BAD = [
    RIGHT[:-1] + ("0" if RIGHT[-1] != "0" else "1"),  # a wrong result
    "divide 1 0 1 2 4 3 2 1",
    "mont_mul 65 0 1 2 4 3 2 2 1",
    "mont_mul 1 0 1 2 4 4 2 2 1",  # an even modulus
    "mont_mul 3 1 1 2 4 3 2 2 1",  # three limbs have no half
    "mont_mul 1 0 1 2 4 3 2 2 1 1",
    "mod_exp 1 0 1 2 4 3 5 2 1",  # x is not below n
    "private 2 0 1 2 4 f 3 5 1 1 1 3 2 8",  # q is not below p
]


@slow
@pytest.mark.parametrize("line", BAD)
def test_bad_input_and_wrong_results_are_named(line: str) -> None:
    with pytest.raises(Failure, match=r"^line 1: ."):
        rsa.answers(rsa.PROGRAM, "check", [line])


# Each has a number, the 2 or the result, that is right modulo 2^32 or 2^64, and too long.
TOO_LONG = {
    "mod_exp 1 0 1 0 1 7 2 100000003 1": "e",
    "mod_exp 1 0 1 0 1 7 100000002 3 1": "x",
    "mod_exp 1 0 1 0 1 7 2 3 100000001": "the result",
    "mod_exp 1 0 1 0 1 100000007 2 3 1": "n",
    "mont_mul 1 0 1 0 1 7 100000002 4 2": "x",
    "mont_mul 1 0 1 0 1 7 2 100000004 2": "y",
    "mont_mul 1 0 1 0 1 7 2 4 100000002": "the result",
    "mont_sqr 1 0 1 0 1 7 100000001 2": "x",
    "multiply 1 0 1 0 1 100000002 3 6": "x",
    "multiply 1 0 1 0 1 2 100000003 6": "y",
    "multiply 1 0 1 0 1 2 3 10000000000000006": "the result",
    "square 1 0 1 0 1 100000002 4": "x",
    "square 1 0 1 0 1 2 10000000000000004": "the result",
    "add 1 0 1 0 1 2 100000003 5": "y",
    "add 1 0 1 0 1 2 3 10000000000000005": "the result",
    "subtract_masked 1 0 1 0 1 3 2 1ffffffff 1": "the mask",
    "private 2 0 1 2 4 f 5 3 1 1 2 10000000000000003 2 8": "e",
    "private 2 0 1 2 4 f 5 3 100000001 1 2 3 2 8": "dp",
    "private 2 0 1 2 4 f 5 3 1 1 2 3 2 10000000000000008": "the result",
}


@slow
@pytest.mark.parametrize("line", mostly_long(TOO_LONG, list(TOO_LONG)[:3]))
def test_a_number_that_is_too_long_is_refused_and_never_cut(line: str) -> None:
    """By all three commands; without it `answer` gives a result, and the others pass a wrong one."""
    what = TOO_LONG[line]
    for command in ("check", "count"):
        with pytest.raises(Failure, match=f"^line 1: {what} has more than"):
            rsa.answers(rsa.PROGRAM, command, [line])
    if what != "the result":
        with pytest.raises(Failure, match=f"^line 1: {what} has more than"):
            rsa.answers(rsa.PROGRAM, "answer", [line.rpartition(" ")[0]])


@slow
@pytest.mark.parametrize("number", [3, 4, 5])
def test_a_corrupted_half_does_not_leave(number: int) -> None:
    words = list(
        vectors.private_lines(keys.read_key(keys.KEYS / "512.txt"), Stream("1"))
    )[-1].split()
    words[6 + number] = f"{int(words[6 + number], 16) ^ 2:x}"  # dp, dq, qinv
    with pytest.raises(Failure, match="withheld"):
        rsa.answer(" ".join(words[:-1]))


# --- keys, signatures, envelopes ------------------------------------------------------------------

MESSAGE = b"Attack at dawn"
CRYPTOGRAPHY = needs("python:cryptography")


@pytest.mark.parametrize("bits", SIZES)
def test_the_committed_keys_are_those_of_the_seed(bits: int) -> None:
    assert keys.read_key(keys.KEYS / f"{bits}.txt") == make_key(bits)


def theirs(key: Key) -> object:
    """The key in the package's own form."""
    from cryptography.hazmat.primitives.asymmetric.rsa import (
        RSAPrivateNumbers,
        RSAPublicNumbers,
    )

    p, q, d = key.p, key.q, key.d
    parts = d % (p - 1), d % (q - 1), pow(q, -1, p)
    return RSAPrivateNumbers(
        p, q, d, *parts, RSAPublicNumbers(key.e, key.n)
    ).private_key()


@slow
@CRYPTOGRAPHY
@pytest.mark.parametrize(
    ("bits", "digest"),
    mostly_long(
        [*((1024, name) for name in rsa.PREFIXES), (2048, "sha256")], [(1024, "sha256")]
    ),
)
def test_signatures_are_those_of_the_package(bits: int, digest: str) -> None:
    """PKCS#1 version 1.5 draws nothing for them."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    key, of = (
        keys.read_key(keys.KEYS / f"{bits}.txt"),
        getattr(hashes, digest.upper())(),
    )
    signed = theirs(key).sign(MESSAGE, padding.PKCS1v15(), of)
    assert rsa.sign(key, MESSAGE, digest) == signed
    rsa.verify(key, MESSAGE, signed, digest)


@slow
@CRYPTOGRAPHY
@pytest.mark.parametrize("bits", mostly_long([1024, 2048], [1024]))
def test_envelopes_open_on_the_other_side(bits: int) -> None:
    from cryptography.hazmat.primitives.asymmetric import padding

    key, secret = keys.read_key(keys.KEYS / f"{bits}.txt"), os.urandom(16)
    assert theirs(key).decrypt(rsa.seal(key, secret), padding.PKCS1v15()) == secret
    sealed = theirs(key).public_key().encrypt(secret, padding.PKCS1v15())
    assert rsa.unseal(key, sealed) == secret


@slow
def test_a_public_key_verifies_what_is_right_and_does_not_sign(tmp_path: Path) -> None:
    path, lines = (
        tmp_path / "public.txt",
        (keys.KEYS / "512.txt").read_text().splitlines(keepends=True),
    )
    path.write_text("".join(line for line in lines if line[:2] in ("n ", "e ")))
    public, key = keys.read_key(path, public=True), keys.read_key(keys.KEYS / "512.txt")
    signed = rsa.sign(key, MESSAGE)
    rsa.verify(public, MESSAGE, signed)
    for message, signature in [
        (b"Attack at noon", signed),
        (MESSAGE, signed[:-1] + bytes([signed[-1] ^ 1])),
        (MESSAGE, signed[:-1]),
        (MESSAGE, key.n.to_bytes(64, "big")),
    ]:
        with pytest.raises(Failure):
            rsa.verify(public, message, signature)
    with pytest.raises(Failure):
        keys.read_key(path)
    with pytest.raises(Failure, match="withheld"):
        rsa.sign(key._replace(d=key.d ^ 1), MESSAGE)
