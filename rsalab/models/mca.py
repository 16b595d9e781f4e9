"""Cycles of basic blocks by llvm-mca: what LLVM's scheduling model of a core says of them.

A block's cycles are those of its steady state, repeated back to back: the blocks that matter here
are the bodies of loops, and a single pass would pay for filling and draining the pipeline at every
branch.  llvm-mca takes loads and stores as independent and knows neither cache misses nor wrong
predictions.  It is optional (LLVM 14 to 19).  Cycles are kept by the text of the block, under the
core and the version of LLVM, so that a block is looked at once.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from harness.kept import keep, recall
from records.command import run
from records.faults import Failure
from rsalab.models.blocks import Block

VERSIONS = ("", *(f"-{n}" for n in range(19, 13, -1)))
TRIPLE = "armv7a-linux-gnueabihf"
KEPT = Path("build/models")
LIMIT = 120  # seconds
FEW, MANY = 50, 150  # iterations of a block; the difference is its steady state


def tools() -> tuple[str, str]:
    """Paths of llvm-mc and llvm-mca, of one version.  Raises Failure."""
    for version in VERSIONS:
        found = [shutil.which(name + version) for name in ("llvm-mc", "llvm-mca")]
        if all(found):
            return str(found[0]), str(found[1])
    raise Failure("llvm-mca is not installed (`apt install llvm` has it)")


def text_of(opcode: int, disassembled: str) -> str:
    """An instruction as llvm-mca is to see it: a call is a branch, since it assumes 100 cycles for
    whatever is called, and what is called here has blocks of its own."""
    if opcode & 0x0F000000 == 0x0B000000 or opcode & 0x0FFFFFF0 == 0x012FFF30:  # bl, blx register
        return re.sub(r"^bl", "b", disassembled)
    return disassembled


def disassemble(opcodes: Iterable[int], mc: str) -> dict[int, str]:
    """The assembly text of each A32 opcode.  Raises Failure for one that LLVM does not know."""
    wanted = sorted(set(opcodes))
    lines = [" ".join(f"{byte:#04x}" for byte in op.to_bytes(4, "little")) for op in wanted]
    command = [mc, "-disassemble", f"-triple={TRIPLE}", "-mattr=+neon,+vfp4"]
    said = run(command, input="\n".join(lines) + "\n", timeout=LIMIT).splitlines()
    texts = [line.strip() for line in said if line.strip() and line.strip() != ".text"]
    if len(texts) != len(wanted):
        raise Failure(f"llvm-mc: knows {len(texts)} of {len(wanted)} instructions")
    return {opcode: text_of(opcode, text) for opcode, text in zip(wanted, texts)}


def totals(texts: list[str], cpu: str, iterations: int, mca: str) -> list[int]:
    """Cycles of each text, repeated so many times.  Raises Failure."""
    regions = (f"@ LLVM-MCA-BEGIN\n{text}\n@ LLVM-MCA-END\n" for text in texts)
    quiet = ["-instruction-info=0", "-resource-pressure=0"]
    command = [mca, f"-mtriple={TRIPLE}", f"-mcpu={cpu}", f"-iterations={iterations}", *quiet]
    found = re.findall(
        r"^Total Cycles: *([0-9]+)$", run(command, input="".join(regions), timeout=LIMIT), re.M
    )
    if len(found) != len(texts):
        raise Failure(f"llvm-mca: {len(found)} of {len(texts)} blocks answered for {cpu}")
    return [int(cycles) for cycles in found]


def cycles(blocks: Iterable[Block], cpu: str, kept: Path = KEPT) -> dict[Block, float]:
    """Cycles of one execution of each block on a core of LLVM's.  Raises Failure."""
    mc, mca = tools()
    version = re.search(r"version ([0-9.]+)", run([mca, "--version"]))
    path = kept / f"{cpu}-llvm-{version.group(1) if version else 'unknown'}.json"
    wanted = list(dict.fromkeys(blocks))
    texts = disassemble((opcode for block in wanted for opcode in block), mc)
    text = {block: "\n".join(texts[opcode] for opcode in block) for block in wanted}
    known: dict[str, float] = recall(path, cpu) or {}
    new = sorted(set(text.values()) - known.keys())
    if new:
        runs = zip(new, totals(new, cpu, FEW, mca), totals(new, cpu, MANY, mca))
        known |= {body: (many - few) / (MANY - FEW) for body, few, many in runs}
        keep(path, cpu, known)
    return {block: known[text[block]] for block in wanted}
