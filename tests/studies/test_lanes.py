"""studies/width-1024/lanes: products of pairs, the private operation, and the bound of a column."""

import random
from importlib import import_module
from pathlib import Path

import pytest
from clone import Clone
from needs import absent, needs
from planting import planted
from representatives import mostly_long

from records.faults import Failure, run
from records.ladder import ROOT
from records.results import load, reference
from records.typed import read_table

lanes = import_module("studies.width-1024.lanes_counts")
lanes_cycles = import_module("studies.width-1024.lanes_cycles")
lanes_page = import_module("studies.width-1024.lanes_page")
pairs = import_module("studies.width-1024.pairs")
armed = needs("arm-linux-gnueabihf-gcc", "python:elftools", "python:unicorn")
BUILT = Path("build/studies/width-1024/lanes")
SOURCES = Path("studies/width-1024/lanes")
# Another one makes other code of the C, whose counts are not recorded.
COUNTS_ARE_OF_THIS_COMPILER = not absent("compiler of the reference")
SQUARE = "square.S"
SQUARES = [step for step in pairs.STEPS if step.program == "square"]
SHORT, LONG = SQUARES
# What is planted: the file, a text of it, and the text in its place.
BUGS = {
    "rounding down": (SQUARE, "vrsra.s64 \\s\\()4, ", "vsra.s64 \\s\\()4, "),
    "a digit without its sign": (SQUARE, "vshr.s32 q0, q0,", "vshr.u32 q0, q0,"),
    "a quotient without its sign": (SQUARE, "vshr.s32 \\u, \\u,", "vshr.u32 \\u, \\u,"),
    "a carry between columns is lost": (
        SQUARE,
        "quotient xa3, \\s\\()3, \\s\\()4",
        "quotient xa3, \\s\\()3, q15",
    ),
    "an unsigned product": (
        SQUARE,
        "vmlal.s32 \\s\\()3, \\x\\()3, \\y\\()0",
        "vmlal.u32 \\s\\()3, \\x\\()3, \\y\\()0",
    ),
    "a diagonal product once too few": (
        SQUARE,
        "vmlal.s32 \\s\\()2, xa0, xb2",
        "vmlal.s32 \\s\\()2, xa0, xa2",
    ),
    "one double too few in high columns": (
        SQUARE,
        "        add     r10, r10, #DOUBLE\n        digits  odd",
        "        digits  odd",
    ),
    "d8 is lost": (
        "frame.inc",
        "        vpop    {d8-d15}",
        "        add     sp, sp, #64",
    ),
}
# The same for numbers of more than 60 digits, whose columns in the middle carry once more.
LONG_BUGS = {
    "low columns do not carry": (SQUARE, "        blge    carry_\\s", "        nop"),
    "high columns do not carry": (SQUARE, "        bllt    carry_\\s", "        nop"),
    "a column too late": (SQUARE, ".equ    FULL, 15", ".equ    FULL, 16"),
    "the carry of a sum is lost": (
        SQUARE,
        "        vsra.s64 \\s\\()4, \\s\\()3, #DIGIT_BITS\n        .irp",
        "        .irp",
    ),
}
SOME_BUGS = ("rounding down", "an unsigned product", "d8 is lost", "a column too late")
# The same for leaks: the result stays right, and the trace tells of a secret.
LEAKS = {
    "no product where both digits of the exponents are 0": (
        "exponent.c",
        "        pair_mul(z, z, &factor, m);",
        """        if (pair_bits(dp, h, i, w) | pair_bits(dq, h, i, w))
            pair_mul(z, z, &factor, m);""",
    ),
    "a read at a digit of the exponent": (
        "exponent.c",
        "        pair_mul(z, z, &factor, m);",
        """        *(volatile uint32_t *)&table[pair_bits(dq, h, i, w)];
        pair_mul(z, z, &factor, m);""",
    ),
    "a branch on the last subtraction": (
        "digits.c",
        "(sum[i] & keep) | (less[i] & ~keep)",
        "keep ? sum[i] : less[i]",
    ),
}
# What private.c has to check before it computes anything: without one of these it takes what it cannot.
CHECKS = {
    "p = q": ("difference(t, one, h) |", "difference(one, one, h) |"),
    "too few limbs": ("h < MIN_LIMBS ||", ""),
    "too many limbs": ("h > MAX_LIMBS ||", ""),
    "limbs of p and q": ("n->limbs == h &&", ""),
    "more levels than four": ("n->levels <= MOST_LEVELS &&", "n->levels < 32 &&"),
    "levels that do not halve": ("h % (1U << n->levels) == 0", "true"),
    "rr": ("difference(t, one, n->limbs)", "0"),
    "rr >= n": ("(1 - is_below(n->rr, n->n, n->limbs))", "0"),
    "qinv >= p": ("(1 - is_below(key->qinv, key->p.n, h))", "0"),
    "p q is not n": ("difference(n, key->n, 2 * h)", "0"),
    "e is even": ("(~key->e & 1)", "0"),
    "x >= n": ("1 - is_below(x, key->n, 2 * h)", "0"),
    "z overlaps x": ("!are_apart(z, bytes, x, bytes) ||", ""),
    "z overlaps the key": ("!are_apart(z, bytes, key, sizeof *key)", "false"),
    "z is NULL": ("z == NULL ||", ""),
    "a branch on what is wrong": (
        "is_no_modulus(&key->p) | is_no_modulus(&key->q)",
        "(is_no_modulus(&key->p) || is_no_modulus(&key->q))",
    ),
}


