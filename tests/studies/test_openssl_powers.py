"""The build of OpenSSL with lanes computes both powers of a private operation rightly, takes lanes where they
fit and no others, and leaves nothing of them on the stack; planted bugs are found.

Only where `make openssl` has built it."""

import random
import subprocess
from pathlib import Path

import pytest
from needs import needs
from representatives import mostly_long

from records.faults import Failure
from records.ladder import ROOT
from studies.openssl import powers

BUILT = ROOT / powers.BUILT / "built"
pytestmark = [
    needs("arm-linux-gnueabihf-gcc", "qemu-arm"),
    pytest.mark.skipif(not BUILT.exists(), reason="no OpenSSL; `make openssl`"),
]
INSIDE = powers.INSIDE
FOLDERS = ("crypto/bn", "crypto", "include", ".")
# What is planted: the file of crypto/bn, a text of it, and the text in its place.
BUGS = {
    "q's exponent in p's place": (
        "bn_lanes.c",
        "copy(w->d[1], d2)",
        "copy(w->d[1], d1)",
    ),
    "halves exchanged": ("bn_lanes.c", "lane, n, &w->m)", "1 - lane, n, &w->m)"),
    "a base that is not below p": ("bn_lanes.c", "BN_ucmp(a, m) < 0", "1"),
    "a core without NEON": ("bn_lanes.c", "!(OPENSSL_armcap_P & ARMV7_NEON) ||", ""),
    "nothing forgotten": ("bn_lanes.c", "pair_forget(PAIR_DEPTH)", "pair_forget(64)"),
    "a window too few": ("exponent.c", "while (i > 0)", "while (i > w)"),
    "the top limb of q is lost": (
        "digits.c",
        "pair_set(&m->n, 1, q->n, h,",
        "pair_set(&m->n, 1, q->n, h - 1,",
    ),
    "a digit without its sign": ("square.S", "vshr.s32 q0, q0,", "vshr.u32 q0, q0,"),
}


def objects_with(folder: Path, name: str, old: str, new: str) -> list[Path]:
    """All that lanes are, with a text of a file replaced."""
    subprocess.run(["cp", "-r", INSIDE / "crypto/bn/lanes", folder], check=True)
    for file in ("bn_lanes.c", "bn_lanes.h", "nat.h"):
        subprocess.run(["cp", INSIDE / "crypto/bn" / file, folder], check=True)
    source = next(folder.rglob(name))
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    include = [f"-I{INSIDE / part}" for part in FOLDERS]
    include += [f"-I{powers.BUILT}/include", "-DBN_LANES", "-D__ARM_MAX_ARCH__=7", "-w"]
    objects = []
    for source in (folder / "bn_lanes.c", *(folder / "lanes").glob("s*.S")):
        if source.name != "signed.S":
            objects.append(folder / f"{source.stem}.o")
            command = [*powers.COMPILER, *include, "-c", source, "-o", objects[-1]]
            subprocess.run(command, check=True)
    return objects


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.slow
def test_both_powers_are_right(tmp_path: Path) -> None:
    todo = powers.all_cases(random.SystemRandom().getrandbits(32))
    by_lanes = powers.check(powers.link(tmp_path / "powers"), todo)
    assert len(todo) / 3 < by_lanes < len(todo)


@pytest.mark.slow
@pytest.mark.parametrize("bug", mostly_long(BUGS, list(BUGS)[:2]))
def test_a_planted_bug_is_found(tmp_path: Path, bug: str) -> None:
    program = powers.link(tmp_path / "powers", *objects_with(tmp_path, *BUGS[bug]))
    todo = list(powers.cases(512, 40, random.Random(1)))
    with pytest.raises(Failure):
        powers.check(program, todo)
