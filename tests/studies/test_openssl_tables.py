"""The tables of OpenSSL's operations, from counts that are made up."""

import pytest

pytest.importorskip("pandas")

from openssl import rows

from records.tables import percent
from rsalab import openssl
from rsalab.openssl import COLUMNS, OPERATIONS, Count

COUNTS = {
    (name, what, bits): Count(bits * 1000 * place, bits * 100, 0)
    for place, name in enumerate(COLUMNS, start=1)
    for what in OPERATIONS
    for bits in (512, 2048)
}


def cells(text: str, first: str, second: str = "") -> list[str]:
    """The first row of a table that begins so."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines()]
    return next(line for line in lines if line[0] == first and second in ("", line[1]))


def test_rows_give_the_counts_back() -> None:
    assert openssl.load(rows(COUNTS)) == COUNTS


def test_instructions_and_factors() -> None:
    row = cells(openssl.instructions(COUNTS), "sign", "512")
    assert row[2:4] == ["512,000", "1,024,000"]
    assert row[-3:] == ["x2.00", "x3.00", "x4.00"]


def test_model_beside_the_published_times() -> None:
    # 2048 bits with OpenSSL's assembly: 179 signatures in 9.69 s; here 4,096,000 + 2 x 204,800.
    row = cells(openssl.times(COUNTS), "OpenSSL's own assembly", "2048")
    assert row[2:5] == ["54.134", "4.506", "-92 %"]
    assert cells(openssl.beside(COUNTS), "512")[2] == "0.614"


@pytest.mark.parametrize("missing", [("c", "verify"), ("ours", "sign")])
def test_sizes_that_are_not_whole_are_left_out(missing: tuple[str, str]) -> None:
    some = {place: n for place, n in COUNTS.items() if place != (*missing, 512)}
    assert openssl.sizes(some) == [2048]
    assert openssl.instructions({}) == openssl.times({}) == openssl.beside({}) == openssl.MISSING


def test_validation_is_a_range_of_errors() -> None:
    more = COUNTS | {
        (name, what, 4096): n._replace(instructions=8 * n.instructions)
        for (name, what, bits), n in COUNTS.items()
        if bits == 2048
    }
    row = cells(openssl.validation(more), "OpenSSL's own assembly")
    found = [
        openssl.model_error(more, ("assembly", what, bits))
        for what in OPERATIONS
        for bits in (2048, 4096)
    ]
    assert row[1] == percent(min(found), max(found)) != row[2]
