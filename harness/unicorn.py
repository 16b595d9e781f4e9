"""Unicorn, the emulator as a library: it calls functions of a program, and is
the second counter.

Memory is made as Linux would make it, but neither the C library's start nor
main runs: operands are put into memory, a function is called, results are read
from there.  What else is done at each instruction or access is said by
call-backs in C (plugin/hooks.c counts).

The library is that of the Python package `unicorn`, this Python's or .venv's,
else the system's own (Debian: libunicorn2), which serves a 32-bit ARM, for
which there is no wheel.
Nothing of the package's Python is used, so any Python may load it.

The counter is for a qemu-user that loads no plugin, and a check on the plugin,
whose rows are the same to the unit.  All that a call executes counts, run-time
included.  An instruction of the snapshot makes the same number of accesses
whenever its condition holds, which a single trial of it tells (Trials).  Code
outside the snapshot may be Thumb; where any is executed, all is executed once
more, with every single access watched, ten times slower.

`python3 -m harness.unicorn WIDTH HOOKS OUT PROGRAM call CALLS [COUNT]` counts one run, in a process
of its own, which can be ended at any moment: OUT gets the counts, and the results are printed as
the driver prints them.
"""

import ctypes
import ctypes.util
import sys
from collections.abc import Iterable
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Self

from harness.counts import Row, text
from harness.elf import Elf, Segment, read_elf, sections
from harness.operands import Call, read
from records.faults import Failure, command_line

HOOKS = Path("build/unicorn.so")
MISSING = "Unicorn is not installed: type make venv or, on 32-bit ARM, apt-get install libunicorn2"
VENV = Path(__file__).resolve().parents[1] / ".venv"

# Of unicorn.h and arm.h, the same since version 2.0.
ARCH_ARM, CPU_CORTEX_A7, WRITE_CPU_MODEL = 1, 14, 7 | 1 << 26 | 1 << 30
FLUSH = 10 | 1 << 30  # what has been translated
HOOK_CODE, HOOK_MEMORY = 1 << 2, 1 << 10 | 1 << 11
FPEXC, LR, PC, SP, R0 = 4, 10, 11, 12, 66
PAGE = 4096  # bytes
READ, WRITE, EXECUTE = 1, 2, 4
TRAP = 0x60000000  # where a call returns to
STACK, FRAME = 0x70000000, 1 << 16  # operands at the beginning, frames from the middle down
TOP = STACK + FRAME // 2  # the stack pointer on entry
HWCAP = 0x1FB8D7  # what Linux says of a Cortex-A7: the C library chooses its memcpy by it

SIGNATURES = {
    "uc_open": (c_int, c_int, c_void_p),
    "uc_close": (c_void_p,),
    "uc_ctl": (c_void_p, c_int, c_int),
    "uc_mem_map": (c_void_p, c_uint64, c_size_t, c_uint32),
    "uc_mem_write": (c_void_p, c_uint64, c_char_p, c_size_t),
    "uc_mem_read": (c_void_p, c_uint64, c_char_p, c_size_t),
    "uc_reg_write": (c_void_p, c_int, c_void_p),
    "uc_reg_read": (c_void_p, c_int, c_void_p),
    "uc_hook_add": (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_uint64, c_uint64),
    "uc_emu_start": (c_void_p, c_uint64, c_uint64, c_uint64, c_size_t),
}


@cache
def library() -> ctypes.CDLL:
    """libunicorn, version 2.  Raises Failure."""
    package = find_spec("unicorn")
    folders = [*map(Path, (package and package.submodule_search_locations) or [])]
    folders += VENV.glob("lib/python3*/site-packages/unicorn")
    files = [str(path) for folder in folders for path in folder.glob("lib/libunicorn.*")]
    name = files[0] if files else ctypes.util.find_library("unicorn")
    if name is None:
        raise Failure(MISSING)
    try:
        uc = ctypes.CDLL(name)
        for function, arguments in SIGNATURES.items():  # uc_ctl is new in version 2
            getattr(uc, function).argtypes = arguments
    except (OSError, AttributeError) as fault:
        raise Failure(f"Unicorn cannot be used: {fault}") from None
    uc.uc_strerror.restype = c_char_p
    return uc


def why_unsupported() -> str:
    """Why Unicorn cannot count here, or an empty string."""
    try:
        library()
    except Failure as fault:
        return str(fault)
    return ""