@pytest.fixture(scope="module")
def folder(first_clone: Clone, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return first_clone.copy(tmp_path_factory.mktemp("lanes") / "lab").path


def built(folder: Path, program: Path, *made: str) -> lanes.Program:
    """A program of the folder, built by make with these settings."""
    run(["make", "-s", program, "build/trace.so", *made], cwd=folder)
    return lanes.Program(folder / program, folder / "build/trace.so")


@armed
@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    mostly_long(pairs.STEPS, pairs.STEPS[-1:]),
    ids=lambda step: f"{step.program}-{step.product}",
)
def test_a_step_is_right_and_counts_as_recorded(folder: Path, step: pairs.Step) -> None:
    program = built(folder, BUILT / "O3" / step.program)
    found = lanes.check(program, step, random.Random(1))
    recorded = {
        (row["operation"], int(row["bits"])): int(row["instructions"])
        for row in read_table(lanes_page.COUNTS)
        if row["step"] == step.program and int(row["bits"]) in step.sizes
    }
    in_c = not step.whole_blocks
    if not in_c or COUNTS_ARE_OF_THIS_COMPILER:
        assert found.items() >= recorded.items()


@armed
@pytest.mark.slow
@pytest.mark.parametrize("bug", mostly_long([*BUGS, *LONG_BUGS], SOME_BUGS))
def test_a_planted_bug_is_found(folder: Path, bug: str) -> None:
    step = LONG if bug in LONG_BUGS else SHORT
    name, old, new = (BUGS | LONG_BUGS)[bug]
    with planted(folder / SOURCES / name, old, new):
        program = built(folder, BUILT / "O3/square")
    with pytest.raises(Failure):
        lanes.check(program, step, random.Random(1))


@armed
@pytest.mark.slow
@pytest.mark.parametrize("leak", mostly_long(LEAKS, list(LEAKS)[2:]))
def test_a_planted_leak_is_found(folder: Path, leak: str) -> None:
    name, old, new = LEAKS[leak]
    with planted(folder / SOURCES / name, old, new):
        program = built(folder, BUILT / "O0/private")
    assert len(lanes.traces_of_secrets(program, 8, random.Random(3))) > 1


@armed
@pytest.mark.slow
@pytest.mark.parametrize("level", mostly_long(lanes.LEVELS, ["O1"]))
def test_what_is_no_key_and_no_message_is_refused(folder: Path, level: str) -> None:
    program = built(folder, BUILT / level / "private")
    lanes.check_refusals(program, lanes.short_key())


@armed
@pytest.mark.slow
@pytest.mark.parametrize(
    "check", mostly_long(CHECKS, ["p = q", "p q is not n", "z overlaps x"])
)
def test_a_check_that_is_left_out_is_missed(folder: Path, check: str) -> None:
    with planted(folder / SOURCES / "private.c", *CHECKS[check]):
        program = built(folder, BUILT / "O1/private")
    with pytest.raises(Failure):
        lanes.check_refusals(program, lanes.short_key())


@armed
@pytest.mark.long
def test_a_private_operation_is_right_at_every_kind_of_length(folder: Path) -> None:
    lanes.check_lengths(built(folder, BUILT / "O3/private"), random.Random(4))


