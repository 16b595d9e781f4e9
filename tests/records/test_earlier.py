"""Results with the heads of before: they are converted, and nothing of them is lost."""

import json
from pathlib import Path

import pytest

from records.earlier import convert
from records.faults import Failure
from records.rows import read_rows

CELL = "iterations,v0,O1"
COUNTS = f"""study,snapshot,level,case,metric,symbol,value,unit,n,repeat
{CELL},mont_mul,instructions,add,12,instructions,4,0
{CELL},mont_mul,instructions,total,34,instructions,4,0
"""
CALLS = f"""study,snapshot,level,caller,callee,calls
{CELL},mmm,add,5
{CELL},<total>,add,7
"""
TIMES = f"""study,snapshot,level,case,metric,symbol,value,unit,n,repeat
{CELL},roundtrip-full,encrypt,total,9,ns,1,3
"""
TRACES = f"""study,snapshot,level,compiler,function,secrets,traces
{CELL},Debian clang version 14.0.6,mont_mul,256,1
"""
LONG = """implementation,level,operation,bits,operands,way,metric,value,unit
plain,O3,square,64,0x55..55,levels-2,loads,40,instructions
"""
OPENSSL = """implementation,level,operation,bits,operands,way,metric,value,unit
ours,O3,sign,512,openssl-speed,rsa,instructions,452089,instructions
"""
FILES = {
    "counts.csv": COUNTS,
    "gprof/calls.csv": CALLS,
    "times.csv": TIMES,
    "traces.csv": TRACES,
    "operations.csv": LONG,
    "openssl.csv": OPENSSL,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as it was written before."""
    (tmp_path / "gprof").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    facts = dict.fromkeys(("platform", "date", "git_revision"), "x")
    facts["compiler"] = "arm-linux-gnueabihf-gcc (Debian 12.2.0-14) 12.2.0"
    (tmp_path / "machine.json").write_text(json.dumps(facts))
    return tmp_path


def numbers(path: Path) -> list[tuple[object, ...]]:
    """Where each number of a file stands, and the number."""
    columns = ("snapshot", "compiler", "workload", "metric", "symbol", "value", "n")
    return [tuple(row[column] for column in columns) for row in read_rows(path)]


def test_every_number_stays_and_gets_the_head_of_today(folder: Path) -> None:
    assert len(convert(folder)) == len(FILES)
    gcc = "gcc 12.2.0"
    assert numbers(folder / "counts.csv") == [
        ("v0", gcc, "mont_mul", "instructions", "add", 12, 4),
        ("v0", gcc, "mont_mul", "instructions", "total", 34, 4),
    ]
    assert numbers(folder / "gprof/calls.csv") == [
        ("v0", gcc, "roundtrip-first", "calls_from_mmm", "add", 5, 1),
        ("v0", gcc, "roundtrip-first", "calls", "add", 7, 1),
    ]
    assert numbers(folder / "traces.csv") == [
        ("v0", "clang 14.0.6", "drawn-secrets", "traces", "mont_mul", 1, 256)
    ]
    assert numbers(folder / "operations.csv") == [
        ("plain", gcc, "square-64-0x55..55-levels-2", "loads", "total", 40, 1)
    ]
    assert numbers(folder / "openssl.csv") == [
        ("ours", gcc, "sign-512", "instructions", "total", 452089, 1)
    ]
    (sample,) = read_rows(folder / "times.csv")
    assert (sample["value"], sample["repeat"], sample["kind"]) == (9, 3, "timed")


def test_what_is_converted_is_not_converted_again(folder: Path) -> None:
    convert(folder)
    before = {path: path.read_bytes() for path in folder.glob("**/*.csv")}
    assert convert(folder) == []
    assert before == {path: path.read_bytes() for path in folder.glob("**/*.csv")}


def test_a_folder_with_a_cut_row_stays_as_it_is(folder: Path) -> None:
    cut = TIMES + "iterations,v0"
    (folder / "times.csv").write_text(cut)
    with pytest.raises(Failure, match="given/times.csv:3: not a whole row"):
        convert(folder, "given")
    assert (folder / "counts.csv").read_text() == COUNTS
