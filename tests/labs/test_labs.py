"""Exercises: what is right, wrong, slow, crashing or cheating is told so;
predictions; hints."""

import csv
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from handed_in import hand_in
from needs import needs
from one_verdict import by_grade, by_lab, spoilt
from representatives import mostly_long
from two_rungs import make

from harness import kinds
from harness.operands import Call, power
from labs import box, grade, lab, submission
from labs.book import Book, Program, most_changed
from labs.box import Box
from labs.explain import mistakes
from labs.judge import DRAWN, Verdict
from records import faults
from records.faults import Failure
from records.ladder import ROOT
from records.tables import Table

LABS = lab.labs()
QUICK = ("06-word-serial-in-c",)
needs_sandbox = pytest.mark.skipif(
    bool(box.why_no_sandbox()), reason=box.why_no_sandbox()
)


def test_nothing_is_built_for_an_exercise_that_does_not_exist() -> None:
    for number in ("7", "07", "07-first-umaal"):
        assert "snapshot" in make(ROOT, "-nB", "lab", f"L={number}").stdout
    ran = make(ROOT, "lab", "L=77")
    assert ran.returncode == 2 and not ran.stdout
    assert ran.stderr.startswith("lab: L=77: there is no such exercise; there are: 1 2")
    assert make(ROOT, "-nB", "lab", "L=77").stdout.count("\n") == 1


FAULTS = {  # student -> what is said
    "keeping-state": "writable data",
    "splicing": "rsa.c: optimize (3): the level is make's",
    "asking": "(svc, hlt or bkpt)",
    "crashing": "push and pop do not match",
}


def graded(root: Path, checkout: Path, names: tuple[str, ...], *words: str) -> None:
    """Hands in everything for these exercises and compares what they get."""
    statuses = hand_in(root, [one for one in LABS if one.name in names])
    before = os.umask(0o077)  # what is made is its owner's alone
    try:
        words += (f"DIR={root}", "MARK=right=8 slow=4 gain=0.5", "COPIES=allow")
        ran = make(checkout, "grade", *words)
    finally:
        os.umask(before)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "\x1b" not in ran.stdout and "in a sandbox" in ran.stdout
    with (root / grade.GRADES).open() as file:
        rows = {(row["student"], row["lab"]): row for row in csv.DictReader(file)}
    assert {key: row["status"] for key, row in rows.items()} == statuses
    for (student, _), row in rows.items():
        assert bool(row["fault"]) == (row["status"] not in ("right", "missing"))
        if student == "wrong":
            assert row["predicted"] == "1" and row["mark"] == "0"
        said = FAULTS.get(student, "")
        assert row["fault"].startswith(said) or said in row["fault"]
        if student in ("right", "again") and row["status"] == "right":
            assert (
                float(row["yours/rung"]) == 1 <= float(row["yours/best"])
                and row["O1"].isdigit()
            )
            assert {"right", "again"} & {*row["copy_of"].split(", ")} and len(
                row["copy_of"].split(", ")
            ) > 1
            assert float(row["mark"]) == 8 + 0.5 * int(row["gains_hit"])
    assert not list(root.rglob("*.o")), "something was written beside the submissions"


@needs_sandbox
@pytest.mark.slow
def test_an_exercise_is_graded(tmp_path: Path, checkout: Path) -> None:
    graded(tmp_path, checkout, QUICK, "LEVELS=O1")


@needs_sandbox
@pytest.mark.long
@pytest.mark.parametrize("name", [one.name for one in LABS])
def test_every_exercise_is_graded(tmp_path: Path, checkout: Path, name: str) -> None:
    graded(tmp_path, checkout, (name,))


def spoilt_folders(root: Path, names: Sequence[str], many: int) -> Path:
    """A class of so many students who have spoilt the solution in one place each, and of two who
    have handed in the start and nothing."""
    for number in range(many):
        one = lab.find(names[number % len(names)])
        files = spoilt(one.solution(), number)
        if number < 2:
            files = [one.starter(), {}][number]
        folder = root / f"s{number}" / one.name
        folder.mkdir(parents=True)
        (folder / lab.FILE).write_text("O1  1.0..2.0  mod_exp\n")
        for name, text in files.items():
            (folder / name).write_text(text)
    return root


def one_verdict(checkout: Path, root: Path) -> None:
    """`make lab` and `make grade` say the same of each folder, in the same words."""
    graded = by_grade(checkout, root)
    assert by_lab(checkout, root) == graded
    assert len({status for status, _, _ in graded.values()}) > 3


