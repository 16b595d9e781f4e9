"""The two counters: their self-test, what they take for inside, that they
agree, their faults."""

import itertools
import json
import shutil
import subprocess
from collections import Counter as Sum
from collections import defaultdict
from pathlib import Path

import pytest
from clone import Clone
from counter_build import ARM, HARNESS, class_names, library, run, selftest
from needs import working_counters
from representatives import mostly_long

from harness import counters, counts, executed, kinds
from harness.counters import Counter, results_of
from harness.operands import Call, command, results, text, write
from records import ladder, workloads
from records.faults import Failure
from records.ladder import ROOT
from records.settings import CLASS_TABLE
from records.typed import read_table

TABLE = HARNESS / "plugin" / "selftest.txt"
WORKING = working_counters()
needs_plugin = pytest.mark.skipif(
    "plugin" not in WORKING, reason=counters.no_plugins() or "there"
)
needs_unicorn = pytest.mark.skipif(
    "unicorn" not in WORKING, reason=counters.no_unicorn() or "there"
)
needs_both = pytest.mark.skipif(
    len(WORKING) < 2, reason="one of the two counters is not here"
)


@pytest.fixture(scope="module")
def using(built: Path) -> dict[str, Counter]:
    """Both counters by name."""
    return {
        name: Counter(name, built / path.name) for name, path in counters.PLACES.items()
    }


@pytest.fixture(scope="module")
def program(built: Path) -> Path:
    """The self-test."""
    return selftest(built)


# ---- The self-test ----


@pytest.mark.parametrize("name", WORKING)
def test_selftest_passes(using: dict, program: Path, tmp_path: Path, name: str) -> None:
    assert using[name].selftest(program, TABLE) > 180
    wrong, line = tmp_path / "wrong.txt", "st_memory     load_accesses         19"
    wrong.write_text(TABLE.read_text().replace(line, "st_memory load_accesses 20"))
    with pytest.raises(
        Failure, match="st_memory load_accesses: counted 19, expected 20"
    ):
        using[name].selftest(program, wrong)
    named = {metric for _, metric in counters.read_expected(TABLE)}
    assert {f"class_{name}" for name in class_names()} == {
        m for m in named if m[:6] == "class_"
    }
    assert set(counts.METRICS) <= named


def test_every_class_has_a_kind_and_every_kind_a_colour() -> None:
    """A class without a kind is a fault of results that have it, and a kind without a colour would
    not be drawn.  Thumb code is of the run-time."""
    kind_of = {row["class"]: row["kind"] for row in CLASS_TABLE}
    assert set(kind_of) == {*class_names(), "run-time"}
    looks = read_table(ROOT / "rsalab/charts/looks.csv")
    coloured = {row["name"] for row in looks if row["of"] == "kind"}
    assert coloured == set(kind_of.values())


