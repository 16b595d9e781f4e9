"""Faults that a run must expect: a line that names it and the next command, results untouched."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone
from collecting import forget, half_written, refused, results, run


@pytest.fixture
def filling(small: Clone, tmp_path: Path) -> Iterator[Clone]:
    """A copy on a file system of its own."""
    place = tmp_path / "small disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield small.copy(place / "copy")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(place: Path, leave: int) -> Path:
    """Fills a file system but for some bytes; returns the file that does it."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
        file.truncate(file.tell() - leave)
    return filler


LONG = pytest.mark.long


@pytest.mark.parametrize(
    "leave", [pytest.param(0, marks=LONG), 4096, pytest.param(32768, marks=LONG)]
)
def test_full_disk(filling: Clone, leave: int) -> None:
    """However much is left: earlier results stay, and with more room the same command goes on."""
    truth = results(filling)
    forget(filling, "v7", "v8")
    filler = fill(filling.path.parent, leave)
    refused(run(filling), "No space left|not counted")
    assert results(filling) == truth
    filler.unlink()
    shutil.rmtree(filling.path / "build/iterations/v8")
    filler = fill(filling.path.parent, leave)
    ran = run(filling, "make", "v8")
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert re.search("No space left|disk is full|I/O error", ran.stderr), ran.stderr
    assert results(filling) == truth
    filler.unlink()
    assert run(filling, "make", "v8").returncode == 0 and run(filling).returncode == 0
    assert results(filling)["counts.csv"] == truth["counts.csv"] and half_written(filling) == []


@pytest.fixture
def locked(copy: Clone) -> Iterator[Clone]:
    """A copy that cannot be written to: root ignores permissions, so there it is mounted so."""
    if os.getuid():
        subprocess.run(["chmod", "-R", "a-w", copy.path], check=True)
        yield copy
        subprocess.run(["chmod", "-R", "u+w", copy.path], check=True)
        return
    if subprocess.run(["mount", "--bind", copy.path, copy.path], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", copy.path], check=True)
        yield copy
    finally:
        subprocess.run(["umount", copy.path], check=True)


def test_read_only_checkout(locked: Clone) -> None:
    truth = results(locked)
    refused(run(locked), "Read-only|Permission denied", r"`cp -r \. ~/rsa-lab`")
    refused(run(locked, "make", "v8"), r"'cp -r \. ~/rsa-lab'")
    assert results(locked) == truth


FAULTS = {
    "crash": "{ volatile uint32_t *volatile nowhere = 0; *nowhere = 1; }",
    "loop": 'for (;;) __asm__ volatile("");',
    "digit": "{ z[0] = z[1] = z[2] = z[3] = 1; return; }",
}


def plant(clone: Clone, condition: str, fault: str) -> None:
    """Puts a fault at the head of v8's mod_exp."""
    source = clone.path / "iterations/v8/rsa.c"
    head = r"(void mod_exp\([^{;]*\{\n)"
    text, n = re.subn(head, rf"\g<1>if ({condition}) {FAULTS[fault]}" + "\n", source.read_text())
    assert n == 1
    source.write_text(text.replace("return; }", "return; }"))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash", "crashed with signal 11"),
        ("loop", "no end after 2 s; LIMIT=8"),
        ("digit", r"vectors/\w+.txt:\d+: "),
    ],
)
def test_fault_in_the_check(copy: Clone, fault: str, words: str) -> None:
    truth = results(copy)
    plant(copy, "m->n0inv & 1", fault)
    ran = copy.make("build/iterations/v8/O1/check.ok", "LIMIT=2")
    refused(ran, words, "NOT CHECKED")
    assert not (copy.path / "build/iterations/v8/O1/check.ok").exists()
    refused(
        run(copy), r"iterations/v8/O\d: not checked", r"`make build/iterations/v8/O\d/check.ok`"
    )
    assert results(copy) == truth
    assert not list(copy.path.rglob("*.core"))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("crash", "signal 11|Invalid memory write"),
        ("loop", "not finished in 4 s; LIMIT=16"),
        ("digit", r"integers.txt:\d+: mod_exp \(encrypt\): expected"),
    ],
)
def test_fault_while_counting(copy: Clone, fault: str, words: str) -> None:
    """A fault that no check vector meets: it waits for one of the messages."""
    truth = results(copy)
    lines = (copy.path / "data/inputs/width-128/key-full/integers.txt").read_text().splitlines()
    number = int(next(line for line in lines if not line.startswith("#")).split()[0], 16)
    plant(copy, f"x[0] == {number % 2**32:#x} && x[1] == {number >> 32 & 0xFFFFFFFF:#x}", fault)
    ran = copy.make("v8", "LIMIT=4")
    refused(ran, "v8/O.*not counted: ", words, "qemu-arm .* call build/calls/")
    assert results(copy) == truth
    assert not list(copy.path.rglob("*.core"))


