"""Whether a snapshot's object and sources keep the contract, harness/snapshot.h.

`python3 -m harness.contract FOLDER` looks at FOLDER/snapshot.o and at the sources that the .d files
beside it name.  It guards against mistakes and refuses

- undefined symbols other than the compiler's own run-time;
- exported symbols other than the two of the contract, which are functions in .text;
- writable data, and code anywhere but in .text;
- files from outside the snapshot's folder, whose changes nobody would see;
- `optimize` pragmas and attributes, because the level is make's.

What a snapshot does to memory and registers is for `rsa check` to find; the counters stop at a
system call and at code of the harness.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from records.command import run
from records.faults import Failure, command_line

OBJDUMP = "arm-linux-gnueabihf-objdump"
EXPORTED = {"mont_mul", "mod_exp"}
HEADER = "harness/snapshot.h"
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
SECTION = re.compile(r"^ *\d+ (.+) +([0-9a-f]{8})(?:  [0-9a-f]{8}){3}  2\*\*\d+ +(.*)$", re.M)
SYMBOL = re.compile(r"^[0-9a-f]{8} (.)(.).{5} (\S+)\t[0-9a-f]+ +(?:\.\w+ )?(.+)$", re.M)
OPTIMIZE = re.compile(r"(#\s*pragma|_Pragma)\b.*\boptimize|\b(__)?optimize(__)?\s*\(\s*[\"\d]")
SYSTEM = re.compile("/(usr|opt)/.*/include(-fixed)?/")


def sections(said: str) -> Iterator[str]:
    """What is wrong with a section, from objdump -h."""
    for name, size, flags in SECTION.findall(said):
        name, words = name.strip(), set(flags.split(", "))
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
    for binding, weak, section, name in SYMBOL.findall(said):
        if section == "*UND*":
            if not RUN_TIME.fullmatch(name):
                yield f"calls {name}: a snapshot calls the compiler's own run-time and nothing else"
        elif (binding != "l" or weak == "w") and name not in exported:
            yield f"exports {name}: a snapshot exports {' and '.join(sorted(exported))} only"
        elif name in EXPORTED and section != TEXT:
            yield f"{name} is in section {section}: it is a function in .text"


def sources(folder: Path) -> Iterator[str]:
    """What is wrong with a source: files that are no part of the snapshot's folder, from what the
    compiler says it has read, and a level of its own."""
    for path in sorted(folder.glob("*.d")):
        source, *read = path.read_text().partition(": ")[2].replace("\\\n", "").split()
        if not Path(source).exists():  # gone since
            continue
        place = Path(source).parent
        for name in map(os.path.normpath, (source, *read)):
            if name == HEADER or SYSTEM.match(name):
                continue
            if Path(name).parent != place:
                yield f"{source}: includes {name}: a snapshot's files are in its folder"
            elif found := OPTIMIZE.search(Path(name).read_text(errors="replace")):
                yield f"{name}: {found[0]}: the level is make's"


def check(folder: Path, exported: Collection[str] = EXPORTED) -> None:
    """Raises Failure with the first fault of a snapshot."""
    said = run([OBJDUMP, "-h", "-t", "-w", folder / "snapshot.o"])
    found = [*sources(folder), *sections(said), *symbols(said, exported)]
    if found:
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise Failure(f"{found[0]}{more}; harness/snapshot.h is the contract")


if __name__ == "__main__":
    sys.exit(command_line("contract", lambda: check(Path(sys.argv[1]))))
