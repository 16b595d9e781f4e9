"""The driver on this machine: what it calls, what it prints, what it
finds, its statuses."""

from pathlib import Path

import pytest
from driver_build import INPUTS, REFERENCE, link, run, vectors, wrong

from harness import operands
from harness.operands import Call, power, product

# Says on stderr which of its two functions the driver calls.
TRACED = f"""
#define mont_mul inner_mul
#define mod_exp inner_exp
#include "{REFERENCE}"
#undef mont_mul
#undef mod_exp
#include <stdio.h>
void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m) {{
    fputc('m', stderr);
    inner_mul(z, x, y, m);
}}
void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, const struct modulus *m) {{
    fputc('e', stderr);
    inner_exp(z, x, e, m);
}}
"""
N = 11 * 13
TRIP = [power(N, 2, 7), Call("mod_exp", N, 2**7 % N, 103, 2, chained=True)]


@pytest.fixture(scope="module")
def program(objects: list[Path]) -> Path:
    """With the reference, which is right."""
    return link(objects[0].parent / "reference", objects, REFERENCE)


def calls(path: Path, todo: list[Call]) -> Path:
    path.write_text(operands.text(todo, 128))
    return path


@pytest.mark.parametrize("way", ["check", "call", "time"])
def test_the_reference_is_right(program: Path, tmp_path: Path, way: str) -> None:
    assert wrong(vectors(), tmp_path, program, way=way) == ""
    folder = INPUTS / "key-full"
    words = ["roundtrip", folder / "key.txt", "-n", 4, folder / "strings.txt"]
    assert wrong(operands.calls([*map(str, words)]), tmp_path, program, way=way) == ""


def test_nothing_else_of_the_snapshot_is_called(
    objects: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "traced.c").write_text(TRACED)
    traced = link(tmp_path / "traced", objects, tmp_path / "traced.c")
    file = calls(tmp_path / "calls", [product(N, 3, 5, 128), *TRIP])
    assert run(traced, "call", file).stderr == "mee"
    aliasing = [product(N, 3, 5, 128, "aliasing"), product(N, 3, 3, 128, "aliasing")]
    file = calls(tmp_path / "calls", [*aliasing, power(N, 3, 5, "aliasing"), *TRIP])
    assert run(traced, "check", file).stderr == "mmm" + "mmmmm" + "ee" + "ee"


FAULTS = {
    "z[0] ^= 1;": "expected 26, got 27",
    **dict.fromkeys(
        (
            "z[-1] = 0;",
            "z[LIMBS] = 0;",
            "((uint32_t *)x)[LIMBS] = 0;",
            "((uint32_t *)y)[-1] = 0;",
        )
        + ("((struct modulus *)m)->rr[0] ^= 1;", "((uint32_t *)(m + 1))[0] = 0;"),
        "other memory",
    ),
    "if (z == x) z[0] ^= 1;": "with z = x: another result",
    "if (z == y) z[0] ^= 1;": "with z = y: another result",
    "static int n; z[0] ^= n++ == 1;": "with z = x: another result",
    "if (x == y) z[0] ^= 1;": "with x = y: another result",
}


@pytest.mark.parametrize("statement", FAULTS)
def test_a_fault_is_found(objects: list[Path], tmp_path: Path, statement: str) -> None:
    text = REFERENCE.read_text()
    made = text.replace("void mont_mul(", "static void right(").replace(
        "mont_mul(", "right("
    )
    made += "void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, "
    made += f"const struct modulus *m) {{ right(z, x, y, m); {statement} }}\n"
    (tmp_path / "spoilt.c").write_text(made)
    program = link(tmp_path / "rsa", objects, "-w", tmp_path / "spoilt.c")
    square = Call(
        "mont_mul", N, 2, 2, 4 * pow(1 << 128, -1, N) % N, "aliasing", "here:1"
    )
    said, fault = (
        wrong([square, product(N, 5, 9, 128)], tmp_path, program),
        FAULTS[statement],
    )
    place = "here:1" if fault.startswith("expected") else "call 1"
    assert said.startswith(f"{place}: mont_mul") and fault in said.replace(
        "expected 4", "expected 8"
    )


def refused(*words: object) -> str:
    """What it says, in one line, with status 2 and no result."""
    ran = run(*words)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    return ran.stderr


def test_bad_calls_and_usage_are_status_2(program: Path, tmp_path: Path) -> None:
    file = calls(tmp_path / "calls", TRIP)
    for words in (
        "",
        "check",
        "chekc x",
        "check x 1",
        "time x 1",
        "check /none",
        "check /",
    ):
        refused(program, *words.split())
    for count in ("0", "3", "-1", "x", "1x", ""):
        refused(program, "call", file, count)
    for way in ("check", "call"):
        said = refused("sh", "-c", '"$0" $1 "$2" >/dev/full', program, way, file)
        assert "cannot be written" in said
        (tmp_path / "bad").write_text(file.read_text()[:-2])
        refused(program, way, tmp_path / "bad")
