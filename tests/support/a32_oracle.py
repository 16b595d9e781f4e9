"""The class of an instruction by what objdump calls it: an oracle that
knows nothing of a32.c."""

import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

OBJDUMP = "arm-linux-gnueabihf-objdump"
OBJCOPY = "arm-linux-gnueabihf-objcopy"
AS = "arm-linux-gnueabihf-as"
HEAD = """
.syntax unified
.arch armv7-a
.arch_extension idiv
.arch_extension mp
.arch_extension sec
.arch_extension virt
.fpu neon-vfpv4
.arm
"""
CONDITIONS = ["", *"eq ne cs cc mi pl vs vc hi ls ge lt gt le".split()]

HALVES = [x + y for x in "bt" for y in "bt"]
LANES = [p + o for p in ("s", "q", "sh", "u", "uq", "uh")
         for o in ("add8", "add16", "asx", "sax", "sub8", "sub16")]  # fmt: skip

# Mnemonics without condition; a star stands for an s that may follow.
MNEMONICS = {
    "move": "mov* mvn* movw movt",
    "shift": "lsl* lsr* asr* ror* rrx*",
    "add_sub": "add* sub* rsb*",
    "add_sub_carry": "adc* sbc* rsc*",
    "logical": "and* eor* orr* bic*",
    "compare": "cmp cmn tst teq cmpp cmnp tstp teqp",
    "bitfield": "bfi bfc ubfx sbfx clz rbit rev rev16 revsh pkhbt pkhtb sxtb sxth sxtb16 uxtb uxth"
    " uxtb16 sxtab sxtah sxtab16 uxtab uxtah uxtab16",
    "media": "sel usad8 usada8 qadd qsub qdadd qdsub ssat ssat16 usat usat16 "
    + " ".join(LANES),
    "mul": "mul* mla* mls",
    "mul_half": "smlawb smlawt smulwb smulwt smlad smladx smlsd smlsdx smuad smuadx smusd smusdx"
    " smlald smlaldx smlsld smlsldx smmul smmulr smmla smmlar smmls smmlsr "
    + " ".join(op + half for op in ("smul", "smla", "smlal") for half in HALVES),
    "mul_long": "umull* umlal* smull* smlal*",
    "umaal": "umaal",
    "divide": "udiv sdiv",
    "load": "ldr ldrb ldrh ldrsb ldrsh ldrd ldrt ldrbt ldrht ldrsbt ldrsht",
    "store": "str strb strh strd strt strbt strht",
    "load_multiple": "ldm ldmfd ldmib ldmda ldmdb pop",
    "store_multiple": "stm stmia stmfd stmib stmda stmdb push",
    "exclusive": "ldrex ldrexb ldrexh ldrexd strex strexb strexh strexd swp swpb",
    "branch": "b bx bxj",
    "call": "bl blx",
    "return": "eret rfeia rfeib rfeda rfedb",
    "unknown": "udf",
    "system": "nop hlt yield wfe wfi sev pld pldw pli dmb dsb isb clrex mrs msr svc bkpt hvc smc"
    " cpsie cpsid cps setend srsia srsib srsda srsdb mcr mrc mcr2 mrc2 mcrr mrrc mcrr2 mrrc2 cdp"
    " cdp2 ldc ldcl stc stcl ldc2 ldc2l stc2 stc2l",
    "vfp": "vmrs vmsr",
    "neon_load": "vld1 vld2 vld3 vld4 vldr vldmia vldmdb vpop fldmiax fldmdbx",
    "neon_store": "vst1 vst2 vst3 vst4 vstr vstmia vstmdb vpush fstmiax fstmdbx",
}

CLASS_OF = {
    base.rstrip("*") + s + condition: cls
    for cls, names in MNEMONICS.items()
    for base in names.split()
    for s in (("", "s") if base.endswith("*") else ("",))
    for condition in CONDITIONS
}

DOES = {"load": "l", "load_multiple": "l", "neon_load": "l"}
DOES.update({"store": "s", "store_multiple": "s", "neon_store": "s"})
DOES.update({"branch": "b", "call": "b", "return": "b"})

CORE = r"(?:r\d+|sl|fp|ip|sp|lr|pc|APSR_nzcv)"


def vector(mnemonic: str, operands: str) -> str:
    """Class of v... instructions that are not loads or stores."""
    if re.match("v(mov|dup)", mnemonic) and re.search(rf"\b{CORE}\b", operands):
        return "neon_move"
    if re.search(r"\bs\d+\b", operands) or ".f64" in mnemonic:
        return "vfp"
    return "neon_arith"


