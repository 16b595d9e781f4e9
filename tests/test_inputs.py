"""data/inputs/ is what its generator writes, and what its README says."""

import subprocess
import sys
from math import gcd
from pathlib import Path

import pytest
from hostbuild import INPUTS, ROOT

WIDTH = 128
KINDS = {
    *("random", "zero", "one", "largest", "n-1", "just-below-n", "same-top-limb", "all-ones"),
    *("2^k+1", "one-limb", "every-width", "aliasing", "edge-limbs"),
}
EXPONENTS = {"exp-0", "exp-1", "exp-2^127", "exp-largest"}


def records(path: Path) -> list[list[str]]:
    lines = path.read_bytes().decode("ascii").split("\n")
    assert lines.pop() == ""
    return [line.split() for line in lines if not line.startswith("#")]


def vectors(operation: str) -> list[tuple[str, int, int, int, int]]:
    """(kind, n, x, y or e, z) for every line."""
    found = []
    for name, kind, *numbers in records(INPUTS / "vectors" / f"{operation}.txt"):
        assert name == operation
        n, x, y, z = (int(number, 16) for number in numbers)
        assert n % 2 == 1 and 3 <= n < 2**WIDTH and x < n and z < n and y < 2**WIDTH
        found.append((kind, n, x, y, z))
    return found


def key(name: str) -> tuple[int, int, int]:
    fields: dict[str, int] = {}
    for field, number in records(INPUTS / name / "key.txt"):
        fields[field] = int(number, 16)
    return fields["n"], fields["e"], fields["d"]


def factors(n: int, multiple: int) -> tuple[int, int]:
    """The primes of n = p q, given a multiple of lambda(n): a square root of 1 tells them apart."""
    odd = multiple // (multiple & -multiple)
    for base in range(2, 100):
        power = pow(base, odd, n)
        while power not in (1, n - 1):
            power, root = power * power % n, power
            if power == 1:
                p = gcd(root - 1, n)
                return p, n // p
    raise AssertionError("no factor found")


def is_prime(number: int) -> bool:
    """Rabin-Miller with the first twelve primes: a proof for numbers of 64 bits."""
    odd = (number - 1) // ((number - 1) & (1 - number))
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        power, exponent = pow(base, odd, number), odd
        while exponent != number - 1 and power not in (1, number - 1):
            power, exponent = power * power % number, 2 * exponent
        if power != number - 1 and exponent != odd:
            return False
    return True


def test_generation_repeats_byte_for_byte(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rsalab.inputs.inputs", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*.txt")}
    kept = {path.relative_to(INPUTS.parent): path for path in INPUTS.parent.rglob("*.txt")}
    assert set(made) == set(kept)
    for name, path in made.items():
        assert path.read_bytes() == kept[name].read_bytes(), name


def test_mont_mul_vectors_are_right() -> None:
    for kind, n, x, y, z in vectors("mont_mul"):
        assert y < n
        assert z == x * y * pow(1 << WIDTH, -1, n) % n, kind


def test_mod_exp_vectors_are_right() -> None:
    for kind, n, x, e, z in vectors("mod_exp"):
        power = 1
        for bit in f"{e:b}":
            power = power * power * (x if bit == "1" else 1) % n
        assert z == power, kind


def test_no_kind_is_missing() -> None:
    assert {kind for kind, *_ in vectors("mont_mul")} == KINDS | {"equal-limb"}
    assert {kind for kind, *_ in vectors("mod_exp")} == KINDS | EXPONENTS


def test_the_counting_cases_are_full_width_and_random() -> None:
    products = [vector for vector in vectors("mont_mul") if vector[0] == "random"]
    powers = [vector for vector in vectors("mod_exp") if vector[0] == "random"]
    assert len(products) == 1000 and len(set(products)) == 1000 and len(powers) >= 30
    assert {n.bit_length() for _, n, *_ in products + powers} == {WIDTH}
    assert {e.bit_length() for *_, e, _ in powers} == {WIDTH}
    assert len(vectors("mont_mul")) >= 3000 and 160 <= len(vectors("mod_exp")) <= 190


