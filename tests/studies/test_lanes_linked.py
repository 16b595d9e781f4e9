"""studies/width-1024/lanes as a part of other programs: debuggers find the caller, a shared library needs no
relocation of code, a linker sees no name but bn_lanes, and nothing stays on the stack."""

import random
import re
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import unwind
from clone import Clone
from needs import needs
from planting import planted
from representatives import mostly_long

from harness.unicorn import TRAP
from records.faults import Failure, run
from records.ladder import ROOT

lanes = import_module("studies.width-1024.lanes_counts")
pairs = import_module("studies.width-1024.pairs")
pytestmark = [
    needs("arm-linux-gnueabihf-gcc", "python:elftools", "python:unicorn"),
    pytest.mark.slow,
]
BUILT = Path("build/studies/width-1024/lanes")
SOURCES = Path("studies/width-1024/lanes")
STEPS = {f"{step.program}-{step.product}": step for step in pairs.STEPS[2:]}
COMPILER = "arm-linux-gnueabihf-gcc -O2 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard".split()
INSIDE = [
    SOURCES / name
    for name in "digits.c exponent.c choose.S forget.S square.S square-long.S".split()
]


@pytest.fixture(scope="module")
def folder(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_clone.copy(tmp_path_factory.mktemp("linked") / "lab").path


def built(folder: Path, program: Path) -> lanes.Program:
    run(["make", "-s", program, "build/trace.so"], cwd=folder)
    return lanes.Program(folder / program, folder / "build/trace.so")


# ---- debuggers


def lost_in_steps(folder: Path, program: lanes.Program, step: pairs.Step) -> list[int]:
    """The addresses of products and squares from which the caller is not found: with an odd and an
    even number of blocks."""
    lost = []
    for bits in (512, 768):
        n = (1 << bits) - 1, (1 << bits) - 3
        x = n[0] // 3, n[1] // 3
        for y in (x, None) if step.square else (x,):
            call = lambda: program.product(step, n, x, y, "none")  # noqa: B023, E731
            lost += lost_in(folder / BUILT / "O3" / step.program, program, call)
    return lost


def lost_in(
    path: Path, program: lanes.Program, call: Callable[[], object]
) -> list[int]:
    """The addresses of a call from which the caller is not found."""
    return unwind.lost(path, program.engine, lanes.STACK_TOP, TRAP, call)


@pytest.mark.parametrize("name", mostly_long(STEPS, ["square-pair_mul_short"]))
def test_a_debugger_finds_the_caller_everywhere(folder: Path, name: str) -> None:
    program = built(folder, BUILT / "O3" / STEPS[name].program)
    assert lost_in_steps(folder, program, STEPS[name]) == []


@pytest.mark.parametrize(
    "function", mostly_long(["pair_choose", "pair_forget"], ["pair_choose"])
)
def test_and_in_the_routines_beside_them(folder: Path, function: str) -> None:
    program = built(folder, BUILT / "O1/private")
    arguments = {"pair_choose": (lanes.Z, lanes.X, 1, 2), "pair_forget": (4096,)}
    stack = lanes.STACK_TOP - 8
    program.put(stack, (4).to_bytes(4, "little") + (288).to_bytes(4, "little"))
    entry = program.elf.entry(function)

    def call() -> int:
        return program.engine.call(entry, stack, *arguments[function])

    path = folder / BUILT / "O1/private"
    assert unwind.lost(path, program.engine, stack, TRAP, call) == []


@pytest.mark.parametrize(
    "line",
    mostly_long(
        [
            ".cfi_adjust_cfa_offset 64",
            ".cfi_rel_offset lr, 36",
            ".cfi_adjust_cfa_offset \\room",
        ],
        [".cfi_rel_offset lr, 36"],
    ),
)
def test_a_wrong_line_of_unwind_information_is_found(folder: Path, line: str) -> None:
    step = STEPS["square-pair_mul_short"]
    with planted(folder / SOURCES / "frame.inc", line, ""):
        program = built(folder, BUILT / "O3/square")
    assert lost_in_steps(folder, program, step)


# ---- libraries


def library(folder: Path) -> Path:
    """The parts that OpenSSL takes as a shared library; the linker refuses to write into code."""
    path = folder / "liblanes.so"
    flags = ["-fPIC", "-shared", "-nostdlib", "-DBN_LANES", "-Wl,-z,text"]
    subprocess.run([*COMPILER, *flags, *INSIDE, "-o", path], cwd=folder, check=True)
    return path


def test_a_shared_library_needs_no_relocation_of_code(folder: Path) -> None:
    dynamic = run(["readelf", "-d", library(folder)])
    assert "SYMTAB" in dynamic and "TEXTREL" not in dynamic
    source = folder / SOURCES / "square.S"
    with planted(source, "ldr     r12, .Leven_to_odd", "ldr r12, =.Llow_odd"):
        with pytest.raises(subprocess.CalledProcessError):
            library(folder)


def test_a_linker_sees_no_name_without_the_prefix(folder: Path) -> None:
    symbols = run(
        ["arm-linux-gnueabihf-nm", "--defined-only", "--extern-only", library(folder)]
    )
    names = {line.split()[2] for line in symbols.splitlines()}
    ours = {name for name in names if not name.startswith("_")}
    assert len(ours) > 10 and all(name.startswith("bn_lanes_") for name in ours)


def test_a_big_endian_core_is_refused(folder: Path) -> None:
    command = [*COMPILER, "-mbig-endian", "-fsyntax-only", SOURCES / "digits.c"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ran.returncode and "little-endian" in ran.stderr


# ---- the stack


def test_what_stays_on_the_stack_is_found(folder: Path) -> None:
    with planted(folder / SOURCES / "private.c", "32 * 1024", "16 * 1024"):
        program = built(folder, BUILT / "O1/private")
    key = lanes.read_keys()[1024]
    with pytest.raises(Failure, match="stays on the stack"):
        lanes.check_private(program, key, 12345)


@pytest.mark.parametrize("level", mostly_long(lanes.LEVELS, ["O1"]))
def test_pair_depth_is_as_much_as_the_functions_use(folder: Path, level: str) -> None:
    """For moduli of the largest size: pair_prepare, pair_exp, pair_get."""
    program = built(folder, BUILT / level / "private")
    depth = int(
        re.findall(r"PAIR_DEPTH (\d+)", (ROOT / SOURCES / "pair.h").read_text())[0]
    )
    limbs = lanes.MOST_LIMBS
    draw = random.Random(1)
    moduli = b""
    for _ in range(2):
        moduli += lanes.nat_modulus(draw.getrandbits(32 * limbs) | 1, limbs)
    m = lanes.MEMORY + 0x8000
    exponents = lanes.MEMORY + 0x9000
    table = lanes.MEMORY + 0x10000
    p, q = lanes.MODULUS, lanes.MODULUS + len(moduli) // 2
    program.put(p, moduli)
    program.put(exponents, draw.randbytes(8 * limbs))
    bottom = lanes.STACK_TOP - lanes.FRAME_BYTES
    stack = lanes.STACK_TOP - 64
    words = (
        (2).to_bytes(4, "little"),
        m.to_bytes(4, "little"),
        table.to_bytes(4, "little"),
    )
    calls = {
        "pair_prepare": (m, p, q),
        "pair_exp": (lanes.Z, lanes.X, exponents, exponents + 4 * limbs),
        "pair_leave": (lanes.Z, lanes.Z, m),
        "pair_get": (lanes.Y, lanes.Z, 0, p),
    }
    for function, arguments in calls.items():
        program.put(bottom, lanes.UNTOUCHED * (stack - bottom))
        program.put(
            stack,
            m.to_bytes(4, "little") if function == "pair_get" else b"".join(words),
        )
        program.engine.call(program.elf.entry(function), stack, *arguments)
        below = program.get(bottom, stack - bottom).lstrip(lanes.UNTOUCHED)
        assert 0 < len(below) <= depth, function
