"""Whether a snapshot's object and its program keep the contract, as far as this can be read from
their code.

`python3 -m harness.contract FOLDER` looks at FOLDER/snapshot.o and FOLDER/rsa.  make calls it
before each check.  It refuses

- undefined symbols other than the compiler's own run-time;
- exported symbols other than the two of the contract;
- writable data, code anywhere but in `.text`, and a stack that may be executed;
- files from outside the snapshot's folder, whose changes nobody would see;
- instructions that ask the system or the debugger for something, or reach a coprocessor's state;
- branches into the harness, whose code is not counted;
- a stack pointer that is not a multiple of 8, or that cannot be followed, where a function is
  called.  Multiples are followed through every path that the code can take, but for jumps to
  computed addresses: a call that only these reach is refused.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from harness.stack import Code, misaligned
from records.command import run
from records.faults import Failure, command_line

OBJDUMP = "arm-linux-gnueabihf-objdump"
EXPORTED = {"mont_mul", "mod_exp"}
HEADER, STACK = "harness/snapshot.h", ".note.GNU-stack"
INCLUDED = re.compile(r"\.inc(lude|bin)\b")
TEXT = "snapshot_text"  # what .text is called once make has moved it
# What gcc and clang call for C: division, shifts and products of 64 bits, memory, bits, unwinding,
# and the stack's protection that some distributions switch on.
RUN_TIME = re.compile(
    r"__aeabi_(u?idiv(mod)?|u?ldivmod|lmul|ll?sl|llsr|lasr|u?lcmp|mem(cpy|move|set|clr)[48]?"
    r"|unwind_cpp_pr[012]|uread[48]|uwrite[48])"
    r"|mem(cpy|move|set|cmp)|__(clz|ctz|ffs|popcount|parity|bswap)[sd]i2|__u?(div|mod)(mod)?[sd]i[34]"
    r"|__(mul|neg|ashl|ashr|lshr|u?cmp)[sd]i[23]|__stack_chk_(fail|guard)"
)
READ_ONLY = re.compile(r"\.rodata(\..*)?|\.eh_frame|\.ARM\.(exidx|extab)(\..*)?")
BRANCHES = ("b", "bl", "blx")
PRIVILEGED = re.compile(r"(svc|swi|bkpt|hlt|hvc|smc|mcrr?2?|mrrc?2?|mrc2?|cdp2?|[ls]tc2?l?)$")


def sections(said: str) -> Iterator[str]:
    """What is wrong with a section, from objdump -h."""
    found = re.findall(
        r"^ *\d+ (.+) +([0-9a-f]{8})(?:  [0-9a-f]{8}){3}  2\*\*\d+ +(.*)$", said, re.M
    )
    for name, size, flags in ((name.strip(), size, flags) for name, size, flags in found):
        words = set(flags.split(", "))
        if name == STACK and "CODE" in words:
            yield f"section {name}: the stack would be executable"
        if "ALLOC" not in words or int(size, 16) == 0:
            continue
        if "CODE" in words and name != TEXT:
            yield f"code in section {name}: only .text is counted"
        elif "READONLY" not in words:
            yield f"writable data in section {name}: a snapshot keeps no state"
        elif "CODE" not in words and not READ_ONLY.fullmatch(name):
            yield f"section {name}: a snapshot has code, constants and unwind tables only"


def symbols(said: str, exported: Collection[str] = EXPORTED) -> Iterator[str]:
    """What is wrong with a symbol, from objdump -t."""
    for line in said.splitlines():
        found = re.match(r"[0-9a-f]{8} (.)(.)..(.).. (.+)\t[0-9a-f]+ +(?:\.hidden )?(.+)$", line)
        if not found:
            continue
        binding, weak, indirect, section, name = found.groups()
        if indirect == "i":
            yield f"{name}: another function would choose this one before main"
        elif section == "*UND*":
            if not RUN_TIME.fullmatch(name):
                yield f"calls {name}: a snapshot calls the compiler's own run-time and nothing else"
        elif (binding != "l" or weak == "w") and name not in exported:
            yield f"exports {name}: a snapshot exports {' and '.join(sorted(exported))} only"


def instructions(code: Code, harness: range) -> Iterator[str]:
    """Instructions that no snapshot needs; `harness`: where the harness's code is."""
    for address in code.at:
        if PRIVILEGED.match(code.plain(address)):
            yield f"{code.place(address)}: {code.at[address][0]}: of no use to arithmetic"
        elif code.plain(address) in BRANCHES and code.target(address) in harness:
            yield f"{code.place(address)}: {code.at[address][0]}: a branch into the harness"


def outside(folder: Path) -> Iterator[str]:
    """Files that are no part of the snapshot's folder, from what the compiler says it has read."""
    for path in sorted(folder.glob("*.d")):
        source, *read = path.read_text().partition(": ")[2].replace("\\\n", "").split()
        place = Path(source).parent
        for name in map(os.path.normpath, (source, *read)):
            system = re.match("/.*/include(-fixed)?/", name)
            if Path(name).parent != place and name != HEADER and not system:
                yield f"{source}: includes {name}: a snapshot's files are in its folder"
            elif not system and (found := INCLUDED.search(Path(name).read_text())):
                yield f"{name}: {found[0]}: only #include says which files are read"


def harness_of(program: Path) -> range:
    """The addresses of the harness's code in a program.  Raises Failure."""
    said = run([OBJDUMP, "-h", "-w", "-j", "harness_text", program])
    found = re.search(r"harness_text +([0-9a-f]{8}) +([0-9a-f]{8})", said)
    if not found:
        raise Failure(f"{program}: no section harness_text")
    size, start = (int(number, 16) for number in found.groups())
    return range(start, start + size)


def faults(program: Path, exported: Collection[str] = EXPORTED) -> Iterator[str]:
    """What is wrong with a program and with snapshot.o beside it."""
    said = run([OBJDUMP, "-h", "-t", "-w", program.with_name("snapshot.o")])
    yield from outside(program.parent)
    yield from sections(said)
    yield from symbols(said, exported)
    code = Code(run([OBJDUMP, "-d", "-z", "--no-show-raw-insn", "-j", TEXT, program]))
    yield from instructions(code, harness_of(program))
    yield from misaligned(code)


def main() -> None:
    """The command line.  Raises Failure, with the first fault."""
    found = list(faults(Path(sys.argv[1], "rsa")))
    if found:
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise Failure(f"{found[0]}{more}; harness/snapshot.h is the contract")


if __name__ == "__main__":
    sys.exit(command_line("contract", main))
