"""Exercises: what is right, wrong, slow, crashing or cheating is told so; predictions; hints."""

import csv
import os
import random
import shutil
from pathlib import Path

import pytest
from handed_in import hand_in, tree
from two_rungs import make

from harness.lab import confined, explain, grade, operands, predict
from harness.lab.__main__ import hinted
from harness.lab.confined import Confinement
from harness.lab.labs import labs
from harness.operands import Call, power
from records.faults import Failure
from records.ladder import ROOT

LABS = labs()
QUICK = ("06-word-serial-in-c", "09-six-limbs")
needs_sandbox = pytest.mark.skipif(
    bool(confined.why_no_sandbox()), reason=confined.why_no_sandbox()
)


def graded(path: Path, names: tuple[str, ...], *words: str) -> None:
    """Hands in everything for these exercises and compares what they get."""
    root = path / "handed in"
    allowed = hand_in(root, [lab for lab in LABS if lab.name in names])
    (root / "right/00-\x1b[2J").mkdir()
    ran = make(tree(path / "lab"), "grade", f"DIR={root}", *words)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "\x1b" not in ran.stdout and "00-\\x1b[2J: no exercise" in ran.stdout
    head, *lines = (root / grade.GRADES).read_text().splitlines()
    assert head.startswith("# in a sandbox")
    rows = {(row["student"], row["lab"]): row for row in csv.DictReader(lines)}
    assert rows.keys() == allowed.keys()
    found = {key: row["status"] for key, row in rows.items() if row["status"] not in allowed[key]}
    assert not found, {key: (status, rows[key]["fault"]) for key, status in found.items()}
    for (student, _), row in rows.items():
        assert bool(row["fault"]) == (row["status"] != "right")
        if student == "right":
            assert float(row["versus_rung"]) == 1 and row["O1"].isdigit()
    assert not list(root.rglob("*.o")), "something was written beside the submissions"


@needs_sandbox
@pytest.mark.slow
def test_two_exercises_are_graded(tmp_path: Path) -> None:
    graded(tmp_path, QUICK, "LEVELS=O1")


@needs_sandbox
@pytest.mark.long
@pytest.mark.parametrize("lab", [lab.name for lab in LABS])
def test_every_exercise_is_graded(tmp_path: Path, lab: str) -> None:
    graded(tmp_path, (lab,))


@pytest.mark.slow
def test_work_is_begun_predicted_measured_and_kept(tmp_path: Path) -> None:
    path = tree(tmp_path / "lab")
    work = path / "labs/work/06-word-serial-in-c"
    assert make(path, "lab", "L=6", "LEVELS=O1").returncode == 0
    ran = make(path, "lab", "L=6", "LEVELS=O1")
    assert ran.returncode == 2 and predict.FILE in ran.stderr and len(ran.stderr.splitlines()) == 2
    (work / predict.FILE).write_text("O1  20..28  mmm\n")
    for name in ("nat.h", "rsa.c"):
        shutil.copy(ROOT / "iterations/v7" / name, work / name)
    ran = make(path, "lab", "L=6", "LEVELS=O1")
    assert ran.returncode == 0 and ran.stdout.startswith("right at -O1"), ran.stdout + ran.stderr
    assert "x1.00" in ran.stdout and "add_multiple" in ran.stdout
    assert make(path, "lab", "L=6", "SOLUTION=1").stdout.startswith("your files are")
    text = (work / "rsa.c").read_text().replace("top || !less", "!less")
    (work / "rsa.c").write_text(text)
    ran = make(path, "lab", "L=6", "LEVELS=O1")
    assert ran.returncode == 2 and ran.stdout.startswith("wrong") and "expected " in ran.stdout
    assert "-    if (!less" in make(path, "lab", "L=6", "SOLUTION=1").stdout
    assert make(path, "clean").returncode == 0
    assert (work / "rsa.c").read_text() == text


@pytest.mark.parametrize("number", ["\u00b2", "0", "99", "9" * 5000])
def test_a_hint_that_is_not_there(number: str) -> None:
    with pytest.raises(Failure, match="has hints 1 to"):
        list(hinted(LABS[0], number))