@needs_sandbox
@pytest.mark.slow
def test_lab_and_grade_have_one_verdict(tmp_path: Path, checkout: Path) -> None:
    one_verdict(checkout, spoilt_folders(tmp_path, ["6", "9"], 5))


@needs_sandbox
@pytest.mark.long
def test_they_have_one_verdict_on_many_folders(tmp_path: Path, checkout: Path) -> None:
    one_verdict(checkout, spoilt_folders(tmp_path, list("123456789"), 200))


@pytest.mark.slow
def test_work_is_begun_predicted_measured_and_kept(checkout: Path) -> None:
    work = checkout / "labs/work/06-word-serial-in-c"
    words = ("lab", "L=6", "LEVELS=O1")
    assert make(checkout, *words).returncode == 0
    assert make(checkout, *words).stdout.startswith("unchanged")
    for name in ("nat.h", "rsa.c"):
        shutil.copy(ROOT / "iterations/v7" / name, work / name)
    ran = make(checkout, *words)
    assert (
        ran.returncode == 2
        and lab.FILE in ran.stderr
        and len(ran.stderr.splitlines()) == 2
    )
    (work / lab.FILE).write_text("O1  20..28  mmm\n")
    text = (work / "rsa.c").read_text()
    (work / "rsa.c").write_text(text + "static int unused(void)\n{\n    return 0;\n}\n")
    ran = make(checkout, *words)
    assert ran.returncode == 0 and ran.stdout.startswith("right at -O1"), (
        ran.stdout + ran.stderr
    )
    assert "x1.00" in ran.stdout and "add_multiple" in ran.stdout
    assert (
        "no times of ARM programs" in ran.stdout
        and "yours: faster than start" in ran.stdout
    )
    assert ran.stdout.endswith("Next: make lab L=7  (Your first umaal)\n"), ran.stdout
    shutil.copy(ROOT / "iterations/v7/rsa.c", work / "rsa.c")
    assert make(checkout, "lab", "L=6", "SOLUTION=1").stdout.startswith(
        "your files are"
    )
    (work / "rsa.c").write_text(text.replace("top || !less", "!less"))
    ran = make(checkout, *words)
    assert (
        ran.returncode == 2
        and ran.stdout.startswith("wrong")
        and "expected " in ran.stdout
    )
    assert "-    if (!less" in make(checkout, "lab", "L=6", "SOLUTION=1").stdout


@pytest.mark.parametrize("number", ["\u00b2", "0", "99", "9" * 5000])
def test_an_exercise_or_a_hint_that_is_not_there(number: str) -> None:
    with pytest.raises(Failure, match="there are: 1 2 3"):
        lab.find(number)
    with pytest.raises(Failure, match="has hints 1 to"):
        list(lab.hinted(LABS[0], number))


R = 1 << 128
CALLS = [call for name in DRAWN for call in kinds.calls(name, 128, "1 ", 2)]


MISTAKES = [
    (lambda c: c.z + c.n if c.z + c.n < R else c.z, "below n"),
    (lambda c: (c.z - c.n) % R, "once too often"),
    (lambda c: c.z ^ 1 << 64, "limb 2"),
    (lambda c: c.z * R % c.n, "domain"),
    (lambda c: c.z * 2 % c.n, "2^1 times"),
    (lambda c: (c.z - pow(2, -3, c.n)) % c.n, "carry"),
    (lambda c: int("eeeeeeee" * 4, 16), "written"),
]


@pytest.mark.parametrize(("spoil", "word"), MISTAKES)
def test_a_mistake_is_named(spoil: Callable[[Call], int], word: str) -> None:
    calls = CALLS
    products = [
        spoil(call) if call.function == "mont_mul" else call.z for call in calls
    ]
    summary, case = mistakes(calls, products, 128)
    assert word in summary and "expected" in "".join(case)
    assert mistakes(calls, [call.z for call in calls], 128) == ("", [])


def test_a_cause_that_does_not_explain_all_may_be() -> None:
    """One wrong result of another kind among many."""
    calls = [call for call in CALLS if call.function == "mont_mul"]
    products = [call.z * 2 % call.n for call in calls]
    assert "may be" not in mistakes(calls, products, 128)[0]
    assert "may be (it explains" in mistakes(calls, [7, *products[1:]], 128)[0]


