"""The units of studies/hardware: against Python's integers, to the clock, and with faults."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from needs import needs
from representatives import mostly_long

from harness.kinds import MONT_MUL, Stream
from studies.hardware import hardware
from studies.hardware.hardware import UNITS, simulate

pytestmark = needs("iverilog")
SMALL = {"h3": 3, "h4": 2, "h5": 2, "h6": 2}  # the parameter at six bits
units = pytest.mark.parametrize("name", UNITS)
WIDTHS = (32, 64, 96, 128, 256)
widths = pytest.mark.parametrize("width", WIDTHS)


def drawn(width: int, most: int) -> Iterator[hardware.Vector]:
    """Up to so many of every kind of operands; below 64 bits corners and random ones."""
    if width >= 64:
        for kind, make in MONT_MUL.items():
            for (n, x, y), _ in zip(
                make(Stream(f"hardware {width} {kind}"), width), range(most)
            ):
                yield x, y, n
        return
    stream, top = Stream(f"hardware {width}"), 2**width
    for n in (3, 5, top - 1, top - 3, top // 2 + 1, top // 2 - 1):
        yield from (
            (x, y, n) for x in (0, 1, n // 2, n - 1) for y in (0, 1, n - 2, n - 1)
        )
    for _ in range(most * len(MONT_MUL)):
        n = max(3, stream.odd(stream.between(2, width + 1)))
        yield stream.below(n), stream.below(n), n


def wrong(folder: Path, name: str, width: int, most: int, rtl: str = "") -> int:
    """How many of a unit's results or clocks are not what they should be."""
    vectors, value = list(drawn(width, most)), UNITS[name].default
    found = simulate(folder, name, width, value, vectors, rtl)
    clocks = UNITS[name].clocks(width, value)
    right = [(f"{x * y * pow(2**width, -1, n) % n:x}", clocks) for x, y, n in vectors]
    assert len(found) == len(right)
    return sum(a != b for a, b in zip(found, right))


@pytest.mark.parametrize(
    ("width", "name"),
    mostly_long(product(WIDTHS, UNITS), product((96,), UNITS)),
)
def test_products_and_clocks(tmp_path: Path, name: str, width: int) -> None:
    assert wrong(tmp_path, name, width, 6) == 0


@pytest.mark.long
@units
@widths
def test_a_thousand_products(tmp_path: Path, name: str, width: int) -> None:
    assert len(list(drawn(width, 400))) >= 1000
    assert wrong(tmp_path, name, width, 400) == 0


# ---- a start in the middle of a product


def restarted(
    folder: Path, name: str, width: int, value: int, held: int = 1, rtl: str = ""
) -> list[tuple[int, str, int]]:
    """For a second start after 1, 2, ... clocks: how often the unit was done, what z was the last
    time, and clocks since the second start, which lasts `held` clocks."""
    first, *_, second = drawn(width, 2)
    bench = hardware.simulated(
        folder,
        "restart.v",
        name,
        width,
        value,
        [first, second],
        rtl,
        CLOCKS=UNITS[name].clocks(width, value),
        HELD=held,
    )
    lines = (line.split() for line in bench.splitlines() if line[0].isdigit())
    return [(int(times), z, int(clocks)) for _, times, z, clocks in lines]


def expected(name: str, width: int, value: int) -> list[tuple[int, str, int]]:
    """Done once, for the second product; twice where the first was done before."""
    *_, (x, y, n) = drawn(width, 2)
    z = f"{x * y * pow(2**width, -1, n) % n:x}"
    clocks = UNITS[name].clocks(width, value)
    return [(1, z, clocks)] * (clocks - 1) + [(2, z, clocks)]


@units
@pytest.mark.parametrize("width", mostly_long((6, 32, 64, 128), (6, 32)))
def test_a_start_in_the_middle_of_a_product_begins_anew(
    tmp_path: Path, name: str, width: int
) -> None:
    """At every phase of a product, for one clock and for two."""
    value = SMALL.get(name, 0) if width == 6 else UNITS[name].default
    right = expected(name, width, value)
    assert restarted(tmp_path, name, width, value) == right
    if name != "h1":  # which has no middle: a start in each clock is a product in each
        assert restarted(tmp_path, name, width, value, held=2) == right


