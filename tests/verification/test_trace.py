"""What single calls execute and access: leaks, strays, and the way back
out of assembly."""

import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
import unwind
from clone import Clone
from needs import needs
from representatives import mostly_long

from harness.cells import cells_of
from harness.elf import read_elf
from harness.unicorn import TOP, TRAP, Traced, load, perform
from records import ladder
from records.ladder import ROOT, Snapshot
from verification import traces
from verification.traces import SECRETS, calls

SNAPSHOTS = [
    s for study in (ladder.LADDER, *ladder.studies()) for s in ladder.snapshots(study)
]
ASSEMBLY = [snapshot for snapshot in SNAPSHOTS if snapshot.has_assembly]
PROMISED = [snapshot for snapshot in SNAPSHOTS if snapshot.constant_time]
pytestmark = needs("arm-linux-gnueabihf-gcc", "python:elftools", "python:unicorn")


def label(snapshot: Snapshot) -> str:
    return f"{snapshot.study}/{snapshot.name}"


class Bench:
    """A folder to build programs in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hooks = self.made("trace.so")

    def made(self, goal: str) -> Path:
        """What make builds under build/."""
        subprocess.run(
            ["make", f"build/{goal}"], cwd=self.folder, check=True, capture_output=True
        )
        return self.folder / "build" / goal

    def program(self, snapshot: Snapshot, level: str = "O1") -> Path:
        return self.made(f"{snapshot.path.relative_to(ROOT)}/{level}/rsa")

    def traces(self, snapshot: Snapshot, level: str = "O1") -> list[int]:
        """How many different traces mont_mul and mod_exp have; two are
        enough."""
        found = traces.look(self.program(snapshot, level), snapshot.width, self.hooks)
        return [different for _, different in found.values()]

    def planted(self, folder: Path, old: str, new: str) -> Path:
        """v8 with one thing changed in its assembly."""
        place = self.folder / "iterations/planted"
        shutil.copytree(self.folder / "iterations/v8", place)
        try:
            text = (place / "mont.S").read_text()
            assert text.count(old) == 1
            (place / "mont.S").write_text(text.replace(old, new))
            return Path(shutil.copy(self.made("iterations/planted/O1/rsa"), folder))
        finally:
            shutil.rmtree(place)
            shutil.rmtree(self.folder / "build/iterations/planted", ignore_errors=True)


@pytest.fixture(scope="module")
def bench(measured: Clone) -> Bench:
    return Bench(measured.path)


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", mostly_long(PROMISED, PROMISED[:2]), ids=label)
def test_promised_constant_time(bench: Bench, snapshot: Snapshot) -> None:
    for level in ladder.LEVELS:
        assert bench.traces(snapshot, level) == [1, 1], level


@pytest.mark.slow
def test_a_leak_shows(bench: Bench) -> None:
    """v0 leaks in both functions; v8 by which of two stores it makes, and
    by its exponent."""
    for rung in ("v0", "v8"):
        assert bench.traces(ladder.find(rung)) == [2, 2]


def test_the_reference_keeps_every_promise() -> None:
    """Of the committed traces: every snapshot and level is there, and what
    promises constant time has one trace for all secrets, compiled by gcc
    and by clang."""
    for path in ROOT.glob("results/qemu-*/traces.csv"):
        rows = traces.read_rows(path)
        for snapshot in SNAPSHOTS:
            for level in ladder.LEVELS:
                place = {
                    "study": snapshot.study,
                    "snapshot": snapshot.name,
                    "level": level,
                }
                of = [row for row in rows if place.items() <= row.items()]
                assert {row["symbol"] for row in of} == set(traces.FUNCTIONS), snapshot
                if snapshot.constant_time:
                    assert {(row["n"], row["value"]) for row in of} == {(SECRETS, 1)}
                    assert len({row["compiler"] for row in of}) == 2
                else:
                    assert any(row["value"] > 1 for row in of), (
                        f"{label(snapshot)} -{level}"
                    )


def test_a_broken_promise_is_named() -> None:
    """Of the reference's traces: none as they are, and one where a leak is
    planted."""
    rows = traces.read_rows(ROOT / "results/qemu-gcc12/traces.csv")
    cells = cells_of([snapshot.path for snapshot in SNAPSHOTS], "")
    assert traces.leak(cells, rows) == ""
    name = PROMISED[0].name
    next(row for row in rows if row["snapshot"] == name)["value"] = 2
    assert name in traces.leak(cells, rows)


# In C, in NEON, by hand; two functions by hand.
QUICK = [ladder.find(name) for name in ("v6", "v3", "v8")]
QUICK.append(ladder.find("two-at-once", "limit"))
BY_HAND = [snapshot for snapshot in QUICK if snapshot.has_assembly]


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", mostly_long(SNAPSHOTS, QUICK), ids=label)
def test_every_access_is_to_operands_or_frame(bench: Bench, snapshot: Snapshot) -> None:
    program = bench.program(snapshot)
    tracing = Traced(program, snapshot.width, bench.hooks)
    for call in list(calls("mont_mul", snapshot.width))[::16]:
        seen = tracing.trace(call)
        assert (seen.astray, seen.astray_at, seen.astray_to) == (0, 0, 0)
    # With every bit of the exponent where mod_exp is in assembly, too.
    call = list(calls("mod_exp", snapshot.width))[2 if snapshot.has_assembly else 0]
    assert tracing.trace(call).astray == 0


FIRST = "        ldr     yj, [y]\n"
PLANTS = {
    "reads beyond the modulus": "        ldr     yj, [y, #96]\n",
    "writes into y": "        ldr     yj, [y]\n        str     yj, [y]\n",
    "uses the stack below sp": "        str     r0, [sp, #-8]\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTS)
def test_a_stray_access_is_seen(bench: Bench, tmp_path: Path, name: str) -> None:
    program = bench.planted(tmp_path, FIRST, PLANTS[name] + FIRST)
    assert (
        Traced(program, 128, bench.hooks).trace(next(calls("mont_mul", 128))).astray
        == 1
    )


def lost(program: Path, width: int, function: str = "mont_mul") -> list[int]:
    """Instructions of a function from which the stack cannot be walked."""
    elf = read_elf(program)
    engine, operands = load(elf), next(calls(function, width))
    call = partial(perform, engine, elf.entry(function), operands, width // 8)
    return unwind.lost(program, engine, TOP, TRAP, call)


@pytest.mark.slow
@pytest.mark.parametrize("snapshot", mostly_long(ASSEMBLY, BY_HAND), ids=label)
def test_the_stack_can_be_walked(bench: Bench, snapshot: Snapshot) -> None:
    """From every instruction of the assembly, by its call frame
    information."""
    functions = re.findall(r"\.global (\w+)", (snapshot.path / "mont.S").read_text())
    assert "mont_mul" in functions
    for function in functions:
        assert lost(bench.program(snapshot), snapshot.width, function) == []


@pytest.mark.slow
def test_a_wrong_frame_is_seen(bench: Bench, tmp_path: Path) -> None:
    old = "        .cfi_rel_offset r9, 28\n"
    assert lost(bench.planted(tmp_path, old, old.replace("28", "32")), 128) != []
