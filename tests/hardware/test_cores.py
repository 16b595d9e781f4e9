"""The rungs in cycles: the page says what the results say, and a run gives them again."""

from collections import defaultdict
from pathlib import Path

import pytest
from clone import Clone
from needs import needs

from harness import operands
from harness.kinds import Stream
from records.faults import Failure, run
from records.ladder import ROOT
from records.results import load, reference
from records.rows import read_rows
from studies.hardware.cores import cores, pages, reasons

FOLDERS = [cores.folder_of(core.core) for core in cores.SIMULATED]
ROWS = {
    folder: [
        row
        for row in read_rows(ROOT / "results" / folder / "cycles.csv")
        if row["study"] != "units"
    ]
    for folder in FOLDERS
}
CELL = ("study", "snapshot", "level", "workload")
# Clocks of an instruction of PicoRV32, whatever comes before and after it.
EACH = {"alu": 3, "shift": 3, "mul": 6, "load": 5, "store": 5, "passed": 3, "taken": 5}


def test_the_tables_are_those_of_the_results() -> None:
    text = (ROOT / pages.HERE / "README.md").read_text()
    assert pages.steps_table() in text
    assert pages.pairs_table() in text
    assert pages.units_table() in text
    assert pages.rates_table() in text
    assert reasons.reasons() in text


def by_symbol(folder: str, metric: str) -> dict[tuple[str, ...], dict[str, int]]:
    """What a metric of each cell of a core is made of, by symbol."""
    found: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    for row in ROWS[folder]:
        if row["metric"] == metric:
            found[tuple(row[part] for part in CELL)][row["symbol"]] = row["value"]
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_events_are_all_of_the_cycles(folder: str) -> None:
    events = by_symbol(folder, "events")
    most = by_symbol(folder, "cycles_most")
    instructions = by_symbol(folder, "instructions")
    for cell, cycles in by_symbol(folder, "cycles").items():
        total = cycles.pop("total")
        counts = events[cell]
        if folder == "core-picorv32":
            for event in EACH.keys() & counts.keys():
                assert cycles[event] == EACH[event] * counts[event]
        executed = sum(counts.values()) - counts.get("miss", 0)
        assert executed == instructions[cell]["total"]
        assert sum(cycles.values()) == total
        assert executed <= total <= most[cell]["total"]


def test_both_cores_retire_the_same() -> None:
    counts = defaultdict(set)
    for folder in FOLDERS:
        for cell, executed in by_symbol(folder, "instructions").items():
            counts[cell].add(executed["total"])
    assert len(counts) == 42 and {len(each) for each in counts.values()} == {1}


def test_units_beat_what_they_replace() -> None:
    rows = load(reference()).query("select * from kernels")
    for core in cores.CORES:
        cycles = {
            (row["width"], row["operation"], row["kernel"]): row["cycles"]
            for row in rows
            if row["core"] == core
        }
        for width in (64, 96, 128):
            for operation in ("mont_mul", "roundtrip"):
                each = {
                    kernel: count
                    for (*of, kernel), count in cycles.items()
                    if of == [width, operation]
                }
                assert (
                    each["serial"]
                    > each["serial-carry"]
                    > each["words"]
                    > each["words-mac"]
                )
        # What no unit does in fewer cycles than one 32-bit digit in C.
        assert (
            cycles[32, "mont_mul", "one-words"] < cycles[32, "mont_mul", "one-step"] / 5
        )


@needs("iverilog")
def test_bishop_and_austins_circuit_drops_the_33rd_bit(tmp_path: Path) -> None:
    draw, bench = Stream("mmm_1_hw"), ROOT / pages.HERE
    moduli = [draw.odd(width) for width in (31, 32) for _ in range(8)]
    pairs = [(draw.below(n), n) for n in moduli]
    (tmp_path / "pairs").write_text("".join(f"{z:x} {n:x}\n" for z, n in pairs))
    sources = [
        bench / "bench/rounds.v",
        bench / "units/mmm_1_hw.v",
        bench / "units/mmm_1.v",
    ]
    run(["iverilog", "-g2005", "-o", tmp_path / "rounds", *sources])
    lines = run(
        ["vvp", "-n", tmp_path / "rounds", f"+pairs={tmp_path}/pairs"]
    ).splitlines()
    right = [z * pow(1 << 32, -1, n) % n for z, n in pairs]
    claimed, kept = zip(*([int(word, 16) for word in line.split()] for line in lines))
    assert list(kept) == right
    wrong = [theirs != ours for theirs, ours in zip(claimed, right)]
    assert not any(wrong[:8]) and all(wrong[8:])


