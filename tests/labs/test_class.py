"""Whatever a folder holds, does or breaks is its student's row, and no other's."""

import csv
import errno
import html
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness import kinds
from harness.check import fault
from labs import box, grade, page, submission
from labs.book import Book, Prediction, Program
from labs.box import Box, Ran
from labs.judge import Judge, Verdict
from labs.lab import Lab, find
from labs.submission import Record, Task, record_of, written
from records import ladder
from records.faults import Failure
from records.ladder import ROOT

LAB = find("6")
needs_sandbox = pytest.mark.skipif(
    bool(box.why_no_sandbox()), reason=box.why_no_sandbox()
)
DIGITS = "9" * 5000


# ---- what a program prints


@pytest.mark.parametrize("number", ["0", "3", "99999999", DIGITS])
def test_a_call_that_there_is_not_is_no_call(number: str) -> None:
    calls = list(kinds.calls("mont_mul", 128, "1 ", 1))[:2]
    said = f"call {number}: it is so"
    assert fault(calls, "", said, 1) == said


class Scripted(Box):
    """A box in which every command ends like this."""

    end = Ran(0, b"", "")

    def run(self, words: object, *read: Path, seconds: int = 0) -> Ran:
        return self.end

    def judge(self, words: object, *read: Path, given: str) -> Ran:
        return self.end


def in_scripted(folder: Path, end: Ran) -> Judge:
    """A judge all whose commands end like this."""
    scripted = Scripted(False)
    object.__setattr__(scripted, "end", end)
    return Judge(folder, 128, 1, scripted)


def test_a_line_without_end_is_read_at_once(tmp_path: Path) -> None:
    judge = in_scripted(tmp_path, Ran(1, b"", "x" * 150_000))
    began = time.process_time()
    verdict = judge.judge({"rsa.c": ""}, "yours", ())
    assert verdict.status == "refused" and time.process_time() - began < 5


@pytest.mark.parametrize("printed", [b"1" * 100_000 + b"\n", b"x\n", b"\xff\n"])
def test_a_result_that_is_none_ends_no_class(tmp_path: Path, printed: bytes) -> None:
    judge = in_scripted(tmp_path, Ran(0, printed, ""))
    verdict = judge.judge({"rsa.c": ""}, "yours", ())
    assert verdict.status in ("wrong", "crashed") and len(verdict.fault) < 200


def test_a_program_that_nothing_was_counted_of_is_not_right(tmp_path: Path) -> None:
    judge = in_scripted(tmp_path, Ran(0, b"", ""))
    judge.calls["count"] = []
    judge.box.__dict__["end"] = Ran(0, b'["", {}]', "")
    with pytest.raises(Verdict, match="refused"):
        judge.count(tmp_path, "O1")
    book = Book()
    for name, count in {"start": 10, "solution": 5, "best": 5, "ann": 0}.items():
        costs = {"O1": Counter(f=count)}
        book.add(Program("1", name, name, Verdict(costs=costs)))
    assert book.verdict(book.programs[-1])[0] == "slow"
    assert book.table_of_grades({}, seed=1).rows


# ---- what a folder holds


def task(folder: Path) -> Task:
    """What a judge of this folder is told."""
    return Task(str(folder), LAB.starter(), 128, (), 1, {}, Box(False))


HOSTILE = {  # what is said -> what spoils a folder
    "predict.txt has a line": lambda at: (at / submission.FILE).write_text(
        f"O1 {'9' * 199_000} x\n"
    ),
    "rsa.c has a line": lambda at: (at / "rsa.c").write_text("a b" * 60_000),
    "nat.h is not a regular file": lambda at: os.mkfifo(at / "nat.h"),
    "mont.S is not a regular file": lambda at: (at / "mont.S").symlink_to("/dev/zero"),
    "rsa.c has more than": lambda at: (at / "rsa.c").write_text("x\n" * 200_000),
    "there is no rsa.c": lambda at: (at / "rsa.c").unlink(),
}


@pytest.mark.parametrize("said", HOSTILE)
def test_a_spoilt_folder_is_refused_at_once(tmp_path: Path, said: str) -> None:
    (tmp_path / "rsa.c").write_text("int x;\n")
    HOSTILE[said](tmp_path)
    began = time.process_time()
    verdict = submission.judged(task(tmp_path)).verdict
    assert (verdict.status, verdict.fault[: len(said)]) == ("refused", said)
    assert time.process_time() - began < 5


