"""A count cannot be forged: all that a call executes counts, and what asks the
system or the emulator, or returns elsewhere, ends the run with one line, with both counters."""

import random
import re
import subprocess
from pathlib import Path

import pytest
from counter_build import ARM, HARNESS, run
from needs import needs, working_counters
from representatives import mostly_long

from harness import counters, executed
from harness.counters import Counter
from harness.elf import read_elf
from harness.operands import product, text
from records.faults import Failure

pytestmark = needs("arm-linux-gnueabihf-gcc")
N = 11 * 13
SNAPSHOT = """
        .syntax unified
        .arch   armv7-a
        .section snapshot_text, "ax", %progbits
        .arm
        .global mod_exp
        .type   mod_exp, %function
mod_exp:
        bx      lr
        .size   mod_exp, . - mod_exp
        .global mont_mul
        .type   mont_mul, %function
mont_mul:
{body}
        .size   mont_mul, . - mont_mul
        .section .note.GNU-stack, "", %progbits
"""
OUTSIDE = "the snapshot runs code that is not the program's"
ASKS = "the snapshot asks the system or the emulator|stopped at"
CRASHED = f"signal 11|stopped at|terminated|it was killed|{OUTSIDE}"
# It goes on in the harness until that asks the system, crashes, or has another sp: all of it counts.
HARNESS_CODE = f"{ASKS}|another sp|{CRASHED}"
LED = (
    "between calls, code outside the harness runs|has changed where the harness goes"
    "|the snapshot runs outside a call"
)
THUMB = "push {r4, lr}\nblx 1f\npop {r4, pc}\n.thumb\n"
# What stands in the body, and what is said.
FORGED = {
    "a function of the C library": (
        "push {r4, lr}\nbl mprotect\npop {r4, pc}",
        ASKS,
    ),
    "a jump to it": ("ldr r12, =mprotect\nmov lr, r12\nbx r12\n.ltorg", ASKS),
    "its middle": ("ldr r12, =mprotect + 8\nbx r12\n.ltorg", f"{ASKS}|another sp"),
    "run-time that goes on": (
        "mov r2, #4\nldr lr, =mprotect\nldr r12, =memset\nbx r12\n.ltorg",
        ASKS,
    ),
    "semihosting by svc": ("mov r0, #0x15\nsvc #0x123456\nbx lr", ASKS),
    "semihosting by hlt": ("mov r0, #0x15\n.inst 0xe10f0070\nbx lr", ASKS),
    "a breakpoint": ("bkpt #0\nbx lr", ASKS),
    "a system call": ("mov r7, #20\nsvc #0\nbx lr", ASKS),
    "a conditional one": (
        "mov r7, #20\nmovs r12, #1\nsvcne #0\nbx lr",
        f"{ASKS}|makes a system call",
    ),
    "mprotect itself": ("mov r7, #125\nmov r0, #0\nsvc #0\nbx lr", ASKS),
    "an instruction further": ("add lr, lr, #4\nbx lr", HARNESS_CODE),
    "the call again": ("sub lr, lr, #4\nbx lr", f"no end after|{CRASHED}"),
    "the driver's middle": ("ldr r12, =main + 64\nbx r12\n.ltorg", HARNESS_CODE),
    "a function of the driver": (
        "push {r4, lr}\nbl write_out\npop {r4, pc}",
        HARNESS_CODE,
    ),
    "another sp": ("sub sp, sp, #8\nbx lr", "returns with another sp"),
    "another stack": ("ldr sp, =0x60000\nbx lr\n.ltorg", f"another sp|{CRASHED}"),
    "constants": (
        "adr r0, 1f\nb 2f\n2: ldr r12, =code\nbx r12\n1: .ltorg\n"
        ".pushsection .rodata\ncode: bx lr\n.popsection",
        CRASHED,
    ),
    "the stack": (
        "mov r12, #0xe1000000\nstr r12, [sp, #-8]\nsub r12, sp, #8\nbx r12",
        CRASHED,
    ),
    "the kernel's helpers": (
        "mvn r12, #0xf000\nsub r12, r12, #0x3f\nbx r12",
        CRASHED,
    ),
    "Thumb code": (
        f"{THUMB}1: movs r0, #1\nbx lr\n.arm",
        "-marm",
    ),
    "semihosting in Thumb code": (
        f"{THUMB}1: movs r0, #0x15\nsvc #0xab\nbx lr\n.arm",
        ASKS,
    ),
}
# One of each kind: by a call, by a request, by the stack pointer, in data, in other code.
SOME = (
    "a jump to it",
    "semihosting by svc",
    "a system call",
    "another sp",
    "constants",
)
SOME += ("Thumb code",)
LED_AWAY = {
    "to the C library": "ldr r12, =mprotect\nstr r12, [sp]\nbx lr\n.ltorg",
    "to the middle of the driver": "ldr r12, =main + 64\nstr r12, [sp]\nbx lr\n.ltorg",
    "to the snapshot": "ldr r12, [sp]\nadr r3, 1f\nstr r3, [sp]\nbx lr\n1: bx r12",
    "by a frame further up": (
        "ldr r12, =mprotect\nadd r3, sp, #8\nadd r2, sp, #256\n"
        "1: str r12, [r3], #4\ncmp r3, r2\nbne 1b\nbx lr\n.ltorg"
    ),
}
HONEST = {  # instructions of a call, the run-time's included
    "nothing": ("bx lr", 1),
    "a request that is conditional": ("movs r12, #0\nsvcne #0\nbx lr", 3),
    "a stack of its own": ("mov r12, sp\nsub sp, sp, #4096\nmov sp, r12\nbx lr", 4),
    "another register to return by": ("mov r12, lr\nmov lr, #0\nbx r12", 3),
    "run-time that returns for it": (
        "mov r0, #1000\nmov r1, #7\nb __aeabi_uidiv",
        None,
    ),
}


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The driver's objects, as make compiles them."""
    folder, made = tmp_path_factory.mktemp("driver"), []
    for source in sorted((HARNESS / "driver").glob("*.[cS]")):
        made.append(folder / f"{source.stem}.o")
        run(*ARM, "-O2", "-I", HARNESS, "-c", source, "-o", made[-1])
        run("arm-linux-gnueabihf-objcopy", "--rename-section", ".text=harness_text",
            "--rename-section", ".text.startup=harness_text", made[-1])  # fmt: skip
    return made


