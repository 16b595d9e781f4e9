"""Whatever ends a collection, and whenever: a line names it, and what was
measured stays."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from clone import Clone
from collecting import forget, half_written, kept, refused, results, run, start
from hangs import HANGS, wait_until
from representatives import mostly_long

pytestmark = pytest.mark.slow

# ---- Ends that nobody can foresee ----


def answers(process: "subprocess.Popen[str]") -> bool:
    """Is Python itself under way, so that the command answers signals?  Or has it ended?"""
    if process.poll() is not None:
        return True
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(re.search(r"^SigCgt:\s*(\w+)", status, re.M)[1], 16)
    return bool(caught >> signal.SIGTERM - 1 & 1)


def has_ended(process: "subprocess.Popen[str]") -> bool:
    """Has all of its process group ended?  init may take a while to take it in."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("times", mostly_long([3, 60], [3]))
def test_killed_at_any_moment(copy: Clone, times: int) -> None:
    """At most what is at work is lost: what was kept stays as it is, and
    results are the old ones or the new ones, whole.  Programs that are at
    work end, too, though Ctrl-C goes to one process only; then a line says
    what to do."""
    moments, truth, whole = random.Random(times), results(copy), len(kept(copy))
    old = b"".join(
        line
        for line in truth["counts.csv"].splitlines(keepends=True)
        if b",v8," not in line
    )
    for number in range(times):
        ending = moments.choice(
            (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        )
        building = number % 4 == 3
        if building:
            shutil.rmtree(copy.path / "build/harness", ignore_errors=True)
        if building or len(kept(copy)) == whole:
            forget(copy, "v7", "v8")
            (copy.path / "results/local/counts.csv").write_bytes(old)
        survivors = kept(copy)
        process = start(copy, *(["make", "v7", "v8"] if building else []))
        if not building and ending != signal.SIGKILL:
            wait_until(partial(answers, process), "it answers signals")
        time.sleep(moments.uniform(0, 3))
        if building or ending == signal.SIGKILL:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        elif process.poll() is None:
            os.kill(process.pid, ending)
            _, said = process.communicate(timeout=HANGS)
            assert (
                process.returncode in (0, 128 + ending, -ending)
                and "Traceback" not in said
            )
            assert process.returncode <= 0 or "interrupted" in said
            wait_until(partial(has_ended, process), "its group has ended")
        assert survivors.items() <= kept(copy).items()
        assert results(copy)["counts.csv"] in (old, truth["counts.csv"])
    survivors = kept(copy)
    assert run(copy, "make", "v7", "v8").returncode == 0
    assert survivors.items() <= kept(copy).items() and len(kept(copy)) == whole
    assert (
        results(copy)["counts.csv"] == truth["counts.csv"] and half_written(copy) == []
    )


def test_two_runs_at_once(copy: Clone) -> None:
    """They count at the same time; what they have measured is the same."""
    forget(copy, "v7", "v8")
    before = kept(copy)
    first = start(copy, "make", "v7", "v8")
    second = run(copy, "make", "v8")
    _, said = first.communicate(timeout=HANGS)
    assert first.returncode == second.returncode == 0, said
    assert kept(copy).keys() > before.keys() and not half_written(copy)


# ---- A program that is wrong ----

FAULTS = {
    "crash": "{ volatile uint32_t *volatile nowhere = 0; *nowhere = 1; }",
    "loop": 'for (;;) __asm__ volatile("");',
    "digit": "{ z[0] = z[1] = z[2] = z[3] = 1; return; }",
}


def plant(clone: Clone, condition: str, fault: str) -> None:
    """Puts a fault at the head of v8's mod_exp."""
    source = clone.path / "iterations/v8/rsa.c"
    head = r"(void mod_exp\([^{;]*\{\n)"
    text, n = re.subn(
        head, rf"\g<1>if ({condition}) {FAULTS[fault]}" + "\n", source.read_text()
    )
    assert n == 1
    source.write_text(text)


CHECKED = (
    ("crash", r"CHECK FAILED.*crashed with signal 11, data/\S+.txt:\d+: memory that"),
    ("loop", r"NOT CHECKED.*data/\S+.txt:\d+: no end after 2 s of processor .*LIMIT=8"),
    ("digit", r"CHECK FAILED.*vectors/\w+.txt:\d+: "),
)


@pytest.mark.parametrize(("fault", "words"), mostly_long(CHECKED, CHECKED[2:]))
def test_fault_in_the_check(copy: Clone, fault: str, words: str) -> None:
    truth = results(copy)
    plant(copy, "m->n0inv & 1", fault)
    refused(copy.make("build/iterations/v8/O1/check.ok", "LIMIT=2"), words)
    assert not (copy.path / "build/iterations/v8/O1/check.ok").exists()
    refused(
        run(copy), r"v8/O\d: not checked", r"`make build/iterations/v8/O\d/check.ok`"
    )
    assert results(copy) == truth and not list(copy.path.rglob("*.core"))


COUNTED = (
    ("crash", "signal 11|Invalid memory write"),
    ("loop", "no end after 4 s of processor time, its limit; LIMIT=16"),
    ("digit", r"integers.txt:\d+: mod_exp \(encrypt\): expected"),
)


@pytest.mark.parametrize(("fault", "words"), mostly_long(COUNTED, COUNTED[2:]))
def test_fault_while_counting(copy: Clone, fault: str, words: str) -> None:
    """A fault that no check vector meets: it waits for one of the
    messages."""
    truth = results(copy)
    lines = (
        (copy.path / "data/inputs/width-128/key-full/integers.txt")
        .read_text()
        .splitlines()
    )
    number = int(
        next(line for line in lines if not line.startswith("#")).split()[0], 16
    )
    plant(
        copy,
        f"x[0] == {number % 2**32:#x} && x[1] == {number >> 32 & 0xFFFFFFFF:#x}",
        fault,
    )
    ran = copy.make("v8", "LIMIT=4", "LEVELS=O1")
    refused(ran, "v8/O.*not counted: ", words, "qemu-arm .* call build/calls/")
    assert results(copy) == truth


# ---- What is missing, wrong or damaged ----


def tools_but(folder: Path, missing: str) -> str:
    """A PATH on which a tool is missing."""
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for tool in Path(place).glob("*"):
            link = folder / tool.name
            if tool.name != missing and not os.path.lexists(link):
                link.symlink_to(tool)
    return str(folder)


@pytest.mark.parametrize("tool", ["qemu-arm", "arm-linux-gnueabihf-objdump"])
def test_missing_tool(copy: Clone, tmp_path: Path, tool: str) -> None:
    forget(copy, "v8")
    path = tools_but(tmp_path / "bin", tool)
    refused(run(copy, PATH=path), f"{tool}: not installed", "`make setup`")


def test_a_table_that_is_not_whole_is_named(copy: Clone) -> None:
    path = copy.path / "results/local/counts.csv"
    truth = results(copy)
    path.write_bytes(truth["counts.csv"][:-10])
    refused(run(copy), r"results/local/counts.csv:\d+: not a whole row")
    path.unlink()
    assert run(copy).returncode == 0 and b",v8," in results(copy)["counts.csv"]


def test_corrupted_measurement(copy: Clone) -> None:
    """What is kept of a run is made again when it is not whole."""
    truth, path = (
        results(copy),
        copy.path / "build/iterations/v8/O1/mont_mul.random.tsv",
    )
    text = path.read_text()
    path.write_text(text[:-50])
    ran = run(copy)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert path.read_text() == text and results(copy) == truth


def test_a_wrong_word_is_one_line(copy: Clone) -> None:
    forget(copy, "v8")
    refused(run(copy, LIMIT="1e3"), "LIMIT=1e3")


# ---- What is made again, and what is not ----


def test_a_source_of_a_later_date_is_built_and_an_equal_program_not_counted(
    copy: Clone,
) -> None:
    truth, before = results(copy), kept(copy)
    source = copy.path / "iterations/v8/rsa.c"
    text = source.read_text()
    os.utime(source)
    assert copy.make("v8", "LEVELS=O1").returncode == 0 and kept(copy) == before
    source.write_text(
        text.replace("mont_mul(p, x, m->rr, m);", "mont_mul(p, m->rr, x, m);")
    )
    refused(run(copy), "v8/O.: not checked")
    ran = copy.make("v8", "LEVELS=O1")
    assert ran.returncode == 0 and "COUNT   v8 O1" in ran.stdout, ran.stderr
    source.write_text(text)
    assert copy.make("clean").returncode == 0  # one rung then leaves the others
    assert copy.make("v8").returncode == 0
    assert (
        results(copy)["counts.csv"] == truth["counts.csv"]
        and b",v7," in truth["counts.csv"]
    )
