"""Calls and what they cost, of a made-up program: exact where it can be, and said where not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.calls import calls
from harness.calls.calls import Code
from records.faults import Failure


def rows(*code: tuple[int, str, str, int, int]) -> Iterator[dict]:
    """Rows of a made-up program: address, symbol, class, instructions, taken."""
    for address, symbol, cls, n, taken in code:
        row = {"address": address, "symbol": symbol, "class": cls, "instructions": n}
        yield {**row, "taken": taken, "load_accesses": 0, "store_accesses": 0}


# mod_exp calls f twice and g once, f calls g, each time from another address; g loops at its top.
PROGRAM = (
    (0, "mod_exp", "call", 2, 2),
    (4, "mod_exp", "call", 6, 6),
    (8, "mod_exp", "branch", 2, 2),
    (16, "f", "call", 8, 8),
    (20, "f", "return", 8, 8),
    (32, "g", "add_sub", 15, 0),
    (36, "g", "branch", 15, 5),
    (40, "g", "return", 10, 10),
)
ENTRY = {"mod_exp": 0, "f": 16, "g": 32}
CODE = Code({0: 16, 4: 16, 8: 32, 16: 32, 36: 32}, frozenset({36}))


def test_calls_of_a_made_up_program() -> None:
    made = calls.graph(list(rows(*PROGRAM)), ENTRY, CODE, {})
    found = [(site.caller, site.callee, site.calls) for site in made.sites]
    assert found == [("mod_exp", "f", 2), ("mod_exp", "f", 6), ("mod_exp", "g", 2), ("f", "g", 8)]
    assert made.outside["mod_exp"] == 2 and not made.outside["f"]
    whole, at = made.shares()
    assert [whole[name][0] for name in ENTRY] == [66, 48, 40]
    assert [at[address][0] for address in (0, 4, 8, 16)] == [12, 36, 8, 32]
    assert made.exact() == set()


def test_shares_add_up_where_they_do_not_divide() -> None:
    odd = [(*row[:3], row[3] + 3 * (row[0] == 40), row[4]) for row in PROGRAM]
    made = calls.graph(list(rows(*odd)), ENTRY, CODE, {})
    whole, at = made.shares()
    assert at[8][0] + at[16][0] == whole["g"][0] == 43
    assert whole["mod_exp"][0] == sum(row[3] for row in odd)


def test_what_is_known_of_a_call() -> None:
    steady = Code(CODE.targets, frozenset())
    made = calls.graph(list(rows(*PROGRAM)), ENTRY, steady, {})
    assert made.exact() == set(ENTRY)
    once = [row for row in PROGRAM if row[0] != 8]
    once[4:] = [(32, "g", "add_sub", 13, 0), (36, "g", "branch", 13, 5), (40, "g", "return", 8, 8)]
    assert calls.graph(list(rows(*once)), ENTRY, CODE, {}).exact() == {"g"}


def test_the_run_time_is_a_function_of_its_own() -> None:
    code = Code({**CODE.targets, 24: 64}, CODE.conditional)
    program = [*PROGRAM[:4], (24, "f", "call", 8, 8), *PROGRAM[4:]]
    entry, extra = {**ENTRY, "__aeabi_llsl": 64}, {"__aeabi_llsl": (56, 0, 0)}
    made = calls.graph(list(rows(*program)), entry, code, extra)
    whole, at = made.shares()
    assert at[24] == extra["__aeabi_llsl"] and whole["f"][0] == 48 + 8 + 56
    assert "__aeabi_llsl" in made.exact() and not made.outside["__aeabi_llsl"]


FAULTS = (
    (
        (0, "mod_exp", "call", 2, 2),
        Code({4: 16, 8: 32, 16: 32, 36: 32}, frozenset()),
        "is not known",
    ),
    ((0, "mod_exp", "call", 3, 3), CODE, "f: entered 8 times and called 9 times"),
    ((0, "mod_exp", "call", 1, 1), CODE, "f: entered 8 times and called 7 times"),
)


@pytest.mark.parametrize(("first", "code", "said"), FAULTS)
def test_counts_that_do_not_fit_the_program(first: tuple, code: Code, said: str) -> None:
    with pytest.raises(Failure, match=said):
        calls.graph(list(rows(first, *PROGRAM[1:])), ENTRY, code, {})


def test_recursion_is_refused() -> None:
    again = [*PROGRAM[:3], (16, "f", "call", 12, 12), (18, "f", "call", 4, 4), *PROGRAM[4:]]
    again[5:] = [(32, "g", "add_sub", 14, 0), (40, "g", "return", 14, 0)]
    code = Code({**CODE.targets, 18: 16}, frozenset())
    with pytest.raises(Failure, match="f calls itself"):
        calls.graph(list(rows(*again)), ENTRY, code, {}).order()


def test_the_disassembly_is_read() -> None:
    said = (
        "0004f510 <mmm>:\n"
        "   4f510:\te24dd010 \tsub\tsp, sp, #16\n"
        "   4f5bc:\t0a00004f \tbeq\t4f700 <mmm+0x1f0>\n"
        "   4f5c4:\t23a08000 \tmovcs\tr8, #0\n"
        "   4f5d0:\tebfffff0 \tbl\t4f8a0 <mmm_1>\n"
        "   4f5d4:\te12fff1e \tbx\tlr\n"
        "   4f5d8:\t0004f510 \t.word\t0x0004f510\n"
    )
    code = calls.parse(said)
    assert code.targets == {0x4F5BC: 0x4F700, 0x4F5D0: 0x4F8A0}
    assert {0x4F5BC, 0x4F5C4} <= code.conditional and 0x4F5D0 not in code.conditional