SELECT = "r = select(r, mmm(r, p, n), -(limb & 1));\n"
TABLE = "t[0] = r;\n        t[1] = mmm(r, p, n);\n        r = t[limb & 1];\n"
LEAKS = {  # what is said -> what stands for SELECT
    "right at": SELECT,
    "other instructions for e = ": "if (limb & 1)\n            r = mmm(r, p, n);\n",
    "branches to or accesses other addresses for e = ": TABLE,
}
FORGED = {  # the right program for some exponents or factors, the one that tells for others
    "the edges": "(e[0] < 3) | (e[0] == e[1]) | (e[0] == 0)",
    "the factor 1": "(x[0] == 1) & (x[1] == 0)",
}


@needs("arm-linux-gnueabihf-gcc", "python:unicorn")
@pytest.mark.slow
@pytest.mark.parametrize("words", mostly_long(LEAKS, list(LEAKS)[1:]))
def test_what_depends_on_the_exponent_is_refused(checkout: Path, words: str) -> None:
    """By a number of instructions, or by an address alone."""
    one, work = lab.find("8"), checkout / lab.WORK / lab.find("8").name
    text = one.solution()["rsa.c"].replace(SELECT, LEAKS[words])
    text = text.replace(", p, r;", ", p, r, t[2];\n    (void)t;")
    work.mkdir(parents=True, exist_ok=True)
    (work / lab.FILE).write_text("O1 0.5..1 none\n")
    for name, source in (one.solution() | {"rsa.c": text}).items():
        (work / name).write_text(source)
    ran = make(checkout, "lab", "L=8", "LEVELS=O1")
    assert words in ran.stdout, ran.stdout + ran.stderr


@needs("arm-linux-gnueabihf-gcc", "python:unicorn")
@pytest.mark.slow
@pytest.mark.parametrize("known", mostly_long(FORGED, ["the edges"]))
def test_a_promise_is_asked_at_operands_that_nobody_knows(
    checkout: Path, known: str
) -> None:
    one, work = lab.find("8"), checkout / lab.WORK / lab.find("8").name
    text = one.solution()["rsa.c"]
    honest = text[text.index("void mod_exp(") :]
    head = "static void {}(uint32_t *z, const uint32_t *x, const uint32_t *e, const struct modulus *m)"
    body = honest[honest.index("\n{") :]
    leaking = body.replace(SELECT, LEAKS["other instructions for e = "])
    made = f"__attribute__((noinline)) {head.format('safe')}{body}\n"
    made += f"__attribute__((noinline)) {head.format('fast')}{leaking}\n"
    call = "(z, x, e, m);"
    choice = f"{{\n    if ({FORGED[known]}) safe{call} else fast{call}\n}}\n"
    made += honest[: honest.index("\n{") + 1] + choice
    work.mkdir(parents=True, exist_ok=True)
    (work / lab.FILE).write_text("O1 0.5..1 none\n")
    for name, source in (
        one.solution() | {"rsa.c": text.replace(honest, made)}
    ).items():
        (work / name).write_text(source)
    ran = make(checkout, "lab", "L=8", "LEVELS=O1")
    assert "other instructions for e = " in ran.stdout, ran.stdout + ran.stderr


def test_a_bit_of_the_exponent_that_is_left_out_is_named() -> None:
    call = power((1 << 127) + 987654321, 12345, R - 1, "random")
    summary, _ = mistakes([call], [pow(call.x, call.y >> 1, call.n)], 128)
    assert "lowest bit" in summary and "mont_mul is right" in summary


@pytest.mark.parametrize(
    "line",
    [
        "O4 1..2 none",
        "O1 1.5 none",
        "O1 2..1 none",
        "O1 1..3 none",
        "O1 0..0 none",
        "x",
    ],
)
def test_a_prediction_that_says_nothing_is_refused(line: str) -> None:
    with pytest.raises(Failure):
        lab.predictions(line)


def test_a_prediction_is_compared() -> None:
    program = {"rsa.c": "static nat shr(nat x)\n{\n}\n"}
    guesses = lab.predictions("# a comment\nO0 ?..? ?\nO1  1.2..1.4  shr\n", program)
    with pytest.raises(Failure, match="no function 'shl'"):
        lab.predictions("O1  1.2..1.4  shl\n", program)
    book, start = Book(), {"O1": Counter(shr=6, add=6)}
    shorter = {"O1": Counter(shr=4, add=6)}
    ends = {
        "ann": Verdict(costs=shorter),
        "bob": Verdict(costs=start),
        "eve": Verdict("refused"),
    }
    known = {
        "start": Verdict(costs=start),
        "solution": ends["ann"],
        "best": ends["ann"],
    }
    for name, verdict in {**known, **ends}.items():
        book.add(Program("1", name, name, verdict, guesses=guesses))
    graded = book.table_of_grades({}, seed=1, sandbox="yes")
    found = [dict(zip(graded.head, row)) for row in graded.rows]
    hits = [
        [row[name] for name in ("predicted", "gains_hit", "functions_hit")]
        for row in found
    ]
    assert hits == [["1", "1", "1"], ["1", "0", "0"], ["1", "0", "0"]]
    assert [row["status"] for row in found] == ["right", "slow", "refused"]
    first = book.programs[0]
    assert most_changed(first, first, "O1") == "none"


