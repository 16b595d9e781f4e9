"""Steps of the live page: the invariants that it looks at, and the place that a planted bug breaks first."""

from typing import Any

import pytest
from live_page import answered, choose, edit
from needs import needs
from representatives import mostly_long

from records import ladder
from records.ladder import LEVELS, ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc")
BIT_SERIAL = ("v0", "v1", "v2", "v3", "v4", "v5", "v6")
ROUNDS = 128
HAND_WRITTEN = 38  # places in v8: 15 in rows of the product, 20 of the reduction, 3 between and behind them
PLACES = {(rung, level): ROUNDS for rung in BIT_SERIAL for level in LEVELS}
PLACES |= {("v8", level): HAND_WRITTEN for level in LEVELS}
PLACES |= {("v7", level): 0 for level in LEVELS}  # no call ends a row
PLACES["v7", "O0"] = 4
FEW = [("v3", "O3"), ("v7", "O0"), ("v8", "O1")]


def search(page: Any) -> dict[str, Any]:
    """Return the state at the first broken invariant, or at the end."""
    page.execute_script("step('broken')")
    answered(page)
    state: dict[str, Any] = page.execute_script("return state")
    return state


def test_every_cell_has_its_places() -> None:
    rungs = {rung.name for rung in ladder.snapshots()}
    assert {rung for rung, _ in PLACES} == rungs


@pytest.mark.parametrize(("rung", "level"), mostly_long(PLACES, FEW))
def test_the_invariants_of_every_rung_hold(live: Any, rung: str, level: str) -> None:
    choose(live, rung, level)
    state = search(live)
    assert state["done"] and state["invariant"]["holds"]
    assert state["search"]["places"] == PLACES[rung, level]


@pytest.mark.parametrize(
    ("exercise", "solution", "places"),
    mostly_long(
        [
            ("lab7", "iterations/v8/mont.S", HAND_WRITTEN),
            ("lab9", "labs/09-six-limbs/solution/mont.S", 7),
            ("lab7", "labs/07-first-umaal/start/mont.S", 5),
        ],
        [("lab9", "labs/09-six-limbs/solution/mont.S", 7)],
    ),
)
def test_the_invariants_of_exercises_hold(
    live: Any, exercise: str, solution: str, places: int
) -> None:
    choose(live, exercise, "O1")
    edit(live, (ROOT / solution).read_text())
    state = search(live)
    assert state["invariant"]["holds"]
    assert state["search"]["places"] == places


# What is planted in mont.S of v8, and the instruction in front of the first broken invariant.
BUGS = [
    (
        r"umaal   \a1, \c, x1, yj",
        r"umaal   \a1, \c, x2, yj",
        "line 109, in the macro line 66: umaal t2, t5, x2, yj",
    ),
    (
        r"umaal   \a1, \c, x1, yj",
        r"umlal   \a1, \c, x1, yj",
        "line 109, in the macro line 66: umlal t2, t5, x1, yj",
    ),
    (
        r"umaal   \a2, \c, n2, q",
        r"umaal   \a3, \c, n2, q",
        "line 122, in the macro line 78: umaal t3, lr, n2, q",
    ),
    (
        "product_row 2, t6",
        "product_row 3, t6",
        "line 110, in the macro line 65: umaal t2, t6, x0, yj",
    ),
    ("mov     lr, #0", "mov     lr, #1", "line 121: mov lr, #1"),
    ("umull   t2, t7, x2", "umull   t2, t7, x3", "line 106: umull t3, t4, x3, yj"),
    ("adcs    t6, t6, t1", "adds    t6, t6, t1", "line 133: adc r8, t3, #0"),
]


@pytest.mark.parametrize(("old", "new", "before"), BUGS)
def test_a_planted_bug_is_found(live: Any, old: str, new: str, before: str) -> None:
    text = choose(live, "v8", "O1")
    assert old in text
    edit(live, text.replace(old, new, 1))
    said = live.find_element("id", "verdict").text
    assert "the first invariant that breaks" in said
    assert said.endswith(f"the instruction before it: {before}")


def test_a_bug_behind_the_last_invariant_is_told_apart(live: Any) -> None:
    text = choose(live, "v8", "O1")
    edit(live, text.replace("stmcc   r9", "stmcs   r9"))
    said = live.find_element("id", "verdict").text
    assert said.endswith(
        "the invariant before line 137 holds, and none is known behind it"
    )


def test_a_bug_that_the_first_vector_does_not_show_is_stepped_where_it_shows(
    live: Any,
) -> None:
    text = choose(live, "v8", "O1")
    edit(live, text.replace("adc     r8, t3, #0", "mov     r8, #0"))
    assert "the wrong vector, number" in live.find_element("id", "vector").text
    state = search(live)
    assert state["search"]["before"].endswith("mov r8, #0")


def test_a_bug_in_what_gcc_made_breaks_the_second_round(live: Any) -> None:
    text = choose(live, "v5", "O1")
    old = "\tadc\tr9, r9, #0\n"
    assert old in text
    edit(live, text.replace(old, "\tadc\tr9, r9, #1\n", 1))
    said = live.find_element("id", "verdict").text
    assert "the first invariant that breaks is before line" in said
    state = search(live)
    assert not state["invariant"]["holds"] and state["line"] > 0


def test_a_row_ends_where_the_next_invariant_is(live: Any) -> None:
    choose(live, "v8", "O1")
    found = []
    for _ in range(5):
        live.execute_script("step('row')")
        answered(live)
        found.append(live.execute_script("return state.line"))
    assert found == [109, 110, 111, 114, 122]


def test_a_long_multiplication_is_shown_as_a_sum(live: Any) -> None:
    choose(live, "v8", "O1")
    for how in ("row", "forward"):
        live.execute_script("step(arguments[0])", how)
        answered(live)
    core = live.execute_script("return state.core")
    x0, yj, t1, t5 = core[4], core[1], core[3], core[11]
    shown = live.find_element("css selector", "figure.sum .total").text.split()
    total = x0 * yj + t1 + t5
    assert shown == ["=", f"{total >> 32:08x}", f"{total & 0xFFFFFFFF:08x}"]
    live.execute_script("step('forward')")
    answered(live)
    core = live.execute_script("return state.core")
    assert (core[11], core[3]) == (total >> 32, total & 0xFFFFFFFF)


def test_registers_of_neon_are_shown_and_what_changed(live: Any) -> None:
    choose(live, "v3", "O3")
    for how in ("row", "row", "forward", "again"):
        live.execute_script("step(arguments[0])", how)
        answered(live)
    assert "NEON" in live.find_element("id", "state").text
    assert live.find_elements("css selector", "#state .numbers .changed")