def classify(mnemonic: str, operands: str) -> tuple[str, str]:
    """(class, what it does), as a32.h has them. KeyError for a mnemonic
    that is not known here."""
    base = mnemonic.partition(".")[0]
    cls = CLASS_OF.get(base) or (
        vector(mnemonic, operands) if base[0] == "v" else CLASS_OF[base]
    )
    first = operands.partition(",")[0]
    if base[:3] in ("pus", "pop") and re.fullmatch(r"{(?!pc)\w+}", operands):
        return (
            ("load", "l") if base[:3] == "pop" else ("store", "s")
        )  # another name of ldr, str
    if cls == "load_multiple" and re.search(r"\bpc\b", operands.partition("{")[2]):
        return "return", "lb"
    if cls == "load" and first == "pc" and base[3:] in CONDITIONS:
        returns = re.fullmatch(r"pc, \[sp(\]?, #-?\d+)?\]?!?", operands)
        return ("return" if returns else "branch"), "lb"
    if (
        cls in ("move", "shift", "add_sub", "add_sub_carry", "logical")
        and first == "pc"
    ):
        return (
            "return" if base[:3] == "mov" and operands == "pc, lr" else "branch"
        ), "b"
    if base[:2] == "bx" and base[2:] in CONDITIONS and operands == "lr":
        return "return", "b"
    does = DOES.get(cls, "")
    if base[:3] in ("rfe", "swp"):
        does = {"rfe": "lb", "swp": "ls"}[base[:3]]
    elif cls in ("exclusive", "system") and base[:3] in (
        "ldr",
        "ldc",
        "str",
        "stc",
        "srs",
    ):
        does = base[0]
    return cls, does


def disassemble(program: Path) -> list[tuple[int, str, str]]:
    """(opcode, mnemonic, operands) of what objdump takes for an A32
    instruction."""
    run = subprocess.run(
        [OBJDUMP, "-d", str(program)], capture_output=True, text=True, check=True
    )
    found = []
    for line in run.stdout.splitlines():
        match = re.match(
            r" *[0-9a-f]+:\t([0-9a-f]{8}) \t([^\t@]+)(?:\t([^@;<]*))?", line
        )
        if match and "<UN" not in line and match[2][0] != ".":
            found.append(
                (int(match[1], 16), match[2].strip(), (match[3] or "").strip())
            )
    return found


def assemble(lines: Sequence[str], folder: Path) -> Path:
    """An object that holds the lines as A32 instructions, and nothing for
    those that are none."""
    source, program = folder / "lines.s", folder / "lines.o"
    lines = list(lines)
    while True:
        source.write_text(HEAD + "\n".join(lines) + "\n")
        run = subprocess.run(
            [AS, str(source), "-o", str(program)], capture_output=True, text=True
        )
        wrong = {int(n) for n in re.findall(r"\.s:(\d+): Error", run.stderr)}
        if run.returncode == 0:
            return program
        assert wrong, run.stderr
        for n in wrong:
            lines[n - HEAD.count("\n") - 1] = ".word 0"


def certain(words: Sequence[int], folder: Path) -> list[tuple[int, str, str]]:
    """Of the words those that are instructions of ARMv7-A beyond doubt, as
    disassemble gives them.

    objdump takes many undefined words for a neighbour of theirs in its
    table.  So its text must assemble to the same word again.  A label
    cannot, so b, bl and blx to one are taken as they are.
    """
    claims = disassemble(assemble([f".inst {word:#x}" for word in words], folder))
    to_label = [opcode >> 25 & 7 == 5 for opcode, _, _ in claims]
    texts = [
        ".word 0" if skip else f"{m} {o}" for skip, (_, m, o) in zip(to_label, claims)
    ]
    texts = [
        re.sub(r"{(\d+)}", r"\1", text) for text in texts
    ]  # objdump's mcr 15, ..., {0}
    program, text = assemble(texts, folder), folder / "text"
    subprocess.run(
        [OBJCOPY, "-O", "binary", "-j", ".text", str(program), str(text)], check=True
    )
    again = [word for (word,) in struct.iter_unpack("<I", text.read_bytes())]
    assert len(again) == len(claims)
    sure = [c for c, skip, word in zip(claims, to_label, again) if skip or word == c[0]]
    # Coprocessors 10 and 11 are the floating-point unit; gas would let mcr and mrc go to them too.
    return [
        c
        for c in sure
        if not re.match(r"(mcr|mrc|mrrc|cdp)\w* 1[01],", f"{c[1]} {c[2]}")
    ]
