"""Files of vectors, keys and messages as calls: read, refused, written, compared."""

from pathlib import Path

import pytest
from driver_build import COUNT, TRIP, arguments, small_files
from mutations import mutations

from harness import operands
from harness.operands import Call
from records import faults, workload
from records.faults import Failure

INPUTS = Path(__file__).resolve().parents[2] / "data" / "inputs" / "width-128"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    return small_files(tmp_path)


def right(call: Call, width: int = 128) -> bool:
    if call.function == "mod_exp":
        return pow(call.x, call.y, call.n) == call.z
    return call.x * call.y * pow(2, -width, call.n) % call.n == call.z


def test_calls_are_the_workload() -> None:
    for task in workload.tasks(INPUTS, "default"):
        made = operands.calls(task.arguments)
        trips = task.case.startswith("roundtrip")
        assert len(made) == task.n * (2 if trips else 1)
        assert all(map(right, made[:10]))
        assert [call.chained for call in made[:4]] == [False, trips] * 2


def test_parts_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("# key\nn f\ne 3\nd 3\n")
    (tmp_path / "messages").write_text('1 1\n2 8\n\n4 4\n"\x05" 5\n'.replace("\x05", "!"))
    key, messages = str(tmp_path / "key"), str(tmp_path / "messages")
    with pytest.raises(Failure, match="messages:5: message is not below n"):
        operands.calls(["roundtrip", key, messages])
    (tmp_path / "key").write_text(f"n {1000003:x}\ne 3\nd 3\n")
    (tmp_path / "messages").write_text('1 1\n2 8\n\n4 4\n"AB" 5\n')
    made = operands.calls(["roundtrip", key, "-s", "1", "-n", "2", messages, "-s", "3", messages])
    assert [call.x for call in made] == [2, 8, 4, 4, 0x4142, 5]
    assert made[-1].place == f"{messages}:5"
    with pytest.raises(Failure, match="messages.* 3 "):
        operands.calls(["roundtrip", key, "-s", "2", "-n", "3", messages])
    with pytest.raises(Failure, match="'time'"):
        operands.calls(["time", key, messages])


def test_one_kind(files: dict[str, Path]) -> None:
    files["vectors"].write_text("mod_exp a 8f 2 3 9\nmod_exp b 8f 2 3 8\n")
    made = operands.calls(arguments("count -k b {vectors}", files))
    assert [(call.kind, call.z) for call in made] == [("b", 8)]


FULL = "f" * 33
BAD = [
    ("key", TRIP, "n 8e\ne 7\nd 67\n", "1: modulus is even"),
    ("key", TRIP, "e 7\nn 0\nd 67\n", "2: modulus is below 3"),
    ("key", TRIP, "n 1\ne 7\nd 67\n", "1: modulus is below 3"),
    ("key", TRIP, "n 2\ne 7\nd 67\n", "1: modulus is below 3"),
    ("key", TRIP, "n 8f\ne 7\nd 6g\n", "3: d: '6g' is not a hexadecimal number"),
    ("key", TRIP, "n 0x8f\ne 7\nd 67\n", "1: n: '0x8f' is not"),
    ("key", TRIP, "n 8f\ne -7\nd 67\n", "2: e: '-7' is not"),
    ("key", TRIP, "", "1: empty file"),
    ("key", TRIP, "n 8f\ne 7\nd 67", "3: truncated"),
    ("key", TRIP, "n 8f\r\ne 7\r\nd 67\r\n", "1: CRLF line ends; convert with"),
    ("key", TRIP, "n 8f\ne 7\n", " the key ends without d"),
    ("key", TRIP, "n 8f\ne 7\ne 7\nd 67\n", "3: second e"),
    ("key", TRIP, "modulus 8f\ne 7\nd 67\n", "1: a line of a key is n, e or d"),
    ("key", TRIP, "n\ne 7\nd 67\n", "1: a line of a key"),
    ("key", TRIP, "n 8f\0\ne 7\nd 67\n", "1: byte 0x00 is not printable ASCII"),
    ("messages", TRIP, "8f 0\n", "1: message is not below n"),
    ("messages", TRIP, "2 80\n0 8f\n", "2: ciphertext is not below n"),
    ("messages", TRIP, "2 8O\n", "1: ciphertext: '8O' is not"),
    ("messages", TRIP, "", "1: empty file"),
    ("messages", TRIP, "# nothing\n\n", " 0 records from 0 on are not there"),
    ("messages", TRIP, "2 80\n2 80", "2: truncated"),
    ("messages", TRIP, "2 80 80\n", "1: a message line has two fields"),
    ("messages", TRIP, " \n", "1: a message line has two fields"),
    ("messages", TRIP, "2 80\r\n", "1: CRLF line ends"),
    ("messages", TRIP, "2\t80\n", "1: byte 0x09 is not printable ASCII"),
    ("messages", TRIP, '"A 80\n', "1: a string stands between two quotation marks"),
    ("messages", TRIP, 'A"B" 80\n', "1: a string stands between"),
    ("messages", TRIP, '"" 0\n', "1: a string stands between"),
    ("messages", TRIP, '"\\n" 80\n', "1: a string stands between"),
    ("messages", TRIP, '"\u00e9" 80\n', "1: byte 0xc3 is not printable ASCII"),
    ("messages", TRIP, '"AB" 80\n', "1: message is not below n"),
    ("messages", TRIP, '2 "A"\n', "1: ciphertext: '\"A\"' is not"),
    ("vectors", COUNT, "mont_mul zero 8e 0 0 0\n", "1: modulus is even"),
    ("vectors", COUNT, "mont_mul zero 8f 8f 0 0\n", "1: x is not below n"),
    ("vectors", COUNT, "mont_mul zero 8f 0 8f 0\n", "1: y is not below n"),
    ("vectors", COUNT, "mod_exp zero 8f 0 ff 8f\n", "1: z is not below n"),
    ("vectors", COUNT, f"mod_exp zero 8f 0 {FULL} 0\n", "1: a number of more than 128 bits"),
    ("vectors", COUNT, f"mod_exp zero {FULL} 0 1 0\n", "1: a number of more than 128 bits"),
    ("vectors", COUNT, "mont_mul zero 8f 0 0\n", "1: a vector has six fields"),
    ("vectors", COUNT, "mont_sqr zero 8f 0 0 0\n", "1: unknown operation 'mont_sqr'"),
    ("vectors", COUNT, "mont_mul zero 8f 0 0 z\n", "1: z: 'z' is not a hexadecimal number"),
    ("vectors", COUNT, "mont_mul zero 8f 0 0 0\nmont_mul zero 8f 0 0 0", "2: truncated"),
]


