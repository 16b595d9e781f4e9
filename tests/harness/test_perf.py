"""harness/perf.py: what perf prints, what it refuses to count
and perf.csv."""

import shutil
from pathlib import Path

import pytest
from fake_programs import made_cell, script
from needs import needs

from harness import perf
from records.faults import Failure
from records.rows import PLAIN, read_rows, write_rows

ABSENT = (
    "not supported",
    "not permitted",
    "not counted",
    "not available",
    "multiplexed",
)
SAMPLES = Path(__file__).resolve().parents[1] / "support/perf"
# A perf that counts what a program says it does: its first argument, or the calls in a file.
PERF = r"""#!/bin/sh
case "$*" in
--version) echo perf version 6.1.0; exit ;;
esac
[ "$LC_ALL" = C ] || { echo "decimal commas" >&2; exit 9; }
[ "$2" = -j ] || { echo "another form" >&2; exit 9; }
file=$4; events=$6; shift 7
echo run >>"$STATE/runs"
[ ! -e "$STATE/refuse" ] || { cat "$STATE/refuse" >&2; exit 255; }
work=$("$@" 3>&1 >/dev/null); status=$?
drift=$(cat "$STATE/drift" 2>/dev/null || echo 0); echo $((drift + 1)) >"$STATE/drift"
echo "# started on Sat" >"$file"
for event in $(echo "$events" | tr ',' ' '); do
    case $event in
    task-clock:u) value=$work.500000 unit=msec ;;
    branches:u) value="<not supported>" unit= ;;
    cycles:u) value=$((work * 1000 + 7000 + drift)) unit= ;;
    *) value=$((work * 10 + 5)) unit= ;;
    esac
    echo "{\"counter-value\" : \"$value\", \"unit\" : \"$unit\", \"event\" : \"$event\"}"
done >>"$file"
exit $status
"""
PROGRAM = "echo $1 >&3\n[ $1 -lt 900 ] || { echo wrong digit >&2; exit 1; }"

# --- what perf has printed on real machines -------------------------------------------------------

OUTPUTS = {
    "x86-spr.json": {"instructions": 38620409, "branches": 7369473, "branch-misses": 54747},
    "a72-derived.json": {"cycles": "not counted", "instructions": 3801323, "branch-misses": 24532,
                         "branches": "not supported"},
    "vm-live.json": {"cycles": "not supported", "task-clock": 643_481,
                     "cache-misses": "not counted"},
    "x86-hybrid.json": {"cycles": f"not counted: {perf.PIN}", "branches": "not counted"},
    "multiplexed.json": {"task-clock": 1_397_967, "cycles": "multiplexed"},
}  # fmt: skip


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs(name: str) -> None:
    parsed = perf.parse((SAMPLES / name).read_text(), OUTPUTS[name])
    wanted = {k: (None, v) if isinstance(v, str) else (v, perf.UNITS[k])
              for k, v in OUTPUTS[name].items()}  # fmt: skip
    assert parsed == wanted


# --- a fake perf --------------------------------------------------------------------------------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a perf, first on PATH, and a program whose argument is
    its work; the board says nothing of itself."""
    script(tmp_path / "perf", PERF)
    script(tmp_path / "program", PROGRAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(perf, "ROOT", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("STATE", str(tmp_path))
    return tmp_path


RUNS = [["./program", "2"], ["./program", "42"]]  # 40 apart


def test_start_up_cancels(fake: Path) -> None:
    every, first, second = (0, 1, 2, 3), (0, 2), (1, 3)
    wanted = [["branches", None, "not supported", 0]]  # once, with its reason
    wanted += [["task-clock", 40_000_000, "ns", repeat] for repeat in every]
    wanted += [["cycles", 40_001, "cycles", repeat] for repeat in every]
    wanted += [["instructions", 400, "instructions", repeat] for repeat in every]
    wanted += [["branch-misses", 400, "instructions", repeat] for repeat in first]
    wanted += [
        [f"cache-{x}", 400, "accesses", n]
        for x in ("references", "misses")
        for n in second
    ]
    assert sorted(perf.samples(RUNS, repeats=2), key=str) == sorted(wanted, key=str)


@pytest.mark.parametrize("why", ["Access to performance", "perf is not installed"])
def test_why_nothing_can_be_counted_is_said_once(
    fake: Path, why: str, monkeypatch
) -> None:
    shutil.copy(SAMPLES / "vm-live-refused.txt", fake / "refuse")
    if why.startswith("perf"):
        (fake / "perf").unlink()
        monkeypatch.setenv("PATH", str(fake))
    taken = perf.samples(RUNS)
    assert sorted(row[0] for row in taken) == sorted(perf.UNITS)
    for _, value, said, _ in taken:
        assert value is None and said.startswith(f"{perf.REFUSED}: {why}")
        assert (
            said.endswith(" (make doctor)")
            and "," not in said
            and PLAIN.fullmatch(said)
        )


def test_a_program_that_fails_or_hangs_is_one_line(fake: Path) -> None:
    with pytest.raises(Failure, match="^wrong digit$"):
        perf.stat(["./program", "900"], ["cycles"])
    (fake / "perf").write_text("#!/bin/sh\nwhile :; do :; done\n")
    with pytest.raises(Failure, match=r"no end after 1 s of processor time"):
        perf.stat(RUNS[0], ["cycles"], seconds=1)


@needs("perf")
def test_live() -> None:
    taken = perf.stat(["true"], perf.GROUPS[0])
    assert list(taken) == list(perf.GROUPS[0])
    assert all(
        value > 0 if value else unit.startswith(ABSENT)
        for value, unit in taken.values()
    )


def test_measurements_are_kept_and_come_back_from_perf_csv(fake: Path) -> None:
    """The program's work is the messages that it is given, and a little
    for each file."""
    cell = made_cell("v8")
    cell.program.write_text('#!/bin/sh\necho $((9 + ${3:-$(wc -l <"$2")} / 2)) >&3\n')
    folder = cell.inputs / "key-full"
    folder.mkdir(parents=True)
    (folder / "key.txt").write_text("n f\ne 3\nd 3\n")
    for name, lines in (("strings", 2000), ("integers", 150)):
        (folder / f"{name}.txt").write_text("# a file\n" + "0 1\n" * lines)
    rows = list(perf.rows(cell))
    assert {(row["n"], row["workload"]) for row in rows} == {(949, "roundtrip-full")}
    ran = Path("runs").read_text()
    assert list(perf.rows(cell)) == rows and Path("runs").read_text() == ran
    write_rows(fake / "perf.csv", rows)
    back = read_rows(fake / "perf.csv")
    assert [row["metric"] for row in back if row["value"] is None] == ["branches"]
    assert len(back) == len(rows)
    numbers = [row["value"] / row["n"] for row in back if row["metric"] == "cycles"]
    assert numbers == [pytest.approx(1000, rel=0.01)] * len(numbers)
