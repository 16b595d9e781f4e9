"""harness/time/perf_stat.py: what perf prints, and what it refuses to count."""

import shutil
import statistics
import subprocess
import time
from pathlib import Path

import fake_perf
import pytest
from needs import needs

from harness.time import perf_stat
from records.faults import Failure
from records.rows import ABSENT

SAMPLES = Path(__file__).resolve().parents[1] / "support/perf"
REFUSED = (SAMPLES / "vm-live-refused.txt").read_text()
RETIRED = ("cycles", "instructions", "branches", "branch-misses")
Value = perf_stat.Reading


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """/proc/sys/kernel of a board that says nothing else."""
    monkeypatch.setattr(perf_stat, "ROOT", tmp_path)
    folder = tmp_path / "proc/sys/kernel"
    folder.mkdir(parents=True)
    return folder


def parsed(name: str, metrics: tuple = RETIRED) -> dict:
    """A sample's readings."""
    return perf_stat.parse((SAMPLES / name).read_text(), metrics)


def values(name: str, metrics: tuple = RETIRED) -> list:
    """Numbers of a sample, or the reasons why there are none."""
    found = parsed(name, metrics).values()
    return [one.why if one.value is None else one.value for one in found]


# --- real outputs -------------------------------------------------------------------------------


def test_x86() -> None:
    assert values("x86-spr.json") == [48433482, 38620409, 7369473, 54747]


def test_cortex_a53() -> None:
    assert values("a53-derived.json", ("branches", "branch-misses")) == [2308457, 459550]


def test_cortex_a72_has_no_branches() -> None:
    found = values("a72-derived.json")
    assert found == ["not counted", 3801323, "not supported", 24532]  # cycles: not in the source


def test_cortex_a76() -> None:
    found = parsed("a76-derived.json", ("cycles", "instructions"))
    assert round(found["instructions"].value / found["cycles"].value, 2) == 0.22


def test_multiplexed_numbers_are_left_out(board: Path) -> None:
    found = values("multiplexed.json", ("task-clock", "cycles"))
    assert found == [1_397_967, "multiplexed"]
    (board / "nmi_watchdog").write_text("1\n")
    assert values("multiplexed.json", ("cycles",)) == [f"multiplexed: {perf_stat.WATCHDOG}"]


def test_two_kinds_of_core_are_not_added() -> None:
    found = values("x86-hybrid.json", ("cycles", "instructions", "branches"))
    assert found == [f"not counted: {perf_stat.PIN}"] * 2 + ["not counted"]


def test_nothing_is_supported() -> None:
    found = values("vm-live.json", ("cycles", "task-clock", "cache-references", "cache-misses"))
    assert found == ["not supported", 643_481, "not supported", "not counted"]


def test_an_idle_kind_of_core_and_other_names() -> None:
    found = values("synthetic-not-counted.json", ("cycles", "instructions", "branches"))
    assert found == ["not counted", 4000, 12]


def test_zero_is_a_number_when_perf_counted_it() -> None:
    assert values("synthetic-nan.json", ("branches", "branch-misses")) == [0, 0]


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.json")))
def test_a_sample_is_named_and_a_line_cut_short_is_a_fault(name: str) -> None:
    assert name in (SAMPLES / "README.md").read_text()
    text = (SAMPLES / name).read_text()
    numbers = [line for line in text.splitlines() if line.startswith("{")]
    with pytest.raises(Failure, match="not a whole line"):
        perf_stat.parse(numbers[0][:20], ())


@pytest.mark.parametrize(
    ("event", "metric"),
    [
        ("cycles:u", "cycles"),
        ("armv8_cortex_a76/cycles/u", "cycles"),
        ("armv8_cortex_a55/instructions:u/", "instructions"),
        ("cpu-cycles:u", "cycles"),
    ],
)
def test_names_of_events(event: str, metric: str) -> None:
    assert perf_stat.metric(event) == metric


@pytest.mark.parametrize(
    ("said", "level", "why"),
    [
        (REFUSED, "3\n", f"not permitted: {perf_stat.PERMIT}"),
        ("No permission to enable cycles:u event.", "2", f"not permitted: {perf_stat.CONTAINER}"),
        ("syscall returned with 38 (Function not implemented)", "2", "not supported"),
        ("WARNING: perf not found for kernel 6.8, no", "2",
         "not available: WARNING: perf not found for kernel 6.8; no"),
        ("Permission denied", "", f"not permitted: {perf_stat.PERMIT}"),  # /proc is hidden
        ("Error:\n\n", "2", "not available: perf says nothing"),
    ],
)  # fmt: skip
def test_why_perf_refuses(board: Path, said: str, level: str, why: str) -> None:
    (board / "perf_event_paranoid").write_text(level)
    assert perf_stat.refusal(said) == Value(None, why)


