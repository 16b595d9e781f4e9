"""The stack pointer at the calls of a snapshot's code, followed through every path of it.

What is followed is each register's value modulo 8, where it is known: the procedure call standard
makes sp a multiple of 8 at a function's entry, and asks the same at every call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

CONDITION = re.compile("(eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$")
# Instructions that only look as if they had a condition: s says that they set the flags.
UNCONDITIONAL = re.compile("teq|svc|bl|mls|smmls|(bic|mov|adc|sbc|rsc|lsl|[us]?m[u]?l(al|l)?)s")
BYTES = {"s": 4, "d": 8, "q": 16}  # of a register by its first letter; 4 for the others
TWO_RESULTS = re.compile("[us]m(ul|lal)l?|smlal|umaal|ldrd|ldrexd|vmov")
LOST = ("r0", "r1", "r2", "r3", "ip", "lr")  # what a call need not preserve
CALLS = ("bl", "blx")
State = dict[str, int]  # register -> its value modulo 8


class Code:
    """A disassembled section.  `at`: address -> (mnemonic, operands), in order; `labels`: address
    -> name; `follower`: address -> the next one, of code or of data."""

    def __init__(self, said: str) -> None:
        self.at: dict[int, tuple[str, str]] = {}
        self.labels: dict[int, str] = {}
        everything = []
        for line in said.splitlines():
            if label := re.match(r"([0-9a-f]+) <(.+)>:$", line):
                self.labels[int(label[1], 16)] = label[2]
            elif found := re.match(r" *([0-9a-f]+):\t(\S+)\t?([^@;]*)", line):
                address = int(found[1], 16)
                everything.append(address)
                if not found[2].startswith("."):
                    self.at[address] = found[2].removesuffix(".n").removesuffix(".w"), found[3]
        self.follower = dict(zip(everything, everything[1:]))

    def plain(self, address: int) -> str:
        """The mnemonic without its condition."""
        mnemonic = self.at[address][0]
        return mnemonic if UNCONDITIONAL.fullmatch(mnemonic) else CONDITION.sub("", mnemonic)

    def place(self, address: int) -> str:
        """`mod_exp+0x10`."""
        start = max((label for label in self.labels if label <= address), default=0)
        return f"{self.labels.get(start, '?')}+{address - start:#x}"

    def target(self, address: int) -> int | None:
        """Where a branch goes; None when a register says so."""
        found = re.match(r"(?:\w+, )?([0-9a-f]+) <", self.at[address][1])
        return int(found[1], 16) if found else None


def size(registers: str) -> int:
    """The bytes of a list such as `r4, r5, lr` or `d8-d15`."""
    total = 0
    for part in registers.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        several = int(last[1:]) - int(first[1:]) + 1 if last else 1
        total += several * (BYTES[part[0]] if re.match(r"[sdq]\d", part) else 4)
    return total


def arithmetic(name: str, operands: list[str], state: State) -> int | None:
    """What a data instruction leaves in its first operand, if that is known."""
    if name not in ("add", "sub", "mov", "bic", "bfc", "lsl"):
        return None
    last = int(operands[-1][1:], 0) if operands[-1].startswith("#") else 0
    cleared = {"bic": last & 7 == 7, "bfc": operands[1] == "#0" and last >= 3, "lsl": last >= 3}
    if cleared.get(name):
        return 0
    values = [int(o[1:], 0) % 8 if o.startswith("#") else state.get(o) for o in operands[1:3]]
    if name == "mov" and len(operands) == 2:
        return values[0]
    if name in ("add", "sub") and len(operands) == 3 and None not in values:
        first, second = (value or 0 for value in values)
        return (first + second if name == "add" else first - second) % 8
    return None


def moved(name: str, text: str) -> tuple[str, int | None]:
    """The register that a push, a pop or an access writes back to, and by how many bytes it moves,
    if that is known; ("", 0) for every other instruction."""
    listed = re.search(r"\{(.*)\}", text)
    if listed and re.match("v?(push|pop)$", name):
        return "sp", size(listed[1]) * (-1 if "push" in name else 1)
    if listed and (base := re.match(r"(\w+)!", text)):
        down = re.search("d[ab]$", name) or name in ("stmfd", "ldmea")
        return base[1], size(listed[1]) * (-1 if down else 1)
    if base := re.search(r"\[(\w+)[^]]*\](!|, )", text):
        step = re.search(r"#(-?\d+)\]!|\], #(-?\d+)", text)
        return base[1], int(step[1] or step[2]) if step else None
    return "", 0


def after(name: str, text: str, before: State) -> State:
    """The state behind an instruction that is no branch and is executed."""
    state, operands = dict(before), [word.strip() for word in text.split(",")]
    value = arithmetic(name.removesuffix("s"), operands, before)
    listed = re.search(r"\{(.*)\}", text)
    written = operands[: 2 if TWO_RESULTS.match(name) else 1]
    for register in re.findall(r"\w+", listed[1]) if listed else written:
        state.pop(register, None)
    if value is not None:
        state[operands[0]] = value
    base, step = moved(name, text)
    if base:
        state.pop(base, None)
    if base in before and step is not None:
        state[base] = (before[base] + step) % 8
    return state


def ends(name: str, text: str) -> bool:
    """Whether an instruction, when executed, goes where a register or memory says, or nowhere."""
    if re.match("pop|ldm", name):
        return bool(re.search(r"\bpc\b", text))
    return name in ("bx", "udf") or bool(re.match(r"pc\b", text))


def successors(code: Code, address: int, state: State) -> Iterator[tuple[int | None, State]]:
    """(address, state) of everything that may be executed next; None for what follows the last
    instruction."""
    name, following = code.plain(address), code.follower.get(address)
    mnemonic, text = code.at[address]
    always = mnemonic == name
    if name in CALLS:
        yield following, {k: value for k, value in state.items() if k not in LOST}
    elif name in ("b", "cbz", "cbnz"):
        if code.target(address) in code.at:
            yield code.target(address), state
        if not always or name != "b":
            yield following, state
    elif not ends(name, text):
        done = after(name, text, state)
        yield following, done if always else joined(done, state)
    elif not always:
        yield following, state


def joined(one: State, other: State) -> State:
    """What is known in either case."""
    return {register: value for register, value in one.items() if other.get(register) == value}


def follow(code: Code, entries: Iterable[int], seen: dict[int, State]) -> Iterator[str]:
    """Adds to `seen` the state at every instruction that can be reached from functions' entries;
    yields where code runs into data."""
    waiting: list[tuple[int | None, State]] = [(entry, {"sp": 0}) for entry in entries]
    while waiting:
        address, state = waiting.pop()
        if address not in code.at:
            continue
        known = joined(state, seen[address]) if address in seen else state
        if seen.get(address) == known:
            continue
        seen[address] = known
        found = list(successors(code, address, known))
        waiting += found
        # A function that is called need not return.
        if code.plain(address) not in CALLS and any(place not in code.at for place, _ in found):
            yield f"{code.place(address)}: code runs into data"


def misaligned(code: Code) -> Iterator[str]:
    """Every call at which sp is not, or not known to be, a multiple of 8; and where code runs into
    data, which cannot be followed."""
    calls = [address for address in code.at if code.plain(address) in CALLS]
    named = [label for label, name in code.labels.items() if name in ("mont_mul", "mod_exp")]
    called = [target for address in calls if (target := code.target(address)) in code.at]
    seen: dict[int, State] = {}
    faults = [*follow(code, [*named, *called], seen)]
    # What is left is reached by pointers only, or never.
    faults += follow(code, [label for label in code.labels if label not in seen], seen)
    yield from dict.fromkeys(faults)
    for address in code.at:
        leaves = code.plain(address) == "b" and code.target(address) not in code.at
        if address not in calls and not leaves:
            continue
        sp = seen.get(address, {}).get("sp")
        if sp != 0:
            known = "cannot be followed" if sp is None else "is not a multiple of 8"
            yield f"{code.place(address)}: sp {known} at this call"
