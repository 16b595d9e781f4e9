"""The boards of a farm, one a line: `user@host[:port]  type`, with # comments.

Boards of one type share the work; each type does the whole of it.
"""

from __future__ import annotations

import argparse
import base64
import hmac
import io
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from boards.farmhand import BUNDLE, PROBE
from boards.validate import LARGEST, TOTAL, validate
from harness import collect, target
from harness.cells import Cell, cells_of
from harness.collect import PROVENANCE
from records import faults, files, ladder, machine
from records.faults import Failure
from records.files import digest, replace
from records.platform import read_flags
from records.rows import SCHEMAS, Row, read_rows, write_rows

LINE = re.compile(
    r"(?P<who>[A-Za-z_][\w.-]*@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*))(?::(?P<port>[0-9]{1,5}))?"
    r"\s+(?P<kind>[a-z0-9][a-z0-9.-]*)"
)
EXAMPLE = "`user@host[:port]  type`"
# Never a question.  A board that falls silent is noticed after 75 s; a busy one is waited for.
OPTIONS = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"


@dataclass(frozen=True)
class Board:
    """A board: `place` is its line (`hosts.txt:3`), `kind` its type, `who` user@host."""

    place: str
    who: str
    port: int
    kind: str

    @property
    def name(self) -> str:
        """A folder's name: the host, and the port unless it is 22."""
        host = self.who.partition("@")[2]
        return host if self.port == 22 else f"{host}-{self.port}"

    def login(self, ssh: str) -> str:
        """The ssh command that reaches it, as one string for a shell."""
        return f"{ssh} {OPTIONS} -p {self.port} {self.who}"


def read(path: Path) -> list[Board]:
    """The boards of a file.  Raises Failure naming file and line."""
    if not path.is_file():
        raise Failure(f"{path}: no such file; write one, a line for each board: {EXAMPLE}")
    boards: dict[str, Board] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, place = text.partition("#")[0].strip(), f"{path}:{number}"
        if not text:
            continue
        found = LINE.fullmatch(text)
        if not found:
            raise Failure(f"{place}: expected {EXAMPLE}, not {text!r}")
        port = int(found["port"] or 22)
        if not 0 < port < 65536:
            raise Failure(f"{place}: port {port} is not between 1 and 65535")
        board = Board(place, found["who"], port, found["kind"])
        if board.name in boards:
            raise Failure(f"{place}: {board.name} is in {boards[board.name].place}, too")
        boards[board.name] = board
    if not boards:
        raise Failure(f"{path}: no board in it; a line is {EXAMPLE}")
    return list(boards.values())


# --- delivery -------------------------------------------------------------------------------------

OUT = Path("results/farm")
Group = tuple[object, ...]  # a row of provenance.csv
FILES = (*(name for name in SCHEMAS if name != "calls.csv"), machine.FILE)
# What a delivery may raise; a long chain of long names is the recursion.
FAULTS = (tarfile.TarError, zlib.error, EOFError, RecursionError, *faults.EXPECTED)


