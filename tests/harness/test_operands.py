"""Files of vectors, keys and messages as calls: read, refused, written,
compared."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness import operands
from harness.operands import Call
from records import workloads
from records.faults import Failure
from records.ladder import ROOT

INPUTS = ROOT / "data/inputs/width-128"
# Files of two records each for a key of eight bits.
N, E, D = 11 * 13, 7, 103
GOOD = {
    "key": f"n {N:x}\ne {E:x}\nd {D:x}\n",
    "messages": f'# two messages\n2 {2**E % N:x}\n"A" {65**E % N:x}\n',
    "vectors": f"mont_mul random {N:x} 0 5 0\nmod_exp random {N:x} 2 3 8\n",
}
COMMANDS = {"vectors": ["count", "vectors"]}  # others: a round trip
FULL = "f" * 33


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the good files, of which a test may spoil one."""
    monkeypatch.chdir(tmp_path)
    for name, text in GOOD.items():
        Path(name).write_text(text)
    return tmp_path


def made(spoilt: str = "key") -> list[Call]:
    return operands.calls(COMMANDS.get(spoilt, ["roundtrip", "key", "messages"]))


def right(call: Call, width: int = 128) -> bool:
    if call.function == "mod_exp":
        return pow(call.x, call.y, call.n) == call.z
    return call.x * call.y * pow(2, -width, call.n) % call.n == call.z


def test_calls_are_the_workload() -> None:
    for run in workloads.runs(INPUTS, "default"):
        todo = operands.calls(run.arguments)
        trips = run.workload.startswith("roundtrip")
        assert len(todo) == run.n * (2 if trips else 1)
        assert all(map(right, todo[:10]))
        assert [call.chained for call in todo[:4]] == [False, trips] * 2


def test_parts_of_a_file(there: Path) -> None:
    Path("key").write_text(f"n  {1000003:x}\ne 5 \nd {400001:x}\n")
    Path("messages").write_text('1 1\n2 8\n\n4 4\n"AB" 5\n')
    todo = operands.calls("roundtrip key -s 1 -n 2 messages -s 3 messages".split())
    assert [call.x for call in todo] == [2, 8, 4, 4, 0x4142, 5]
    assert todo[-1].source_line == "messages:5"
    with pytest.raises(Failure, match="messages: 3 records from 2 on"):
        operands.calls("roundtrip key -s 2 -n 3 messages".split())
    Path("vectors").write_text("mod_exp a 8f 2 3 9\nmod_exp b 8f 2 3 8\n")
    todo = operands.calls("count -k b vectors".split())
    assert [(call.kind, call.z) for call in todo] == [("b", 8)]


BAD = [
    ("key", "n 8f\ne 7\nd 6g\n", "3: 'd 6g' is not a line of a key"),
    ("key", "n 8f\ne 7\nd 68\n", " n, e and d are of no key"),
    ("key", "n 8f\ne 7\n", " n, e and d are of no key"),
    ("key", "n 8f\0\ne 7\nd 67\n", "1: 'n 8f\\x00' is not"),
    ("messages", "2 80\n8f 0\n", "2: the modulus is odd, from 3 on, and operands"),
    ("messages", "# nothing\n\n", " 0 records from 0 on are not there"),
    ("messages", '"\\n" 80\n', "1: '\"\\\\n\" 80' is not a message"),
    ("vectors", "mod_exp zero 8f 0 ff 8f\n", "1: the modulus"),
    ("vectors", "mont_mul zero 8f 0 8f 0\n", "1: the modulus"),
    ("vectors", "mont_mul zero 8e 0 0 0\n", "1: the modulus"),
    ("vectors", f"mod_exp zero 8f 0 {FULL} 0\n", "1: a number of more than 128 bits"),
    ("vectors", "mont_mul zero 8f 0 0\n", "1: 'mont_mul zero 8f 0 0' is not a vector"),
]


@pytest.mark.parametrize(("spoilt", "text", "fault"), BAD)
def test_bad_input_is_one_line(there: Path, spoilt: str, text: str, fault: str) -> None:
    Path(spoilt).write_bytes(text.encode())
    with pytest.raises(Failure) as said:
        operands.text(made(spoilt), 128)
    assert str(said.value).startswith(f"{spoilt}:{fault}") and "\n" not in str(
        said.value
    )


def test_what_a_program_reads_has_no_answer(there: Path) -> None:
    todo, path = made(), Path("calls")
    path.write_text(operands.text(todo, 128))
    assert f"{2**7 % 143:032x}" not in path.read_text()
    for seen, call in zip(operands.read(path), todo, strict=True):
        x = 0 if call.chained else call.x
        assert seen == replace(call, x=x, z=0, source_line=seen.source_line)


def test_the_first_wrong_result_is_named(there: Path) -> None:
    todo = made("vectors")
    assert operands.wrong(todo, [0, 8]) == ""
    assert (
        operands.wrong(todo, [0, 9]) == "vectors:2: mod_exp (random): expected 8, got 9"
    )
    assert operands.wrong(todo, [0]) == "1 results of 2 calls"
    with pytest.raises(Failure):
        operands.results("hello\n")