GIVEN_UP = [  # a unit; what it says; what would say `done` for the product that was given up
    ("h2", "if (start) begin", "if (start && !(busy && bits == 1)) begin"),
    ("h4", "if (start) begin", "if (start && !turn[CHUNKS+1]) begin"),
    ("h5", "            done <= 0;\n            state", "            state"),
    ("h6", "{i, slot, turn, done} <= 0", "{i, slot, turn} <= 0"),
    ("h6", "{i, slot, turn, done} <= 0", "{i, slot, done} <= 0"),
]


@pytest.mark.parametrize(("name", "right", "mistake"), GIVEN_UP)
def test_what_would_finish_a_product_that_was_given_up_is_seen(
    tmp_path: Path, name: str, right: str, mistake: str
) -> None:
    text = (hardware.HERE / f"rtl/{name}.v").read_text()
    assert text.count(right) == 1
    value = UNITS[name].default
    found = restarted(tmp_path, name, 64, value, rtl=text.replace(right, mistake))
    assert found != expected(name, 64, value)


@units
@pytest.mark.parametrize("step", mostly_long([40, 2], [40]))
def test_every_product_of_six_bits(tmp_path: Path, name: str, step: int) -> None:
    """Of every modulus, or of two."""
    vectors = [
        (x, y, n) for n in range(3, 64, step) for x in range(n) for y in range(n)
    ]
    value = SMALL.get(name, 0)
    found = simulate(tmp_path, name, 6, value, vectors)
    assert [z for z, _ in found] == [
        f"{x * y * pow(64, -1, n) % n:x}" for x, y, n in vectors
    ]


@pytest.mark.long
@needs("verilator")
@units
def test_every_product_of_eight_bits(tmp_path: Path, name: str) -> None:
    text, value = (
        tmp_path / "every.v",
        {"h3": 4, "h4": 3, "h5": 4, "h6": 4}.get(name, 0),
    )
    text.write_text(hardware.joined(name, 8, value, "every.v"))
    options = [
        "--cc",
        "--exe",
        "--build",
        "-O3",
        "-CFLAGS",
        "-O2",
        "-Wno-fatal",
        "-Wno-lint",
    ]
    options += [
        "--top-module",
        "bench",
        "--Mdir",
        tmp_path,
        hardware.HERE / "cores/bench/clock.cpp",
    ]
    hardware.tool(["verilator", *options, text], 600)
    found = hardware.tool([tmp_path / "Vbench"], 600)
    assert found.split()[:2] == [str(sum(n * n for n in range(3, 256, 2))), "0"]


PLANTED = [  # a unit; what it says; what a mistake would say
    ("h1", "reg [WIDTH+1:0] t;", "reg [WIDTH-1:0] t;"),
    ("h1", "if (t >= n)\n            t = t - n;", ""),
    ("h2", "wire [WIDTH+1:0] sum ", "wire [WIDTH-1:0] sum "),
    ("h2", "less[WIDTH+1] ? t[WIDTH-1:0] : less[WIDTH-1:0]", "t[WIDTH-1:0]"),
    ("h3", "reg [WIDTH+1:0] u;", "reg [WIDTH:0] u;"),
    ("h3", "less[WIDTH+1] ? t[WIDTH-1:0] : less[WIDTH-1:0]", "t[WIDTH-1:0]"),
    ("h4", "s & c | s & xy | c & xy", "s & c | s & xy"),
    ("h4", "{over, part} <= added", "part <= added"),
    ("h4", "below <= taken[CHUNK]", "below <= 0"),
    ("h4", "below ? total[WIDTH-1:0] : minus[WIDTH-1:0]", "total[WIDTH-1:0]"),
    ("h5", "high <= top + result[W]", "high <= top"),
    ("h5", "high <= top + result[W]", "high <= result[W]"),
    ("h5", "borrow <= taken[W]", "borrow <= 0"),
    ("h5", "borrow ? sum : less", "sum"),
    ("h6", "high <= top + result[W]", "high <= top"),
    ("h6", "high <= top + result[W]", "high <= result[W]"),
    ("h6", "reg [W:0]             mid;", "reg [W-1:0]           mid;"),
    ("h6", "j4 == 0 ? {W{1'b0}} : carry", "{W{1'b0}}"),
    ("h6", "borrow ? sum : less", "sum"),
]


