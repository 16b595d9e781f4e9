"""The second counter: the same rows as the plugin's, and its faults."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from clone import Clone
from counter_build import ARM, HARNESS, plugin, run, selftest, unicorn

from harness.count import counters, counts, qemu
from harness.count.unicorn import engine as unicorn_engine
from harness.count.unicorn import selftest as unicorn_selftest
from harness.count.unicorn.program import count_calls
from harness.count.unicorn.tally import Hooks, Trials
from harness.exchange import validate
from harness.operands import Call, command, power, product, results, text
from records import ladder, workload
from records.faults import Failure
from records.rows import read_rows

TABLE = HARNESS / "count/plugin" / "selftest.txt"
LEVELS = ("O0", "O1", "O3")
RUNGS = [s.name for s in ladder.snapshots()]
QUICK = set(zip(RUNGS, itertools.cycle(LEVELS)))  # a cell of each rung
CELLS = [
    pytest.param(*cell, marks=() if cell in QUICK else pytest.mark.long)
    for cell in itertools.product(RUNGS, LEVELS)
]

N = 0xE6DB68BF63912835A8C691CD9A60EB5F
X = 0x2A0D164047A5BA94D83ADB0E06747469
PRODUCT = product(N, X, N - X, 128)
POWER = power(N, X, 0xB6D5)

needs_unicorn = pytest.mark.skipif(
    bool(unicorn_engine.why_unsupported()), reason=unicorn_engine.why_unsupported() or "supported"
)
needs_both = pytest.mark.skipif(
    bool(unicorn_engine.why_unsupported() or qemu.why_unsupported()),
    reason="one of the two counters does not work here",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with unicorn.so, count.so, and files of the two calls."""
    folder = tmp_path_factory.mktemp("unicorn")
    unicorn(folder)
    plugin(folder)
    for call in (PRODUCT, POWER):
        (folder / call.function).write_text(text([call], 128))
    return folder


def by_unicorn(
    program: Path, args: list[str], built: Path, out: Path, timeout: float | None = None
) -> list[counts.Row]:
    """Counts in a process of its own, as in a collection."""
    hooks = built / "unicorn.so"
    return counters.count_with_unicorn(program, args, 128, out, timeout, hooks=hooks)


# ---- The same as the plugin ----


@needs_both
@pytest.mark.parametrize(("rung", "level"), CELLS)
def test_counts_are_those_of_the_plugin(
    built: Path, tmp_path: Path, measured: Clone, rung: str, level: str
) -> None:
    """Of every instruction: executions, branches taken, accesses, to the byte of the raw file."""
    program = measured.path / "build" / "iterations" / rung / level / "rsa"
    for call in (PRODUCT, POWER):
        args = ["call", str(built / call.function)]
        files = tmp_path / "plugin", tmp_path / "unicorn"
        want = qemu.count(program, args, plugin=built / "count.so", out=files[0], predict=True)
        have = by_unicorn(program, args, built, files[1])
        assert counts.by_symbol(have, program) == counts.by_symbol(want, program)
        assert have == want
        for file in files:
            assert results(counts.results_of(file).read_text()) == [call.z]
        assert files[0].read_bytes() == files[1].read_bytes()


@needs_unicorn
@pytest.mark.parametrize(
    ("rung", "level"), [("v3", "O1"), ("v6", "O3"), ("v7", "O0"), ("v8", "O1")]
)
def test_watching_every_access_changes_nothing(
    built: Path, measured: Clone, rung: str, level: str
) -> None:
    program = measured.path / "build" / "iterations" / rung / level / "rsa"
    hooks = built / "unicorn.so"
    fast = count_calls(program, [PRODUCT, POWER], hooks=hooks)
    slow = count_calls(program, [PRODUCT, POWER], hooks=hooks, watch=True)
    assert fast == slow


@needs_unicorn
def test_selftest_passes(built: Path) -> None:
    """The table of the plugin's self-test, to the unit, and every kind of memory instruction."""
    values = unicorn_selftest.check(selftest(built), TABLE, hooks=built / "unicorn.so")
    assert values > 150 + 30


@needs_unicorn
def test_a_row_of_a_table_of_large_rows_is_tried(built: Path) -> None:
    with Trials(Hooks(built / "unicorn.so")) as trials:
        assert trials.accesses(0xE79E0282) == (1, 0)  # ldr r0, [lr, r2, lsl #5]
        assert trials.accesses(0xE79E0402) == (1, 0)  # lsl #8