def linked(body: str, driver: list[Path], folder: Path) -> list[Path | str]:
    """Makes the program; the words that run it."""
    source, program = folder / "mont.S", folder / "rsa"
    source.write_text(SNAPSHOT.format(body=body))
    run(*ARM, source, *driver, "-o", program)
    calls = folder / "calls"
    calls.write_text(text([product(N, 3, 5, 128), product(N, 5, 9, 128)], 128))
    return [program, "call", calls]


def counted(
    body: str, driver: list[Path], counter: Counter, folder: Path
) -> list[executed.Instruction]:
    """What two calls of such a mont_mul execute.  Raises Failure."""
    words = linked(body, driver, folder)
    return counter.count(words[0], words[1:], out=folder / "counts", seconds=2)


@pytest.fixture(params=working_counters())
def counter(request: pytest.FixtureRequest, built: Path) -> Counter:
    return Counter(request.param, built / counters.PLACES[request.param].name)


@pytest.mark.parametrize("way", mostly_long(FORGED, SOME))
def test_a_way_out_ends_the_run_with_one_line(
    driver, counter, tmp_path, way: str
) -> None:
    body, said = FORGED[way]
    with pytest.raises(Failure, match=said) as fault:
        counted(body, driver, counter, tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("way", mostly_long(LED_AWAY, ["to the C library"]))
def test_what_the_driver_returns_to_is_watched(
    driver, counter, tmp_path, way: str
) -> None:
    """Unicorn runs no driver: there the call has ended, and nothing follows
    that is not counted."""
    if counter.slow:
        rows = counted(LED_AWAY[way], driver, counter, tmp_path)
        assert sum(row.executions for row in rows) > 2
        return
    with pytest.raises(Failure, match=f"{LED}|{CRASHED}") as fault:
        counted(LED_AWAY[way], driver, counter, tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("way", mostly_long(HONEST, list(HONEST)[1:2]))
def test_honest_code_is_counted_wherever_it_stands(
    driver, counter, tmp_path, way: str
) -> None:
    body, instructions = HONEST[way]
    rows = counted(body, driver, counter, tmp_path)
    total = sum(row.executions for row in rows)
    assert total > 20 if instructions is None else total == 2 * instructions


def test_a_snapshot_that_runs_over_its_end(driver, counter, tmp_path) -> None:
    """The section behind its own is the harness's."""
    with pytest.raises(Failure, match=HARNESS_CODE):
        counted("nop", driver, counter, tmp_path)


def test_the_driver_runs_no_library_while_it_is_counted(driver, tmp_path) -> None:
    """Between the first call and the results; else the plugin would refuse it."""
    (tmp_path / "mont.S").write_text(SNAPSHOT.format(body="bx lr"))
    run(*ARM, tmp_path / "mont.S", *driver, "-o", tmp_path / "rsa")
    calls = tmp_path / "calls"
    calls.write_text(text([product(N, 3, 5, 128)] * 40, 128))
    said = subprocess.run(
        [*counters.QEMU, "-strace", tmp_path / "rsa", "call", calls],
        capture_output=True,
        text=True,
    ).stderr
    assert said.count("write(1,") == 1


# ---- wherever it stands: programs drawn from a seed, and a third way to count them

PARTS = {  # what a function may do, and what has to stand outside it
    "its own": ("add r0, r0, #1\ncmp r0, #0\naddeq r0, r0, #2", ""),
    "a loop": ("mov r2, #9\n1: subs r2, r2, #1\nbne 1b", ""),
    "memcpy": ("mov r0, r5\nadd r1, r5, #256\nmov r2, #{n}\nbl memcpy", ""),
    "memset, Thumb": ("mov r0, r5\nmov r1, #1\nmov r2, #{n}\nbl memset", ""),
    "a division": ("mov r0, #{n}\nmov r1, #7\nbl __aeabi_uidivmod", ""),
    "the library": (
        'adr r0, 1f\nbl strlen\nb 2f\n1: .asciz "word{n}"\n.balign 4\n2:',
        "",
    ),
    "another section": (
        "bl far_{i}",
        '.section far, "ax"\nfar_{i}: mov r2, #{n}\n1: subs r2, r2, #1\nbne 1b\nbx lr',
    ),
    "Thumb there": (
        "bl thumb_{i}",
        '.section .text.far, "ax"\n.thumb\n.thumb_func\n.type thumb_{i}, %function\n'
        "thumb_{i}: cmp r0, r0\nittt ne\nmovne r0, #1\nmovne r1, #1\nmovne r2, #1\nbx lr\n.arm",
    ),
    "through the PLT, by a register": (
        "ldr r12, 1f\nmov r0, r5\nadd r1, r5, #256\nmov r2, #{n}\nblx r12\nb 2f\n1: .word memcpy\n2:",
        "",
    ),
    "the driver": ("mov r0, r5\nmov r1, r5\nbl put_digits", ""),
}
LAST = {
    "": "",
    "a tail call": "mov r0, r5\nmov r1, #0\nmov r2, #64\nadd sp, sp, #1024\npop {{r4-r7, lr}}\nb memset",
}
TRACED = re.compile(r"^Trace .*\[[0-9a-f]+/([0-9a-f]+)/", re.M)


def drawn(seed: int) -> str:
    """A mont_mul of some of these parts."""
    draw = random.Random(seed)
    inside, outside = ["push {r4-r7, lr}\nsub sp, sp, #1024\nmov r5, sp"], []
    for i, name in enumerate(draw.choices(sorted(PARTS), k=4)):
        body, more = PARTS[name]
        n = draw.randrange(1, 200)
        inside.append(body.format(n=n, i=i))
        if more:
            outside.append(f".pushsection .text\n.popsection\n{more.format(n=n, i=i)}")
    last = LAST[draw.choice(sorted(LAST))].format()
    inside.append(last or "add sp, sp, #1024\npop {r4-r7, pc}")
    aside = "\n".join(outside)
    return "\n".join(inside) + f"\n.pushsection .text\n{aside}\n.popsection"


def single_steps(words: list[Path | str], folder: Path) -> list[int]:
    """The instructions of each call, from the driver's branch to where it returns, by a log of every
    instruction that qemu-arm executes."""
    helps = subprocess.run([counters.QEMU[0], "-h"], capture_output=True, text=True)
    step = "-singlestep" if "-singlestep" in helps.stdout else "-one-insn-per-tb"
    log = folder / "log"
    run(*counters.QEMU, step, "-d", "exec,nochain", "-D", log, *words)
    (begins,) = [
        start for start, _, name in read_elf(words[0]).functions if name == "plain_call"
    ]
    spent: list[int] = []
    inside = False
    for found in TRACED.finditer(log.read_text()):
        address = int(found[1], 16)
        if address == begins + 12:
            inside = False
        if inside:
            spent[-1] += 1
        if address == begins + 8:
            inside = True
            spent.append(0)
    return spent


@needs("plugins")
@pytest.mark.parametrize("seed", mostly_long(range(12), range(2)))
def test_all_that_a_call_executes_counts(driver, built, tmp_path, seed: int) -> None:
    """Both counters and a log of single steps agree, whatever the code is and wherever it stands."""
    words = linked(drawn(seed), driver, tmp_path)
    stepped = single_steps(words, tmp_path)
    assert len(stepped) == 2 and min(stepped) > 4
    for name in working_counters():
        counter = Counter(name, built / counters.PLACES[name].name)
        rows = counter.count(words[0], words[1:], out=tmp_path / name, seconds=20)
        assert sum(row.executions for row in rows) == sum(stepped), name


def test_code_that_can_be_written_to_is_refused(driver, counter, tmp_path) -> None:
    body = 'bx lr\n.pushsection .data.rel, "awx"\nnop\n.popsection'
    with pytest.raises(Failure, match="segment of code that cannot be written to"):
        counted(body, driver, counter, tmp_path)


def test_two_sections_of_the_snapshots_name_are_refused(
    driver, counter, tmp_path
) -> None:
    """The linker keeps both where their types differ."""
    more = tmp_path / "more.S"
    more.write_text('.section snapshot_text, "ax", %note\nnop\n')
    with pytest.raises(Failure, match="not one section snapshot_text"):
        counted("bx lr", [*driver, more], counter, tmp_path)


EARLY = {
    "a constructor": (
        '.pushsection .init_array, "aw", %init_array\n.word early\n.popsection\nearly:'
    ),
    "a resolver": ".type odd, %gnu_indirect_function\n.global odd\nodd:",
}


@pytest.mark.parametrize("way", EARLY)
def test_a_snapshot_that_runs_before_its_call(
    driver, counter, tmp_path, way: str
) -> None:
    """What it leaves in memory would count nowhere.  Unicorn runs no constructor."""
    body = f"bl odd\nbx lr\n{EARLY[way]} bx lr"
    body = body if "odd:" in body else body.replace("bl odd", "nop")
    if counter.slow and "constructor" in way:
        assert counted(body, driver, counter, tmp_path)
        return
    with pytest.raises(Failure, match="the snapshot runs outside a call"):
        counted(body, driver, counter, tmp_path)
