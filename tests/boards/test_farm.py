"""A farm of three boards: sshd's on loopback whose programs run in the emulator."""

import argparse
import base64
import getpass
import gzip
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clone import Clone, environment
from foreign import board_of
from needs import needs

from boards import farm
from boards.validate import validate
from records.faults import Failure
from records.ladder import ROOT
from records.rows import read_rows

FOLDERS = [f"iterations/{rung}" for rung in ("v6", "v8")]
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
needs_engine = needs("sshd", "parallel", "ssh-keygen")


class Board:
    """A sshd of its own, and the folder that it takes for its home."""

    def __init__(self, keys: Path, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder = folder
        folder.mkdir()
        options = {
            "ListenAddress": "127.0.0.1",
            "HostKey": keys / "host",
            "AuthorizedKeysFile": keys / "user.pub",
            "SetEnv": f"RSA_FARM={folder}",
            "StrictModes": "no",
            "PidFile": "none",
        }
        words = [SSHD, "-D", "-e", "-f", "/dev/null", "-p", str(self.port)]
        words += [f"-o{name}={value}" for name, value in options.items()]
        self.server = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def name(self) -> str:
        """As the farm calls it."""
        return f"127.0.0.1-{self.port}"

    def processes(self) -> list[int]:
        """The server and everything that has come from it, parents first."""
        parents = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
        found = [self.server.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def die(self) -> None:
        """As if somebody had pulled the plug."""
        for pid in self.processes() if self.server.poll() is None else []:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.server.wait()

    def jobs(self) -> int:
        """How many it is working on."""
        n = 0
        for pid in self.processes():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            n += words[1:4] == [b"-m", b"boards.farmhand", b"measure"]
        return n


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A host key, a user's key and an ssh configuration that knows both."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-qt", "ed25519", "-N", "", "-f", folder / name], check=True)
    config = f"""Host *
    IdentityFile {folder}/user
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known
    StrictHostKeyChecking accept-new
    LogLevel ERROR
"""
    (folder / "config").write_text(config)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd, started by root, locks itself in
    return folder


@pytest.fixture
def boards(keys: Path, tmp_path: Path) -> Iterator[list[Board]]:
    """Three of them; skips where no one can log in."""
    made = [Board(keys, tmp_path / f"board{i}") for i in range(3)]
    try:
        time.sleep(0.5)
        for board in made:
            login = f"ssh -F {keys}/config -p {board.port} {getpass.getuser()}@127.0.0.1 true"
            ran = subprocess.run(login.split(), capture_output=True, text=True)
            if ran.returncode:
                pytest.skip(f"nobody can log in to a sshd here: {ran.stderr.strip()}")
        yield made
    finally:
        for board in made:
            board.die()


def start(clone: Clone, keys: Path, boards: list[Board], kinds: list[str]) -> subprocess.Popen:
    """`make farm` on these boards, in the background."""
    who = getpass.getuser()
    lines = [f"{who}@127.0.0.1:{b.port}  {kind}\n" for b, kind in zip(boards, kinds)]
    (clone.path / "hosts.txt").write_text("# the farm\n\n" + "".join(lines))
    words = ["make", "farm", "BOARDS=hosts.txt", f"FARM={' '.join(FOLDERS)}"]
    return subprocess.Popen(
        [*words, f"SSH=ssh -F {keys}/config"],
        cwd=clone.path,
        env=environment(MESSAGES="default"),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def measured_by(clone: Clone, board: Board) -> set[str]:
    """The snapshots in a board's results, each number as the clone's own run has it."""
    folder = clone.path / "results/farm" / board.name
    own = {tuple(row.items()) for row in read_rows(clone.path / "results/local/counts.csv")}
    rows = read_rows(folder / "counts.csv")
    assert {tuple(row.items()) for row in rows} <= own
    sizes = {row["snapshot"] for row in read_rows(folder / "asm.csv")} if rows else set()
    assert sizes == {row["snapshot"] for row in rows}
    return sizes


@pytest.fixture
def copy(measured: Clone, tmp_path: Path) -> Iterator[Clone]:
    """A checkout for one test; its workload is long enough for a board to die in it."""
    made = measured.copy(tmp_path / "copy")
    assert made.make("v6", "v8", "MESSAGES=default").returncode == 0
    yield made
    shutil.rmtree(made.path)


def kill_at_work(process: subprocess.Popen, boards: list[Board], folder: str) -> Board:
    """Kills the first board that is at work on this snapshot; no board ever has two jobs."""
    while process.poll() is None:
        for board in boards:
            assert board.jobs() <= 1
            if (board.folder / "build" / folder / "O1/check.ok").exists():
                board.die()
                return board
        time.sleep(0.02)
    raise AssertionError(process.communicate()[0])


@needs_engine
@pytest.mark.long
def test_a_board_dies(copy: Clone, keys: Path, boards: list[Board]) -> None:
    """Its work goes to the board of the same type; the other type does all of it anyhow."""
    process = start(copy, keys, boards, ["twin", "twin", "lone"])
    dead = kill_at_work(process, boards[:2], FOLDERS[0])
    (twin,) = [board for board in boards[:2] if board is not dead]
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    assert "v6" in measured_by(copy, twin)
    assert measured_by(copy, twin) | measured_by(copy, dead) == {"v6", "v8"}
    assert measured_by(copy, boards[2]) == {"v6", "v8"}
    facts = json.loads((copy.path / "results/farm" / twin.name / "machine.json").read_text())
    assert facts["board"] == f"{twin.name}, twin" and len(facts["git_revision"]) == 40


@needs_engine
def test_the_only_board_of_a_type_dies(copy: Clone, keys: Path, boards: list[Board]) -> None:
    """Nobody else does its work; the same command goes on, once the type has a board again."""
    process = start(copy, keys, boards[:2], ["lone", "other"])
    kill_at_work(process, boards[:1], FOLDERS[0])
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 2 and "Traceback" not in said
    assert re.search(r"^farm: lone: not measured: .*iterations/v6", said, re.M), said
    assert len(re.findall("^farm: hosts.txt:3: ", said, re.M)) == 1, said  # not asked again
    assert "same command" in said
    assert measured_by(copy, boards[1]) == {"v6", "v8"}
    again = start(copy, keys, [boards[2], boards[0], boards[1]], ["lone", "lone", "other"])
    said, _ = again.communicate(timeout=600)
    assert again.returncode == 0, said
    assert re.search(rf"^farm: hosts.txt:4: {boards[0].name} .*left out", said, re.M), said
    assert measured_by(copy, boards[2]) == {"v6", "v8"}
    assert said.count("  CHECK ") == 6  # boards[1] had no job


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pi@a pi3\nb pi3\n", r"hosts.txt:2: expected `user@host\[:port\]  type`, not 'b pi3'"),
        ("# none\n", "hosts.txt: no board in it"),
        ("pi@a:0 pi3\n", "hosts.txt:1: port 0 is not between"),
        ("pi@a:70000 pi3\n", "hosts.txt:1: port 70000 is not between"),
        ("pi@a\n", "hosts.txt:1: expected"),
        ("pi@a pi3 twice\n", "hosts.txt:1: expected"),
        ("-oProxyCommand=x@a pi3\n", "hosts.txt:1: expected"),
        ("pi@a;x pi3\n", "hosts.txt:1: expected"),
        ("pi@a pi3 # one\n\npi@a pi4\n", "hosts.txt:3: a is in .*hosts.txt:1, too"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "hosts.txt").write_text(text)
    with pytest.raises(ValueError, match=fault):
        farm.read(tmp_path / "hosts.txt")


def test_no_list_of_boards(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="hosts.txt: "):
        farm.read(tmp_path / "hosts.txt")


def test_boards_of_one_type_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [farm.Board(f"hosts.txt:{i}", f"pi@{i}", 22, "pi3") for i in (1, 2)]
    monkeypatch.setattr(farm, "prepare", lambda board, *_: f"pi-{board.who[-1]}-gcc12")
    with pytest.raises(Failure, match="^hosts.txt:2: .*pi3.* pi-2-gcc12.* hosts.txt:1"):
        farm.usable(made, "ssh", b"")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without sources of its own, but for what a farm writes."""
    (tmp_path / "here" / "build").mkdir(parents=True)
    (tmp_path / "here" / farm.REACH).parent.mkdir(parents=True)
    (tmp_path / "here" / farm.REACH).symlink_to(ROOT / farm.REACH)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(farm, "sizes", lambda programs: [])
    return tmp_path / "here"


Member = tuple[tarfile.TarInfo, bytes]


def member(name: str, data: bytes = b"", **facts: object) -> Member:
    """A member of an archive."""
    made = tarfile.TarInfo(name)
    made.size = len(data)
    for key, value in facts.items():
        setattr(made, key, value)
    return made, data


def whole(folder: Path) -> list[Member]:
    """What a good board sends, without code sizes."""
    board = board_of(folder, "pi3-gcc12")
    names = ("machine.json", "counts.csv", "provenance.csv")
    return [member(name, (board / name).read_bytes()) for name in names]


def packed(members: list[Member], mode: str = "w:gz") -> str:
    """An archive as a board sends it."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode=mode) as archive:
        for made, data in members:
            archive.addfile(made, io.BytesIO(data))
    return base64.b64encode(into.getvalue()).decode()


def changed(members: list[Member], name: str, old: str, new: str) -> list[Member]:
    """The same but for one text of one member."""
    texts = {made.name: data.decode() for made, data in members}
    assert old in texts[name]
    texts[name] = texts[name].replace(old, new, 1)
    return [member(name, text.encode()) for name, text in texts.items()]


LONG_NAME = member("././@LongLink", b"name\0", type=tarfile.GNUTYPE_LONGNAME)[0].tobuf()
LONG_NAME += b"name".ljust(512, b"\0")  # of the next member, which is another one
BAD = {
    "no base64": lambda good: "junk!",
    "no archive": lambda good: base64.b64encode(b"junk").decode(),
    "another packer": lambda good: packed(good, "w:xz"),
    "cut short": lambda good: packed(good)[:-400],
    "a cut row": lambda good: packed(changed(good, "counts.csv", "\niterations", "\nit")),
    "markup": lambda good: packed(changed(good, "machine.json", '"cpu": "', '"cpu": "<b>')),
    "no facts": lambda good: packed([member("machine.json", b"{}"), *good[1:]]),
    "deep facts": lambda good: packed([member("machine.json", b"[" * 10**5), *good[1:]]),
    "no machine.json": lambda good: packed(good[1:]),
    "climbing out": lambda good: packed([*good, member("../evil.csv", b"x")]),
    "far out": lambda good: packed([*good, member("../../../results/local/asm.csv", b"x")]),
    "absolute": lambda good: packed([*good, member("/tmp/evil.csv", b"x")]),
    "the parent": lambda good: packed([*good, member("..", b"x")]),
    "a program": lambda good: packed([*good, member("evil.sh", b"x")]),
    "a link": lambda good: packed(
        [*good, member("times.csv", type=tarfile.SYMTYPE, linkname="/etc/passwd")]
    ),
    "a hard link": lambda good: packed(
        [*good, member("times.csv", type=tarfile.LNKTYPE, linkname="counts.csv")]
    ),
    "a pipe": lambda good: packed([*good, member("times.csv", type=tarfile.FIFOTYPE)]),
    "a folder": lambda good: packed([*good, member("results", type=tarfile.DIRTYPE)]),
    "twice": lambda good: packed([*good, good[1]]),
    "a large file": lambda good: packed([*good, member("times.csv", bytes(70 * 2**20))]),
    "a chain of names": lambda good: base64.b64encode(gzip.compress(LONG_NAME * 3000)).decode(),
    "terminal control": lambda good: packed([*good, member("\x1b[2J\n", b"x")]),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_delivery_is_one_line_and_the_other_board_goes_on(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture, bad: str
) -> None:
    """Nothing is written but the good board's results."""
    good = whole(place.parent / "good")
    one, two = (farm.Board(f"hosts.txt:{i}", f"pi@{i}", 22, "pi3") for i in "12")
    sent = [(one, "iterations/v7", BAD[bad](good)), (two, "iterations/v8", packed(good))]
    monkeypatch.setattr(farm, "measure", lambda *_: sent)
    before = set(place.parent.rglob("*"))
    folders = [Path("iterations/v7"), Path("iterations/v8")]
    options = argparse.Namespace(folders=folders, ssh="ssh", messages="default")
    assert farm.of_kind([one, two], options) == {"iterations/v7"}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("farm: iterations/v7 on 1: ") and line.isprintable()
    made = {path.relative_to(place).as_posix() for path in set(place.parent.rglob("*")) - before}
    names = {f"results/farm/2/{made.name}" for made, _ in good}
    assert made == {"results", "results/farm", "results/farm/2", *names}


def test_a_board_that_has_lost_its_results_takes_none_away(place: Path) -> None:
    """It sends v8, then v7 alone."""
    board, good = farm.Board("hosts.txt:1", "pi@a", 22, "pi3"), whole(place.parent / "good")
    other = [member(made.name, data.replace(b"v8", b"v7")) for made, data in good]
    for sent in (good, other):
        farm.accept(board, packed(sent), ("0" * 40, True))
    folder = place / "results/farm/a"
    assert {row["snapshot"] for row in read_rows(folder / "counts.csv")} == {"v7", "v8"}
    assert validate(folder) == [] and not (place / "results/earlier").exists()


def test_a_board_that_never_answers_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(farm, "PATIENCE", 1)
    (tmp_path / "ssh").write_text("#!/bin/sh\nexec tail -f /dev/null\n")
    (tmp_path / "ssh").chmod(0o755)
    board = farm.Board("hosts.txt:1", "pi@a", 22, "pi3")
    assert farm.prepare(board, str(tmp_path / "ssh"), b"") == ""
    assert "left out" in capsys.readouterr().err


def test_a_delivery_is_unpacked_no_further_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farm, "TOTAL", 10_000)
    with pytest.raises(Failure, match="10,000"):
        farm.opened(packed([member("times.csv", bytes(20_000))]))


# A board that greets whoever logs in, on stdout; and what answers there for farmhand.py.
SSH = """#!/bin/sh
while :; do case $1 in -o|-p|-l) shift 2;; *) who=${1#pi@}; shift; break;; esac; done
if [ "$1" = -- ]; then shift; fi
printf 'Welcome to %s\\n\\tlast login: yesterday' "$who"
RSA_FARM=$BOARDS/$who PATH=$BOARDS/bin:$PATH sh -c "$*"
printf goodbye
"""
FARMHAND = """#!/bin/sh
case $3 in
prepare) cat token 2>/dev/null && exit; echo "$4" >signed; printf '\\n%s\\tpi3-gcc12\\n' "$4" ;;
measure) cat flood 2>/dev/null; printf '\\033[2J here\\n' >&2
    printf '\\n%s\\t%s\\t' "$(cat token signed 2>/dev/null | head -1)" "$4"; cat packed ;;
esac
"""


@pytest.fixture
def greeting(place: Path, monkeypatch: pytest.MonkeyPatch) -> list[farm.Board]:
    """Three boards of one type, whose folders stand beside the checkout.  Whoever has no SHELL (a
    machine that tests) has a farm all the same."""
    monkeypatch.delenv("SHELL", raising=False)
    home = place.parent
    for path, text in ((home / "ssh", SSH), (home / "bin" / "python3", FARMHAND)):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    sent = packed(whole(home / "good"))
    made = [farm.Board(f"hosts.txt:{i}", f"pi@{i}", 22, "pi3") for i in "abc"]
    for board in made:
        (home / board.name).mkdir()
        (home / board.name / "packed").write_text(sent + "\n")
    monkeypatch.setenv("BOARDS", str(home))
    return made


def usable(made: list[farm.Board], home: Path) -> list[farm.Board]:
    """The boards that say what they are."""
    empty = io.BytesIO()
    tarfile.open(fileobj=empty, mode="w:gz").close()
    return farm.usable(made, str(home / "ssh"), empty.getvalue())["pi3"]


def asked(home: Path, *folders: str) -> argparse.Namespace:
    paths = list(map(Path, folders))
    return argparse.Namespace(folders=paths, ssh=str(home / "ssh"), messages="default")


@needs("parallel")
def test_a_shell_that_prints_is_told_and_a_board_signs_for_itself_alone(
    place: Path, greeting: list[farm.Board], capfd: pytest.CaptureFixture
) -> None:
    """Two boards greet, without a line end; a third says another platform without its token and is
    left out."""
    home = place.parent
    (home / "c" / "token").write_text("pi@a\tpi9-gcc1\n")
    assert usable(greeting, home) == greeting[:2]
    said = sorted(capfd.readouterr().err.splitlines())
    assert [line.split(": ")[1] for line in said] == ["hosts.txt:a", "hosts.txt:b", "hosts.txt:c"]
    assert "Welcome to a" in said[0] and "Welcome to b" in said[1] and "left out" in said[2]
    options = asked(home, "iterations/v8", "iterations/v7")
    assert farm.of_kind(greeting[:2], options) == set()
    assert " here\n" in (said := capfd.readouterr().err) and "\033" not in said
    assert {path.name for path in (place / "results" / "farm").iterdir()} <= {"a", "b"}
    shutil.rmtree(place / "results")
    (home / "b" / "token").write_text(farm.token(greeting[2]))  # signs for another board
    assert farm.of_kind([greeting[1]], options) == {"iterations/v7", "iterations/v8"}


@needs("parallel")
def test_a_line_without_end_is_cut_and_its_board_left_out(
    place: Path, greeting: list[farm.Board], capfd: pytest.CaptureFixture
) -> None:
    """As it says what it is, and as it measures.  The other board does the work."""
    home = place.parent
    (home / "c" / "token").write_text("x" * (farm.MOST + 1))
    with (home / "a" / "flood").open("wb") as file:
        file.truncate(65 * 2**20)
    assert usable(greeting, home) == greeting[:2]
    assert re.search(
        r"^farm: hosts.txt:c: c is left out: .*1,048,576", capfd.readouterr().err, re.M
    )
    folders = [f"iterations/v{i}" for i in (5, 6, 7, 8)]
    assert farm.of_kind(greeting[:2], asked(home, *folders)) == set()
    assert re.findall(r"^farm: hosts.txt:(.): .", capfd.readouterr().err, re.M) == ["a"]
    assert [path.name for path in (place / "results" / "farm").iterdir()] == ["b"]