@pytest.mark.parametrize(("spoilt", "command", "text", "fault"), BAD)
def test_bad_input_is_one_line(
    files: dict[str, Path], spoilt: str, command: str, text: str, fault: str
) -> None:
    files[spoilt].write_bytes(text.encode())
    with pytest.raises(Failure) as said:
        operands.text(operands.calls(arguments(command, files)), 128)
    assert str(said.value).startswith(f"{files[spoilt]}:{fault}")
    assert "\n" not in str(said.value)


def test_a_file_that_is_none(files: dict[str, Path], tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(Failure, match=f"{path}: cannot be read"):
            operands.calls(["count", str(path)])


@pytest.mark.parametrize("spoilt", ["key", "messages", "vectors"])
def test_spoilt_files(files: dict[str, Path], spoilt: str) -> None:
    """Taken, or refused with one line."""
    for data in mutations(files[spoilt].read_bytes(), 60, spoilt):
        files[spoilt].write_bytes(data)
        try:
            operands.text(
                operands.calls(arguments(COUNT if spoilt == "vectors" else TRIP, files)), 128
            )
        except faults.EXPECTED as fault:
            assert "\n" not in faults.line(fault)


def test_what_a_program_reads_has_no_answer(files: dict[str, Path], tmp_path: Path) -> None:
    made = operands.calls(arguments(TRIP, files))
    path = tmp_path / "calls"
    path.write_text(operands.text(made, 128))
    assert f"{2**7 % 143:032x}" not in path.read_text()
    seen = operands.read(path)
    assert [(c.function, c.n, c.y, c.kind, c.chained) for c in seen] == [
        (c.function, c.n, c.y, c.kind, c.chained) for c in made
    ]
    assert [call.z for call in seen] == [0] * 4


def test_the_first_wrong_result_is_named(files: dict[str, Path]) -> None:
    made = operands.calls(arguments(COUNT, files))
    assert operands.wrong(made, [0, 8]) == ""
    place = f"{files['vectors']}:2"
    assert operands.wrong(made, [0, 9]) == f"{place}: mod_exp (random): expected 8, got 9"
    assert operands.wrong(made, [0]) == "1 results of 2 calls"
    with pytest.raises(Failure):
        operands.results("hello\n")


@pytest.mark.parametrize("width", [32, 128, 192])
def test_operands_that_are_drawn(width: int) -> None:
    one, other = (operands.drawn(width, seed, (200, 9)) for seed in ("1", "2"))
    assert one != other and len(one) == 209
    for call in one:
        assert call.n % 2 and 3 <= call.n < 1 << width and 0 <= call.x < call.n
        assert right(call, width) and call.kind == "aliasing"
