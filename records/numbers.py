"""How tables write numbers: counts, factors, and ranges of errors."""

NONE = "-"  # where there is no number


def whole(value: float | None) -> str:
    """A number without decimals: `12,350,977`; a dash for None and NaN."""
    return NONE if value is None or value != value else f"{value:,.0f}"


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