def test_what_a_folder_sets_off_is_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_words: object) -> None:
        raise IndexError("list\x1b index\n" + "x" * 9999)

    (tmp_path / "rsa.c").write_text("int x;\n")
    monkeypatch.setattr(Judge, "judge", breaks)
    record = record_of(written(submission.judged(task(tmp_path))).encode())
    said = "not judged: IndexError: list\\x1b index"
    assert record.verdict.status == "crashed" and said in record.verdict.fault


# ---- the record


GOOD = Record(
    Verdict(costs={level: Counter(f=1) for level in ladder.levels()}),
    {"O1": Prediction(1.0, 2.0, "f")},
    "0" * 64,
)


def test_a_record_survives_its_text() -> None:
    assert record_of(written(GOOD).encode()).guesses == GOOD.guesses
    long = Counter({f"\x1b{number}" * 99: number + 1 for number in range(999)})
    wide = Verdict("wrong", "a\nb\x1b" * 999, ["\u202e" * 9999] * 99, {"O1": long})
    found = record_of(written(Record(wide)).encode())
    assert found.verdict.costs["O1"].total() == long.total()
    assert len(found.verdict.case) == submission.CASE


FORGED = {
    "status": ["best", 1, None, ["right"]],
    "fault": ["\x1b[2J", "a\nb", "\u202e", "x" * 1000, 3],
    "case": [["\x07"], "\x07", [1], 1],
    "costs": [
        {},
        {"O1": {"f": 1}},
        {"O1": {"f": -1}, "O0": {"f": 1}, "O3": {"f": 1}},
        {"O9": {"f": 1}},
        {"O1": {"f": "1"}},
        {"O1": {}},
        {"O1": {"\x1b": 1}},
        {"O1": {"f": 1e400}},
        {"O1": {str(number): 1 for number in range(1000)}},
        1,
    ],
    "guesses": [{"O1": [2, 1, "f"]}, {"O1": [1]}, {"O1": [1, True, "f"]}, {"O1": 1}],
    "fingerprint": ["\n", "0" * 65, 0],
}


@pytest.mark.parametrize("name", FORGED)
def test_anything_else_is_no_record(name: str) -> None:
    for value in FORGED[name]:
        text = json.dumps(json.loads(written(GOOD)) | {name: value})
        with pytest.raises(Failure, match="no record"):
            record_of(text.encode())


# ---- the processes


BURNING = "while :; do timeout 0.3 sh -c 'while :; do :; done'; done"
DOZING = "while :; do sleep 0.9; done"


@pytest.mark.parametrize(("script", "limit"), [(BURNING, box.BUSY), (DOZING, box.IDLE)])
def test_who_lets_others_burn_or_dozes_is_ended(script: str, limit: str) -> None:
    """Neither is ended by a limit of one process, nor by one for doing nothing at all."""
    with subprocess.Popen(["sh", "-c", script]) as process:
        assert box.watched(process, 2, idle=5) == limit


INSIDE = """
from labs.box import Box
print(Box(True).run(["sh", "-c", "ls /tmp; ls /proc | grep -c '^[0-9]'; id -u"]))
"""


@needs_sandbox
def test_a_stranger_sees_nothing_of_his_judge() -> None:
    if not box.nests():
        pytest.skip("bubblewrap makes no sandbox in a sandbox here")
    words = [sys.executable, "-c", f"open('/tmp/secret', 'w').close(){INSIDE}"]
    ran = Box(True).judge(words, given="")
    assert ran.status == 0 and b"status=0" in ran.stdout, ran.stderr
    assert b"secret" not in ran.stdout and b"\\n0\\n" not in ran.stdout


# ---- the class


def class_of(root: Path, *students: str) -> Path:
    """A folder with these students, each with one exercise."""
    for student in students:
        folder = root / student / LAB.name
        folder.mkdir(parents=True)
        for name, text in LAB.starter().items():
            (folder / name).write_text(text)
    return root