@armed
@pytest.mark.slow
@pytest.mark.parametrize("level", mostly_long(lanes.LEVELS, ["O3"]))
def test_a_private_operation_has_one_trace(folder: Path, level: str) -> None:
    program = built(folder, BUILT / level / "private")
    draw = random.Random(1)
    assert len(lanes.traces_of_secrets(program, 8, draw)) == 1
    key = lanes.read_keys()[1024]
    lanes.check_fault(program, key)
    counts = lanes.check_keys(program, {1024: key}, draw)
    recorded = {
        int(row["bits"]): int(row["instructions"])
        for row in read_table(lanes_page.COUNTS)
        if (row["step"], row["level"]) == ("private", level)
    }
    assert {key.n.bit_length()} == counts.keys()
    if COUNTS_ARE_OF_THIS_COMPILER:
        assert counts.items() <= recorded.items()


@armed
@needs("clang", "ld.lld")
@pytest.mark.long
def test_code_by_clang_has_one_trace_too(folder: Path) -> None:
    program = built(folder, BUILT / "O1/private", "CC=clang")
    assert len(lanes.traces_of_secrets(program, 8, random.Random(2))) == 1


@armed
@needs("llvm-mca")
@pytest.mark.slow
def test_cycles_are_what_the_model_gives_for_right_calls(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["make", "-s", BUILT / "O3/private", "build/trace.so"], cwd=folder)
    monkeypatch.chdir(folder)
    _, *found = lanes_cycles.rows()
    recorded = [list(row.values()) for row in read_table(lanes_page.MODELLED)]
    assert [row[:3] for row in found] == [row[:3] for row in recorded]
    same_model = [row[-2:] for row in found] == [row[-2:] for row in recorded]
    assert found == recorded or not same_model


def test_a_column_holds_the_digits_that_are_used_and_no_more() -> None:
    for step in pairs.STEPS:
        if step.signed:
            for bits in (*step.sizes, *step.edges):
                assert pairs.worst_sum(step, step.digits(bits)) < 1
    assert pairs.worst_sum(SHORT, 60) < 1 < pairs.worst_sum(SHORT, 64)
    assert pairs.worst_sum(LONG, 72) < 1 < pairs.worst_sum(LONG, 76)
    assert round(pairs.worst_sum(SHORT, 36), 4) == 0.5625
    assert round(pairs.worst_sum(SHORT, 60), 2) == 0.94
    assert round(pairs.worst_sum(LONG, 72), 3) == 0.984


@pytest.mark.parametrize("step", SQUARES, ids=lambda step: step.product)
def test_operands_at_the_extreme_come_near_the_bound(step: pairs.Step) -> None:
    """In the longest column, without a carry in the middle, x^2 + u n is within a 25th of the
    bound."""
    count = step.digits(step.sizes[-1])
    n, x = pairs.overflowing(step, count)
    r = 1 << (step.digit_bits * count)
    u = -x * x * pow(n, -1, r) % r
    of_n, of_x, of_u = (pairs.to_digits(number, step, count) for number in (n, x, u))
    column = 0
    for i in range(count):
        column += of_x[i] * of_x[count - 1 - i]
        column += of_u[i] * of_n[count - 1 - i]
    bound = 2 * count * step.lowest_digit**2
    assert bound * 24 // 25 < column < bound


def test_the_page_says_what_was_recorded() -> None:
    page = (ROOT / SOURCES / "README.md").read_text()
    assert lanes_page.page(page) == page
    assert lanes_page.PRODUCTS_OF_DIGITS == 2 * SHORT.digits(1024) ** 2
    by_operation = {
        (row["step"], row["operation"], row["bits"], row["level"]): int(
            row["instructions"]
        )
        for row in read_table(lanes_page.COUNTS)
    }
    assert by_operation["private", "private", "2048", "O3"] < 4_100_000
    assert f"{by_operation['square', 'product', '1024', 'O3']:,}" in page
    private = by_operation["private", "private", "2048", "O3"]
    assert f"{private:,}" in (ROOT / "studies/width-1024/README.md").read_text()
    signatures = """select implementation, value from openssl_operations
        where operation = 'sign' and metric = 'instructions' and bits = 2048"""
    rows = load(reference()).query(signatures)
    signed = {row["implementation"]: row["value"] for row in rows}
    for build in ("lanes", "ours", "neon"):
        assert f"{signed[build]:,}" in page, build
