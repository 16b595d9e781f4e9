"""The counter's self-test under Unicorn: the same program and the same table as the plugin's."""

from __future__ import annotations

from ctypes import byref
from pathlib import Path

from harness.count import counts, selftest
from harness.count.unicorn.engine import TRAP
from harness.count.unicorn.program import FRAME, STACK, Program
from harness.count.unicorn.tally import HOOKS, Hooks, Trials
from records.faults import Failure

YIELD, NOP = 0xE320F001, 0xE320F000  # Unicorn stops at the one; they are of one class


def check(program: Path, table: Path, hooks: Path = HOOKS) -> int:
    """Counts each function of the self-test program, called once, with every access watched, and
    tries each memory instruction by itself; returns the number of values compared.

    Raises Failure at the first value that is not as the table says."""
    loaded = Hooks(hooks)
    try:
        with Program(program, loaded, 32, watch=True) as running, Trials(loaded) as trials:
            for address in range(running.snapshot.start, running.snapshot.stop, 4):
                if running.opcode(address, 4) == YIELD:
                    running.engine.write(address, NOP.to_bytes(4, "little"))
            for address in entries(running):
                running.engine.call(address, STACK + FRAME // 2)
                loaded.c.executed(None, TRAP, 4, byref(running.tally))
            rows = running.rows(trials)
            tried = check_trials(rows, trials)
    except Failure as fault:
        raise Failure(f"self-test: {fault}") from None
    return selftest.compare(counts.by_symbol(rows, program), table) + tried


def entries(running: Program) -> list[int]:
    """Where the functions of the snapshot begin."""
    names = {running.elf.function(address) for address in running.snapshot[::4]}
    return sorted(running.elf.entry(name) for name in names - {"?"})


def check_trials(rows: list[counts.Row], trials: Trials) -> int:
    """Compares what one trial says with what was watched; returns the number of instructions."""
    tried = 0
    for row in rows:
        if row.cls != "thumb" and row.opcode >> 28 >= 14 and set("ls") & set(row.does):
            loads, stores = trials.accesses(row.opcode)
            loads = 0 if row.does == "s" else loads
            found = loads * row.executions, stores * row.executions
            if found != (row.load_accesses, row.store_accesses):
                raise Failure(f"self-test: {row.opcode:#x} makes other accesses when tried alone")
            tried += 1
    return tried