@needs_unicorn
def test_wrong_expectation_fails(built: Path, tmp_path: Path) -> None:
    wrong, line = tmp_path / "wrong.txt", "st_neon       load_accesses"
    text = TABLE.read_text()
    assert text.count(line) == 1
    wrong.write_text(text.replace(line, line + " 99 #"))
    with pytest.raises(Failure, match="st_neon load_accesses"):
        unicorn_selftest.check(selftest(built), wrong, hooks=built / "unicorn.so")


@needs_unicorn
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("RETURN_ENTRIES = 3", "RETURN_ENTRIES = 2"),
        ("wrong = pop(p) != next", "wrong = false"),
        ("t->next - 4, last->branch", "t->next, last->branch"),
        ("last->part, p->part);", "last->part, last->part);"),
    ],
)
def test_selftest_finds_another_predictor(tmp_path: Path, right: str, wrong: str) -> None:
    altered = unicorn(tmp_path, (right, wrong))
    with pytest.raises(Failure, match=counts.SIMULATED):
        unicorn_selftest.check(selftest(tmp_path), TABLE, hooks=altered)


@needs_both
def test_branches_by_hand_are_mispredicted_as_in_the_plugin(
    built: Path, tmp_path: Path, measured: Clone
) -> None:
    """The bit-serial assembly branches on random bits, two branches a round."""
    words = {"plugin": built / "count.so", "out": tmp_path / "plugin", "predict": True}
    programs = [f"build/studies/alone/bit-serial-assembly/{level}/rsa" for level in LEVELS]
    assert measured.make(*programs).returncode == 0
    for program in (measured.path / name for name in programs):
        args = ["call", str(built / POWER.function)]
        want = qemu.count(program, args, **words)
        assert by_unicorn(program, args, built, tmp_path / "unicorn") == want
        total = counts.by_symbol(want, program)["total"]
        assert total["branches"] / 4 < total[counts.SIMULATED] < total["branches"]


