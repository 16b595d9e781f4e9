"""The source of OpenSSL is believed by its checksum alone, no half of a
build is used, and what was counted becomes rows, tables and times by
model."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from needs import needs

from harness import collect
from records.results import Results, load, reference
from records.rows import write_rows
from records.tables import Table
from rsalab import openssl as tables
from studies.openssl import openssl

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
    for name in ("studies", "data", "records", "harness"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENSSL_SRC", raising=False)
    return tmp_path


def made(goal: str, **variables: str) -> str:
    """What make says where it does not make a goal of the study's Makefile."""
    words, clean = (
        [*openssl.MAKE, f"{openssl.BUILD}/{goal}"],
        {**os.environ, "MAKEFLAGS": ""},
    )
    ran = subprocess.run(
        words, env={**clean, **variables}, capture_output=True, text=True
    )
    assert ran.returncode and not (openssl.BUILD / goal).exists()
    return ran.stderr


def test_what_is_not_the_source_is_refused(place: Path) -> None:
    """With a line of its own and one on what to type, and nothing is left of it."""
    (place / "made.tar.gz").write_text("something else")
    (place / "other").mkdir()
    (place / "used").mkdir()
    (place / "used/VERSION.dat").write_text("MAJOR=3\nMINOR=1\nPATCH=1\n")
    (place / "used/configdata.pm").write_text("")
    faults = {
        "made.tar.gz": "made.tar.gz: not an archive of OpenSSL 3.1.1",
        "absent": "absent: there is no such file or folder",
        "other": "other: not OpenSSL 3.1.1",
        "used": "used: OpenSSL was built in it",
    }
    for given, fault in faults.items():
        said = made("source", OPENSSL_SRC=given).splitlines()
        assert said[0].startswith(fault) and "OPENSSL_SRC=PATH" in said[1]
        assert os.listdir(openssl.BUILD) == []
    (place / "bin").mkdir()
    for tool in ("make", "sh", "mkdir", "ls"):
        (place / "bin" / tool).symlink_to(str(shutil.which(tool)))
    said = made("source", PATH=str(place / "bin"), CARGO_HOME=str(place))
    assert "cargo is not installed" in said and "OPENSSL_SRC=PATH" in said


@needs("perl", "arm-linux-gnueabihf-gcc")
def test_what_a_failed_build_says(place: Path) -> None:
    (openssl.BUILD / "source").mkdir(parents=True)
    said = made("c/built")
    assert said.startswith(
        "build/openssl/c: not built: see the end of build/openssl/c.log"
    )
    assert (
        "Configure" in (openssl.BUILD / "c.log").read_text()
        and "free some space" in said
    )


def test_rows_are_of_no_snapshot_and_of_every_build(place: Path) -> None:
    write_rows(place / "openssl.csv", openssl.rows(COUNTS, "gcc 12.2.0"))
    facts = {"programs": {}, "compiler": "", "flags": "", "platform": ""}
    assert collect.merged(place, {}, facts)[0] == {}  # what is of no snapshot stays


def counted(place: Path, counts: openssl.Counts) -> Results:
    """Results in which these operations were counted."""
    write_rows(place / "openssl.csv", openssl.rows(counts, "gcc 12.2.0"))
    return Results(place, "made", {})


def cells(table: Table, first: str, second: str = "") -> list[str]:
    """The first row of a table that begins so."""
    return next(row for row in table.rows if row[0] == first and second in ("", row[1]))


def test_instructions_and_times_by_model(place: Path) -> None:
    """2048 bits with OpenSSL's assembly: published 179 signatures in 9.69
    s; here 4,096,000 cycles and 2 x 204,800."""
    results = counted(place, COUNTS)
    assert cells(tables.instructions(results), "sign", "512")[2] == "512,000"
    row = cells(tables.compared(results), "sign", "512")
    assert row[2] == "512,000" and row[-3:] == [
        "x2.00",
        "x3.00",
        "x4.00",
    ]
    theirs, ours = (tables.times(results, "here", ours)
                    for ours in (False, True))  # fmt: skip
    assert cells(theirs, "OpenSSL's assembly", "2048")[2:5] == [
        "54.134",
        "4.51",
        "-92 %",
    ]
    assert cells(ours, "bn_mul_mont.S", "512")[3] == "0.614"
    row = cells(tables.validation(results), "OpenSSL's assembly")
    assert row[1].endswith("%") and row[1] != row[2]


def test_the_page_has_the_counts_of_the_results() -> None:
    page = (ROOT / "studies/openssl/README.md").read_text("utf-8")
    asked = "select snapshot, workload, metric, value from openssl"
    counted = {}
    for build, workload, metric, value in load(reference()).query(asked):
        operation, bits = workload.split("-")
        counted[build, operation, int(bits), metric] = value
    columns = [("sign", 1024), ("sign", 2048), ("sign", 4096), ("verify", 2048)]
    rows = re.findall(r"(?m)^\| `(\w+)`: .*? \| (\d.*) \|$", page)
    assert [row[0] for row in rows] == ["c", "assembly", "neon", "ours", "lanes"]
    for build, cells in rows:
        numbers = [counted[build, *column, "instructions"] for column in columns]
        assert cells.split(" | ") == [f"{number:,}" for number in numbers], build

    def signed(build: str, metric: str) -> int:
        return counted[build, "sign", 2048, metric]

    saved = signed("assembly", "instructions") / signed("ours", "instructions")
    assert f"saves x{saved:.2f}" in page
    theirs = signed("assembly", "multiplies_long") / 1e6
    ours = signed("ours", "multiplies_umaal") + signed("ours", "multiplies_long")
    said = (
        f"{theirs:.2f} million long multiplications at 2048 bits, ours {ours / 1e6:.2f}"
    )
    assert said in " ".join(page.split())