def test_a_link_is_not_entered(tmp_path: Path) -> None:
    root = class_of(tmp_path, "ann")
    (root / "eve").symlink_to("/")
    (root / "bob").mkdir()
    (root / "bob" / LAB.name).symlink_to(root / "ann" / LAB.name)
    book = Book()
    wanted = grade.submissions(root, book)
    assert [path.parent.name for path, _ in wanted] == ["ann"]
    found = {(one.name, one.verdict.fault) for one in book.programs}
    assert found == {("eve", grade.LINK), ("bob", grade.LINK)}


CLOSED = """
import sys
from pathlib import Path
from labs import grade, submission
from labs.book import Book
from labs.box import Box
book = Book()
for folder, lab in grade.submissions(Path(sys.argv[1]), book):
    box = Box(False)
    task = submission.Task(str(folder), lab.starter(), 128, (), 1, {}, box)
    print(folder.parent.name, submission.judged(task).verdict.fault)
for one in book.programs:
    print(one.name, one.verdict.fault)
"""


def others_can_enter(folder: Path) -> bool:
    """Whether every user can get there; root's home is closed."""
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))


def test_a_folder_that_is_closed_is_a_row(tmp_path: Path) -> None:
    if os.geteuid() == 0 and not others_can_enter(ROOT):
        pytest.skip("for root no folder is closed, and nobody else can enter this one")
    root = class_of(tmp_path / "class", "ann", "eve", "zoe")
    (root / "eve").chmod(0)
    (root / "zoe" / LAB.name).chmod(0)
    above = [
        one for one in tmp_path.parents if one.name.startswith(("pytest-", "popen-"))
    ]
    for folder in (root, tmp_path, *above):
        folder.chmod(0o755)
    other = {"user": 65534} if os.geteuid() == 0 else {}
    words = [sys.executable, "-c", CLOSED, str(root)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, **other)
    said = [line.partition(" ")[2] for line in ran.stdout.splitlines()]
    assert len(said) == 3 and said[0].startswith("it is still"), ran.stderr
    assert said[1].endswith(": Permission denied")
    assert said[2] == "the folder of this student: Permission denied"


# ---- the table


