"""Whatever ends a collection, and whenever, what was measured stays."""

import os
import random
import shutil
import signal
import time

import pytest
from clone import Clone
from collecting import forget, half_written, kept, refused, results, run, start


@pytest.mark.parametrize("times", [4, pytest.param(50, marks=pytest.mark.long)])
def test_killed_at_any_moment(copy: Clone, times: int) -> None:
    """At most what is at work is lost: what was kept stays as it is, and results are the old ones
    or the new ones, whole."""
    moments, truth = random.Random(times), results(copy)
    before = truth["counts.csv"].splitlines(keepends=True)
    old = b"".join(line for line in before if b",v8," not in line)
    begun = time.monotonic()
    forget(copy, "v7", "v8")
    assert run(copy).returncode == 0
    longest, everything = time.monotonic() - begun, len(kept(copy))
    for _ in range(times):
        survivors = kept(copy)
        if len(survivors) == everything:
            forget(copy, "v7", "v8")
            (copy.path / "results/local/counts.csv").write_bytes(old)
            survivors = {}
        process = start(copy)
        time.sleep(moments.uniform(0, longest / 2))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert survivors.items() <= kept(copy).items()
        assert results(copy)["counts.csv"] in (old, truth["counts.csv"])
    survivors = kept(copy)
    assert run(copy).returncode == 0
    assert survivors.items() <= kept(copy).items() and len(kept(copy)) == everything
    assert results(copy) == truth and half_written(copy) == []


def test_killed_while_building(copy: Clone) -> None:
    moments, truth = random.Random(31), results(copy)
    for _ in range(3):
        shutil.rmtree(copy.path / "build/iterations/v8", ignore_errors=True)
        shutil.rmtree(copy.path / "build/harness", ignore_errors=True)
        process = start(copy, "make", "v8")
        time.sleep(moments.uniform(0.3, 1.8))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        ran = copy.make("v8")
        assert ran.returncode == 0, ran.stderr
        assert results(copy)["counts.csv"] == truth["counts.csv"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted(copy: Clone, number: int) -> None:
    """The programs at work end, too, though the signal went to one process only."""
    forget(copy, "v7", "v8")
    truth, process = results(copy), start(copy)
    while not (kept(copy) or process.poll() is not None):
        time.sleep(0.01)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + number and "Traceback" not in said
    assert "interrupted" in said
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    survivors = kept(copy)
    assert survivors and run(copy).returncode == 0
    assert survivors.items() <= kept(copy).items() and results(copy) == truth


def test_two_runs_at_once(copy: Clone) -> None:
    forget(copy, "v7", "v8")
    first = start(copy, "make", "v7", "v8")
    lock = copy.path / "build/collect.lock"
    lock.unlink()
    while not (lock.exists() and lock.read_text()):
        time.sleep(0.01)
    second = run(copy, "make", "v8")
    out, said = first.communicate(timeout=600)
    assert first.returncode == 0, said  # v7 and v8 of one make: one after the other
    holder = r"process \d+, since \d{4}-\d\d-\d\d"
    refused(second, holder)


def test_the_lock_ends_with_its_process(copy: Clone) -> None:
    forget(copy, "v7")
    process = start(copy)
    while len(list(copy.path.glob("build/iterations/v7/O?/*.json"))) == 0:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert run(copy).returncode == 0


def test_one_rung_after_make_clean_leaves_the_others(copy: Clone) -> None:
    truth = results(copy)
    assert copy.make("clean").returncode == 0
    ran = copy.make("v8")
    assert ran.returncode == 0, ran.stderr
    assert results(copy) == truth and b",v7," in truth["counts.csv"]


def test_an_older_file_of_other_contents_is_built(copy: Clone) -> None:
    """And an equal one of a later date is not counted again."""
    truth, before = results(copy), kept(copy)
    source = copy.path / "iterations/v8/rsa.c"
    text = source.read_text()
    os.utime(source)
    assert copy.make("v8").returncode == 0 and kept(copy) == before
    source.write_text(text.replace("mont_mul(p, x, m->rr, m);", "mont_mul(p, m->rr, x, m);"))
    os.utime(source, (0, 0))
    refused(run(copy), "v8/O.: not checked")
    ran = copy.make("v8")
    assert ran.returncode == 0 and "COUNT   v8 O1" in ran.stdout, ran.stderr
    source.write_text(text)
    os.utime(source, (0, 0))
    assert copy.make("v8").returncode == 0
    assert results(copy)["counts.csv"] == truth["counts.csv"]