@needs_both
def test_small_workload_is_that_of_the_plugin(
    built: Path, tmp_path: Path, measured: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(measured.path)
    folder = measured.path / "build" / "iterations" / "v8" / "O3"
    for task in workload.tasks(Path("data/inputs/width-128"), "small"):
        args = command(task.arguments, 128)
        rows = by_unicorn(folder / "rsa", args, built, tmp_path / "counts")
        if task.case not in workload.PREDICTED:
            rows = [replace(row, mispredicted=0) for row in rows]
        assert rows == counts.read_rows(folder / f"{task.case}.{task.part}.tsv", folder / "rsa")


# ---- The run-time ----

RUN_TIME = """
#include <string.h>
#define SNAPSHOT __attribute__((section("snapshot_text"), noinline, noclone))
#define HARNESS __attribute__((section("harness_text"), noinline, noclone))
typedef unsigned int word;
static _Alignas(16) word from[1024], to[1024];
volatile unsigned long long big = 1000000007ull * 999999937ull, small = 999999937;
SNAPSHOT void mont_mul(word *z, const word *x, const word *y, const void *m)
{
    (void)y, (void)m;
    memcpy(to, from, sizeof to);
    for (int i = 0; i < 4; i++)
        z[i] = x[i] + (word)(big / small) - 1000000007;
}
static _Alignas(16) word number[4];
HARNESS int main(void)
{
    mont_mul(number, number, number, 0);
    return 0;
}
"""


def arm_program(folder: Path, text: str) -> Path:
    (folder / "program.c").write_text(text)
    run(*ARM, "-O1", "-fno-builtin", folder / "program.c", "-o", folder / "program")
    return folder / "program"


@needs_both
def test_run_time_is_counted_where_it_is_called(built: Path, tmp_path: Path) -> None:
    """Thumb code of the C library, memcpy being chosen for the processor before main."""
    program = arm_program(tmp_path, RUN_TIME)
    want = counts.by_symbol(
        qemu.count(program, plugin=built / "count.so", out=tmp_path / "counts", predict=True),
        program,
    )
    call = Call("mont_mul", 3, 5, 5, 5)
    found = count_calls(program, [call], hooks=built / "unicorn.so")
    have = counts.by_symbol(found.rows, program)
    assert found.results == [5]
    assert have == want
    assert any("cpy" in symbol for symbol in have) and any("div" in symbol for symbol in have)


# ---- Faults ----


@needs_unicorn
@pytest.mark.parametrize(
    ("body", "call", "said"),
    [
        ("*(volatile word *)16 = x[0];", Call("mont_mul", 3, 1, 1, 2), "stopped at 0x"),
        ('__asm__("svc #0");', Call("mont_mul", 3, 1, 1, 2), "stopped at 0x.* exception"),
        (
            "static const word code = 0xe12fff1e; ((void (*)(void))&code)();",
            Call("mont_mul", 3, 1, 1, 2),
            "stopped at 0x.*non-executable",
        ),
        ("z[0] = x[0];", Call("mod_exp", 3, 1, 1, 2), "no function mod_exp"),
    ],
)
def test_bad_program_is_one_line(
    built: Path, tmp_path: Path, body: str, call: Call, said: str
) -> None:
    before, _, rest = RUN_TIME.partition("    memcpy")
    program = arm_program(tmp_path, before + body + rest[rest.index("}\n") :])
    with pytest.raises(Failure, match=said) as fault:
        count_calls(program, [call], hooks=built / "unicorn.so")
    assert "\n" not in str(fault.value)


@needs_unicorn
def test_program_that_hangs_is_ended(built: Path, tmp_path: Path) -> None:
    before, _, rest = RUN_TIME.partition("    memcpy")
    program = arm_program(tmp_path, before + "for (;;);" + rest[rest.index("}\n") :])
    (tmp_path / "calls").write_text(text([Call("mont_mul", 3, 1, 1, 1)], 128))
    with pytest.raises(Failure, match="0.5 s"):
        args = ["call", str(tmp_path / "calls")]
        by_unicorn(program, args, built, tmp_path / "counts", timeout=0.5)


@pytest.fixture
def without_unicorn(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has neither the package nor the library."""
    monkeypatch.setattr(unicorn_engine, "find_spec", lambda name: None)
    monkeypatch.setattr(unicorn_engine.ctypes.util, "find_library", lambda name: None)
    monkeypatch.setattr(unicorn_engine, "VENV", Path("/nonexistent"))
    unicorn_engine.library.cache_clear()
    yield
    unicorn_engine.library.cache_clear()


def test_missing_unicorn_says_how_to_get_it(without_unicorn: None) -> None:
    reason = unicorn_engine.why_unsupported()
    assert "libunicorn2" in reason and "make venv" in reason and "\n" not in reason
    with pytest.raises(ValueError, match="COUNTER=unicorn.*not installed"):
        counters.choose("unicorn")


def test_missing_hooks_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="^no counts: .*unicorn.so"):
        Hooks(tmp_path / "unicorn.so")


# ---- Which of the two ----


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says which backends work here."""

    def say(*names: str) -> None:
        for name, made in list(counters.COUNTERS.items()):
            reason = "" if name in names else f"{name} is not there"
            changed = replace(made, why_unsupported=lambda reason=reason: reason)
            monkeypatch.setitem(counters.COUNTERS, name, changed)

    return say


def test_plugin_comes_first_then_unicorn_then_none(working: Callable[..., None]) -> None:
    working("plugin", "unicorn")
    assert counters.choose()[0].name == "plugin"
    assert counters.choose("unicorn")[0].name == "unicorn"
    working("unicorn")
    assert counters.choose()[0].name == "unicorn"
    with pytest.raises(ValueError, match="COUNTER=plugin"):
        counters.choose("plugin")
    working()
    assert counters.choose() == (None, "no counts: plugin is not there; unicorn is not there")
    with pytest.raises(ValueError, match="COUNTER=both"):
        counters.choose("both")


@needs_both
def test_make_gives_the_same_results_with_either(measured: Clone, tmp_path: Path) -> None:
    copy = measured.copy(tmp_path / "copy")
    if not (copy.path / ".venv").exists():
        (copy.path / ".venv").symlink_to(HARNESS.parent / ".venv")
    assert copy.make("v8", "COUNTER=plugin", "MESSAGES=default").returncode == 0
    for kept in copy.path.glob("build/iterations/v8/*/*.json"):
        kept.unlink()
    files = [copy.path / "results" / "local" / name for name in ("counts.csv", "lines.csv")]
    before = [file.read_bytes() for file in files]
    machine = files[0].with_name("machine.json")
    ran = copy.make("v8", "COUNTER=unicorn", "MESSAGES=default")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert [file.read_bytes() for file in files] == before
    assert json.loads(machine.read_text())["counter"] == "plugin and unicorn"

    full = read_rows(files[0])
    ran = copy.make("v8", "COUNTER=unicorn", "MESSAGES=")  # nothing asked: the small workload
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert json.loads(machine.read_text())["messages"] == "small"
    assert "MESSAGES=default" in ran.stdout
    rows = read_rows(files[0])
    assert rows == full  # what was counted before stays
    assert "roundtrip-small" in {row["case"] for row in read_rows(files[1])}
    (total,) = (
        f"{row['value'] / row['n']:,.0f}"
        for row in rows
        if (row["snapshot"], row["level"], row["case"]) == ("v8", "O3", "roundtrip-small")
        and (row["metric"], row["symbol"]) == ("instructions", "total")
    )
    assert total in ran.stdout  # the table's number
    assert validate.validate(machine.parent) == []