class Engine:
    """An ARM Cortex-A7 with NEON switched on and no memory but TRAP.  Close
    it after use.

    Every method raises Failure."""

    def __init__(self) -> None:
        self.uc = library()
        self.handle = c_void_p()
        if self.uc.uc_open(ARCH_ARM, 0, byref(self.handle)):
            raise Failure("Unicorn cannot start")
        self._do("be a Cortex-A7", "ctl", WRITE_CPU_MODEL, CPU_CORTEX_A7)
        self.set(FPEXC, 1 << 30)
        self.map(TRAP, PAGE, READ | EXECUTE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.uc.uc_close(self.handle)

    def _do(self, what: str, function: str, *arguments: object) -> None:
        if status := getattr(self.uc, f"uc_{function}")(self.handle, *arguments):
            raise Failure(f"Unicorn cannot {what}: {self.uc.uc_strerror(status).decode()}")

    def map(self, start: int, size: int, rights: int = READ | WRITE) -> None:
        """Memory of `size` bytes, and what is missing to whole pages, filled with zeros."""
        low, high = start // PAGE * PAGE, -(-(start + size) // PAGE) * PAGE
        self._do(f"map {start:#x}", "mem_map", low, high - low, rights)

    def load(self, segments: Iterable[Segment]) -> None:
        """A program's segments into memory, each with its own rights."""
        for start, size, data, rights in segments:
            self.map(start, size, rights)
            self.write(start, data)

    def write(self, address: int, data: bytes) -> None:
        """Bytes into memory."""
        self._do(f"write {address:#x}", "mem_write", address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        """Bytes from memory."""
        data = ctypes.create_string_buffer(size)
        self._do(f"read {address:#x}", "mem_read", address, data, size)
        return data.raw

    def set(self, register: int, value: int) -> None:
        """A register."""
        self._do("set a register", "reg_write", register, byref(c_uint64(value)))

    def get(self, register: int) -> int:
        """A register's value."""
        value = c_uint64()
        self._do("get a register", "reg_read", register, byref(value))
        return value.value

    def hook(self, kind: int, callback: Any, data: ctypes.Structure | None = None) -> None:
        """Have a C function called with `data`; the caller keeps both alive."""
        function, where = ctypes.cast(callback, c_void_p), byref(data) if data else None
        self._do("call back", "hook_add", byref(c_size_t()), kind, function, where, 1, 0)

    def flush(self) -> None:
        """Code in memory has changed."""
        self._do("translate anew", "ctl", FLUSH, 0)

    def start(self, address: int, count: int = 0, microseconds: int = 0) -> None:
        """Execute from here to TRAP, `count` instructions, or so long.  Bit 0 says Thumb."""
        status = self.uc.uc_emu_start(self.handle, address, TRAP, microseconds, count)
        if status or (microseconds and self.get(PC) != TRAP):
            why = self.uc.uc_strerror(status).decode() if status else "no end"
            raise Failure(f"stopped at {self.get(PC):#x}: {why}")

    def call(self, function: int, stack: int, *arguments: int, microseconds: int = 0) -> int:
        """Call a function with up to four words; its result in r0."""
        for register, value in enumerate(arguments, R0):
            self.set(register, value)
        self.set(SP, stack)
        self.set(LR, TRAP)
        self.start(function, microseconds=microseconds)
        return self.get(R0) & 0xFFFFFFFF


def load(elf: Elf, engine: Engine | None = None) -> Engine:
    """An engine with a program and a stack in memory, its memcpy chosen.  Raises Failure."""
    engine = engine or Engine()
    engine.load(elf.segments)
    engine.map(STACK, FRAME)
    for place, function in elf.late_bindings:
        engine.write(place, engine.call(function, TOP, HWCAP).to_bytes(4, "little"))
    return engine


def perform(engine: Engine, function: int, call: Call, size: int) -> int:
    """One call, with operands of `size` bytes at STACK: z, x, y, modulus.
    Returns z.  Raises Failure."""
    z, x, y, m = (STACK + i * size for i in range(4))
    engine.write(x, call.x.to_bytes(size, "little") + call.y.to_bytes(size, "little"))
    engine.write(m, call.modulus(size))
    engine.call(function, TOP, z, x, y, m)
    return int.from_bytes(engine.read(z, size), "little")


# ---- The counter: the Python side of hooks.c, what it counts in, and the decoder ----

RUN_TIME, SNAPSHOT, HARNESS = range(3)  # enum part of plugin/predict.h
SCRATCH, CODE = 0x8000, 0x40000  # where every register points during a trial; the instruction
YIELD, NOP = 0xE320F001, 0xE320F000  # Unicorn stops at the one; they are of one class


class Place(ctypes.Structure):
    """As in hooks.c: the counters of an address."""

    _fields_ = [
        *((n, c_uint64) for n in ("executions", "jumped", "held", "loads", "stores")),
        ("mispredicted", c_uint64),
        *((n, c_uint32) for n in ("branch", "part", "size", "ask")),
    ]


class Tally(ctypes.Structure):
    """As in hooks.c."""

    _fields_ = [
        *((n, c_uint32) for n in ("start", "length")),
        *((n, POINTER(Place)) for n in ("places", "current")),
        ("next", c_uint32),
        ("nowhere", Place),
        ("reg_read", c_void_p),
        ("predictor", c_uint32 * (2 * 128 + 3 + 2)),  # of predict.h
        ("spent", c_uint64),
    ]

    def __init__(self, addresses: range) -> None:
        self.rooms = (Place * (len(addresses) // 2 + 1))()
        super().__init__(addresses.start, len(addresses), self.rooms)
        self.nowhere.part = HARNESS
        self.current = ctypes.pointer(self.nowhere)
        self.reg_read = ctypes.cast(library().uc_reg_read, c_void_p)


class Rule(ctypes.Structure):
    """As in a32.h."""

    _fields_ = [("mask", c_uint32), ("value", c_uint32), ("cls", c_uint8), ("does", c_uint8)]


class Hooks:
    """The library of the call-backs and the decoder.  Raises OSError where it is missing."""

    def __init__(self, path: Path = HOOKS) -> None:
        self.c = ctypes.CDLL(str(path.resolve()))
        self.c.a32_decode.argtypes, self.c.a32_decode.restype = (c_uint32,), POINTER(Rule)
        self.c.a32_class_name.argtypes, self.c.a32_class_name.restype = (c_int,), c_char_p
        self.c.executed.argtypes = (c_void_p, c_uint64, c_uint32, c_void_p)

    def decode(self, opcode: int) -> tuple[str, str]:
        """(class, what it does), both as in a Row."""
        rule = self.c.a32_decode(opcode).contents
        does = "".join(letter for bit, letter in enumerate("lsb") if rule.does >> bit & 1)
        return self.c.a32_class_name(rule.cls).decode(), does


class Trials(Engine):
    """Accesses of single instructions, each tried once among zeros."""

    def __init__(self, hooks: Hooks) -> None:
        super().__init__()
        self.known: dict[int, tuple[int, int]] = {}
        self.tally = Tally(range(0))
        self.map(0, 1 << 24, READ | WRITE | EXECUTE)
        self.hook(HOOK_MEMORY, hooks.c.accessed, self.tally)

    def accesses(self, opcode: int) -> tuple[int, int]:
        """(loads, stores) of an A32 instruction whose condition holds.  Raises Failure."""
        if opcode >> 28 < 14:
            opcode = opcode & 0x0FFFFFFF | 14 << 28
        if opcode not in self.known:
            place = CODE + 8 * len(self.known)  # where no other was translated
            self.write(place, opcode.to_bytes(4, "little"))
            for register in (*range(R0, R0 + 13), SP, LR):
                self.set(register, SCRATCH)
            seen = self.tally.nowhere
            seen.loads = seen.stores = 0
            self.start(place, count=1)
            self.known[opcode] = seen.loads, seen.stores
        return self.known[opcode]


class Program(Engine):
    """A program in an engine, with the tally of what it executes; `watch`:
    of its accesses, too. `spent` are the snapshot's instructions in each
    call, `results` what each has returned.  Close it after use."""

    def __init__(self, path: Path, hooks: Hooks, width: int, watch: bool) -> None:
        super().__init__()
        self.hooks, self.size, self.elf = hooks, width // 8, read_elf(path)
        self.snapshot, self.harness = sections(path).values()
        self.spent: list[int] = []
        self.results: list[int] = []
        self.tally = Tally(self.elf.code)
        load(self.elf, self)
        self.hook(HOOK_CODE, hooks.c.executed, self.tally)
        if watch:
            self.hook(HOOK_MEMORY, hooks.c.accessed, self.tally)
        for address in range(self.snapshot.start, self.snapshot.stop - 3, 4):
            opcode, place = self.opcode(address, 4), self.place(address)
            _, does = hooks.decode(opcode)
            place.part = SNAPSHOT
            place.branch = opcode * ("b" in does)
            if opcode >> 28 < 14 and does.strip("b"):
                place.ask = 1 + (opcode >> 28)

    def opcode(self, address: int, size: int) -> int:
        """The instruction there, a little-endian number."""
        return int.from_bytes(self.elf.bytes_at(address, size), "little")

    def place(self, address: int) -> Place:
        """The counters of an address."""
        place: Place = self.tally.rooms[(address - self.tally.start) // 2]
        return place

    def returned(self) -> None:
        """Says where the last branch went."""
        self.hooks.c.executed(None, TRAP, 4, byref(self.tally))

    def execute(self, call: Call) -> None:
        """One call; z joins the results."""
        before = self.tally.spent
        if call.chained:
            call = replace(call, x=self.results[-1])
        z = perform(self, self.elf.entry(call.function), call, self.size)
        self.results.append(z)
        self.returned()
        self.spent.append(self.tally.spent - before)

    def executed(self) -> list[int]:
        """The addresses that were executed, in order."""
        words = memoryview(self.tally.rooms).cast("B").cast("Q")
        step = ctypes.sizeof(Place) // 8
        return [self.tally.start + 2 * i // step for i in range(0, len(words), step) if words[i]]

    def rows(self) -> list[Row]:
        """What was executed, as the counter in qemu-arm would say it.  Raises Failure."""
        self._count_what_fails()
        if any(address in self.harness for address in self.executed()):
            raise Failure("the snapshot runs code of the harness")
        with Trials(self.hooks) as trials:
            return [self._row(address, trials) for address in self.executed()]

    def _count_what_fails(self) -> None:
        """Unicorn calls back for a Thumb instruction that an IT made
        conditional only if it holds; each of the one to four is executed as
        often as the IT itself."""
        for address in self.executed():
            it, n = self.opcode(address, 2), self.place(address).executions
            if self.elf.is_thumb(address) and it >> 8 == 0xBF and it & 15:
                address += 2
                for _ in range(4 - ((it & -it).bit_length() - 1)):
                    place = self.place(address)
                    place.size = 4 if self.opcode(address, 2) >> 11 > 28 else 2
                    place.executions = n
                    address += place.size

    def _row(self, address: int, trials: Trials) -> Row:
        place = self.place(address)
        opcode, n = self.opcode(address, place.size), place.executions
        loads, stores = place.loads, place.stores
        if self.elf.is_thumb(address):
            return Row(address, place.size, opcode, "thumb", "", n, 0, loads, stores)
        cls, does = self.hooks.decode(opcode)
        taken = (n if opcode >> 28 >= 14 else place.jumped) * ("b" in does)
        if address in self.snapshot and does.strip("b"):
            held = place.held if place.ask else n
            loads, stores = (held * each for each in trials.accesses(opcode))
        loads *= does != "s"  # strex is emulated by compare and swap
        return Row(address, 4, opcode, cls, does, n, taken, loads, stores, place.mispredicted)


class Counted(NamedTuple):
    """Of some calls: the rows of what was executed, and of each call the
    snapshot's instructions and z."""

    rows: list[Row]
    spent: list[int]
    results: list[int]


def count_calls(
    program: Path, todo: Iterable[Call], width: int, hooks: Path, watch: bool = False
) -> Counted:
    """What the snapshot of this width in bits executes in these calls;
    `watch` has every memory access watched from the start.  Raises Failure
    for a fault of the program."""
    todo = list(todo)
    with Program(program, Hooks(hooks), width, watch) as running:
        for call in todo:
            running.execute(call)
        if watch or all(address in running.snapshot for address in running.executed()):
            return Counted(running.rows(), running.spent, running.results)
    return count_calls(program, todo, width, hooks, watch=True)


def selftest_rows(program: Path, hooks: Path) -> list[Row]:
    """What each function of the self-test program executes, called once.  Raises Failure."""
    with Program(program, Hooks(hooks), 32, watch=True) as running:
        for address in range(running.snapshot.start, running.snapshot.stop, 4):
            if running.opcode(address, 4) == YIELD:
                running.write(address, NOP.to_bytes(4, "little"))
        names = {running.elf.function(address) for address in running.snapshot[::4]}
        for entry in sorted(running.elf.entry(name) for name in names - {"?"}):
            running.call(entry, TOP)
            running.returned()
        return running.rows()


def main() -> None:
    """Counts what the arguments say.  Raises Failure and OSError."""
    width, hooks, out, program, _, calls, *count = sys.argv[1:]
    todo = read(Path(calls))[: int(count[0]) if count else None]
    counted = count_calls(Path(program), todo, int(width), Path(hooks))
    Path(out).write_text(text(counted.rows, counted.spent), encoding="ascii")
    print("".join(f"{z:x}\n" for z in counted.results), end="")


if __name__ == "__main__":
    sys.exit(command_line("unicorn", main))
