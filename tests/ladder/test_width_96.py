"""The 96-bit study: the five keys, the calls that gprof must find, the
code that is the same at two rungs, and what happens to the vectors when
a carry is lost."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from counter_build import ARM
from driver_build import vectors, wrong

from harness import operands
from records.ladder import ROOT

pytestmark = pytest.mark.slow

STUDY = ROOT / "studies" / "width-96"
TRIPS = [  # encryption and decryption of a message with each of the five keys
    call
    for key in sorted((STUDY / "keys").glob("key-*"))
    for call in operands.calls(
        ["roundtrip", str(key / "key.txt"), str(key / "message.txt")]
    )
]
WIDTH = 96
QEMU = ["qemu-arm", "-cpu", "cortex-a7"] if shutil.which("qemu-arm") else []

# Lee 2021 §6, gprof Output 1.
PUBLISHED = {"exp": 10, "mmm": 999, "rshift": 272318, "add": 89433, "sub": 191}


def model(full: bool) -> Counter:
    """The calls of v0 on the five keys, with R = 2^96 or, as in the
    source, with the bits of n."""
    calls: Counter = Counter()

    def mmm(x: int, y: int, n: int, rounds: int) -> int:
        calls["mmm"] += 1
        t = 0
        for i in range(rounds):
            bit = x >> i & 1
            q = (t ^ bit & y) & 1
            calls["rounds"] += 1
            calls["rshift"] += 3
            calls["add"] += bit + q
            t = (t + bit * y + q * n) >> 1
        calls["sub"] += t >= n
        return t - n if t >= n else t

    def power(x: int, e: int, n: int) -> int:
        calls["exp"] += 1
        rounds = WIDTH if full else n.bit_length()
        rr = pow(2, 2 * rounds, n)
        p, r = mmm(x, rr, n, rounds), mmm(1, rr, n, rounds)
        for i in range(e.bit_length()):
            calls["rshift"] += 1
            if e >> i & 1:
                r = mmm(r, p, n, rounds)
            p = mmm(p, p, n, rounds)
        return mmm(1, r, n, rounds)

    for call in TRIPS:
        assert power(call.x, call.y, call.n) == call.z
    return calls


def test_the_source_s_counts_follow_from_its_rounds() -> None:
    """What depends on the lengths of the keys alone is equal; the rest
    within a tenth."""
    calls = model(full=False)
    for name, n in PUBLISHED.items():
        rel = 0.1 if name in ("add", "sub") else 0
        assert calls[name] == pytest.approx(n, rel=rel)


@pytest.fixture(scope="module")
def arm_driver(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The driver's objects for ARM."""
    folder = tmp_path_factory.mktemp("arm")
    sources = sorted((ROOT / "harness" / "driver").glob("*.[cS]"))
    for source in sources:
        arm("-O2", "-c", source, "-o", folder / f"{source.stem}.o")
    return [folder / f"{source.stem}.o" for source in sources]


def arm(*arguments: object) -> None:
    """Runs the ARM compiler."""
    command = [*ARM, f"-DWIDTH={WIDTH}", f"-I{ROOT / 'harness'}", *map(str, arguments)]
    subprocess.run(command, check=True)


@pytest.mark.parametrize("level", ["O1", "O3"])
def test_register_is_the_same_code(level: str, tmp_path: Path) -> None:
    """v3 and v4, which the source reports 8 per cent apart at both levels."""

    def code(rung: str) -> bytes:
        made = tmp_path / f"{rung}.o"
        arm(f"-{level}", "-g0", "-c", STUDY / rung / "rsa.c", "-o", made)
        objcopy = [ARM[0].replace("gcc", "objcopy"), "-O", "binary", "-j", ".text"]
        subprocess.run([*objcopy, made, tmp_path / "code"], check=True)
        return (tmp_path / "code").read_bytes()

    assert code("v3") == code("v4")
    assert code("v1") != code("v4")  # so codes can differ


# Each is a bug that the full width makes visible.
BUGS = [
    ("v0", "rsa.c", "top >>= 1;", "top = 0;"),
    ("v2", "rsa.c", "if (top || !less(z, n))", "if (!less(z, n))"),
    ("v6", "mont.S", "sbcs    diff2, t5, n2", "subs    diff2, t5, n2"),
]


@pytest.mark.parametrize(("rung", "name", "old", "new"), BUGS)
def test_a_planted_bug_fails_the_check(
    rung, name, old, new, arm_driver, tmp_path
) -> None:
    folder, program = tmp_path / "studies/width-96" / rung, tmp_path / "rsa"
    shutil.copytree(STUDY / rung, folder)
    (tmp_path / "harness").symlink_to(
        ROOT / "harness"
    )  # where nat.h finds the contract

    def check() -> str:
        arm("-O1", folder / "rsa.c", *folder.glob("*.S"), *arm_driver, "-o", program)
        return wrong(vectors(WIDTH), tmp_path, *QEMU, program, width=WIDTH)

    assert check() == ""
    text = (folder / name).read_text()
    (folder / name).write_text(text.replace(old, new))
    assert text.count(old) == 1 and "expected" in check()
