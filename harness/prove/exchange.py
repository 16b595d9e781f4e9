"""Two neighbours that may change places: neither needs what the other writes."""

from __future__ import annotations

from harness.prove.compiling import Code
from harness.prove.decode import PC, Address, Unproved, Vector, accessed, decode

WITH_CARRY = ("adc", "sbc", "rsc", "rrx")


def needs(word: int, address: int) -> tuple[set[int | str], set[int | str]]:
    """What an instruction reads or writes, and what it writes: registers, "flags" and "memory".
    Raises Unproved for what is no instruction."""
    one = decode(word, address)
    if any(isinstance(operand, Vector) for operand in one.operands):
        raise Unproved(f"{one.text}: not understood")
    reads, written = accessed(word)
    if one.condition or one.name in WITH_CARRY or "rrx" in one.text:
        reads.add("flags")
    if one.sets_flags:
        written.add("flags")
    block = one.name[:3] in ("ldm", "stm") or one.name in ("push", "pop")
    if block or any(isinstance(operand, Address) for operand in one.operands):
        loads = one.name[:2] == "ld" or one.name == "pop"
        (reads if loads else written).add("memory")
    return reads | written, written


def independent(code: Code, address: int) -> bool:
    """Whether the instruction at an address and the next one may change places."""
    try:
        (one, written), (other, changed) = (needs(code(a), a) for a in (address, address + 4))
        branches = [at for at, word in code.words.items() if word >> 25 & 7 == 5]
        targets = {target for at in branches for target in decode(code(at), at).operands}
    except Unproved:
        return False
    return not (address + 4 in targets or PC in one | other or one & changed or other & written)