def plain(text: str) -> str:
    """What a board says, in one line that does nothing to a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(text.split()))[:300]


def opened(sent: str) -> dict[str, bytes]:
    """Name -> contents of a delivery, a tar archive in base64.  Raises one of FAULTS where anything
    but a results file is in it."""
    unpacker = zlib.decompressobj(wbits=31)
    data = unpacker.decompress(base64.b64decode(sent, validate=True), TOTAL)
    if not unpacker.eof:
        raise Failure(f"cut short, or larger than {TOTAL:,} bytes")
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for member in archive:
            if not member.isreg() or member.name not in FILES or member.name in files:
                raise Failure(f"it sends {member.name[:100]!a}, which is no file of results")
            if member.size > LARGEST[Path(member.name).suffix]:
                raise Failure(f"{member.name} is larger than {LARGEST[Path(member.name).suffix]:,}")
            found = archive.extractfile(member)
            files[member.name] = found.read() if found else b""
    return files


def accept(board: Board, sent: str, revision: tuple[str, bool]) -> None:
    """Put a board's results beside those that it sent before, all of them or none: valid ones.  The
    code sizes are taken here, of the same programs.  Raises one of FAULTS."""
    with tempfile.TemporaryDirectory(prefix="farm-", dir="build") as scratch:
        folder = Path(scratch)
        for name, data in opened(sent).items():
            (folder / name).write_bytes(data)
        facts = machine.read_machine(folder, board.place)
        facts["git_revision"], facts["git_clean"] = revision
        facts["board"] = f"{board.name}, {board.kind}"
        machine.write_machine(folder, facts)
        wrong = validate(folder, board.place)
        if wrong:
            raise Failure(wrong[0] + f" ({len(wrong):,} faults)" * bool(wrong[1:]))
        made = {name: read_rows(folder / name) for name in sorted(SCHEMAS, key=later)}
    made["asm.csv"] = sizes(facts["programs"])
    made = {name: rows for name, rows in made.items() if rows}
    merged, facts = collect.merged(OUT / board.name, made, facts)
    for name, rows in merged.items():
        write_rows(OUT / board.name / name, rows)
    machine.write_machine(OUT / board.name, facts)


def held(board: Board) -> set[Group]:
    """The groups of a board's results; none unless these are valid: a farm that was killed between
    two files has left others.  Raises Failure and OSError."""
    folder = OUT / board.name
    found = set(map(group, read_rows(folder / PROVENANCE)))
    return found if found and not validate(folder) else set()


def wanted(cells: list[Cell]) -> set[Group]:
    """The groups of these cells as they are now.  Raises Failure and OSError."""
    return {group(row) for cell in cells for row in cell.groups(read_flags())}


def group(row: Row) -> Group:
    """A row of provenance.csv, to be compared."""
    return tuple(row[name] for name in SCHEMAS[PROVENANCE].columns)


def later(name: str) -> bool:
    """Whether a table is written after the one that says which programs the rows are of."""
    return name != PROVENANCE


def sizes(programs: dict[str, str]) -> list[Row]:
    """Rows of asm.csv of those programs that are the same here; programs maps study/snapshot/level
    to SHA-256.  Raises Failure and OSError."""
    rows: list[Row] = []
    for label, program in programs.items():
        study, name, level = label.split("/")
        cell = Cell(ladder.find(name, study), level, "default")
        if digest(cell.program) == program:
            rows += cell.size_rows()
    return rows


# --- farm -----------------------------------------------------------------------------------------

HERE = 'cd "${RSA_FARM:-rsa-farm}"'  # on a board: under the home of the user, or as it says
SECRET = secrets.token_bytes(32)  # of this run: what a board's token is made with
PATIENCE, MOST = 600, 2**20  # seconds and bytes in which a board must say what it is
CC = "arm-linux-gnueabihf-gcc"
REACH = "boards/reach.sh"  # its lines go to fd 9, which is this program's stderr
ENGINE = ("sh", "-c", 'exec "$@" 9>&2', "sh", "parallel", "--will-cite", "--no-notice")
# What a board is sent beside its programs.
SENT = """
    records/*  boards/*.py  harness/**/*.py  harness/plugin/*.txt
    data/inputs/**/*  iterations/*/README.md  iterations/*/rsa.c
    studies/**/README.md  studies/*/*/rsa.c
    build/flags  build/selftest  build/count.so  build/unicorn.so
    build/bundle.json  build/probe