@pytest.mark.parametrize("lab", LABS, ids=[lab.name for lab in LABS])
def test_an_exercise_is_complete(lab: object) -> None:
    assert lab in LABS and len(LABS) >= 8
    text = (lab.path / "README.md").read_text()  # type: ignore[attr-defined]
    assert len(text.split()) < 250
    assert all(f"**{part}.**" in text for part in ("Task", "Technique", "Predict"))
    assert lab.hints() and lab.starter() != lab.solution()  # type: ignore[attr-defined]


N = (1 << 127) + 987654321  # odd
R = 1 << 128


def mistakes(functions: dict[str, object], vectors: list[Call]) -> explain.Mistakes:
    found = [functions[call.function](call) for call in vectors]  # type: ignore[operator]
    return explain.Mistakes(vectors, found, 128)


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda c: c.z + c.n if c.z + c.n < R else c.z, "below n"),
        (lambda c: (c.z - c.n) % R, "once too often"),
        (lambda c: c.z ^ 1 << 64, "limb 2"),
        (lambda c: c.z * R % c.n, "domain"),
        (lambda c: c.z * 2 % c.n, "2^1 times"),
        (lambda c: (c.z - pow(2, -3, c.n)) % c.n, "carry"),
        (lambda c: int("eeeeeeee" * 4, 16), "written"),
    ],
)
def test_a_mistake_is_named(spoil: object, word: str) -> None:
    vectors = operands.drawn(128, random.Random(1))
    seen = mistakes({"mont_mul": spoil, "mod_exp": lambda call: call.z}, vectors)
    assert word in seen.summary and "expected" in "".join(seen.case)
    assert not mistakes(dict.fromkeys(("mont_mul", "mod_exp"), lambda call: call.z), vectors).failed


def test_a_bit_of_the_exponent_that_is_left_out_is_named() -> None:
    call = power(N, 12345, (1 << 128) - 1, "random")
    found = pow(call.x, call.y >> 1, N)
    seen = explain.Mistakes([call], [found], 128)
    assert "lowest bit" in seen.summary and "mont_mul is right" in seen.summary


def test_vectors_are_right_and_new_each_time() -> None:
    for width in (128, 192):
        one, other = (operands.drawn(width, random.Random(seed)) for seed in (1, 2))
        assert one != other
        for call in one:
            assert call.n % 2 and 3 <= call.n < 1 << width and 0 <= call.x < call.n
            assert call.z == expected(call, width)


def expected(call: Call, width: int) -> int:
    inverse = pow(1 << width, -1, call.n)
    power = pow(call.x, call.y, call.n)
    return power if call.function == "mod_exp" else call.x * call.y * inverse % call.n


@pytest.mark.parametrize(
    "line", ["O4 1..2 x", "O1 1.5 x", "O1 2..1 x", "O1 1..3 x", "O1 0..0 x", "x"]
)
def test_a_prediction_that_says_nothing_is_refused(line: str) -> None:
    with pytest.raises(Failure):
        predict.read(line)


def test_a_prediction_is_compared() -> None:
    said = predict.read("# a comment\nO0 ?..? ?\nO1  1.2..1.4  shr\n")
    assert list(said) == ["O1"]
    assert predict.hits(said["O1"], 1.2, "shr") == (True, True)
    assert predict.hits(said["O1"], 1.5, "add") == (False, False)


@needs_sandbox
def test_a_sandbox_hides_the_disk_and_the_net(tmp_path: Path) -> None:
    inside, secret = tmp_path / "in", tmp_path / "secret"
    inside.mkdir()
    secret.write_text("x")
    box = Confinement(True)
    assert box.run(["cat", secret], inside).status != 0
    assert box.run(["cat", secret], inside, secret).status == 0
    assert box.run(["sh", "-c", f"echo x >{secret}"], inside, secret).status != 0
    both = f"echo x >{inside}/made; echo x >{inside}/other"
    assert box.run(["sh", "-c", both], inside, made=["made", "missing"]).status == 0
    assert box.run(["sh", "-c", "echo x >harness/made"], inside).status != 0
    assert box.run(["ls", ROOT / "iterations"], inside).status != 0
    assert (
        box.run(["sh", "-c", "test $(ls /sys/class/net 2>/dev/null | wc -l) = 0"], inside).status
        == 0
    )
    assert not (ROOT / "harness/made").exists()
    assert [path.name for path in inside.iterdir()] == ["made"]


