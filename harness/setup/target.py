"""Find out how an ARM program runs on this machine: directly, or under qemu-arm.

`python3 -m harness.setup.target CC FLAG...` builds a probe with the ladder's compiler and flags,
tries to run it, and prints `platform=NAME` and `runner='COMMAND'`, lines for a shell to read; the
command is empty when programs run directly.  The name of the machine's architecture is never
asked: a 64-bit kernel may run 32-bit programs or refuse them, and only trying tells.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from harness.counters import QEMU
from records.command import run
from records.faults import Failure, command_line
from records.files import read, replace
from records.platform import Platform

# It says that it runs, then waits, so that /proc can be asked who really runs it.  NEON and UMAAL
# are executed, because the ladder needs both.
PROBE = r"""
#include <arm_neon.h>
#include <stdio.h>
int main(void)
{
    uint32_t lo = 1, hi = 2;
    uint32x4_t v = vdupq_n_u32(3);

    __asm__ volatile("umaal %0, %1, %2, %2" : "+r"(lo), "+r"(hi) : "r"(3));
    printf("%u\n", lo + vgetq_lane_u32(vaddq_u32(v, v), 0));
    fflush(stdout);
    return getchar() == EOF ? 0 : 1;
}
"""


def runs_directly(program: Path) -> bool:
    """True if the kernel itself runs the program; False if it cannot, or if an emulator that is
    registered with the kernel (binfmt_misc) runs it instead."""
    try:
        process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return False
    assert process.stdout
    answer = process.stdout.readline()
    try:
        image = os.readlink(f"/proc/{process.pid}/exe")
    except OSError:
        image = ""
    process.communicate()
    return answer == b"18\n" and Path(image).name == program.name


def board() -> str:
    """A short name for the ARM board this is, from its device tree: `3-model-b-plus`."""
    model = read(Path("/proc/device-tree/model"))
    model = re.sub(r"^Raspberry Pi |  *Rev .*$", "", model)
    return re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-") or "unknown"


def build(command: Sequence[str], program: Path) -> str:
    """Build the probe by this command of gcc's, and the source beside it; gcc and its version.
    What the compiler says goes to stderr.  Raises Failure where it builds none."""
    source = program.with_name("probe.c")
    replace(source, PROBE)
    if subprocess.run([*command, source, "-o", program]).returncode:
        raise Failure(f"{command[0]} cannot build a program; its message is above")
    return "gcc" + run([command[0], "-dumpversion"]).partition(".")[0].strip()


def platform(program: Path, gcc: str) -> Platform:
    """How the built probe runs here.  Raises Failure when it cannot."""
    if runs_directly(program):
        return Platform(f"pi-{board()}-{gcc}", ())
    if shutil.which(QEMU[0]) is None:
        raise Failure("ARM programs do not run here; type: harness/setup/setup.sh build")
    return Platform(f"qemu-{gcc}", QEMU)


def main() -> None:
    """Print the platform and its runner.  Raises Failure when nothing can run here."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "probe")
        found = platform(program, build(sys.argv[1:], program))
    if not found.direct and os.uname().machine.startswith(("arm", "aarch64")):
        note = "this board does not run ARMv7 programs itself: qemu-arm runs them, without times"
        print(f"target: {note}", file=sys.stderr)
    print(found, end="")


if __name__ == "__main__":
    sys.exit(command_line("target", main))