"""


def bundle(cells: list[Cell]) -> bytes:
    """All that a board needs, as a tar archive.  Raises OSError and Failure."""
    compiler, flags = read_flags().splitlines()[:2]
    words = [word for word in flags.split() if not word.startswith("-W") or "," in word]
    gcc = target.build([CC, *words], PROBE)
    facts = {"machine": os.uname().machine, "gcc": gcc, "compiler": compiler}
    replace(BUNDLE, json.dumps(facts) + "\n")
    packed = io.BytesIO()
    paths = {path for pattern in SENT.split() for path in Path().glob(pattern) if path.is_file()}
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path in sorted(paths | {cell.program for cell in cells}):
            archive.add(path)
        if find_spec("elftools"):  # reads programs: a board need not have it installed
            folder = Path(str(import_module("elftools").__file__)).parent
            for path in sorted(folder.rglob("*.py")):
                archive.add(path, Path("elftools", path.relative_to(folder)))
    return packed.getvalue()


def token(board: Board) -> str:
    """What a board signs its lines with, and no other board can."""
    return hmac.new(SECRET, board.name.encode(), "sha256").hexdigest()


def answer(words: list[str], sent: bytes) -> tuple[int, list[str], list[str]]:
    """The status of a command, and the lines that it prints on stdout and on stderr: MOST bytes
    at most, so that who prints without end fills nothing."""
    bound = f'ulimit -f {MOST // 512}; exec timeout --foreground {PATIENCE} "$@"'
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        words = ["sh", "-c", bound, "sh", *words]
        status = subprocess.run(words, input=sent, stdout=out, stderr=err).returncode
        late, endless = f"\nno answer after {PATIENCE} s", f"\nit prints more than {MOST:,} bytes"
        err.write({124: late, -signal.SIGXFSZ: endless}.get(status, "").encode())
        said = []
        for file in (out, err):
            file.seek(0)
            lines = file.read().decode(errors="replace").splitlines()
            said.append([line for line in lines if line.strip()])
    return status, said[0], said[1]


def prepare(board: Board, ssh: str, archive: bytes) -> str:
    """Send a board what it needs; its platform, or "" and a line on stderr if it cannot serve.
    Boards are prepared at once: each line is one write."""
    there = 'mkdir -p "${RSA_FARM:-rsa-farm}" && ' + HERE
    there += f" && tar xzf - && sync && python3 -m boards.farmhand prepare {token(board)}"
    status, out, err = answer([*shlex.split(board.login(ssh)), there], archive)
    ours = [line.partition("\t")[2] for line in out if line.partition("\t")[0] == token(board)]
    fault = ""
    if status:
        fault = plain(err[-1] if err else "it said nothing").rstrip(".")
        if status == 255:  # ssh's own
            fault += f"; see it alone: {ssh} -p {board.port} {board.who}"
    elif len(ours) != 1 or not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", ours[0]):
        fault = "it does not say what platform it is"
    if fault:
        sys.stderr.write(f"farm: {board.place}: {board.name} is left out: {fault}\n")
        return ""
    if out[1:]:
        note = f"its shell prints {plain(out[0])!r}, which is not read"
        sys.stderr.write(f"farm: {board.place}: {board.name}: {note}\n")
    return ours[0]


def usable(boards: list[Board], ssh: str, archive: bytes) -> dict[str, list[Board]]:
    """Type -> the boards that can serve.  Raises Failure when boards of a type are not alike."""
    with ThreadPoolExecutor(max_workers=len(boards)) as pool:
        platforms = list(pool.map(lambda board: prepare(board, ssh, archive), boards))
    kinds: dict[str, list[Board]] = {board.kind: [] for board in boards}
    first: dict[str, tuple[str, str]] = {}
    for board, platform in zip(boards, platforms):
        if not platform:
            continue
        print(f"  BOARD   {board.name}: {board.kind}, {platform}", flush=True)
        other, place = first.setdefault(board.kind, (platform, board.place))
        if other != platform:
            fault = f"{board.place}: a {board.kind} that is {platform}, while {place} is {other}"
            raise Failure(f"{fault}; boards of one type share the work: give this one another type")
        kinds[board.kind].append(board)
    return kinds


def logins(boards: list[Board], ssh: str, folder: str) -> Iterator[str]:
    """GNU parallel's options for the boards; files with their names in the folder (reach.sh)."""
    for board in boards:
        name = Path(folder, board.name)
        name.write_text(f"{board.place}: {board.name}")
        yield from ("--sshlogin", f"1/sh {REACH} {name} {board.login(ssh)}")