# --- a fake perf: one that counts what a fake program says it does ------------------------------


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a perf on PATH."""
    fake_perf.install(tmp_path, monkeypatch)
    return tmp_path


def runs(fake: Path) -> list:
    """Two runs that are 40 apart."""
    return [[str(fake / "program"), "2"], [str(fake / "program"), "42"]]


def test_start_up_cancels(fake: Path) -> None:
    found = perf_stat.samples(runs(fake), repeats=2)
    by_metric: dict = {}
    for metric, value, unit, repeat in found:
        by_metric.setdefault(metric, []).append((value, unit, repeat))
    assert by_metric.pop("branches") == [(None, "not supported", 0)]  # once, with its reason
    assert by_metric.pop("task-clock") == [(40_000_000, "ns", repeat) for repeat in range(4)]
    assert by_metric.pop("cycles") == [(40_001, "cycles", repeat) for repeat in range(4)]
    assert by_metric.pop("instructions") == [(400, "instructions", n) for n in range(4)]
    assert by_metric.pop("branch-misses") == [(400, "instructions", n) for n in (0, 2)]
    assert by_metric.pop("cache-references") == [(400, "accesses", n) for n in (1, 3)]
    assert by_metric.pop("cache-misses") == [(400, "accesses", n) for n in (1, 3)] and not by_metric


def test_groups_do_not_multiplex() -> None:
    """Three counters beside the cycle counter; the smallest ARMv7 core here, the A7, has four."""
    for group in perf_stat.GROUPS:
        assert len(set(group) - {"task-clock", "cycles"}) <= 3
    assert set().union(*perf_stat.GROUPS) == set(perf_stat.UNITS)


def test_what_is_not_permitted_is_asked_once(fake: Path) -> None:
    shutil.copy(SAMPLES / "vm-live-refused.txt", fake / "refuse")
    found = perf_stat.samples(runs(fake))
    assert sorted(row[0] for row in found) == sorted(perf_stat.UNITS)
    assert all(row[1:3] == [None, f"not permitted: {perf_stat.PERMIT}"] for row in found)


def test_no_perf(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake / "perf").unlink()
    monkeypatch.setenv("PATH", str(fake))
    found = perf_stat.samples(runs(fake))
    assert sorted(row[0] for row in found) == sorted(perf_stat.UNITS)
    assert {row[2] for row in found} == {f"not available: {perf_stat.INSTALL}"}


def test_a_perf_without_json_is_too_old(fake: Path) -> None:
    (fake / "refuse").write_text("  Error: unknown switch `j'\n\n Usage: perf stat\n")
    found = perf_stat.stat(runs(fake)[0], ["cycles"])
    assert found["cycles"].why.startswith("not available: this perf is too old")


def test_a_program_that_fails_is_one_line(fake: Path) -> None:
    with pytest.raises(Failure, match="^wrong digit$"):
        perf_stat.stat([str(fake / "program"), "900"], ["cycles"])


def test_a_program_that_hangs(fake: Path) -> None:
    (fake / "perf").write_text("#!/bin/sh\nexec sleep 300\n")
    with pytest.raises(Failure, match="0.2 s"):
        perf_stat.stat(runs(fake)[0], ["cycles"], timeout=0.2)


def test_a_time_that_the_board_spoilt_is_marked(fake: Path) -> None:
    (fake / "vcgencmd").write_text("#!/bin/sh\necho throttled=0x4\n")
    (fake / "vcgencmd").chmod(0o755)
    found = perf_stat.sample(runs(fake), ["task-clock", "cycles"])
    assert found == {"task-clock_tainted": Value(40_000_000), "cycles": Value(40_001)}
    assert perf_stat.samples(runs(fake), repeats=1)[-1][:3] == [
        "task-clock_tainted", 40_000_000, "ns"]  # fmt: skip


# --- live ---------------------------------------------------------------------------------------


@needs("perf")
def test_live() -> None:
    found = perf_stat.stat(["true"], perf_stat.GROUPS[0])
    assert list(found) == list(perf_stat.GROUPS[0])
    for one in found.values():
        assert (one.value is None) == one.why.startswith(ABSENT)
        assert one.value is None or one.value > 0
    if not any(Path("/sys/bus/event_source/devices").glob("[ac][rp][mu]*")):
        assert found["cycles"].why.startswith(ABSENT)


@needs("perf")
def test_live_hanging_program_is_ended(tmp_path: Path) -> None:
    script = 'echo $$ >"$1"; exec sleep 30'
    with pytest.raises(Failure, match="not finished"):
        perf_stat.stat(
            ["sh", "-c", script, "sh", str(tmp_path / "pid")], ["task-clock"], timeout=0.3
        )
    time.sleep(0.1)
    stat = Path("/proc", (tmp_path / "pid").read_text().strip(), "stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"


@needs("perf")
def test_live_difference_is_the_work(board: Path) -> None:
    """A shell loop of 20 times the work takes more time; the processor's clock is always there."""
    loop = "i=0; while [ $i -lt $1 ]; do i=$((i + 1)); done"
    one, many = (["sh", "-c", loop, "sh", str(n)] for n in (1000, 200_000))
    clock = [perf_stat.sample((one, many), ["task-clock"])["task-clock"] for _ in range(3)]
    if clock[0].value is None:
        pytest.skip(clock[0].why)
    assert statistics.median(one.value for one in clock) > 10_000_000


@needs("perf", "root", "setpriv")
def test_live_refusal(board: Path) -> None:
    """Kernel time, which a user without rights may not count at level 2."""
    if Path("/proc/sys/kernel/perf_event_paranoid").read_text() < "2":
        pytest.skip("this kernel permits it")
    user = ["setpriv", "--reuid=65534", "--clear-groups"]
    command = [*user, "perf", "stat", "-j", "-a", "-e", "task-clock", "--", "true"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert perf_stat.refusal(said.stderr).why.startswith("not permitted: ")