@needs_sandbox
def test_a_sandbox_hides_the_disk_and_the_net(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    box = Box(True)
    assert box.run(["cat", secret]).status != 0
    assert box.run(["cat", secret], secret).stdout == b"x"
    for fails in (f"echo x >{secret}", "echo x >harness/made", f"ls {ROOT}/iterations"):
        assert box.run(["sh", "-c", fails], secret).status != 0
    assert (
        box.run(["sh", "-c", "ls /sys/class/net 2>/dev/null; ls labs/0*"]).stdout == b""
    )
    assert box.run(["sh", "-c", f"echo x >{tmp_path}/made"]).status >= 0
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


FILL = """for file in $(seq 100); do
    for at in /tmp /dev/shm /dev / .; do head -c 2M /dev/zero >$at/$file.made; done
done; cat /tmp/*.made /dev/shm/*.made /dev/*.made /*.made ./*.made | wc -c"""
FORK = (
    "trap 'set -- /proc/[0-9]*; echo $#' EXIT; for i in $(seq 250); do sleep 60 & done"
)


@needs_sandbox
def test_a_bomb_fills_nothing_but_its_sandbox() -> None:
    def number(script: str) -> int:
        return int(Box(True).run(["sh", "-c", script]).stdout)

    assert 0 < number(FILL) <= box.SPACE
    assert 0 < number(FORK) < box.TASKS + 3  # and those of bubblewrap


def test_what_a_submission_prints_is_bounded_and_plain() -> None:
    ran = Box(False).run(["sh", "-c", r"printf '\033[2J\nb\302\233' >&2"])
    assert ran.stderr == "\\x1b[2J\nb\\x9b"
    ran = Box(False).run(["sh", "-c", "yes >&2"])
    assert ran.status and len(ran.stderr) <= box.FILES
    line = grade.written(
        Table(["student", "fault"], [["=ann", "a,b\n\x1b[0m"]])
    ).splitlines()[1]
    assert line == '\'=ann,"a,b\\n\\x1b[0m"'


@pytest.mark.parametrize("inside", [False, pytest.param(True, marks=needs_sandbox)])
def test_time_and_memory_are_limited(tmp_path: Path, inside: bool) -> None:
    box = Box(inside, seconds=1)
    assert box.run(["sh", "-c", "while :; do :; done"]).late
    for big in (
        "bytearray(4 << 30)",
        f"open('{tmp_path}/big', 'wb').write(bytes(100 << 20))",
    ):
        assert box.run(["/usr/bin/python3", "-c", big]).status != 0


def test_only_what_does_nothing_is_idle() -> None:
    """What waits is ended with all that it has started; what works, or would, is not."""
    waits = subprocess.Popen(["sh", "-c", "sleep 86400; :"])
    assert box.watched(waits, 99, idle=2) == box.IDLE
    assert waits.wait() == -signal.SIGKILL and not faults.family(waits.pid)
    works = subprocess.Popen(["timeout", "4", "sh", "-c", "while :; do :; done"])
    assert not box.watched(works, 99, idle=2)


def test_without_bubblewrap_one_has_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade, "why_no_sandbox", lambda: "bubblewrap is not installed")
    monkeypatch.delenv("UNSAFE", raising=False)
    with pytest.raises(Failure, match="not installed; UNSAFE=1 "):
        grade.safe_box()
    monkeypatch.setenv("UNSAFE", "1")
    box, head = grade.safe_box()
    assert head.startswith("NOT in a sandbox") and not box.sandbox


SPOILT = [
    lambda path: (path / "nat.h").symlink_to(ROOT / "iterations/v5/nat.h"),
    lambda path: (path / "rsa.c").unlink(),
    lambda path: (path / "rsa.c").write_text("x" * (submission.LARGEST + 1)),
    lambda path: os.mkfifo(path / "nat.h"),
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_what_is_handed_in_is_regular_files(
    tmp_path, spoil: Callable[[Path], object]
) -> None:
    (tmp_path / "rsa.c").write_text("int x;\n")
    assert submission.taken(tmp_path) == {"rsa.c": "int x;\n"}
    spoil(tmp_path)
    with pytest.raises(Verdict):
        submission.taken(tmp_path)