@pytest.mark.parametrize("operation", ["mont_mul", "mod_exp"])
def test_kinds_are_what_they_are_called(operation: str) -> None:
    found: dict[str, list[tuple[int, int, int, int]]] = {}
    for kind, *numbers in vectors(operation):
        found.setdefault(kind, []).append(tuple(numbers))
    assert any(0 < x and 0 < y and z == 0 for n, x, y, z in found["zero"])
    assert all(n + 20 >= 2**WIDTH for n, *_ in found["largest"])
    assert all(n - 1 in (x, y) for n, x, y, z in found["n-1"])
    assert all((n + 1) & n == 0 for n, *_ in found["all-ones"])
    assert all((n - 1) & (n - 2) == 0 for n, *_ in found["2^k+1"])
    assert all(n < 2**32 for n, *_ in found["one-limb"]) and 3 in {n for n, *_ in found["one-limb"]}
    widths = {n.bit_length() for n, *_ in found["every-width"]}
    if operation == "mod_exp":
        assert {2, WIDTH} < widths
        return
    assert widths == set(range(2, WIDTH + 1))
    assert {n for n, *_ in found["all-ones"]} == {2**w - 1 for w in range(2, WIDTH + 1)}
    assert {n for n, *_ in found["2^k+1"]} == {2**k + 1 for k in range(1, WIDTH)}
    assert all(n - 1 - z < 2**32 for n, _, _, z in found["just-below-n"])
    assert any(x == y for _, x, y, _ in found["aliasing"])


@pytest.mark.parametrize("limbs", [1, 2, 3])
def test_accumulators_share_top_limbs_with_n(limbs: int) -> None:
    """Before its final subtraction a word-serial accumulator is t = (x y + q n) / R."""
    below = above = 0
    for kind, n, x, y, z in vectors("mont_mul"):
        q = -x * y * pow(n, -1, 1 << WIDTH) % (1 << WIDTH)
        t = (x * y + q * n) >> WIDTH
        assert t % n == z and t < 2 * n
        if kind == "same-top-limb" and t >> (WIDTH - 32 * limbs) == n >> (WIDTH - 32 * limbs):
            below += t < n
            above += t > n
    assert below >= 30 and above >= 30


@pytest.mark.parametrize("name", ["key-full", "key-65537"])
def test_keys_are_real(name: str) -> None:
    n, e, d = key(name)
    p, q = factors(n, e * d - 1)
    assert p * q == n and p != q and is_prime(p) and is_prime(q)
    assert (n.bit_length(), p.bit_length(), q.bit_length()) == (WIDTH, WIDTH // 2, WIDTH // 2)
    assert e * d % ((p - 1) * (q - 1) // gcd(p - 1, q - 1)) == 1
    assert d.bit_length() >= WIDTH - 1
    assert e == 65537 if name == "key-65537" else e.bit_length() >= WIDTH - 1


@pytest.mark.parametrize("name", ["key-full", "key-65537"])
def test_messages_and_ciphertexts(name: str) -> None:
    n, e, d = key(name)
    strings = records(INPUTS / name / "strings.txt")
    assert len({text for text, _ in strings}) == len(strings) == 2000
    assert all(len(text) == 17 and text[1:-1].isalpha() for text, _ in strings)
    pairs = [(int.from_bytes(text[1:-1].encode(), "big"), c) for text, c in strings]
    integers = [(int(m, 16), c) for m, c in records(INPUTS / name / "integers.txt")]
    small = [(int(m, 16), c) for m, c in records(INPUTS / name / "small.txt")]
    assert len(integers) == 1000 and all(m < n for m, _ in integers)
    assert len(small) == 2000 and all(1 <= m <= 1000 for m, _ in small)
    for m, c in pairs + integers + small:
        assert pow(m, e, n) == int(c, 16)
    assert all(pow(int(c, 16), d, n) == m for m, c in (pairs + integers + small)[::50])
