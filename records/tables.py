"""Tables as text: columns of equal width, and how numbers are written in them."""

from collections.abc import Collection, Sequence

NONE = "-"  # where there is no number


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """The rows as lines; the columns of `left` to the left, the others to
    the right.  All rows have as many cells."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    return [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths)).rstrip()
        for row in rows
    ]


def whole(value: float | None) -> str:
    """A number without decimals: `12,350,977`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"{value:,.0f}"


def digits(value: float | None) -> str:
    """Whole from 1,000 on; below it three digits: `89.6`, `0.561`."""
    if not value or value != value or value >= 1000:
        return whole(value)
    return f"{value:#.3g}".rstrip(".")


def factor(value: float | None) -> str:
    """A ratio of two numbers of one metric: `x8.60`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"x{value:.2f}"


def percent(low: float, high: float) -> str:
    """A range of relative errors: `-17 to +3 %`."""
    ends = [f"{100 * error:+.0f}" for error in (low, high)]
    return " to ".join(dict.fromkeys(ends)) + " %"


def by_level(ratios: dict[str, float]) -> str:
    """Factors by level: `x1.10 at -O0, x2.97 at -O1`."""
    return ", ".join(f"{factor(ratio)} at -{level}" for level, ratio in ratios.items())