def measure(
    boards: list[Board], folders: list[Path], ssh: str, messages: str
) -> Iterator[tuple[Board, str, str]]:
    """Have boards of one type measure the folders; (board, folder, what it sends) as each job ends.
    Lines that no board has signed are not read: a shell may print some.  A board that stops is
    named on stderr, and not asked again in this run."""
    signed = {token(board): board for board in boards}
    limit = f"LIMIT={shlex.quote(os.environ['LIMIT'])} " if os.environ.get("LIMIT") else ""
    job = f"{HERE} && {limit}python3 -m boards.farmhand measure {{}} {shlex.quote(messages)}"
    engine = [*ENGINE, "--retries", str(len(boards) + 1)]
    with (
        tempfile.TemporaryDirectory(prefix="farm-", dir="build") as names,
        subprocess.Popen(
            [*engine, *logins(boards, ssh, names), job, ":::", *map(str, folders)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "PARALLEL_SHELL": "/bin/sh"},  # it guesses where SHELL is unset
        ) as jobs,
    ):
        for line in jobs.stdout or ():
            sign, _, rest = line.rstrip("\n").partition("\t")
            folder, _, sent = rest.partition("\t")
            if sign in signed and folder in map(str, folders):
                yield signed[sign], folder, sent


def lacking(boards: list[Board], options: argparse.Namespace) -> list[Path]:
    """The folders that no board of a type has delivered as they are now."""
    kept = {board.name: groups for board in boards if (groups := held(board))}
    todo = []
    for folder in options.folders:
        now = wanted(cells_of([folder], options.messages)) if kept else set()
        there = [name for name, groups in kept.items() if now and now <= groups]
        if there:
            print(f"  FARM    {folder} is there already: {OUT / there[0]}/", flush=True)
        else:
            todo.append(folder)
    return todo


def of_kind(boards: list[Board], options: argparse.Namespace) -> set[str]:
    """Measure every folder on boards of one type; the folders that could not be."""
    todo, revision = lacking(boards, options), machine.revision()
    missing = set(map(str, todo))
    if not boards or not todo:
        return missing
    for board, folder, sent in measure(boards, todo, options.ssh, options.messages):
        try:
            accept(board, sent, revision)
        except FAULTS as fault:
            print(f"farm: {folder} on {board.name}: {plain(faults.line(fault))}", file=sys.stderr)
            continue
        missing.discard(folder)
        print(f"  FARM    {folder} on {board.name}: {OUT / board.name}/", flush=True)
    return missing


def farm(options: argparse.Namespace) -> list[str]:
    """Everything that the command line asks for; a line for each type that lacks something."""
    if shutil.which("parallel") is None:
        raise Failure("GNU parallel is not installed: type  sudo apt-get install parallel")
    boards = read(options.hosts)
    cells = cells_of(options.folders, options.messages)
    kinds = usable(boards, options.ssh, bundle(cells))
    with ThreadPoolExecutor(max_workers=len(kinds)) as pool:
        try:
            missing = list(pool.map(lambda kind: of_kind(kinds[kind], options), kinds))
        except BaseException:
            faults.end_children()
            raise
    found = zip(kinds, missing)
    return [f"{kind}: not measured: {', '.join(sorted(lacks))}" for kind, lacks in found if lacks]


def main() -> int:
    """Command line; 0, or 2 with what is missing on stderr.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ssh", default="ssh", help="the ssh command with its options")
    parser.add_argument("--messages", default="default")
    parser.add_argument("hosts", type=Path)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with files.alone(Path("build/farm.lock")):
        lacking = farm(options)
    if lacking:
        lacking.append(f"the next run repeats only what is missing; {faults.AGAIN}")
    print("".join(f"farm: {line}\n" for line in lacking), end="", file=sys.stderr)
    return 2 if lacking else 0


if __name__ == "__main__":
    sys.exit(faults.command_line("farm", main))
