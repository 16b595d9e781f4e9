"""Columns of equal width, for tables on a terminal."""

from collections.abc import Collection, Sequence


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """The rows as lines; the columns of `left` to the left, the others to the right.  All rows have
    as many cells."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    sides = [str.ljust if i in left else str.rjust for i in range(len(widths))]
    return [
        "  ".join(side(cell, width) for side, cell, width in zip(sides, row, widths)).rstrip()
        for row in rows
    ]
