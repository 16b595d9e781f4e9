"""A count cannot be forged: what leaves its code, asks the system or the
emulator, or returns elsewhere ends the run with one line, with both counters."""

import subprocess
from pathlib import Path

import pytest
from counter_build import ARM, HARNESS, run
from needs import needs, working_counters

from harness import counters, counts
from harness.counters import Counter
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
OUTSIDE = "the snapshot runs code that is neither its own nor the compiler's"
ASKS = "the snapshot asks the system or the emulator|stopped at"
HARNESS_CODE = f"the snapshot runs code of the harness|{OUTSIDE}"
CRASHED = "signal 11|stopped at|terminated|it was killed"
LED = (
    "between calls, code outside the harness runs|has changed where the harness goes"
    "|code of the harness"
)
THUMB = "push {r4, lr}\nblx 1f\npop {r4, pc}\n.thumb\n"
# What stands in the body, and what is said.
FORGED = {
    "a function of the C library": (
        "push {r4, lr}\nbl mprotect\npop {r4, pc}",
        OUTSIDE,
    ),
    "a jump to it": ("ldr r12, =mprotect\nmov lr, r12\nbx r12\n.ltorg", OUTSIDE),
    "its middle": ("ldr r12, =mprotect + 8\nbx r12\n.ltorg", OUTSIDE),
    "run-time that goes on": (
        "mov r2, #4\nldr lr, =mprotect\nldr r12, =memset\nbx r12\n.ltorg",
        OUTSIDE,
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
    "an instruction further": ("add lr, lr, #4\nbx lr", f"{HARNESS_CODE}|stopped at"),
    "the call again": ("sub lr, lr, #4\nbx lr", f"{HARNESS_CODE}|stopped at"),
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
        f"{OUTSIDE}|{CRASHED}",
    ),
    "the stack": (
        "mov r12, #0xe1000000\nstr r12, [sp, #-8]\nsub r12, sp, #8\nbx r12",
        f"{OUTSIDE}|{CRASHED}",
    ),
    "the kernel's helpers": (
        "mvn r12, #0xf000\nsub r12, r12, #0x3f\nbx r12",
        f"{OUTSIDE}|{CRASHED}",
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


def counted(
    body: str, driver: list[Path], counter: Counter, folder: Path
) -> list[counts.Instruction]:
    """What two calls of such a mont_mul execute.  Raises Failure."""
    source, program = folder / "mont.S", folder / "rsa"
    source.write_text(SNAPSHOT.format(body=body))
    run(*ARM, source, *driver, "-o", program)
    calls = folder / "calls"
    calls.write_text(text([product(N, 3, 5, 128), product(N, 5, 9, 128)], 128))
    return counter.count(program, ["call", calls], out=folder / "counts", seconds=20)


@pytest.fixture(params=working_counters())
def counter(request: pytest.FixtureRequest, built: Path) -> Counter:
    return Counter(request.param, built / counters.PLACES[request.param].name)


@pytest.mark.parametrize("way", FORGED)
def test_a_way_out_ends_the_run_with_one_line(
    driver, counter, tmp_path, way: str
) -> None:
    body, said = FORGED[way]
    with pytest.raises(Failure, match=said) as fault:
        counted(body, driver, counter, tmp_path)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("way", LED_AWAY)
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


@pytest.mark.parametrize("way", HONEST)
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
