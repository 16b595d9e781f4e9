"""All orders of a rung's instructions, and the fewest cycles that one of them takes.

`python3 -m studies.alone.ordered.order PROGRAM OTHER` takes the
instructions of `mont_mul` in PROGRAM, v8's, searches all their orders, and says
what PROGRAM and OTHER take; `--record` in front writes it into cycles.csv and
README, too.  OTHER has to be one of the orders.

An order is allowed if each value is made before it is used and if there is
always a place for what is needed later: 14 registers, one carry, two words of
the frame.  Which of the registers holds a value is free.

The search goes through sets of instructions that can be the first ones of an
order, from k of them to k + 1.  The cycles of an order are a matter of when
the core can go on and when each value is ready.  Of two orders of the same set
one is dropped if the other is nowhere later: what follows cannot make it
faster.  So nothing is lost, and the fewest cycles found are the fewest.

Two cores, by models of their manuals, not measured.  Both execute in order, one
instruction after another, with memory that answers at once.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from records.commands import command
from records.faults import Failure, run
from records.files import replace, write_table
from records.settings import USUAL_TOOLCHAIN
from records.tables import Table, factor, fitted, terminal_columns, whole
from records.typed import read_table
from rsalab.markdown import between

HERE = Path(__file__).resolve().parent
CYCLES = HERE / "cycles.csv"
HEAD = ("core", "parent", "ordered", "fewest", "orders", "source")
REGISTER = r"r\d+|sl|fp|ip|lr"
PLACES = {"register": 14, "carry": 1, "[sp]": 1, "[sp, #4]": 1}
ANSWER = "answer"  # what the two stores write, and the last instruction waits for
ON_ENTRY = [*(f"r{number}" for number in range(10)), "sl", "fp", "lr"]  # in use


# ---- instructions and their values


class Instruction(NamedTuple):
    """Its name without a condition, its text without registers, and the numbers of the values that
    it reads and that it writes, in the order of its operands."""

    name: str
    form: str
    reads: tuple[int, ...]
    writes: tuple[int, ...]


class Code(NamedTuple):
    """Instructions; and of each value its place, the instructions that use it, as bits, and the one
    that makes it, -1 for what is there from the beginning."""

    instructions: list[Instruction]
    places: list[str]
    users: list[int]
    makers: list[int]


def operands(line: str) -> tuple[str, list[str], list[str]]:
    """Return the name of an instruction, and what it reads and what it writes: registers, words of
    the frame, the carry.  Raises Failure."""
    name, _, text = line.partition("\t")
    registers = re.findall(rf"\b(?:{REGISTER})\b", text)
    frame = re.findall(r"\[sp[^]]*\]", text)
    first = registers[:1]
    others = registers[1:]
    if name == "push":
        return name, registers, ["[sp]", "[sp, #4]"]
    if name == "pop":
        return name, [ANSWER], []
    if name == "umaal":
        return name, registers, registers[:2]
    if name == "umull":
        return name, registers[2:], registers[:2]
    if name == "str":
        return name, registers, frame
    if name == "ldm":
        return name, first, others
    if name in ("stmcs", "stmcc"):
        earlier = [ANSWER] if name == "stmcc" else []
        return name, [*registers, "carry", *earlier], [ANSWER]
    if name in ("mul", "ldr", "mov"):
        return name, [*others, *frame], first
    reads = [*others, "carry"] if name[:3] in ("adc", "sbc") else others
    if name in ("adds", "adcs", "adc", "subs", "sbcs"):
        return name, reads, [*first, "carry"] if name.endswith("s") else first
    raise Failure(f"{name} is no instruction of this product")


def code_of(lines: Sequence[str]) -> Code:
    """Return instructions with numbers for their values.  Raises Failure."""
    code = Code([], [], [], [])
    current: dict[str, int] = {}  # the value that is in a place

    def new(place: str, maker: int) -> int:
        number = len(code.places)
        code.places.append("register" if re.fullmatch(REGISTER, place) else place)
        code.users.append(0)
        code.makers.append(maker)
        current[place] = number
        return number

    for register in ON_ENTRY:
        new(register, -1)
    for at, line in enumerate(lines):
        name, reads, writes = operands(line)
        used = []
        for place in reads:
            code.users[current[place]] |= 1 << at
            used.append(current[place])
        made = tuple(new(place, at) for place in writes)
        form = re.sub(rf"\b(?:{REGISTER})\b", "r", line)
        code.instructions.append(Instruction(name, form, tuple(used), made))
    return code


def meanings(code: Code) -> list[int]:
    """Return what each instruction computes, whatever its registers are, as a number: its form, and
    of each operand the instruction that makes it and which of its results it is."""
    found: list[int] = []
    for instruction in code.instructions:
        sources = []
        for value in instruction.reads:
            maker = code.makers[value]
            if maker < 0:
                sources.append((0, value))
            else:
                which = code.instructions[maker].writes.index(value)
                sources.append((found[maker], which))
        found.append(hash((instruction.form, tuple(sources))))
    return sorted(found)


# ---- cores


class Times(NamedTuple):
    """Cycles from the start of an instruction: until the next one can start; until each result is
    ready, the last number for all further ones; how many cycles before the start each operand has
    to be ready, -1 for a cycle after it; and for a load or store until another one can start."""

    busy: int
    ready: tuple[int, ...] = (1,)
    early: tuple[int, ...] = ()
    memory: int = 0


class Core(NamedTuple):
    """Its name, where its times were published, and the times of what takes more than a cycle."""

    name: str
    source: str
    times: dict[str, Times]


# Two registers a cycle go to and from memory, while other instructions may be executed.
ARM1176 = Core(
    "ARM1176",
    "DDI 0301H, sections 16.7, 16.10 and 16.12",
    {
        "umaal": Times(3, (4, 5), (-1, 0, 1, 1)),
        "umull": Times(3, (4, 5), (1, 1)),
        "mul": Times(2, (4,), (1, 1)),
        "ldr": Times(1, (3,), (1,), memory=1),
        "str": Times(1, memory=1),
        "ldm": Times(1, (3, 3, 4, 4), (1,), memory=2),
        "stmcs": Times(1, (1,), (1,), memory=2),
        "stmcc": Times(1, (1,), (1,), memory=2),
        "push": Times(1, (1,), memory=6),
        "pop": Times(4, memory=7),
    },
)
# A load takes two cycles; a load behind it begins after one.  The two stores follow an IT instruction.
# The last instruction refills the pipeline in two.
CORTEX_M4 = Core(
    "Cortex-M4",
    "DDI 0439, section 3.3",
    {
        "ldr": Times(2, (2,), memory=1),
        "ldm": Times(5, (5,)),
        "stmcs": Times(1 + 5),
        "stmcc": Times(5),
        "push": Times(12),
        "pop": Times(12 + 2),
    },
)
CORES = (ARM1176, CORTEX_M4)


class State(NamedTuple):
    """When a core can start an instruction, and when a load or store; and when each value that is
    still needed is ready.  What was ready long ago has a cycle in which it makes nobody wait."""

    clock: int
    memory: int
    ready: dict[int, int]

    def is_nowhere_later(self, other: "State") -> bool:
        """Return whether all of it is ready no later than in a state with the same values."""
        if self.clock > other.clock or self.memory > other.memory:
            return False
        return all(cycle <= other.ready[value] for value, cycle in self.ready.items())


def start_of(state: State, instruction: Instruction, times: Times) -> int:
    """Return the cycle in which an instruction can start."""
    start = state.memory if times.memory else state.clock
    for at, value in enumerate(instruction.reads):
        is_ready = state.ready.get(value, state.clock - 1)
        early = times.early[at] if at < len(times.early) else 0
        start = max(start, is_ready + early)
    return start


def after(state: State, instruction: Instruction, core: Core) -> State:
    """Return the state after one more instruction."""
    times = core.times.get(instruction.name, Times(1))
    start = start_of(state, instruction, times)
    ready = dict(state.ready)
    for at, value in enumerate(instruction.writes):
        last = len(times.ready) - 1
        ready[value] = start + times.ready[min(at, last)]
    clock = start + times.busy
    if times.memory:
        memory = start + times.memory
    else:
        memory = max(state.memory, clock)
    return State(clock, memory, ready)


def cycles(code: Code, core: Core) -> int:
    """Return the cycles of instructions in the order in which they stand."""
    state = State(0, 0, {})
    for instruction in code.instructions:
        state = after(state, instruction, core)
    return state.clock


# ---- all orders


class Begun(NamedTuple):
    """The same instructions done first in every order of them: how many orders, and the states that
    none of the others is nowhere later than."""

    orders: int
    states: list[State]


def next_ones(code: Code, done: int) -> Iterator[int]:
    """Yield the instructions that may follow when those in `done` are done."""
    for at in range(len(code.instructions)):
        if is_in(done, at):
            continue
        if has_operands(code, done, at) and has_places(code, done, at):
            yield at


def is_in(done: int, at: int) -> bool:
    """Return whether an instruction is one of those that are done, a bit each."""
    return bool(done & 1 << at)


def has_operands(code: Code, done: int, at: int) -> bool:
    """Return whether all that an instruction reads is made."""
    for value in code.instructions[at].reads:
        maker = code.makers[value]
        if maker >= 0 and not is_in(done, maker):
            return False
    return True


def has_places(code: Code, done: int, at: int) -> bool:
    """Return whether there is a place for every value after one more instruction."""
    then = done | 1 << at
    taken = dict.fromkeys(PLACES, 0)
    for value, maker in enumerate(code.makers):
        place = code.places[value]
        is_made = maker < 0 or is_in(then, maker)
        is_needed = code.users[value] & ~then or maker == at
        if place in taken and is_made and is_needed:
            taken[place] += 1
    return all(taken[place] <= most for place, most in PLACES.items())


def settled(code: Code, done: int, state: State) -> State:
    """Return a state without the values that nobody needs any more, and without how long ago the
    others were ready."""
    ready = {}
    for value, cycle in state.ready.items():
        if code.users[value] & ~done:
            ready[value] = max(cycle, state.clock - 1)
    return State(state.clock, state.memory, ready)


def with_state(states: list[State], new: State) -> list[State]:
    """Return the states and a new one, without those that another one makes superfluous."""
    if any(state.is_nowhere_later(new) for state in states):
        return states
    kept = []
    for state in states:
        if not new.is_nowhere_later(state):
            kept.append(state)
    return [*kept, new]


def search(code: Code, core: Core) -> Begun:
    """Return the number of all orders, and the state at the end of the fastest."""
    begun = {0: Begun(1, [State(0, 0, {})])}
    for _ in code.instructions:
        longer: dict[int, Begun] = {}
        for done, (orders, states) in begun.items():
            for at in next_ones(code, done):
                then = done | 1 << at
                before = longer.get(then, Begun(0, []))
                kept = before.states
                for state in states:
                    new = after(state, code.instructions[at], core)
                    kept = with_state(kept, settled(code, then, new))
                longer[then] = Begun(before.orders + orders, kept)
        begun = longer
    (found,) = begun.values()
    return found


# ---- what is said


def listing(program: Path) -> Code:
    """Return the instructions of mont_mul in a program.  Raises Failure."""
    objdump = [USUAL_TOOLCHAIN.prefix + "objdump", "--no-show-raw-insn"]
    text = run([*objdump, "--disassemble=mont_mul", program])
    return code_of(re.findall(r"^ +[0-9a-f]+:\t(.*\S)", text, re.M))


def searched(program: Path, other: Path) -> list[list[str]]:
    """Return the rows of cycles.csv, one for each core: the cycles of both programs, the fewest of
    all orders, and how many orders there are.  Raises Failure."""
    parent = listing(program)
    child = listing(other)
    if meanings(parent) != meanings(child):
        raise Failure(f"{other}: not the instructions of {program} in another order")
    rows = []
    for core in CORES:
        best = search(parent, core)
        fewest = min(state.clock for state in best.states)
        before = cycles(parent, core)
        now = cycles(child, core)
        numbers = map(str, (before, now, fewest, best.orders))
        rows.append([core.name, *numbers, core.source])
    return rows


def table(rows: Sequence[Sequence[str]]) -> Table:
    """Return the rows of cycles.csv as a reader sees them."""
    head = ["core (model)", "v8", "ordered", "v8/this", "fewest of all orders"]
    lines = []
    for core, parent, ordered, fewest, _, source in rows:
        ratio = int(parent) / int(ordered)
        gain = factor(ratio)
        lines.append([core, parent, ordered, gain, fewest, source])
    return Table([*head, "source of the times"], lines)


def recorded() -> list[list[str]]:
    """Return the rows of cycles.csv."""
    return [list(row.values()) for row in read_table(CYCLES)]


def shown() -> str:
    """Return what README says of cycles.csv."""
    rows = recorded()
    orders = whole(int(rows[0][HEAD.index("orders")]))
    counted = f"Orders for which 14 registers are enough: {orders}."
    return f"{table(rows).markdown}\n\n{counted}"


def keep(rows: Sequence[Sequence[str]]) -> None:
    """Write cycles.csv and README's table.  Raises OSError."""
    write_table(CYCLES, [HEAD, *rows])
    readme = HERE / "README.md"
    page = readme.read_text("utf-8")
    replace(readme, between(page, "orders", shown(), str(readme)))


def main(program: Path, other: Path, record: bool = False) -> None:
    """Search, and print the table.  Raises Failure and OSError."""
    rows = searched(program, other)
    print("\n".join(fitted(table(rows), terminal_columns())))
    if record:
        keep(rows)


if __name__ == "__main__":
    sys.exit(command("ordered", main))
