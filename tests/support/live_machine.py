"""The interpreter of the live page, compiled for this computer, beside Unicorn."""

import ctypes
import subprocess
from dataclasses import dataclass
from pathlib import Path

import unicorn
from unicorn import arm_const as arm

from records.ladder import ROOT

SOURCE = ROOT / "rsalab/live/interpreter.c"
DECODER = ROOT / "harness/plugin/a32.c"
SIZE, LOWEST = 1 << 20, 0x1000  # bytes of memory
CODE = 0x8000
RETURN_TO = 0xFFFF0000
RETURNED, LIMIT, WILD_LOAD, WILD_STORE, WILD_JUMP, THUMB, UNDEFINED, UNALIGNED = range(
    8
)
WILD = {WILD_LOAD, WILD_STORE, WILD_JUMP}
ALL = 7  # a word that may be loaded, stored and executed
PC = 15


@dataclass
class State:
    """What an instruction reads and writes."""

    core: list[int]  # r0 to r14
    flags: int  # n z c v, four bits
    doubles: list[int]  # d0 to d31
    memory: bytes  # from LOWEST on


def compiled(folder: Path, text: str = "", level: str = "-O1") -> ctypes.CDLL:
    """Return the interpreter as a library; `text` takes the place of its source."""
    source = folder / "interpreter.c"
    library = folder / "interpreter.so"
    text = text or SOURCE.read_text()
    source.write_text(text.replace('"../../harness', f'"{ROOT}/harness'))
    options = "-std=c11 -Wall -Wextra -Werror -shared -fPIC".split()
    subprocess.run(["gcc", level, *options, "-o", library, source, DECODER], check=True)
    loaded = ctypes.CDLL(str(library))
    for name in (
        "memory_bytes",
        "allowed_words",
        "core_registers",
        "double_registers",
        "execution_counts",
    ):
        getattr(loaded, name).restype = ctypes.c_void_p
    loaded.fault_address.restype = ctypes.c_uint32
    return loaded


class Interpreter:
    """The machine of the live page."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.core = (ctypes.c_uint32 * 16).from_address(library.core_registers())
        self.doubles = (ctypes.c_uint64 * 32).from_address(library.double_registers())
        self.memory = (ctypes.c_uint8 * SIZE).from_address(library.memory_bytes())
        words = SIZE // 4
        allowed = (ctypes.c_uint8 * words).from_address(library.allowed_words())
        allowed[LOWEST // 4 :] = [ALL] * (words - LOWEST // 4)
        self.allowed = allowed
        self.executed = (ctypes.c_uint32 * (SIZE // 4)).from_address(
            library.execution_counts()
        )

    def step(self, state: State) -> tuple[int, State, int]:
        """Execute the instruction at CODE: how it ended, the state and pc after it."""
        self.core[:15] = state.core
        self.core[PC] = CODE
        self.doubles[:] = state.doubles
        self.library.set_flags(state.flags)
        ctypes.memmove(
            ctypes.addressof(self.memory) + LOWEST, state.memory, SIZE - LOWEST
        )
        ending = self.library.run(1)
        after = State(
            self.core[:15],
            self.library.flags(),
            self.doubles[:],
            ctypes.string_at(ctypes.addressof(self.memory) + LOWEST, SIZE - LOWEST),
        )
        return ending, after, self.core[PC]


class Unicorn:
    """The same machine in Unicorn, a Cortex-A7 with VFP and NEON switched on."""

    CORE = [getattr(arm, f"UC_ARM_REG_R{number}") for number in range(15)]
    DOUBLES = [getattr(arm, f"UC_ARM_REG_D{number}") for number in range(32)]

    def __init__(self) -> None:
        self.machine = unicorn.Uc(unicorn.UC_ARCH_ARM, unicorn.UC_MODE_ARM)
        self.machine.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_A7)
        self.machine.mem_map(LOWEST, SIZE - LOWEST)
        self.machine.reg_write(arm.UC_ARM_REG_C1_C0_2, 0xF << 20)
        self.machine.reg_write(arm.UC_ARM_REG_FPEXC, 1 << 30)

    def step(self, state: State) -> tuple[int, State, int]:
        """Execute the instruction at CODE: how it ended, the state and pc after it."""
        machine = self.machine
        machine.reg_write(
            arm.UC_ARM_REG_CPSR, 0x10 | state.flags << 28
        )  # chooses the bank of sp, lr
        for register, value in zip(self.CORE, state.core):
            machine.reg_write(register, value)
        for register, value in zip(self.DOUBLES, state.doubles):
            machine.reg_write(register, value)
        machine.mem_write(LOWEST, state.memory)
        machine.ctl_remove_cache(CODE, CODE + 4)
        ending = LIMIT
        try:
            machine.emu_start(CODE, SIZE, count=1)
        except unicorn.UcError as fault:
            ending = WILD_LOAD
            if fault.errno == unicorn.UC_ERR_EXCEPTION:
                ending = UNDEFINED
            if fault.errno == unicorn.UC_ERR_INSN_INVALID:
                ending = UNDEFINED
        after = State(
            [machine.reg_read(register) for register in self.CORE],
            machine.reg_read(arm.UC_ARM_REG_CPSR) >> 28,
            [machine.reg_read(register) for register in self.DOUBLES],
            bytes(machine.mem_read(LOWEST, SIZE - LOWEST)),
        )
        return ending, after, machine.reg_read(arm.UC_ARM_REG_PC)