def test_what_a_core_prints_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two products of 64 bits, each two words; a trap and a wrong word are refused."""
    calls = [operands.product(2**64 - 59, x, 7, 64) for x in (5, 9)]
    words = [call.z >> shift & 0xFFFFFFFF for call in calls for shift in (0, 32)]
    lines = [*(f"word {word:08x}" for word in words), "call 10 25", "call 11 26"]
    lines += ["class 0 20 40", "class 4 1 11", "class 5 0 0"]
    monkeypatch.setattr(cores, "BUILD", tmp_path)
    bench = tmp_path / "core/Vbench"
    bench.parent.mkdir()
    (tmp_path / "0.bin").write_bytes(b"")

    def simulated(*printed: str) -> cores.Run:
        text = "\n".join(printed)
        bench.write_text(f"#!/bin/sh\ncat <<END\n{text}\nEND\n")
        bench.chmod(0o755)
        return cores.simulate("core", tmp_path / "0.bin", calls, 64)

    assert simulated(*lines) == cores.Run(21, 51, {"alu": (20, 40), "load": (1, 11)})
    for wrong in (["trap"], lines[1:], ["word 0", *lines[1:]]):
        with pytest.raises(Failure):
            simulated(*wrong)


GIVEN_UP = """
module bench;
    reg clk = 0, start = 0;
    reg [6:0] id = 1;
    reg [2:0] op = 1;
    reg [31:0] a, b;
    wire done;
    wire [31:0] z;
    integer after, clocks;
    units units(clk, start, id, op, a, b, done, z);
    always #1 clk = !clk;

    initial for (after = 1; after < 32; after = after + 1) begin
        {start, a, b} = {1'b1, 32'd12345, 32'hfffffffd};
        repeat (after) @(negedge clk);
        start = 0;
        @(negedge clk) {start, a, b} = {1'b1, 32'd7654321, 32'hfffffffb};
        #0.5 for (clocks = 1; !done; clocks = clocks + 1) #2;
        $display("%0d %0d", z, clocks);
        @(negedge clk) start = 0;
        @(negedge clk);
        if (after == 31) $finish(0);
    end
endmodule
"""


@needs("iverilog")
def test_an_instruction_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    """Of mmm_1, in every of its 31 clocks before the last one."""
    sources = sorted((ROOT / pages.HERE / "units").glob("*.v"))
    (tmp_path / "bench.v").write_text("`timescale 1ns / 100ps\n" + GIVEN_UP)
    program = tmp_path / "bench"
    run(["iverilog", "-g2005", "-o", program, tmp_path / "bench.v", *sources])
    lines = run(["vvp", "-n", program]).splitlines()
    z = 7654321 * pow(1 << 32, -1, 0xFFFFFFFB) % 0xFFFFFFFB
    assert lines == [f"{z} 32"] * 31


@needs("arm-linux-gnueabihf-gcc", "qemu-arm")
def test_the_custom_instruction_of_arm_computes_mmm_1(tmp_path: Path) -> None:
    made, program = tmp_path / "cx3.o", tmp_path / "cx3"
    gcc = [
        "arm-linux-gnueabihf-gcc",
        "-std=gnu11",
        "-O2",
        "-mthumb",
        "-march=armv7-a",
        "-Wall",
    ]
    run(
        [
            *gcc,
            "-mfpu=neon-vfpv4",
            "-Werror",
            "-c",
            ROOT / pages.HERE / "units/cx3.c",
            "-o",
            made,
        ]
    )
    run(["arm-linux-gnueabihf-objcopy", "--remove-section=.ARM.attributes", made])
    run(["arm-linux-gnueabihf-gcc", "-static", made, "-o", program])
    for n in (0xFFFFFFFF, 0x80000001, 0x10001):
        z, traps = run(["qemu-arm", program, f"{n - 1:x}", f"{n:x}"]).split()
        assert (int(z, 16), int(traps)) == ((n - 1) * pow(1 << 32, -1, n) % n, 32)


@pytest.mark.long
@needs("verilator", "riscv64-unknown-elf-gcc")
def test_a_run_gives_the_same_cycles(clone: Clone) -> None:
    """Of every product; it takes the cores from the network."""
    built = clone.make("cores")
    assert built.returncode == 0, built.stderr[-2000:]
    for folder in FOLDERS:
        again = clone.path / "build/cores/results" / folder / cores.FILE
        committed = clone.path / "results" / folder / cores.FILE
        assert again.read_bytes() == committed.read_bytes()
