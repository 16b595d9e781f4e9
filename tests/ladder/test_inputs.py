"""data/inputs/ is what its generator writes, and what its README says."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from records.ladder import ROOT

INPUTS = ROOT / "data" / "inputs"
WIDTHS = sorted(
    int(path.name.removeprefix("width-")) for path in INPUTS.glob("width-*")
)
KINDS = {
    *(
        "random",
        "zero",
        "one",
        "largest",
        "n-1",
        "just-below-n",
        "same-top-limb",
        "all-ones",
    ),
    *("2^k+1", "one-limb", "every-width", "aliasing", "edge-limbs"),
}

every_width = pytest.mark.parametrize("width", WIDTHS)


def records(path: Path) -> list[list[str]]:
    lines = path.read_bytes().decode("ascii").split("\n")
    assert lines.pop() == ""
    return [line.split() for line in lines if not line.startswith("#")]


@cache
def vectors(operation: str, width: int) -> tuple[tuple[str, int, int, int, int], ...]:
    """(kind, n, x, y or e, z) for every line."""
    found = []
    for name, kind, *numbers in records(
        INPUTS / f"width-{width}" / "vectors" / f"{operation}.txt"
    ):
        assert name == operation
        n, x, y, z = (int(number, 16) for number in numbers)
        assert n % 2 == 1 and 3 <= n < 2**width and x < n and z < n and y < 2**width
        found.append((kind, n, x, y, z))
    return tuple(found)


@pytest.mark.long
def test_generation_repeats_byte_for_byte(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rsalab.inputs", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    made = {path.relative_to(tmp_path): path for path in tmp_path.rglob("*.txt")}
    kept = [*INPUTS.rglob("*.txt"), *(ROOT / "studies").glob("*/**/keys/**/*.txt")]
    assert set(made) == {path.relative_to(ROOT) for path in kept}
    for name, path in made.items():
        assert path.read_bytes() == (ROOT / name).read_bytes(), name


@every_width
def test_no_kind_is_missing(width: int) -> None:
    middle = {"equal-limb"} if width > 64 else set()
    exponents = {"exp-0", "exp-1", f"exp-2^{width - 1}", "exp-largest", "into-domain"}
    assert {kind for kind, *_ in vectors("mont_mul", width)} == KINDS | middle
    assert {kind for kind, *_ in vectors("mod_exp", width)} == KINDS | exponents


@every_width
def test_the_counting_cases_are_full_width_and_random(width: int) -> None:
    products = [
        vector for vector in vectors("mont_mul", width) if vector[0] == "random"
    ]
    powers = [vector for vector in vectors("mod_exp", width) if vector[0] == "random"]
    assert len(products) == 1000 and len(set(products)) == 1000 and len(powers) >= 30
    assert {n.bit_length() for _, n, *_ in products + powers} == {width}
    assert {e.bit_length() for *_, e, _ in powers} == {width}


@every_width
@pytest.mark.parametrize("operation", ["mont_mul", "mod_exp"])
def test_kinds_are_what_they_are_called(operation: str, width: int) -> None:
    found: dict[str, list[tuple[int, int, int, int]]] = {}
    for kind, *numbers in vectors(operation, width):
        found.setdefault(kind, []).append(tuple(numbers))
    assert any(0 < x and 0 < y and z == 0 for n, x, y, z in found["zero"])
    assert all(n + 20 >= 2**width for n, *_ in found["largest"])
    assert all(n - 1 in (x, y) for n, x, y, z in found["n-1"])
    assert all((n + 1) & n == 0 for n, *_ in found["all-ones"])
    assert all((n - 1) & (n - 2) == 0 for n, *_ in found["2^k+1"])
    assert all(n < 2**32 for n, *_ in found["one-limb"]) and 3 in {
        n for n, *_ in found["one-limb"]
    }
    widths = {n.bit_length() for n, *_ in found["every-width"]}
    if operation == "mod_exp":
        assert {2, width} < widths
        return
    assert widths == set(range(2, width + 1))
    assert all(n - 1 - z < 2**32 for n, _, _, z in found["just-below-n"])
    assert any(x == y for _, x, y, _ in found["aliasing"])


@every_width
def test_products_are_right_and_share_top_limbs_with_n(width: int) -> None:
    """Before its final subtraction a word-serial accumulator is t = (x y +
    q n) / R."""
    sides: dict[int, list[bool]] = {low: [] for low in range(32, width, 32)}
    for kind, n, x, y, z in vectors("mont_mul", width):
        q = -x * y * pow(n, -1, 1 << width) % (1 << width)
        t = (x * y + q * n) >> width
        assert y < n and t % n == z == x * y * pow(1 << width, -1, n) % n and t < 2 * n
        for low, above in sides.items():
            if kind == "same-top-limb" and t >> low == n >> low and t != n:
                above.append(t > n)
    assert all(
        above.count(True) >= 30 <= above.count(False) for above in sides.values()
    )