def tools_but(folder: Path, *missing: str) -> str:
    """A PATH on which these tools are missing."""
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for tool in Path(place).glob("*"):
            link = folder / tool.name
            if tool.name not in missing and not os.path.lexists(link):
                link.symlink_to(tool)
    return str(folder)


@pytest.mark.parametrize("tool", ["qemu-arm", "arm-linux-gnueabihf-objdump"])
def test_missing_tool(copy: Clone, tmp_path: Path, tool: str) -> None:
    truth = results(copy)
    forget(copy, "v8")
    ran = run(copy, PATH=tools_but(tmp_path / "bin", tool))
    refused(ran, f"{tool}: not installed", "`make setup`")
    assert results(copy) == truth


def test_missing_emulator_in_the_check(copy: Clone, tmp_path: Path) -> None:
    command = ["python3", "-m", "harness.check", "build/iterations/v8/O1/rsa", "128"]
    folder = "data/inputs/width-128/vectors"
    vectors = [f"{folder}/{name}.txt" for name in ("mod_exp", "mont_mul")]
    ran = run(copy, *command, *vectors, PATH=tools_but(tmp_path / "bin", "qemu-arm"))
    assert ran.returncode == 2 and "make setup" in ran.stderr


@pytest.mark.parametrize("spoil", ["cut", "byte", "no line end", "binary", "empty"])
def test_corrupted_results(copy: Clone, spoil: str) -> None:
    path = copy.path / "results/local/counts.csv"
    truth, data = results(copy), path.read_bytes()
    bad = {
        "cut": data[: len(data) // 2],
        "byte": data.replace(b",roundtrip-small,", b",round\xfftrip-full,", 1),
        "no line end": data[:-1],
        "binary": os.urandom(1000),
        "empty": b"",
    }[spoil]
    path.write_bytes(bad)
    refused(run(copy), r"results/local/counts.csv(:\d+)?: ")
    assert path.read_bytes() == bad
    path.unlink()
    assert run(copy).returncode == 0 and results(copy) == truth


@pytest.mark.parametrize("spoil", ["cut", "empty"])
def test_corrupted_measurement(copy: Clone, spoil: str) -> None:
    """What is kept of a run is made again when it is not whole."""
    truth = results(copy)
    path = copy.path / "build/iterations/v8/O1/mont_mul.random.json"
    text = path.read_text()
    path.write_text({"cut": text[:-50], "empty": ""}[spoil])
    ran = run(copy)
    assert ran.returncode == 0 and f"{path.relative_to(copy.path)}: damaged" in ran.stderr
    assert path.read_text() == text and results(copy) == truth


@pytest.mark.parametrize("word", ["0", "-1", "soon", "1e3"])
def test_a_wrong_limit_is_one_line(copy: Clone, word: str) -> None:
    forget(copy, "v8")
    refused(run(copy, LIMIT=word), f"LIMIT={word}")


def test_make_gone_wrong_midway(copy: Clone) -> None:
    """Files that make has not made: one line each."""
    (copy.path / "build/platform").write_text("platform=qemu\n")
    refused(run(copy), "build/platform: ", "`make ")
    (copy.path / "build/platform").unlink()
    refused(run(copy), "build/platform: ", "`make ")
