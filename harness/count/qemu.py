"""Counts with the plugin (plugin/count.c) of qemu-arm."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from harness.count import counts, selftest
from harness.count.elf import read_elf
from records.command import first_line, run
from records.faults import Failure

QEMU = ("qemu-arm", "-cpu", "cortex-a7")
PLUGIN = Path("build/count.so")


def why_unsupported(qemu: str = QEMU[0]) -> str:
    """Why this qemu-arm cannot load the plugin; empty if it can."""
    if not first_line(qemu, "--version"):
        return f"{qemu} is not installed"
    return "" if "-plugin" in run([qemu, "-help"]) else f"{qemu} was built without plugin support"


def plugin_option(plugin: Path, program: Path, *more: str) -> str:
    """What follows -plugin: the plugin, and where the snapshot and the harness are in the program.
    Raises Failure."""
    options = [str(plugin.resolve())]
    for name, addresses in counts.sections(program).items():
        kind = name.partition("_")[0]
        options.append(f"{kind}={addresses.start:#x}-{addresses.stop:#x}")
    return ",".join(text.replace(",", ",,") for text in [*options, *more])


def command(
    program: Path, args: Sequence[str | Path], out: Path, plugin: Path = PLUGIN, *more: str
) -> list[str]:
    """How a program runs under the plugin.  It gets a fixed name, so that with an empty environment
    its stack begins where it began the last time.  Raises Failure."""
    snapshot = counts.snapshot_of(program)
    starts = [start for start, _, _ in read_elf(program).functions if start in snapshot]
    entries = [f"entry={start:#x}" for start in starts]
    option = plugin_option(plugin, program, f"out={out.resolve()}", *entries, *more)
    emulator = [shutil.which(QEMU[0]) or QEMU[0], *QEMU[1:], "-0", "program", "-plugin", option]
    return [*emulator, str(program.resolve()), *map(str, args)]


def count(
    program: Path,
    args: Sequence[str | Path] = (),
    *,
    out: Path,
    plugin: Path = PLUGIN,
    timeout: float | None = None,
    predict: bool = False,
) -> list[counts.Row]:
    """Runs the program and returns what its snapshot executed; ``out`` keeps the counter's file.
    ``predict``: with simulated mispredictions, which takes longer.

    Raises Failure unless the program ends with status 0 within ``timeout`` seconds.
    """
    words = command(program, args, out, plugin, *(["predict=1"] if predict else []))
    return counts.counted(words, program, out, {}, timeout)


def check(program: Path, table: Path, *, out: Path, plugin: Path = PLUGIN) -> int:
    """Counts the self-test program; returns the number of values compared.  Raises Failure at the
    first value that is not as the table says, and where counting without prediction differs."""
    rows = count(program, out=out, plugin=plugin, predict=True)
    compared = selftest.compare(counts.by_symbol(rows, program), table)
    inline = {row.address: row for row in count(program, out=out, plugin=plugin)}
    for row in rows:
        if replace(row, mispredicted=0) != inline.get(row.address):
            raise Failure(f"self-test: {row.address:#x}: inline counters and call-backs disagree")
    return compared