def compared(book: Book, lab: Lab, judge: Judge) -> None:
    """Enters what the exercise is compared with: all of it is GOOD.  In a sandbox nobody sees its
    time."""
    assert not judge.box.sandbox
    for role in ("start", "solution", "best"):
        book.add(Program(lab.name, role, role, GOOD.verdict))


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Grades a class whose judges answer what `ends` says of a student; what they were asked for
    comes back."""
    monkeypatch.setattr(grade, "BUILD", tmp_path / "build")
    monkeypatch.setattr(grade, "compare", compared)
    monkeypatch.setattr(grade, "safe_box", lambda: (Box(True), "in a sandbox"))
    monkeypatch.setattr(os, "cpu_count", lambda: 1)

    def run(root: Path, ends: dict[str, Callable[[], object]]) -> list[str]:
        asked = []

        def judged(folder: Path, *_: object) -> object:
            asked.append(folder.parent.name)
            return ends.get(folder.parent.name, lambda: (GOOD, True))()

        monkeypatch.setattr(grade, "judged", judged)
        try:
            grade.main(str(root))
        except KeyboardInterrupt:
            asked.append("interrupted")
        return asked

    return run


def rows(root: Path) -> dict[str, dict[str, str]]:
    """The rows of the table by student."""
    with (root / grade.GRADES).open() as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def interrupt() -> None:
    raise KeyboardInterrupt


Graded = Callable[..., list[str]]


def test_a_second_start_goes_on(tmp_path: Path, graded: Graded) -> None:
    root = class_of(tmp_path / "class", "ann", "bob", "eve", "zoe")
    assert graded(root, {"eve": interrupt})[-1] == "interrupted"
    first = rows(root)
    assert {"ann", "bob"} <= first.keys() and "eve" not in first
    (root / "bob" / LAB.name / "nat.h").write_text("int changed;\n")
    asked = graded(root, {})
    assert "ann" not in asked and {"bob", "eve"} <= {*asked}
    assert rows(root).keys() == {"ann", "bob", "eve", "zoe"}
    assert {row["seed"] for row in rows(root).values()} == {first["ann"]["seed"]}
    assert not graded(root, {})


def test_a_line_that_is_cut_off_is_judged_again(tmp_path: Path, graded: Graded) -> None:
    root = class_of(tmp_path / "class", "ann", "bob")
    graded(root, {})
    [journal] = (tmp_path / "build/grades").glob("*.jsonl")
    journal.write_bytes(journal.read_bytes()[:-20])
    assert graded(root, {}) == ["bob"] and not graded(root, {})


@pytest.mark.parametrize("sound", [True, False])
def test_who_was_starved_is_judged_again_alone(
    tmp_path: Path, graded: Graded, sound: bool
) -> None:
    """The verdict of a busy machine is not kept; neither is that of a judge who did not end."""
    root = class_of(tmp_path / "class", "ann", "bob", "eve")
    late = Record(Verdict("late", "no end", starved=sound))
    ends = iter([(late, sound), (GOOD, True)])
    assert graded(root, {"ann": lambda: next(ends)}) == ["ann", "bob", "eve", "ann"]
    assert rows(root)["ann"]["status"] == "right"
    ends = iter([(late, sound)] * 2)
    (root / "ann" / LAB.name / "nat.h").write_text("int changed;\n")
    assert graded(root, {"ann": lambda: next(ends)}) == ["ann", "ann"]
    assert rows(root)["ann"]["status"] == "late"
    assert graded(root, {}) == ([] if sound else ["ann"])


def test_where_the_table_is_written_is_tried_first(
    tmp_path: Path, graded: Graded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    root = class_of(tmp_path / "class", "ann")
    (root / grade.GRADES).mkdir()
    with pytest.raises(Failure, match="grades.csv is a folder"):
        graded(root, {"ann": interrupt})
    (root / grade.GRADES).rmdir()
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(Failure, match="Read-only file system; copy the submissions"):
        graded(root, {"ann": interrupt})


def test_time_is_starved_only_where_others_had_the_processor() -> None:
    spin = ["sh", "-c", "while :; do :; done"]
    ran = Box(False, seconds=1).run(spin)
    assert ran.late and not ran.idle
    stopped = ["sh", "-c", "sleep 4; while :; do :; done"]
    assert Box(False, seconds=1).run(stopped).starved


# ---- the pages


EVIL = "<script>alert(1)</script>&\x1b"


def test_what_strangers_write_is_text(tmp_path: Path, graded: Graded) -> None:
    root = class_of(tmp_path / "class", "ann", "Ann", "ann_b", "<i>eve")
    said = Verdict("wrong", EVIL, [EVIL], {"O1": Counter({EVIL: 1})})
    (root / "ann" / EVIL.replace("/", "")).mkdir()
    end = Record(said, {"O1": Prediction(1, 2, EVIL)})
    graded(root, {"<i>eve": lambda: (record_of(written(end).encode()), True)})
    pages = [root / grade.CLASS_PAGE, *(root / grade.PAGES).iterdir()]
    assert len({path.name.lower() for path in pages}) == 5
    for path in pages:
        text = path.read_text()
        assert "<script" not in text and "<i>eve" not in text and "\x1b" not in text
        assert "default-src 'none'" in text
    eve = (root / grade.PAGES / page.file_of("<i>eve")).read_text()
    assert html.escape(EVIL[:-1]) in eve and "ann" not in eve.lower()


def test_the_pages_grow_with_the_table(tmp_path: Path, graded: Graded) -> None:
    root = class_of(tmp_path / "class", "ann", "bob", "eve")
    assert graded(root, {"eve": interrupt})[-1] == "interrupted"
    half = (root / grade.CLASS_PAGE).read_text()
    assert "1 folders are still to be judged" in half and "refresh" in half
    assert (root / grade.PAGES / "ann.html").exists()
    assert not (root / grade.PAGES / "eve.html").exists()
    graded(root, {})
    whole = (root / grade.CLASS_PAGE).read_text()
    assert "still to be judged" not in whole and "refresh" not in whole
    for part in ("Marks", "How many students", "Copies", "ann.html", LAB.name):
        assert part in whole


def test_a_copy_that_comes_later_is_on_the_page_of_the_first(
    tmp_path: Path, graded: Graded
) -> None:
    root = class_of(tmp_path / "class", "ann", "bob", "eve")
    runs = frozenset(f"{number:08x}" for number in range(100))
    copied = replace(GOOD, fingerprint="", runs=runs)
    graded(root, {name: lambda: (copied, True) for name in ("ann", "bob")})
    assert "withheld" in (root / grade.PAGES / "ann.html").read_text()
    assert "withheld" not in (root / grade.PAGES / "eve.html").read_text()
