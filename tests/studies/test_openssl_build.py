"""The source of OpenSSL is believed by its checksum alone, no half of a
build is used, and what was counted becomes rows, tables and times by
model."""

import tarfile
from pathlib import Path

import openssl
import pytest
from needs import needs

from harness import collect
from records.faults import Failure
from records.files import digest
from records.results import Results
from records.rows import write_rows
from records.tables import Table
from rsalab import openssl as tables

ROOT = Path(__file__).resolve().parents[2]
SIZES = (512, 2048, 4096)
COUNTS = {
    (name, what, bits): [bits * 1000 * place, bits * 100, 0]
    for place, name in enumerate(openssl.ROWS, start=1)
    for what in openssl.OPERATIONS
    for bits in SIZES
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the project's study in it, and no build."""
    for name in ("studies", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENSSL_SRC", raising=False)
    return tmp_path


def test_what_is_not_the_source_is_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one line, and nothing is left of it."""
    (place / "made.tar.gz").write_text("something else")
    for given in ("made.tar.gz", "absent"):
        monkeypatch.setenv("OPENSSL_SRC", given)
        with pytest.raises(Failure, match=f"^{given}: no folder, and no archive"):
            openssl.obtain()
        assert not openssl.BUILD.exists()
    monkeypatch.delenv("OPENSSL_SRC")
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setenv("CARGO_HOME", str(place))
    with pytest.raises(Failure, match="OPENSSL_SRC=PATH"):
        openssl.obtain()


@needs("patch")
def test_a_folder_gets_its_name_when_it_is_whole(place: Path, monkeypatch) -> None:
    source, packed = place / "openssl-3.1.1/crypto/bn", place / "made.tar.gz"
    source.mkdir(parents=True)
    (source / "bn.c").write_text("int one;\n")
    with tarfile.open(packed, "w:gz") as file:
        file.add(place / "openssl-3.1.1", "openssl-3.1.1")
    monkeypatch.setattr(openssl, "ARCHIVES", {digest(packed): "openssl-3.1.1"})
    monkeypatch.setenv("OPENSSL_SRC", str(packed))
    with pytest.raises(Failure):  # the patch does not fit this one
        openssl.obtain()
    assert (openssl.SOURCE / "crypto/bn/bn.c").exists() and not openssl.PATCHED.exists()


def test_a_changed_or_failed_build_is_not_used(place: Path) -> None:
    folder = openssl.BUILD / "c"
    folder.mkdir(parents=True)
    (folder / "built").write_text(openssl.key("c"))
    assert openssl.whole("c") == folder
    (folder / "built").write_text(openssl.key("c").replace("-O3", "-O2"))
    with pytest.raises(Failure, match="make openssl"):
        openssl.link("c")
    with pytest.raises(Failure, match="free some space") as fault:
        openssl.logged(["sh", "-c", "echo No space left on device; exit 1"], folder)
    assert "No space left" in (openssl.BUILD / "c.log").read_text()
    assert "\n" not in str(fault.value)


def test_rows_are_of_no_snapshot_and_of_every_build(place: Path) -> None:
    write_rows(place / "openssl.csv", openssl.rows(COUNTS))
    facts = {"programs": {}, "compiler": "", "flags": "", "platform": ""}
    assert collect.merged(place, {}, facts)[0] == {}  # what is of no snapshot stays
    assert {build for build, _ in openssl.ROWS.values()} == set(openssl.BUILDS)


def counted(place: Path, counts: openssl.Counts) -> Results:
    """Results in which these operations were counted."""
    write_rows(place / "openssl.csv", openssl.rows(counts))
    return Results(place, "made", {})


def cells(table: Table, first: str, second: str = "") -> list[str]:
    """The first row of a table that begins so."""
    return next(row for row in table.rows if row[0] == first and second in ("", row[1]))


def test_instructions_and_times_by_model(place: Path) -> None:
    """2048 bits with OpenSSL's assembly: published 179 signatures in 9.69
    s; here 4,096,000 cycles and 2 x 204,800."""
    results = counted(place, COUNTS)
    row = cells(results.table(tables.__file__, "instructions"), "sign", "512")
    assert row[2:4] == ["512,000", "1,024,000"] and row[-3:] == ["x2.00", "x3.00", "x4.00"]
    theirs, ours = (results.table(tables.__file__, "times", whose="here", ours=ours)
                    for ours in (False, True))  # fmt: skip
    assert cells(theirs, "OpenSSL's own assembly", "2048")[2:5] == ["54.134", "4.506", "x12.01"]
    assert cells(ours, "bn_mul_mont.S", "512")[3] == "0.614"
    row = cells(results.table(tables.__file__, "validation"), "OpenSSL's own assembly")
    assert row[1].endswith("%") and row[1] != row[2]


@pytest.mark.parametrize("missing", [("c", "verify"), ("ours", "sign")])
def test_sizes_that_are_not_whole_are_left_out(place: Path, missing: tuple[str, str]) -> None:
    some = {place: n for place, n in COUNTS.items() if place != (*missing, 512)}
    rows = counted(place, some).query("select distinct bits from rsa where whose = 'here'")
    assert sorted(row["bits"] for row in rows) == [2048, 4096]
