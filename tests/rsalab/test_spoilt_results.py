"""Spoilt files of a results folder: whatever reads one takes it or ends
with a fault of one line.

The folder holds v0 and v1 at -O1. A file is spoilt in two ways: any
bytes, and rows that are whole but say something else. Each reader is
called as its command calls it.
"""

import shutil
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest
from foreign import part
from made_results import publish
from mutations import mutations, plausible
from representatives import mostly_long

from boards import exchange as validate
from records import faults, ladder
from records.results import load, reference
from records.rows import COLUMNS
from rsalab import models
from rsalab.report import generate
from rsalab.steps import claims, scoreboard, spent, tables, why

QUICK = 6
LONG = 200
NUMBERS = [QUICK, pytest.param(LONG, marks=pytest.mark.long)]
CASES = (",mod_exp,", ",roundtrip-small,", ",roundtrip-65537,")
TIMES = "".join(
    f"iterations,{name},O1,gcc 12.2.0,roundtrip-full,"
    f"{way}{clock},total,{value},{unit},1,timed,{repeat}\n"
    for name, base in (("v0", 900), ("v1", 400))
    for repeat in range(4)
    for way in ("encrypt", "decrypt")
    for clock, unit, value in (
        ("", "ns", (base + repeat) * 1000),
        ("_clock", "us", base),
    )
)
TRACES = "".join(
    f"iterations,{name},O1,{compiler} 14.0.6,drawn-secrets,"
    f"traces,{function},{n},traces,256,exact\n"
    for name, n in (("v0", 3), ("v1", 1))
    for compiler in ("gcc", "clang")
    for function in ("mont_mul", "mod_exp")
)
MADE = {
    "times.csv": TIMES,
    "traces.csv": TRACES,
    "perf.csv": TIMES.replace("encrypt_clock", "cycles").replace(",us,", ",cycles,"),
}
TABLES = [
    "counts.csv",
    "lines.csv",
    "asm.csv",
    "provenance.csv",
    "gprof/calls.csv",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """results/small of an otherwise empty place, with every file that a
    results folder can have."""
    path = tmp_path_factory.mktemp("lab") / "results" / "small"
    publish(path.parent.parent)
    part(path, "iterations/v0/O1", "iterations/v1/O1", tables=TABLES)
    rows = (path / "counts.csv").read_text().splitlines(keepends=True)
    kept = [row for row in rows if not any(case in row for case in CASES)]
    (path / "counts.csv").write_text("".join(kept))
    for name, text in MADE.items():
        (path / name).write_text(f"{','.join(COLUMNS[name])}\n{text}")
    shutil.copytree(path, path.with_name("whole"))
    return path


def printed(folder: Path) -> object:
    """Everything that is read of a folder without a frame."""
    results, whole = (
        load(path, counted=False) for path in (folder, folder.with_name("whole"))
    )
    child = ladder.find("v1")
    return [
        tables.ladder_text(results, ladder.LADDER, [], 100),
        tables.times_text(results, 80),
        tables.differences((results, whole)),
        tables.beside((results, whole), "instructions", "roundtrip-full", 80),
        models.text(results),
        *claims.faults(results, child),
        why.block(spent.compared(results, child, "O1"), child, "O1", 80),
        scoreboard.text(results),
        reference(folder.parent.parent),
    ]


def every_row(folder: Path) -> None:
    """Every file of a folder, asked or not."""
    load(folder, counted=False).check()


def report(folder: Path) -> object:
    return generate.own(load(folder), ladder.ROOT / "build" / "none" / "REPORT.md")


EACH = ["machine.json", *TABLES, *MADE]
READERS: list[Callable[[Path], object]] = [printed, validate.validate, every_row]


def spoilt(path: Path, number: int) -> Iterator[bytes]:
    """Copies of a file with faults of either kind."""
    whole = path.read_bytes()
    if path.suffix == ".csv":
        half = number // 2
        return chain(
            mutations(whole, half, path.name), plausible(whole, half, path.name)
        )
    return mutations(whole, number, path.name)


def is_a_line(read: Callable[[Path], object], path: Path) -> bool:
    """Whether a reader ends with a fault, which is one line."""
    try:
        read(path)
    except faults.EXPECTED as fault:
        said = faults.line(fault)
        assert said and said.isprintable()
        return True
    return False


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "name", mostly_long(EACH, ["machine.json", "counts.csv", "lines.csv"])
)
def test_a_spoilt_file(folder: Path, name: str, number: int) -> None:
    path, refused = folder / name, 0
    whole = path.read_bytes()
    try:
        for text in spoilt(path, number):
            path.write_bytes(text)
            refused += sum([is_a_line(reader, folder) for reader in READERS])
            if number == LONG and text.startswith(b"study"):
                is_a_line(report, folder)
    finally:
        path.write_bytes(whole)
    assert refused > number / 4