INLINE = "|jumps where its code"
PREDICTED = ".*" + counts.SIMULATED
ONE_WAY = "&insn->inline_3, 1", "&insn->inline_3, 0"
PLANTED = {  # what is right, what takes its place, ..., what the self-test says
    "plugin": [
        (" WRITES, ADD_U64, &insn->inline_2", " READS, ADD_U64, &insn->inline_2", *ONE_WAY,
         "st_.* (load|store)_accesses: counted 0,"),
        ("branch->executions - by_it", "by_it", INLINE),
        ("opcode & 0xffff)", "opcode & 0x7fff)", INLINE),
        ("        return 2; /* ldrd", "        return 1; /* ldrd", INLINE),
        ("RETURN_ENTRIES = 3", "RETURN_ENTRIES = 4", "st_returns"),
        ("address / 4 % BTAC", "address / 8 % BTAC", "st_alias"),
        ("history -= entry->history > 0", "history = 0", "st_history"),
        ("opcode >> 28 >= 14 || (", "false || (", "st_c"),
        ("        pop(p);", "        (void)p;", "st_call"),
    ],
    "unicorn": [
        ("RETURN_ENTRIES = 3", "RETURN_ENTRIES = 2", PREDICTED),
        ("last->part, p->part);", "last->part, last->part);", PREDICTED),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_selftest_finds_each_fault(program: Path, tmp_path: Path, name: str) -> None:
    if name not in WORKING:
        pytest.skip(f"no {name} here")
    for number, (*texts, where) in enumerate(PLANTED[name]):
        folder = tmp_path / str(number)
        folder.mkdir()
        made = library(name, folder, *zip(texts[::2], texts[1::2]))
        with pytest.raises(Failure, match=f"^self-test: ({where})"):
            Counter(name, made).selftest(program, TABLE)


# ---- The same rows from both ----

LEVELS = ("O0", "O1", "O3")
QUICK = {
    (ladder.LADDER, "v0", "O0"),
    (ladder.LADDER, "v3", "O3"),
    (ladder.LADDER, "v8", "O1"),
    ("width-64", "v2", "O1"),
    ("alone", "bit-serial-assembly", "O1"),  # two branches a round, on random bits
}
STUDIES = (ladder.LADDER, *ladder.studies())


@needs_both
@pytest.mark.parametrize("asked", mostly_long(["quick", *STUDIES], ["quick"]))
def test_counters_agree(
    measured: Clone, using: dict, tmp_path, monkeypatch, asked: str
) -> None:
    """Executions, branches, accesses of every instruction, which the plugin
    counts inline as it does by call-backs: of two calls or, where there is
    time, of the whole small workload."""
    monkeypatch.chdir(measured.path)
    every = itertools.product(STUDIES if asked == "quick" else [asked], LEVELS)
    cells = {
        Path("build", snapshot.path.relative_to(ladder.ROOT), level, "rsa"): snapshot
        for study, level in every
        for snapshot in ladder.snapshots(study)
        if asked != "quick" or (study, snapshot.name, level) in QUICK
    }
    assert measured.make(*map(str, cells)).returncode == 0
    differ = []
    for program, snapshot in cells.items():
        width = snapshot.width
        if asked == "quick":
            drawn = [
                *kinds.calls("mont_mul", width, "", 2),
                next(kinds.calls("mod_exp", width)),
            ]
            calls = write(tmp_path / "calls", drawn, width)
            todo = [["call", str(calls)]]
        else:
            runs = workloads.runs(Path(f"data/inputs/width-{width}"), "small")
            todo = [command(run.arguments, width) for run in runs]
        agree = [same(using, program, words, width, tmp_path) for words in todo]
        differ += [program] * (not all(agree))
    assert cells and differ == []


def same(
    using: dict, program: Path, words: list[str], width: int, folder: Path
) -> bool:
    """Whether rows, files and results of a run are the same of both."""
    files, how = (
        (folder / "plugin", folder / "unicorn"),
        {"args": words, "width": width},
    )
    inline = using["plugin"].count(program, out=files[0], **how)
    slowly = using["plugin"].count(program, out=files[0], predict=True, **how)
    other = using["unicorn"].count(program, out=files[1], **how)
    text, same_text = (file.read_bytes() for file in files)
    z, same_z = (results(results_of(file).read_text()) for file in files)
    without = [row._replace(mispredicted=0) for row in slowly]
    return (inline, slowly, text, z) == (without, other, same_text, same_z)


# ---- Programs of a few lines ----

PROGRAM = """
        .syntax unified
        .section snapshot_text, "ax", %progbits
        .arm
        .global work
        .type   work, %function
work:
{body}
        bx      lr
        .size   work, . - work
        .section harness_text, "ax", %progbits
        .global _start
_start: bl      work
        mov     r0, #{status}
        mov     r7, #1
        svc     #0
"""


DATA = ".pushsection .rodata\n hidden: .word 0xe1a0f00e\n .popsection\n"
AWAY = "b 2f\n3: bx lr\n2: adr lr, 1f\n b 3b\n"
REFUSED = {
    "Thumb": (
        "mov r4, lr\nblx 1f\n bx r4\n .thumb\n .balign 4\n1: ldr.w r0, [sp]\n bx lr\n .balign 4\n"
        " .arm\n",
        "-marm",
    ),
    "constants": (
        f"mov r4, lr\n ldr r0, =hidden\n blx r0\n bx r4\n{DATA}.ltorg\n",
        "signal 11",
    ),
    "system call": (
        "mov r7, #20\n svc #0\n",
        "the snapshot asks the system or the emulator",
    ),
    "hidden jump": (  # a return to where no call stands before: flow would give wrong branches
        f"mov r4, lr\n mov r0, #3\n {AWAY}1: subs r0, r0, #1\n bne 2b\n mov lr, r4\n",
        "jumps where its code does not say",
    ),
    "status": ("nop", "status 3"),
}


@needs_plugin
def test_only_the_code_of_the_snapshot_runs(using: dict, tmp_path: Path) -> None:
    source, program = tmp_path / "work.S", tmp_path / "work"
    for name, (body, said) in REFUSED.items():
        source.write_text(PROGRAM.format(body=body, status=3 * (name == "status")))
        run(*ARM, "-nostdlib", source, "-o", program)
        with pytest.raises(Failure, match=said):
            using["plugin"].count(program, out=tmp_path / "counts")


# The run-time: Thumb code of the C library, memcpy being chosen for the processor before main.
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
HARNESS int main(int argc, char **argv)
{
    (void)argv;
    memset(from, argc, sizeof from);
    mont_mul(number, number, number, 0);
    register int exit __asm__("r7") = 1, status __asm__("r0") = 0;
    __asm__ volatile("svc #0" : : "r"(exit), "r"(status));
    return 0;
}
"""


def arm_program(folder: Path, text: str) -> Path:
    (folder / "program.c").write_text(text)
    run(*ARM, "-O1", "-fno-builtin", folder / "program.c", "-o", folder / "program")
    return folder / "program"


def by_symbol(rows: list[executed.Instruction]) -> dict[str, Sum]:
    """Symbol -> metric -> number."""
    table: dict[str, Sum] = defaultdict(Sum)
    for (symbol, metric), number in counts.sums(rows).items():
        table[symbol][metric] = number
    return table


@needs_both
def test_run_time_is_counted_where_it_is_called(using: dict, tmp_path: Path) -> None:
    program = arm_program(tmp_path, RUN_TIME)
    rows = using["plugin"].count(program, out=tmp_path / "counts", predict=True)
    want = by_symbol(rows)
    calls, out = tmp_path / "calls", tmp_path / "counts"
    calls.write_text(text([Call("mont_mul", 7, 5, 5, 5)], 128))
    found = using["unicorn"].count(program, ["call", calls], out=out)
    assert results(results_of(out).read_text()) == [5]
    assert by_symbol(found) == want
    library = {
        s: m for s, m in want.items() if s not in ("total", "snapshot", "mont_mul")
    }
    (copy,) = (m for s, m in library.items() if "cpy" in s)
    assert (
        4096 // 8 <= copy["load_accesses"] <= 4096 // 4 + 64
    )  # one copy of 4096 bytes
    assert any("div" in symbol for symbol in library)
    assert not any("memset" in symbol or symbol == "main" for symbol in library)
    assert want["snapshot"] == want["mont_mul"]
    assert sum([want["snapshot"], *library.values()], Sum()) == +want["total"]


# ---- Faults ----

CODE = "static const word code = 0xe12fff1e; ((void (*)(void))&code)();"
BAD = {
    "*(volatile word *)16 = x[0];": "stopped at 0x",
    '__asm__("svc #0");': "stopped at 0x.* exception",
    CODE: "stopped at 0x.*non-executable",
    "z[0] = x[0];": "no function mod_exp",
    "for (;;);": "no end after 1 s of processor time, its limit",
}


@needs_unicorn
@pytest.mark.parametrize("body", BAD)
def test_bad_program_is_one_line(using: dict, tmp_path: Path, body: str) -> None:
    before, _, rest = RUN_TIME.partition("    memcpy")
    program = arm_program(tmp_path, before + body + rest[rest.index("}\n") :])
    function = "mod_exp" if "mod_exp" in BAD[body] else "mont_mul"
    (tmp_path / "calls").write_text(text([Call(function, 3, 1, 1, 2)], 128))
    late, words = 1 if "for" in body else 0, ["call", str(tmp_path / "calls")]
    with pytest.raises(Failure, match=BAD[body]) as fault:
        using["unicorn"].count(program, words, out=tmp_path / "counts", seconds=late)
    assert "\n" not in str(fault.value)


@needs_unicorn
def test_a_call_that_is_not_as_it_is_written_is_refused(
    using: dict, tmp_path: Path
) -> None:
    """A number is never cut, and nothing else is read as one."""
    program = arm_program(tmp_path, RUN_TIME)
    line = text([Call("mont_mul", 3, 1, 1, 2)], 128)
    *first, y = line.split()
    calls = {
        " ".join([*first, f"1{y}"]): "no number of 32 digits: 1",
        " ".join([*first, y[1:]]): "no number of 32 digits: 0",
        " ".join([*first, f"0x{y[2:]}"]): "no number of 32 digits: 0x",
        " ".join([*first, y, y]): "more words than",
        line.rstrip("\n"): "not a whole line",
    }
    for call, why in calls.items():
        whole = call if "whole" in why else f"{call}\n"
        (tmp_path / "calls").write_text(whole)
        with pytest.raises(Failure, match=why):
            words = ["call", str(tmp_path / "calls")]
            using["unicorn"].count(program, words, out=tmp_path / "counts")


# ---- Which of the two ----


def test_what_is_missing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has neither the package nor the library, nor a
    qemu with plugins."""
    for other in ("/nonexistent", "libc.so.6"):  # without uc_ctl, as version 1
        monkeypatch.setattr(counters, "libunicorn", lambda other=other: other)
        reason = counters.no_unicorn()
        assert (
            "python3-unicorn" in reason and "make venv" in reason and "\n" not in reason
        )
    assert "without plugin support" in counters.no_plugins("echo")
    assert "not installed" in counters.no_plugins("/nonexistent")


CHOICES = (  # what works, COUNTER, what is chosen or said
    ("plugin unicorn", "unicorn", "unicorn"),
    ("unicorn", "", "unicorn"),
    ("", "", "no counts: plugin is not there; unicorn is not there"),
    ("unicorn", "plugin", "no counts: plugin is not there"),
    ("plugin", "none", "no counts: COUNTER=none"),
)


@pytest.mark.parametrize(("working", "wanted", "chosen"), CHOICES)
def test_plugin_comes_first_then_unicorn_then_none(
    monkeypatch, working, wanted, chosen
) -> None:
    def reason(counter: Counter) -> str:
        return "" if counter.name in working.split() else f"{counter.name} is not there"

    monkeypatch.setattr(Counter, "why_unsupported", reason)
    monkeypatch.setenv("COUNTER", wanted)
    try:
        said = counters.chosen().name
    except Failure as why_not:
        said = str(why_not)
    assert said == chosen


@needs_both
def test_make_gives_the_same_results_with_either(
    measured: Clone, tmp_path: Path
) -> None:
    copy = measured.copy(tmp_path / "copy")
    if not (copy.path / ".venv").exists():
        (copy.path / ".venv").symlink_to(HARNESS.parent / ".venv")
    files = [copy.path / "results/local" / name for name in ("counts.csv", "lines.csv")]
    before = [file.read_bytes() for file in files]
    for kept in copy.path.glob("build/iterations/v8/O1/*.tsv"):
        kept.unlink()
    ran = copy.make("v8", "COUNTER=unicorn", "LEVELS=O1")
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    assert [file.read_bytes() for file in files] == before
    facts = json.loads(files[0].with_name("machine.json").read_text())
    assert facts["counter"] == "unicorn" and facts["messages"] == "small"


def test_the_counters_compile_where_a_word_has_32_bits() -> None:
    """As on a Raspberry Pi with a system of 32 bits, where make builds
    them."""
    warn = "-Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror".split()
    gcc = [
        "arm-linux-gnueabihf-gcc",
        "-std=c11",
        "-O2",
        "-fPIC",
        "-fsyntax-only",
        *warn,
    ]
    files = [
        *(ladder.ROOT / "harness/plugin").glob("*.c"),
        ladder.ROOT / "harness/trace.c",
    ]
    for path in (*files, ladder.ROOT / "studies/openssl/operation.c"):
        subprocess.run([*gcc, f"-I{ladder.ROOT}/harness/plugin", path], check=True)


LONG = Path(*("x" * 200 for _ in range(3)))


@pytest.mark.parametrize("name", WORKING)
def test_a_run_counts_the_same_anywhere(
    measured, using, tmp_path, monkeypatch, name
) -> None:
    """Whatever the environment, the path, the user's home and the working
    directory."""
    program, copy = (
        measured.path / "build/iterations/v7/O1/rsa",
        tmp_path / LONG / "program",
    )
    calls, out = tmp_path / "calls", tmp_path / "counts"
    calls.write_text(text([*kinds.calls("mod_exp", 128)][:2], 128))

    def count(program: Path) -> bytes:
        using[name].count(program, ["call", str(calls)], out=out)
        return out.read_bytes()

    first = count(program)
    for size in (1, 2, 1000, 100_000):
        monkeypatch.setenv("PADDING", "x" * size)
        assert count(program) == first, f"{size} bytes of environment"
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    copy.parent.mkdir(parents=True)
    shutil.copy(program, copy)
    assert count(copy) == first, "HOME, locale, a long path"
    monkeypatch.chdir(copy.parent)
    assert count(Path("program")) == first, "another working directory"