FILL = """for folder in sys.argv[1:]:
    try:
        while done < 99:
            with open(f"{folder}/{done}", "xb") as file:
                file.write(bytes(8 << 20))
                done += 1
    except OSError:
        pass"""
FORK = """try:
    while done < 250:
        if os.fork() == 0:
            time.sleep(60)
        done += 1
except OSError:
    pass"""


@needs_sandbox
def test_a_bomb_fills_nothing_but_its_sandbox(tmp_path: Path) -> None:
    def done(code: str, *words: object) -> int:
        text = f"import os, sys, time\ndone = 0\n{code}\nos._exit(done)"
        return box.run(["/usr/bin/python3", "-c", text, *map(str, words)], tmp_path).status

    box = Confinement(True)
    full = done(FILL, tmp_path, "/tmp", "/dev/shm", "/dev", "/", ROOT)
    assert 0 < full <= 2 * confined.SPACE >> 23 and not list(tmp_path.iterdir())
    assert 0 < done(FORK) < confined.TASKS


def test_what_a_submission_prints_is_bounded_and_plain(tmp_path: Path) -> None:
    said = Confinement(False).run(["sh", "-c", r"printf '\033[2J\nb\302\233' >&2"], tmp_path)
    assert said.stderr == "\\x1b[2J\nb\\x9b"
    said = Confinement(False).run(["sh", "-c", "yes >&2"], tmp_path)
    assert said.status and len(said.stderr) <= confined.FILES


@pytest.mark.parametrize("sandbox", [False, pytest.param(True, marks=needs_sandbox)])
def test_time_and_memory_are_limited(tmp_path: Path, sandbox: bool) -> None:
    box = Confinement(sandbox, seconds=1)
    assert box.run(["sh", "-c", "while :; do :; done"], tmp_path).late
    big = "bytearray(4 << 30)"
    assert box.run(["/usr/bin/python3", "-c", big], tmp_path).status == 1
    big = f"open('{tmp_path}/big', 'wb').write(bytes(100 << 20))"
    assert box.run(["/usr/bin/python3", "-c", big], tmp_path).status != 0


def test_without_bubblewrap_one_has_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grade, "why_no_sandbox", lambda: "bubblewrap is not installed")
    monkeypatch.delenv("UNSAFE", raising=False)
    with pytest.raises(Failure, match="not installed; UNSAFE=1 "):
        grade.Grader([], 1)
    monkeypatch.setenv("UNSAFE", "1")
    grader = grade.Grader([], 1)
    assert grader.head.startswith("NOT in a sandbox") and not grader.confined.sandbox


def test_what_is_handed_in_is_regular_files(tmp_path: Path) -> None:
    folder = ROOT / "iterations/v5"
    grade.taken(folder)
    (tmp_path / "linked").symlink_to(folder)
    with pytest.raises(grade.Wrong):
        grade.taken(tmp_path / "linked")
    (tmp_path / "rsa.c").symlink_to(folder / "rsa.c")
    with pytest.raises(grade.Wrong):
        grade.taken(tmp_path)
    (tmp_path / "rsa.c").unlink()
    with pytest.raises(grade.Wrong):
        grade.taken(tmp_path)
    (tmp_path / "rsa.c").write_text("x" * (grade.LARGEST + 1))
    with pytest.raises(grade.Wrong):
        grade.taken(tmp_path)
    os.mkfifo(tmp_path / "nat.h")
    with pytest.raises(grade.Wrong):
        grade.taken(tmp_path)


def test_a_cell_is_plain_text() -> None:
    rows: list[dict[str, object]] = [{"student": "ann", "fault": "a,b\n\x1b[0m"}]
    assert grade.table(rows, "head").splitlines()[2] == 'ann,"a,b\\n\\x1b[0m"'
