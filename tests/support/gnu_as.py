"""GNU as and ld, the oracle of the live page's assembler, and drawn
instructions to try both with."""

import re
import subprocess
from pathlib import Path
from random import Random

FLAGS = ["-march=armv7-a", "-mfpu=neon-vfpv4"]
ORIGIN = 0x8000
FIRST_EXTERNAL = 0x20000


def refused(folder: Path, text: str) -> dict[int, str]:
    """Return the lines that GNU as finds wrong or warns of, each with its
    message."""
    source = folder / "tried.s"
    source.write_text(text)
    command = ["arm-linux-gnueabihf-as", *FLAGS, "-o", "/dev/null", str(source)]
    messages = subprocess.run(command, capture_output=True, text=True).stderr
    found = re.findall(r"^\S+?:(\d+): (?:Error|Warning): (.*)$", messages, re.M)
    return {int(line): message for line, message in found}


def _run(*command: str) -> str:
    """Run a command and return what it prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked(folder: Path, text: str) -> tuple[bytes, dict[str, int]]:
    """Return the bytes of a program at ORIGIN, and the addresses that its
    undefined symbols were given."""
    source = folder / "linked.s"
    source.write_text(text)
    object_file = str(folder / "linked.o")
    program = str(folder / "linked.elf")
    image = folder / "linked.bin"
    _run("arm-linux-gnueabihf-as", *FLAGS, "-o", object_file, str(source))
    undefined = _run("arm-linux-gnueabihf-nm", "-u", object_file).split()[1::2]
    externals = {name: FIRST_EXTERNAL + 16 * k for k, name in enumerate(undefined)}
    given = [f"--defsym={name}={address}" for name, address in externals.items()]
    _run(
        "arm-linux-gnueabihf-ld",
        "-e0",
        f"-Ttext={ORIGIN:#x}",
        *given,
        object_file,
        "-o",
        program,
    )
    _run("arm-linux-gnueabihf-objcopy", "-O", "binary", program, str(image))
    return image.read_bytes(), externals


# Instructions by what their operands are: {r} a core register, {d} {q} {s} vector registers, {n32}
# a number below 32, and so on; the functions of Drawing.
TEMPLATES = """
{data}{f}{c} {r}, {r}, {operand}
{data}{f}{c} {r}, {r}, {operand}
{data}{f}{c} {r}, {r}, {operand}
{data}{f}{c} {r}, {operand}
{move}{f}{c} {r}, {operand}
{move}{f}{c} {r}, {operand}
{compare}{c} {r}, {operand}
{compare}{c} {r}, {operand}
mov{c} {r}, #{n65536}
{turn}{f}{c} {r}, {r}, #{n33}
{turn}{f}{c} {r}, {r}, {r}
{turn}{f}{c} {r}, {r}
rrx{f}{c} {r}, {r}
mul{f}{c} {r}, {r}, {r}
mul{c} {r}, {r}
mla{f}{c} {r}, {r}, {r}, {r}
mls{c} {r}, {r}, {r}, {r}
{long}{f}{c} r1, r2, {r}, {r}
{long}{f}{c} r12, r9, {r}, {r}
umaal{c} r5, lr, {r}, {r}
umaal{c} r3, r13, {r}, {r}
{one}{c} {r}, {r}
{extend}{c} {r}, {r}
{extend}{c} {r}, {r}, ror #{n4} * 8
{extendadd}{c} {r}, {r}, {r}
{extendadd}{c} {r}, {r}, {r}, ror #8
{field}{c} {r}, {r}, #{n32}, #{n33}
bfc{c} {r}, #{n32}, #{n33}
movw{c} {r}, #{n65536}
movt{c} {r}, #{n65536}
movw{c} {r}, #:lower16:{number}
movt{c} {r}, #:upper16:far + {n65536}
nop{c}
bx{c} {r}
blx{c} {r}
b{c} {label}
bl{c} {label}
b{c} 1{way}
adr{c} {r}, {label}
ldr{c} {r}, ={number}
ldr{c} {r}, ={label} + {n33}
ldr{c} {r}, {label}
{word}{c} {r}, {wordaddress}
{word}{c} {r}, {wordaddress}
{half}{c} {r}, {halfaddress}
{pair}{c} {even}, {halfaddress}
{block}{c} {r}, {list}
{block}{c} sp!, {list}
push{c} {list}
pop{c} {list}
push {{{r}}}
pop {{{r}}}
{vword}{c} {d}, {vectoraddress}
{vword}{c} {s}, {vectoraddress}
{vword}.64 {d}, {vectoraddress}
{vword}.32 {s}, {vectoraddress}
vldr {d}, {label}
{vblock}{c} {r}, {dlist}
{vblock}{c} {r}!, {dlist}
{vblock}{c} {r}!, {{s4-s7}}
{vdown}{c} {r}!, {dlist}
vpush{c} {dlist}
vpop{c} {dlist}
vp{ushpop}.64 {dlist}
vp{ushpop}.32 {{s17-s20}}
{vone}.{size} {few}, [{r}]{step}
{vone}.{size} {few}, [{r}:64]{step}
{vone}.{size} {few}, [{r}:{n129}]{step}
{vone}.32 {{{d}[{n2}]}}, [{r}]{step}
{vsame} {q}, {q}, {q}
{vsame} {d}, {d}, {d}
{vlong} {q}, {d}, {d}
vmull.u32 {q}, {d}, {scalar}
vmlal.u32 {q}, {d}, {scalar}
vmul.i32 {d}, {d}, {scalar}
{vright32} {q}, {q}, #1 + {n32}
{vright32} {d}, {d}, #1 + {n32}
{vright64} {q}, {q}, #1 + {n64}
{vright64} {d}, {d}, #1 + {n64}
{vleft} {q}, {q}, #{n33}
{vleft} {d}, {d}, #{n32}
vshrn.i64 {d}, {q}, #1 + {n32}
{vtwo} {q}, {q}
{vtwo} {d}, {d}
vmovn.i64 {d}, {q}
{vconstant} {q}, #{n256} << {n4} * 8
{vconstant} {d}, #{n256}
vext.32 {q}, {q}, {q}, #{n5}
vext.32 {d}, {d}, {d}, #{n2}
vmov.f64{c} {d}, {d}
vmov.f32{c} {s}, {s}
vmov{c} {s}, {r}
vmov{c} {r}, {s}
vmov{c}.32 {d}[{n2}], {r}
vmov{c}.32 {r}, {d}[{n2}]
vdup{c}.32 {q}, {r}
vdup{c}.32 {d}, {r}
vmov{c} {d}, {r}, {r}
vmov{c} {r}, {r}, {d}
.word {label} + {n65536}, {number}
.hword {n65536}, {n65536}
.byte {n256}, 'a', -1, {n5}
""".split("\n")[1:-1]

CHOICES = {
    "data": "and eor sub rsb add adc sbc rsc orr bic",
    "move": "mov mvn",
    "compare": "tst teq cmp cmn",
    "turn": "lsl lsr asr ror",
    "long": "umull umlal smull smlal",
    "one": "clz rbit rev rev16 revsh",
    "extend": "uxtb uxth sxtb sxth",
    "extendadd": "uxtab uxtah sxtab sxtah",
    "field": "ubfx sbfx bfi",
    "word": "ldr str ldrb strb",
    "half": "ldrh strh ldrsb ldrsh",
    "pair": "ldrd strd",
    "block": "ldm stm ldmia ldmib ldmda ldmdb stmia stmib stmda stmdb ldmfd stmfd ldmea stmea ldmfa"
    " stmfa ldmed stmed",
    "vword": "vldr vstr",
    "vblock": "vldm vldmia vstm vstmia",
    "vdown": "vldmdb vstmdb",
    "ushpop": "ush op",
    "vone": "vld1 vst1",
    "size": "8 16 32 64",
    "vsame": "vorr vbit vshl.u32 vshl.u64 vadd.i32 vmul.i32",
    "vlong": "vaddl.u32 vsubl.u32 vmlal.u32 vmull.u32",
    "vright32": "vshr.u32",
    "vright64": "vsra.u64 vsra.s64",
    "vleft": "vshl.i32 vsli.32",
    "vtwo": "vswp vneg.s32 vmov",
    "vconstant": "vmov.i32 vbic.i32",
    "even": "r0 r2 r4 r6 r8 r10",
    "way": "b f",
    "c": "eq ne cs hs cc lo mi pl vs vc hi ls ge lt gt le al",
}
REGISTERS = [*(f"r{n}" for n in range(15)), "ip", "lr", "fp", "sl", "x0", "count"]


class Drawing(dict[str, str]):
    """A mapping that draws a piece of an instruction by its name in a
    template."""

    def __init__(self, random: Random, labels: int) -> None:
        super().__init__()
        self.random, self.labels = random, labels

    def __missing__(self, name: str) -> str:
        if name in CHOICES:
            often = name == "c" and self.random.random() < 0.7
            return "" if often else self.random.choice(CHOICES[name].split())
        if bound := re.fullmatch(r"n(\d+)", name):
            return str(self.random.randrange(int(bound[1])))
        return getattr(self, f"draw_{name}")()

    def one_of(self, *forms: str) -> str:
        return self.random.choice(forms).format_map(self)

    def draw_f(self) -> str:
        return self.random.choice(["", "", "s"])

    def draw_r(self) -> str:
        return self.random.choice(REGISTERS)

    def draw_d(self) -> str:
        return f"d{self.random.randrange(32)}"

    def draw_q(self) -> str:
        return f"q{self.random.randrange(16)}"

    def draw_s(self) -> str:
        return f"s{self.random.randrange(32)}"

    def draw_scalar(self) -> str:
        return f"d{self.random.randrange(16)}[{self.random.randrange(2)}]"

    def draw_label(self) -> str:
        return f"l{self.random.randrange(self.labels)}"

    def draw_number(self) -> str:
        """Draw a constant of eight turned bits, a neighbour of one, or any
        word."""
        byte = self.random.randrange(256)
        turn = 2 * self.random.randrange(16)
        constant = (byte << turn | byte >> (32 - turn)) & 0xFFFFFFFF
        return self.random.choice(
            [
                f"{constant}",
                f"0x{constant:x}",
                f"-{constant & 0x7FFFFFFF}",
                f"~{constant}",
                f"(1 << {turn % 31}) - 1",
                f"0x{self.random.randrange(1 << 16):x}",
                f"{byte} * SIZE",
                f"0x{self.random.randrange(1 << 32):x}" if turn == 0 else f"{turn}",
            ]
        )

    def draw_shift(self) -> str:
        return self.one_of("{turn} #{n33}", "{turn} #{n32}", "rrx")

    def draw_operand(self) -> str:
        return self.one_of(
            "#{number}", "#{number}", "{r}", "{r}, {shift}", "{r}, {turn} {r}"
        )

    def draw_wordaddress(self) -> str:
        return self.one_of(
            "[{r}]", "[{r}, #{n4096}]", "[{r}, #-{n4096}]!", "[{r}], #-{n4096}", "[{r}, -{r}]",
            "[{r}, {r}]!", "[{r}], {r}", "[{r}, -{r}, {shift}]", "[{r}], {r}, {shift}",
            "[pc, #{n65}]",
        )  # fmt: skip

    def draw_halfaddress(self) -> str:
        return self.one_of(
            "[{r}]", "[{r}, #{n256}]", "[{r}, #-{n256}]!", "[{r}], #{n256}", "[{r}, {r}]",
            "[{r}, -{r}]!", "[{r}], -{r}", "[{r}], {r}",
        )  # fmt: skip

    def draw_vectoraddress(self) -> str:
        return self.one_of("[{r}]", "[{r}, #{n256} * 4]", "[{r}, #-{n256} * 4]")

    def draw_list(self) -> str:
        count = self.random.choice([1, 2, 3, 5, 9])
        chosen = sorted(self.random.sample(range(15), count))
        return "{" + ", ".join(f"r{n}" for n in chosen) + "}"

    def draw_dlist(self) -> str:
        first = self.random.randrange(32)
        last = min(31, first + self.random.randrange(16))
        if first == last:
            return f"{{d{first}}}"
        return f"{{d{first}-d{last}}}"

    def draw_few(self) -> str:
        first = self.random.randrange(29)
        return self.one_of(
            f"{{{{d{first}}}}}", f"{{{{q{first // 2}}}}}", f"{{{{d{first}-d{first + 2}}}}}",
            f"{{{{d{first}-d{first + 3}}}}}",
        )  # fmt: skip

    def draw_step(self) -> str:
        return self.one_of("", "!", ", {r}")


HEAD = [".syntax unified", "x0 .req r4", "count .req r7", ".equ SIZE, 16"]
PER_LABEL = 60


def drawn(seed: int, count: int) -> list[str]:
    """Return the lines of a program of so many drawn instructions, some of
    them wrong."""
    random = Random(seed)
    labels = count // PER_LABEL + 1
    lines = list(HEAD)
    for k in range(count):
        if k % PER_LABEL == 0:
            lines += [f"l{k // PER_LABEL}:", "1:"]
        if k % 512 == 511:
            lines += ["        .ltorg"]
        template = random.choice(TEMPLATES)
        lines.append("        " + template.format_map(Drawing(random, labels)))
        if template.startswith("."):
            lines.append("        .align 2")
    return [*lines, "1:      .equ    far, 0x12345678", f"l{labels - 1}_end:"]
