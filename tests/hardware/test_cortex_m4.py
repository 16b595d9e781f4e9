"""The model of a Cortex-M4: the manual's examples, a loop counted by hand, published code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hangs import HANGS
from needs import needs

from harness.unicorn import R0
from records import ladder
from records.faults import Failure, run
from records.ladder import ROOT
from records.results import load, reference
from records.rows import read_rows
from studies.hardware.cores import pages

FOLDER = ROOT / "results/core-cortex-m4"
GCC = ["arm-linux-gnueabihf-gcc", "-mcpu=cortex-m4", "-mthumb"]
PLACED = ["-nostdlib", "-static", "-Wl,-Ttext=0x10000,-e,0,--build-id=none"]
MODEL = ("python:capstone", "python:unicorn", "arm-linux-gnueabihf-gcc")

# Sequences with the cycles that the manual gives them (ARM DDI 0439, section 3.3).
SEQUENCES = {
    "umaal r0, r1, r2, r3": 1,
    "adds r0, r0, r1; adcs r2, r2, r3": 2,
    "ldr r0, [r1]; ldr r1, [r2]": 3,
    "ldr r0, [r1, r2]; str r0, [r3, #20]": 3,
    "ldr r0, [r1, r2]; str r1, [r3, r2]": 3,
    "ldr r0, [r1, r5]; ldr r1, [r2]; ldr r2, [r3, #4]": 4,
    "ldr r0, [r1]; ldr r2, [r0]": 4,
    "ldr r0, [r1], #4; ldr r2, [r3]": 4,
    "str r0, [r1]; str r2, [r3]": 2,
    "add r1, r1, #4; ldr r0, [r1]": 4,
    "add r1, r1, #4; mov r2, #0; ldr r0, [r1]": 4,
    "ldrd r0, r1, [r2]": 3,
    "ldm r0!, {r1, r2, r3}": 4,
    "push {r4-r11}": 9,
    "cmp r0, r1; it cs; movcs r0, r1": 3,
}


def linked(folder: Path, text: str) -> Path:
    """Return a program whose function `f` is this text."""
    source, program = folder / "f.S", folder / "f.elf"
    head = ".syntax unified\n.thumb\n.text\n.global f\n.type f, %function\nf:\n"
    source.write_text(head + text.replace(";", "\n") + "\n.size f, . - f\n")
    run([*GCC, *PLACED, source, "-o", program])
    return program


def instructions(folder: Path, text: str) -> list[Any]:
    from harness.elf import read_elf
    from studies.hardware.cores.cortex_m4 import timing

    elf = read_elf(linked(folder, text))
    start, end, _ = elf.functions[0]
    return timing.decoded(elf.bytes_at(start, end - start), start)


@needs(*MODEL)
@pytest.mark.parametrize("text", SEQUENCES)
def test_a_sequence_takes_what_the_manual_says(tmp_path: Path, text: str) -> None:
    from studies.hardware.cores.cortex_m4 import timing

    assert timing.block_cycles(instructions(tmp_path, text)) == SEQUENCES[text]


@needs(*MODEL)
@pytest.mark.parametrize("text", ["udiv r0, r1, r2", "vadd.f32 s0, s1, s2"])
def test_what_the_model_does_not_know_is_refused(tmp_path: Path, text: str) -> None:
    from studies.hardware.cores.cortex_m4 import timing

    with pytest.raises(Failure, match="the model has no cycles for"):
        timing.block_cycles(instructions(tmp_path, f".fpu fpv4-sp-d16; {text}"))


@pytest.fixture
def core_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return what makes a core with a function `f` of this text."""
    from studies.hardware.cores.cortex_m4 import core

    hooks = tmp_path / "blocks.so"
    source = ROOT / pages.HERE / "cortex_m4/blocks.c"
    run(["gcc", "-O2", "-fPIC", "-shared", source, "-o", hooks, "-ldl"])
    monkeypatch.setattr(core, "BLOCKS", hooks)
    return lambda text: core.Core(linked(tmp_path, text))


@needs(*MODEL)
def test_a_loop_is_counted_as_by_hand(core_with: Callable[[str], Any]) -> None:
    """mov, ten times subs and bne, bx: 22 instructions; nine jumps back and the return refill."""
    loop = core_with("mov r1, #10; 1: subs r1, r1, #1; bne 1b; bx lr")
    for _ in range(2):
        loop.forget()
        loop.call("f")
        assert loop.spent(refill=2) == (22, 22 + 2 * 10)
        loop.call("f")
        assert loop.spent(refill=3) == (44, 44 + 3 * 20)


@needs(*MODEL)
@pytest.mark.parametrize("n", [0, 1, 2**31, 2**32 - 1])
@pytest.mark.parametrize("carry", [0, 1])
def test_what_stands_for_rsc_has_its_result_and_its_carry(
    core_with: Callable[[str], Any], n: int, carry: int
) -> None:
    """0 - n - (1 - carry): r0; and that there was no borrow: r1."""
    macros = (ROOT / pages.HERE / "cortex_m4/thumb.S").read_text()
    code = "cmp r1, #1; rscs r0, r0, #0; mov r1, #0; adc r1, r1, #0; bx lr"
    core = core_with(f"{macros}\n{code}")
    difference = 0 - n - (1 - carry)
    assert core.call("f", (n, carry)) == difference % 2**32
    assert core.uc.reg_read(R0 + 1) == (difference >= 0)


def test_every_cell_has_cycles_and_the_error_of_the_model() -> None:
    """Of every rung of the ladder and of limit without NEON, and of what these and the RISC-V
    cores are compared with."""
    rows = [
        row for row in read_rows(FOLDER / "cycles.csv") if row["study"] != "published"
    ]
    every = [*ladder.snapshots(), *ladder.snapshots("limit")]
    with_neon = [rung.name for rung in every if has_neon(rung.path)]
    assert set(with_neon) >= {"v3", "one-trace", "odd-powers"}
    rungs = {(rung.study, rung.name) for rung in every if rung.name not in with_neon}
    rungs |= {("width-64", "v3"), ("width-96", "v6")}
    rungs |= {("alone", "masked-addition"), ("alone", "ordered")}
    assert {(row["study"], row["snapshot"]) for row in rows} == rungs
    cells = load(reference()).query("select * from cores where core = 'cortex-m4'")
    assert len(cells) == len(rungs) * 3 * 3
    assert {cell["kind"] for cell in cells} == {"model"}
    assert all(cell["cycles"] > cell["instructions"] for cell in cells)


def has_neon(folder: Path) -> bool:
    sources = [*folder.glob("nat.h"), *folder.glob("mont.S")]
    texts = [path.read_text() for path in sources]
    return any("arm_neon.h" in text or ".fpu    neon" in text for text in texts)


def test_the_page_has_what_was_published_beside_the_model() -> None:
    text = (ROOT / pages.HERE / "README.md").read_text()
    assert pages.model_table() in text


@needs(*MODEL, "python:unicorn")
@pytest.mark.long
def test_the_model_is_held_against_silicon() -> None:
    """With the published code from the network: the committed numbers again."""
    from studies.hardware.cores.cortex_m4.validate import validate

    run(["make", "cores-validate"], cwd=ROOT, timeout=HANGS)
    committed = load(reference()).query("select * from validations")
    found = {(one.row()["function"], one.row()["modelled"]) for one in validate()}
    assert found == {(row["function"], row["modelled"]) for row in committed}
