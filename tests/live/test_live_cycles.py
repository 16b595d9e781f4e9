"""Cycles of a Cortex-M4 in the live page: the record's, and instruction by instruction those of the
Python model for the same text as Thumb-2."""

import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gnu_as import drawn
from needs import needs

from records.ladder import ROOT

LIVE = ROOT / "rsalab/live"
AS = ["arm-linux-gnueabihf-as", "-mthumb", "-mimplicit-it=always"]
AS += ["-march=armv7e-m"]
# Forms with a label, in another state, or of another unit; and those whose use of pc and sp
# GNU as allows in one of the two sets of instructions only.
NOT_TRIED = re.compile(
    r"\s*(?:v|b|bl|bx|blx|adr|svc|\.|udf|bkpt|nop|ldr\S* \S+, [^\[]|\S+:)|.*\b(?:pc|r15|sp|r13|1[bf])\b"
)
COST = """
const program = assembler.assemble(arguments[0]);
if (program.errors.length) return null;
const times = new Uint32Array(program.bytes.length >> 2).fill(1);
return cortexM4.cycles(program, times, 0, arguments[1]);
"""


@pytest.fixture(scope="module")
def page(window: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A page with the assembler and the model."""
    scripts = [(LIVE / name).read_text() for name in ("assembler.js", "cortex_m4.js")]
    path = tmp_path_factory.mktemp("model") / "model.html"
    path.write_text("<!doctype html><script>" + "\n".join(scripts) + "</script>")
    window.get(path.as_uri())
    return window


def as_thumb(folder: Path, lines: list[str]) -> tuple[bytes, set[int]]:
    """Return the bytes of a text as Thumb-2, and the lines that have no such form."""
    source, made = folder / "thumb.s", folder / "thumb.o"
    text = ".syntax unified\n" + "\n".join(lines) + "\n"
    source.write_text(text)
    run = subprocess.run([*AS, source, "-o", made], capture_output=True, text=True)
    wrong = {int(line) - 2 for line in re.findall(r":(\d+): Error", run.stderr)}
    if wrong:
        return b"", wrong
    raw = folder / "thumb.bin"
    copy = ["arm-linux-gnueabihf-objcopy", "-O", "binary", "-j", ".text", made, raw]
    subprocess.run(copy, check=True)
    return raw.read_bytes(), set()


def sequences(folder: Path, page: Any, table: Any, seed: int) -> list[list[str]]:
    """Return sequences of drawn instructions that both sets have, five each."""
    lines = [line for line in drawn(seed, 1500) if not NOT_TRIED.match(line)]
    _, wrong = as_thumb(folder, lines)
    both = [line for at, line in enumerate(lines) if at not in wrong]
    known = []
    for line in both:
        found = page.execute_script(COST, line + "\n", table)
        if found and "cycles" in found:
            known.append(line)
    Random(seed).shuffle(known)
    return [known[at : at + 5] for at in range(0, len(known) - 4, 5)]


@needs("python:capstone", "arm-linux-gnueabihf-gcc")
def test_a_sequence_costs_what_the_model_says(page: Any, tmp_path: Path) -> None:
    from studies.hardware.cores.cortex_m4 import timing

    found = sequences(tmp_path, page, timing.TABLE, 43)
    assert len(found) > 50
    faults = []
    for lines in found:
        code, _ = as_thumb(tmp_path, lines)
        wanted = timing.block_cycles(timing.decoded(code, 0))
        cost = page.execute_script(COST, "\n".join(lines) + "\n", timing.TABLE)
        if cost != {"cycles": wanted}:
            faults.append(f"{cost}, not {wanted}: " + "; ".join(lines))
    assert not faults, "\n".join(faults)
