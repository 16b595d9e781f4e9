"""The tree of calls: what a function costs where it is called, exactly or as a share."""

import pytest

from harness.call_tree import Frame, Site, Tree, stacks


def rows(*parts: tuple[str, str, int, int]) -> list[dict]:
    """Rows of (symbol, function, instructions, address)."""
    names = ("symbol", "function", "instructions", "address")
    return [dict(zip(names, part)) for part in parts]


# main calls f once and g twice; f calls h three times and g calls it once a call.
SITES = {
    4: Site(4, "main", "f", 1),
    8: Site(8, "main", "g", 2),
    16: Site(16, "f", "h", 3),
    24: Site(24, "g", "h", 2),
}


def tree_of(h: list[dict]) -> Tree:
    code = rows(
        ("main", "main", 1, 0),
        ("main", "main", 1, 4),
        ("main", "", 2, 8),
        ("f", "f", 1, 12),
        ("f", "small", 3, 16),
        ("g", "g", 2, 20),
        ("g", "g", 2, 24),
    )
    return Tree([*code, *h], {"memcpy": 0}, SITES)


def by_name(frame: Frame) -> dict[str, Frame]:
    return {callee.name: callee for callee in frame.callees}


def test_straight_code_costs_in_every_place_exactly_what_it_costs() -> None:
    """h executes its instructions once a call, five times in all."""
    main = tree_of(rows(("h", "h", 5, 32), ("h", "h", 5, 36))).frame("main")
    f, g = by_name(main)["f"], by_name(main)["g"]
    inlined = by_name(f)["small"]
    assert (inlined.calls, inlined.own, inlined.whole) == (None, 3, 3 + 6)
    assert (f.own, f.whole, f.exact) == (1, 10, True)
    assert (g.own, g.whole, g.exact) == (4, 4 + 4, True)
    assert (main.own, main.whole, main.calls) == (4, 4 + 10 + 8, 1)


def test_a_loop_called_in_two_places_is_a_share_and_the_whole_is_exact() -> None:
    """Its loop ran 11 times in five calls; nobody knows in which."""
    main = tree_of(rows(("h", "h", 5, 32), ("h", "h", 11, 36))).frame("main")
    f, g = by_name(main)["f"], by_name(main)["g"]
    assert not f.exact and not g.exact
    assert main.exact and main.whole == 4 + 1 + 3 + 4 + 16
    of_h = sum(own for stack, own in stacks(main) if stack[-1] == "h (a share)")
    assert of_h == 16


def test_what_calls_itself_has_no_tree() -> None:
    sites = {0: Site(0, "main", "f", 1), 4: Site(4, "f", "f", 3)}
    code = rows(("main", "main", 1, 0), ("f", "f", 4, 4))
    with pytest.raises(ValueError):
        Tree(code, {}, sites).frame("main")
