"""The source of OpenSSL is believed by its checksum alone, and no half of a build is used."""

import shutil
import tarfile
from pathlib import Path
from types import SimpleNamespace

import openssl
import pytest

from harness import collect
from records.faults import Failure
from records.files import digest
from records.rows import read_rows, word_fault, write_rows
from records.workload import WORDS
from rsalab.openssl import COLUMNS, Count

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the project's study in it, and no build."""
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENSSL_SRC", raising=False)
    return tmp_path


def tree(folder: Path, version: str = "3.1.1") -> Path:
    """Something like a source of OpenSSL."""
    (folder / "crypto/bn/asm").mkdir(parents=True)
    major, minor, patch = version.split(".")
    (folder / "VERSION.dat").write_text(f"MAJOR={major}\nMINOR={minor}\nPATCH={patch}\n")
    (folder / "crypto/bn/bn.c").write_text("int one;\n")
    return folder


def archive(folder: Path, inside: str) -> Path:
    """The same, packed."""
    made = folder / "made.tar.gz"
    with tarfile.open(made, "w:gz") as file:
        file.add(tree(folder / "tree"), inside)
    return made


def refused(given: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The one line for such a source, of which nothing is left."""
    monkeypatch.setenv("OPENSSL_SRC", str(given))
    with pytest.raises(Failure) as fault:
        openssl.obtain()
    assert "\n" not in str(fault.value)
    assert not openssl.SOURCE.exists() and not openssl.PATCHED.exists()
    return str(fault.value)


def test_archive_with_another_checksum(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = archive(place, "openssl-3.1.1")
    assert digest(given) in refused(given, monkeypatch)


@pytest.mark.parametrize(
    ("version", "more", "fault"),
    [
        ("3.0.2", "README", "3.0.2"),
        ("3.1.1", "README", "other files in crypto/"),
        ("3.1.1", "configdata.pm", "unpack the source anew"),
    ],
)
def test_folder_that_is_not_the_source(
    place: Path, monkeypatch: pytest.MonkeyPatch, version: str, more: str, fault: str
) -> None:
    folder = tree(place / "given", version)
    (folder / more).write_text("")
    assert fault in refused(folder, monkeypatch)


def test_no_such_file_and_no_source(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "absent" in refused(place / "absent", monkeypatch)
    (place / "empty").mkdir()
    assert "VERSION" not in refused(place / "empty", monkeypatch)


def test_without_cargo_one_line_says_what_to_type(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setenv("CARGO_HOME", str(place))
    with pytest.raises(Failure, match="OPENSSL_SRC=PATH"):
        openssl.obtain()


def test_a_folder_gets_its_name_when_it_is_whole(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = archive(place, "openssl-3.1.1")
    monkeypatch.setattr(openssl, "ARCHIVES", {digest(given): "openssl-3.1.1"})
    monkeypatch.setenv("OPENSSL_SRC", str(given))
    with pytest.raises(Failure):  # the patch does not fit this one
        openssl.obtain()
    assert (openssl.SOURCE / "VERSION.dat").exists() and not openssl.PATCHED.exists()


def test_changed_build_is_not_used(place: Path) -> None:
    folder = openssl.BUILD / "c"
    folder.mkdir(parents=True)
    assert not openssl.is_built("c")
    (folder / "built").write_text(openssl.key("c"))
    assert openssl.is_built("c")
    (folder / "built").write_text(openssl.key("c").replace("-O3", "-O2"))
    assert not openssl.is_built("c")
    with pytest.raises(Failure, match="make openssl"):
        openssl.link("c")


@pytest.mark.parametrize(
    ("said", "free", "full"),
    [
        ("No space left on device", 2**40, True),
        ("reason: Success", 0, True),
        ("Error 1", 2**40, False),
    ],
)
def test_failed_build_is_one_line(
    place: Path, monkeypatch: pytest.MonkeyPatch, said: str, free: int, full: bool
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    (openssl.BUILD / "c").mkdir(parents=True)
    with (place / "log").open("w") as log, pytest.raises(Failure) as fault:
        openssl.follow(["sh", "-c", f"echo '{said}'; exit 1"], "c", log)
    assert said in (place / "log").read_text()
    assert ("free some space" in str(fault.value)) == full
    assert "\n" not in str(fault.value)


def test_rows_and_table(place: Path) -> None:
    sizes = (512, 1024)
    (place / "data").symlink_to(ROOT / "data")
    found = {
        (name, what, bits): Count(bits * 100, bits, 0)
        for bits in sizes
        for what in openssl.OPERATIONS
        for name in COLUMNS
    }
    path = place / "openssl.csv"
    write_rows(path, openssl.rows(found))
    rows, allowed = read_rows(path), WORDS["openssl.csv"]
    assert len(rows) == 3 * len(found)
    assert {row["implementation"] for row in rows} == set(COLUMNS)
    assert not any(word_fault(row, allowed) for row in rows)
    assert word_fault(rows[0] | {"bits": 1000}, allowed)
    facts = {"programs": {}, "compiler": "", "flags": "", "platform": ""}
    assert collect.merged(place, {}, facts)[0] == {}  # what is of no snapshot stays
    assert {column[0] for column in COLUMNS.values()} == set(openssl.BUILDS)
    lines = list(openssl.table(found, sizes))
    line = next(line for line in lines if line.startswith("rsa   512"))
    assert line.split()[3:5] == ["0.000052s"] * 2  # 51,200 + 2 x 512 cycles
