"""Planted bugs: every one fails the check, and the kinds of vector that
exist for it see it.

A bug is a replacement in tests/support/reference.c; the first ones are
bugs of the published sources. Where random operands do not see a bug,
that is asserted too: it is why the other kinds exist.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from driver_build import REFERENCE, link, run, vectors

from harness import operands


class Bug(NamedTuple):
    """`old` becomes `new`; the kinds named in `seen_by` fail, and random
    ones only if `by_random`.

    `digits` are the reference's variants that the bug fits: 1 for
    bit-serial, 32 for word-serial.
    """

    name: str
    old: str
    new: str
    seen_by: str
    by_random: bool = False
    digits: tuple[int, ...] = (1, 32)


DIFFERENT_LIMB = "if (t[j] != n[j])\n            return t[j] > n[j];\n"
EXIT = "        z[j] = t[j];\n"
FINAL = "if (t[LIMBS] != 0 || at_least(t, m->n))"
IS_N_MINUS_1 = (
    "(t[0] == m->n[0] - 1 && !__builtin_memcmp(t + 1, m->n + 1, sizeof m->n - 4))"
)
TOP = "return t[LIMBS - 1] {} n[LIMBS - 1];\n"

BUGS = [
    Bug("the top limb alone decides the final subtraction", DIFFERENT_LIMB, TOP.format(">="),
        "mont_mul: zero one n-1 just-below-n same-top-limb all-ones 2^k+1 one-limb "
        "every-width aliasing edge-limbs mod_exp: n-1 just-below-n same-top-limb all-ones "
        "2^k+1 one-limb every-width aliasing edge-limbs exp-0 exp-1 exp-2^127 exp-largest"),
    Bug("the top limb alone decides, and must be greater", DIFFERENT_LIMB, TOP.format(">"),
        "mont_mul: zero one same-top-limb equal-limb every-width edge-limbs mod_exp: zero"),
    Bug("the low half is compared with itself", "return t[j] > n[j];",
        "return j < LIMBS / 2 || t[j] > n[j];",
        "mont_mul: just-below-n same-top-limb one-limb every-width mod_exp: just-below-n"),
    Bug("the carry out of the top limb is lost in a round", "t[LIMBS] = (uint32_t)carry;",
        "t[LIMBS] = 0;",
        "mont_mul: largest n-1 all-ones every-width mod_exp: largest exp-largest",
        by_random=True, digits=(1,)),
    Bug("the carry out of the carry word is lost in a round",
        "t[LIMBS + 1] += (uint32_t)(carry >> 32);", "",
        "mont_mul: largest n-1 all-ones every-width mod_exp: largest exp-largest",
        by_random=True, digits=(32,)),
    Bug("the carry out of the top limb is lost at the end", FINAL, "if (at_least(t, m->n))",
        "mont_mul: largest n-1 same-top-limb all-ones every-width mod_exp: largest "
        "exp-largest", by_random=True),
    # At this width: of 30 random vectors three have such a carry.
    Bug("the carry out of the top limb is lost on the way into the domain", FINAL,
        "if ((t[LIMBS] != 0 && y != m->rr) || at_least(t, m->n))",
        "mod_exp: into-domain", by_random=True),
    Bug("a carry into a limb of ones is lost", "carry >>= 32;", "carry = digit && t[j] < y[j];",
        "mont_mul: largest same-top-limb all-ones 2^k+1 edge-limbs mod_exp: largest "
        "edge-limbs", digits=(1,)),
    Bug("the borrow is dropped between limbs", "limb - n[j] - borrow;", "limb - n[j];",
        "mont_mul: largest n-1 same-top-limb equal-limb all-ones edge-limbs mod_exp: largest",
        by_random=True),
    Bug("the borrow is dropped where the limbs are equal",
        "limb < n[j] || (limb == n[j] && borrow)", "limb < n[j]",
        "mont_mul: equal-limb edge-limbs"),
    Bug("n is not reduced to 0", "    return 1;\n}", "    return 0;\n}",
        "mont_mul: zero mod_exp: zero"),
    Bug("n - 1 is taken for n", FINAL, FINAL[:-1] + f" || {IS_N_MINUS_1})",
        "mont_mul: n-1 just-below-n all-ones 2^k+1 one-limb every-width mod_exp: n-1 "
        "just-below-n"),
    Bug("there is no final subtraction", FINAL, "if (0)",
        "mont_mul: zero one largest n-1 same-top-limb all-ones every-width mod_exp: one "
        "largest", by_random=True),
    # Random ones see it only because the reference's own mod_exp squares in place.
    Bug("z is written before y is read", "uint32_t t[LIMBS + 2] = {0};",
        "uint32_t t[LIMBS + 2] = {0};\n    z[0] = 0;",
        "mont_mul: aliasing", by_random=True),
    Bug("z is written before x is read", "uint32_t a[LIMBS];", "uint32_t a[LIMBS];\n    z[0] = 0;",
        "mod_exp: aliasing"),
    Bug("exponent 0 gives x", "mont_mul(z, a, one, m);",
        "mont_mul(z, e[0] | e[1] | e[2] | e[3] ? a : p, one, m);",
        "mod_exp: zero exp-0"),
    Bug("the top bit of the exponent is left out", "i < WIDTH; i++", "i < WIDTH - 1; i++",
        "mod_exp: largest exp-2^127 exp-largest", by_random=True),
    Bug("the limb after z is written", EXIT, EXIT + "    z[LIMBS] = 0;\n",
        "mont_mul: random mod_exp: random", by_random=True),
    Bug("x is changed", EXIT, EXIT + "    if (x != z)\n        ((uint32_t *)x)[0] ^= 1;\n",
        "mont_mul: random mod_exp: random", by_random=True),
    Bug("the modulus is changed", EXIT, EXIT + "    ((struct modulus *)m)->n0inv ^= 1;\n",
        "mont_mul: random mod_exp: random", by_random=True),
]  # fmt: skip
VARIANTS = [
    pytest.param(bug, d, id=f"{bug.name} ({d})") for bug in BUGS for d in bug.digits
]


def seen_by(text: str) -> set[tuple[str, str]]:
    """The (operation, kind) pairs that "mont_mul: zero one mod_exp: zero"
    names."""
    named = re.findall(r"(\w+):([^:]*)(?= \w+:|$)", text)
    return {(operation, kind) for operation, kinds in named for kind in kinds.split()}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All vectors, as the driver reads them."""
    return operands.write(tmp_path_factory.mktemp("calls") / "calls", vectors(), 128)


@pytest.mark.parametrize(("bug", "digit"), VARIANTS)
def test_a_planted_bug_is_found(bug, digit, objects, calls, tmp_path) -> None:
    text = REFERENCE.read_text()
    assert text.count(bug.old) == 1
    source = tmp_path / "rsa.c"
    source.write_text(text.replace(bug.old, bug.new))
    program = link(tmp_path / "rsa", objects, f"-DDIGIT={digit}", source)

    ran, todo = run(program, "check", calls), vectors()
    found = zip(todo, operands.results(ran.stdout))
    faulty = [call for call, z in found if z != call.z]
    faulty += [todo[int(at) - 1] for at in re.findall(r"(?m)^call (\d+):", ran.stderr)]
    seen = {(call.function, call.kind) for call in faulty}
    assert seen_by(bug.seen_by) <= seen
    assert any(kind == "random" for _, kind in seen) == bug.by_random


def test_every_kind_sees_a_bug() -> None:
    kinds = {(call.function, call.kind) for call in vectors()}
    assert set.union(*(seen_by(bug.seen_by) for bug in BUGS)) == kinds
