"""Counts with the plugin (plugin/count.c) of qemu-arm."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from harness.count import counts, selftest
from records.command import first_line, run

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
    options = [str(plugin.resolve()), *more]
    for name, addresses in counts.sections(program).items():
        kind = name.partition("_")[0]
        options.append(f"{kind}={addresses.start:#x}-{addresses.stop:#x}")
    return ",".join(text.replace(",", ",,") for text in options)


def count(
    program: Path,
    args: Sequence[str | Path] = (),
    *,
    out: Path,
    plugin: Path = PLUGIN,
    timeout: float | None = None,
) -> list[counts.Row]:
    """Runs the program and returns what its snapshot executed; ``out`` keeps the counter's file.

    The program gets an empty environment and a fixed name, so that its stack begins where it began
    the last time.  Raises Failure unless it ends with status 0 within ``timeout`` seconds.
    """
    option = plugin_option(plugin, program, f"out={out.resolve()}")
    emulator = [shutil.which(QEMU[0]) or QEMU[0], *QEMU[1:], "-0", "program", "-plugin", option]
    command = [*emulator, str(program.resolve()), *map(str, args)]
    return counts.counted(command, program, out, {}, timeout)


def check(program: Path, table: Path, *, out: Path, plugin: Path = PLUGIN) -> int:
    """Counts the self-test program; returns the number of values compared.  Raises Failure at the
    first value that is not as the table says."""
    rows = count(program, out=out, plugin=plugin)
    return selftest.compare(counts.by_symbol(rows, program), table)
