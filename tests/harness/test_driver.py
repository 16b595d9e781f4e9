"""The driver on this machine: its commands, its options, its statuses."""

from pathlib import Path
from typing import NamedTuple

import pytest
from driver_build import (
    CHECK,
    COUNT,
    INPUTS,
    KEY,
    REFERENCE,
    TIME,
    TRIP,
    N,
    arguments,
    compile_driver,
    link,
    run,
    small_files,
)

# Says on stderr which of its two functions the driver calls.
TRACED = f"""
#define mont_mul inner_mul
#define mod_exp inner_exp
#include "{REFERENCE}"
#undef mont_mul
#undef mod_exp
#include <stdio.h>
void mont_mul(uint32_t *z, const uint32_t *x, const uint32_t *y, const struct modulus *m) {{
    fputc('m', stderr);
    inner_mul(z, x, y, m);
}}
void mod_exp(uint32_t *z, const uint32_t *x, const uint32_t *e, const struct modulus *m) {{
    fputc('e', stderr);
    inner_exp(z, x, e, m);
}}
"""


class Programs(NamedTuple):
    """The driver with the reference and with its traced form."""

    reference: Path
    traced: Path


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("programs")
    objects = compile_driver(folder)
    (folder / "traced.c").write_text(TRACED)
    traced = link(folder / "traced", objects, folder / "traced.c")
    return Programs(link(folder / "reference", objects, REFERENCE), traced)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return small_files(tmp_path)


def test_check_passes_on_the_reference(programs: Programs) -> None:
    paths = sorted((INPUTS / "vectors").glob("*.txt"))
    lines = sum(line[0] != "#" for path in paths for line in path.read_text().splitlines())
    result = run(programs.reference, "check", *paths)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{lines} vectors\n", "")


@pytest.mark.parametrize("name", ["key-full", "key-65537"])
def test_round_trips_of_the_real_messages(programs: Programs, name: str) -> None:
    folder = INPUTS / name
    parts = ["-n", 4, folder / "strings.txt", "-n", 3, folder / "integers.txt"]
    result = run(programs.reference, "roundtrip", folder / "key.txt", *parts)
    assert (result.returncode, result.stdout, result.stderr) == (0, "7 round trips\n", "")


def test_small_files_by_every_command(programs: Programs, files: dict[str, Path]) -> None:
    expected = {CHECK: "2 vectors\n", COUNT: "2 calls\n", TRIP: "2 round trips\n"}
    for command, output in expected.items():
        result = run(programs.reference, *arguments(command, files))
        assert (result.returncode, result.stdout, result.stderr) == (0, output, "")


def test_time_prints_a_sample_a_message(programs: Programs, files: dict[str, Path]) -> None:
    result = run(programs.reference, *arguments(f"{TIME} -n 1 {{messages}}", files))
    header, *samples = result.stdout.splitlines()
    assert header == "index encrypt_clock_us encrypt_ns decrypt_clock_us decrypt_ns"
    rows = [[int(field) for field in sample.split(" ")] for sample in samples]
    assert [row[0] for row in rows] == [0, 1, 2]
    assert all(len(row) == 5 and row[2] > 0 and row[4] > 0 for row in rows)


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        (COUNT, "me"),
        ("count -k random -n 1 {vectors}", "m"),
        (TRIP, "eeee"),
        (TIME, "eeee"),
        ("roundtrip {key} -n 1 {messages}", "ee"),
        ("roundtrip {key} -n 1 {messages} {messages}", "eeeeee"),
        ("roundtrip {key} -s 1 {messages}", "ee"),
    ],
)
def test_nothing_else_of_the_snapshot_is_called(
    programs: Programs, files: dict[str, Path], command: str, calls: str
) -> None:
    result = run(programs.traced, *arguments(command, files))
    assert (result.returncode, result.stderr) == (0, calls)


def test_s_and_n_take_a_part_of_the_next_file(programs: Programs, files: dict[str, Path]) -> None:
    files["messages"].write_text("2 1\n3 1\n0 0\n1 1\n4 1\n")
    command = "roundtrip {key} -s 2 -n 2 {messages}"
    assert run(programs.reference, *arguments(command, files)).stdout == "2 round trips\n"


def test_k_takes_one_kind(programs: Programs, files: dict[str, Path]) -> None:
    files["vectors"].write_text(f"mod_exp a {N:x} 2 3 9\nmod_exp b {N:x} 2 3 8\n")
    result = run(programs.reference, *arguments("count -k b {vectors}", files))
    assert (result.returncode, result.stdout) == (0, "1 calls\n")


@pytest.mark.parametrize(
    ("command", "spoilt", "text", "fault"),
    [
        (CHECK, "vectors", f"# z\nmod_exp a {N:x} 2 3 9\n", "2: mod_exp (a): expected 9, got 8"),
        (COUNT, "vectors", f"mod_exp a {N:x} 2 3 9\n", "1: mod_exp: expected 9, got 8"),
        (TRIP, "messages", "2 7f\n", "1: ciphertext: expected 7f, got 80"),
        (TIME, "messages", "0 0\n2 7f\n", "2: ciphertext: expected 7f, got 80"),
        (TRIP, "key", KEY.replace("d 67", "d 65"), "2: decrypted message: expected 2, got "),
    ],
)
def test_a_wrong_result_is_status_1(
    programs: Programs, files: dict[str, Path], command: str, spoilt: str, text: str, fault: str
) -> None:
    files[spoilt].write_text(text)
    result = run(programs.reference, *arguments(command, files))
    assert (result.returncode, result.stdout) == (1, "")
    where = files["messages" if spoilt == "key" else spoilt]
    assert result.stderr.startswith(f"{where}:{fault}") and result.stderr.count("\n") == 1


def test_a_result_that_cannot_be_written(programs: Programs, files: dict[str, Path]) -> None:
    command = '"$0" check "$1" >/dev/full'
    result = run(Path("/bin/sh"), "-c", command, programs.reference, files["vectors"])
    assert result.returncode == 2 and "cannot write" in result.stderr


@pytest.mark.parametrize("width", [32, 64, 96, 2048])
def test_other_widths(tmp_path: Path, files: dict[str, Path], width: int) -> None:
    program = link(tmp_path / "rsa", compile_driver(tmp_path, width), REFERENCE, width=width)
    n = 2**width - 1
    z = (n - 2) * (n - 3) * pow(2**width, -1, n) % n
    files["vectors"].write_text(f"mont_mul aliasing {n:x} {n - 2:x} {n - 3:x} {z:x}\n")
    assert run(program, *arguments(CHECK, files)).stdout == "1 vectors\n"
    if width < 128:
        result = run(program, "check", INPUTS / "vectors" / "mont_mul.txt")
        assert (result.returncode, result.stdout) == (2, "")
        assert f"n has 32 digits; {width} bits hold {width // 4}" in result.stderr