@pytest.mark.parametrize(("name", "right", "mistake"), PLANTED)
def test_a_planted_fault_is_seen(
    tmp_path: Path, name: str, right: str, mistake: str
) -> None:
    text = (hardware.HERE / f"rtl/{name}.v").read_text()
    assert text.count(right) == 1
    assert wrong(tmp_path, name, 128, 20, text.replace(right, mistake)) > 0


# ---- h0

BENCH = """
module bench;
    reg [63:0] x, y, n; reg [31:0] rounds; wire [63:0] z;
    h0 unit (x, y, n, rounds, z);
    initial begin
        #300 x = 64'd{x}; #300 y = 64'd{y}; #300 n = 64'd{n}; #300 rounds = {rounds};
        #300 $display("%0d", z);
        y = 742; #300 $display("%0d", z);
        $finish(0);
    end
endmodule
"""


def of_h0(folder: Path, **numbers: int) -> list[int]:
    """What his test bench prints, and what a second product does."""
    bench, program = folder / "bench.v", folder / "program"
    bench.write_text(BENCH.format(**numbers))
    rtl = hardware.HERE / "rtl/h0.v"
    hardware.tool(["iverilog", "-g2005", "-o", program, bench, rtl], 60)
    return [int(z) for z in hardware.tool([program], 60).split()]


def test_what_dirk_would_have_seen(tmp_path: Path) -> None:
    """The first product is right; the second begins with what the first has left."""
    first, second = of_h0(tmp_path, x=863, y=741, n=3233, rounds=12)
    assert first == 863 * 741 * pow(2**12, -1, 3233) % 3233 == 741
    assert second != 863 * 742 * pow(2**12, -1, 3233) % 3233


def test_his_sum_has_no_bit_above_the_top(tmp_path: Path) -> None:
    n = 2**64 - 59
    first, _ = of_h0(tmp_path, x=n - 1, y=n - 1, n=n, rounds=64)
    assert first != pow(2**64, -1, n)


@needs("yosys")
def test_no_tool_can_unroll_his_loop() -> None:
    rtl = hardware.HERE / "rtl/h0.v"
    with pytest.raises(hardware.Failure, match="loop"):
        hardware.tool(["yosys", "-q", "-p", f'read_verilog "{rtl}"; proc'], 60)


# ---- for all operands of a small width at once

SOLVED = [
    ("h1", 5, 0),
    ("h2", 5, 0),
    ("h3", 4, 2),
    ("h4", 4, 2),
    ("h5", 4, 2),
    ("h6", 4, 2),
]


@pytest.mark.long
@needs("yosys")
@pytest.mark.parametrize(("name", "width", "value"), SOLVED)
def test_a_solver_finds_no_counterexample(
    tmp_path: Path, name: str, width: int, value: int
) -> None:
    text, steps = tmp_path / "same.v", UNITS[name].clocks(width, value) + 2
    text.write_text(hardware.joined(name, width, value, "same.v"))
    read = f"read_verilog -formal {text}; chparam -set WIDTH {width} same"
    solve = f"sat -verify -prove-asserts -set-assumes -seq {steps}"
    hardware.tool(
        ["yosys", "-q", "-p", f"{read}; prep -top same -flatten; memory; {solve}"], 300
    )


def test_the_tables_are_those_of_the_results() -> None:
    readme = (hardware.HERE / "README.md").read_text()
    assert (
        hardware.table(hardware.synthesis_rows()) in readme
        and hardware.verdicts() in readme
    )
