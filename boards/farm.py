"""Several boards at once, over ssh: `make farm BOARDS=hosts.txt`.

A line of hosts.txt is a board, `user@host[:port]  type`, with # comments.
Boards of one type share the work; each type does the whole of it.  GNU
parallel hands out the jobs, a snapshot each: a job takes the bundle to its
board (rsync sends it once), runs `python3 -m boards job` there, which checks
and measures, and brings a results folder back.  Where a board fails, another
does its job.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from boards.exchange import refuse, validate
from harness import target
from harness.cells import Cell, cells_of
from harness.collect import PROVENANCE, merged, write
from harness.counters import COUNTERS
from records import faults, files, machine
from records.faults import Failure, run
from records.rows import COLUMNS, Row, read_rows

LINE = re.compile(
    r"(\w[\w.-]*@\w[\w.-]*)(?::([0-9]{1,5}))?\s+([a-z0-9][a-z0-9.-]*)", re.ASCII
)
EXAMPLE = "`user@host[:port]  type`"


class Board(NamedTuple):
    """A board: `line` is its line (`hosts.txt:3`), `kind` its type, `who` user@host."""

    line: str
    who: str
    port: int
    kind: str

    @property
    def name(self) -> str:
        """Return a folder's name: the host, and the port unless it is 22."""
        host = self.who.partition("@")[2]
        return host if self.port == 22 else f"{host}-{self.port}"


def read(path: Path) -> list[Board]:
    """Return the boards of a file.  Raises Failure naming file and line."""
    if not path.is_file():
        raise Failure(
            f"{path}: no such file; write one, a line for each board: {EXAMPLE}"
        )
    boards: dict[str, Board] = {}
    lines = path.read_text("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, 1):
        source_line = f"{path}:{number}"
        text = line.partition("#")[0].strip()
        parts = LINE.fullmatch(text)
        if parts:
            who, port, kind = parts.groups()
            board = Board(source_line, who, int(port or 22), kind)
            boards[board.name] = board
        elif text:
            raise Failure(f"{source_line}: expected {EXAMPLE}, not {text!r}")
    if not boards:
        raise Failure(f"{path}: no board in it; a line is {EXAMPLE}")
    return list(boards.values())


# --- a board's part -------------------------------------------------------------------------------

BUNDLE = Path("build/farm.tar.gz")
SENT = """
    records/*  boards/*.py  harness/**/*.py  harness/plugin/*.txt
    data/inputs/**/*  iterations/*/README.md  iterations/*/step.toml  iterations/*/rsa.c
    studies/**/README.md  studies/**/step.toml  studies/*/*/rsa.c
    build/flags  build/platform  build/probe  build/selftest  build/count.so  build/unicorn
"""


def bundle(cells: list[Cell]) -> None:
    """Write all that a board needs as a tar archive.  Raises OSError and Failure."""
    paths = {cell.program for cell in cells}
    for pattern in SENT.split():
        for path in Path().glob(pattern):
            if path.is_file():
                paths.add(path)
    words: list[str | Path] = ["tar", "czf", BUNDLE, *sorted(paths)]
    reader = find_spec("elftools")  # of programs: a board need not have it installed
    if reader and reader.origin:
        words += ["-C", Path(reader.origin).parents[1], "elftools"]
    run(words)


def harness(*words: object) -> bool:
    """Return whether a command of the harness passes.  A job that was cut
    off from its farm is waited for."""
    command = [sys.executable, "-m", "harness", *map(str, words)]
    return subprocess.run(command).returncode == 0


def on_board(out: Path, messages: str, sender: str, folder: Path) -> None:
    """Check and collect one snapshot, put the results into a new folder,
    and print a line: what GNU parallel calls this board, and the snapshot.
    `sender` is the architecture of the machine that sent the bundle.
    Raises Failure and OSError."""
    shutil.rmtree(out, ignore_errors=True)
    toolchain = machine.read_platform().toolchain
    platform = target.platform(target.PROGRAM, toolchain)
    files.replace(machine.PLATFORM, str(platform))
    if os.uname().machine != sender:
        for counter in COUNTERS.values():
            counter.file.unlink(missing_ok=True)  # code for the other machine
    for cell in cells_of([folder], messages):
        vectors = sorted(cell.inputs.glob("vectors/*.txt"))
        if not harness("check", cell.program, cell.snapshot.width, *vectors):
            raise Failure(f"{cell.label}: wrong on this board")
    if not harness("collect", "--messages", messages, "--out", out, folder):
        raise Failure(f"{folder}: not measured on this board")
    print(os.environ["PARALLEL_SSHLOGIN"], folder, sep="\t", flush=True)


# --- jobs -----------------------------------------------------------------------------------------

# Never a question.  A board that falls silent is noticed after 75 s; a busy one is waited for.
OPTIONS = """-o BatchMode=yes -o LogLevel=ERROR
    -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"""
# Each job says --transferfile: where a board is down, --basefile ends everything.  What a board
# says goes by reach.sh to fd 9, which is this program's stderr; what parallel and rsync say, to $0.
ENGINE = ["sh", "-c", 'exec "$@" 9>&2 2>"$0"']
PARALLEL = ["parallel", "--will-cite", "--no-notice", "--workdir", "rsa-farm"]
# PARALLEL_SHELL: it guesses where SHELL is unset.  -t: what has the same time is not sent again.
ENVIRONMENT = {"PARALLEL_SHELL": "/bin/sh", "PARALLEL_RSYNC_OPTS": "-rltDzR"}
OUT = Path("results/farm")
# The last file says that all are there.
MEASURED = ("counts.csv", "times.csv", "perf.csv", PROVENANCE)
# What a board is asked before anything is sent to it, and how its answer begins.
ANSWER = "lacks:"
QUESTION = f"""for tool in python3 perl rsync tar; do
    command -v $tool >/dev/null || lacks="$lacks $tool"
done
python3 -c "import sqlite3, sys; sys.exit(sys.version_info < (3, 11))" || lacks="$lacks Python-3.11"
echo "{ANSWER}$lacks"
"""


def refusal(board: Board, ssh: str) -> str:
    """Return why a board cannot work, in its own words or by what it lacks;
    "" when it can."""
    words = [*shlex.split(ssh), *OPTIONS.split(), "-p", str(board.port), board.who]
    words.append(f"sh -c {shlex.quote(QUESTION)}")
    ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)
    complaints = ran.stderr.decode(errors="replace").strip().splitlines()
    *greeting, answer = ran.stdout.decode(errors="replace").splitlines() or [""]
    if greeting:
        return f"its shell prints {greeting[0]!a} at a login; without a terminal it must be silent"
    if answer.startswith(ANSWER):
        lacking = answer.removeprefix(ANSWER)
        if not lacking:
            return ""
        return (
            f"it has no{lacking}; `sudo apt-get install` there brings what is missing"
        )
    return complaints[0] if complaints else f"status {ran.returncode}, without a word"


def delivered_by(board: Board) -> set[tuple[object, ...]]:
    """Return the provenance of all that a board has sent before."""
    rows = read_rows(OUT / board.name / PROVENANCE)
    return {tuple(row.values()) for row in rows}


@dataclass(frozen=True)
class Type:
    """The boards of one type, and what they are to measure: snapshot
    folders, by the workload `messages`, reached by the command `ssh`."""

    boards: list[Board]
    folders: list[Path]
    messages: str
    ssh: str

    @property
    def folder(self) -> Path:
        """Return the folder of what a run needs and gets."""
        return Path("build/farm", self.boards[0].kind)

    def lacking(self) -> list[Path]:
        """Return the folders that none of the boards has delivered as they are now."""
        delivered = {board.name: delivered_by(board) for board in self.boards}
        todo = []
        for folder in self.folders:
            wanted = set()
            for cell in cells_of([folder], self.messages):
                for row in cell.groups(machine.read_flags()):
                    wanted.add(tuple(row[column] for column in COLUMNS[PROVENANCE]))
            names = [name for name, groups in delivered.items() if wanted <= groups]
            if names:
                print(
                    f"  FARM    {folder} is there already: {OUT / names[0]}/",
                    flush=True,
                )
            else:
                todo.append(folder)
        return todo

    def ready(self) -> list[Board]:
        """Return the boards that can work; the others are named on stderr."""
        found = []
        with ThreadPoolExecutor(len(self.boards)) as pool:
            refusals = pool.map(lambda board: refusal(board, self.ssh), self.boards)
            for board, why in zip(self.boards, refusals):
                if why:
                    print(f"farm: {board.line}: {board.name}: {why}", file=sys.stderr)
                else:
                    found.append(board)
        return found

    def jobs(
        self, boards: list[Board], folders: list[Path]
    ) -> Iterator[tuple[Board, Path, Path]]:
        """Have the boards measure; (board, snapshot, its results) as each
        job ends.  A board that stops is named on stderr, and not asked
        again in this run (reach.sh)."""
        work = self.folder
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        reach = " ".join([self.ssh, *OPTIONS.split()])
        by_login = {}
        logins = []
        for board in boards:
            login = f"{board.who}:{board.port}"
            by_login[login] = board
            (work / board.name).write_text(f"{board.line}: {board.name}")
            logins.append(f"1/sh boards/reach.sh {work}/{board.name} {reach} {login}")
        (work / "logins").write_text("\n".join(logins) + "\n")
        job = ["python3", "-m", "boards", "job", f"{work}/sent/{{}}", self.messages]
        job += [os.uname().machine, "{}"]
        if os.environ.get("LIMIT"):
            job = ["env", f"LIMIT={os.environ['LIMIT']}", *job]
        options = ["--sshloginfile", work / "logins", "--retries", len(boards) + 1]
        options += ["--transferfile", BUNDLE, "--return", f"{work}/sent/{{}}"]
        options += [f"tar xzf {BUNDLE} && {shlex.join(job)}", ":::", *folders]
        with subprocess.Popen(
            [*ENGINE, work / "words", *PARALLEL, *map(str, options)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **ENVIRONMENT},
        ) as running:
            for line in running.stdout or ():
                login, _, folder = line.rstrip("\n").partition("\t")
                login = login.rpartition(" ")[2]
                if login in by_login:
                    yield by_login[login], Path(folder), work / "sent" / folder
                else:
                    print(line, end="", flush=True)

    def measure(self) -> list[str]:
        """Measure every folder that is lacking, and return those that could not be."""
        todo = self.lacking()
        boards = self.ready() if todo else []
        revision = machine.revision()
        missing = set(map(str, todo))
        for board, folder, sent in self.jobs(boards, todo) if boards else ():
            try:
                named = accept(board, folder, sent, revision)
            except faults.EXPECTED as fault:
                print(
                    f"farm: {folder} on {board.name}: {faults.line(fault)}",
                    file=sys.stderr,
                )
                continue
            missing.discard(str(folder))
            print(
                f"  FARM    {folder} on {board.name} ({named}): {OUT / board.name}/",
                flush=True,
            )
        if boards and missing:
            complaints = files.read(self.folder / "words")  # by GNU parallel or rsync
            for line in complaints.splitlines()[:1]:
                print(f"farm: {self.boards[0].kind}: {line}", file=sys.stderr)
        return sorted(missing)


def accept(board: Board, folder: Path, sent: Path, revision: tuple[str, bool]) -> str:
    """Put what a board has sent of a snapshot beside what it sent before,
    all or nothing, and return its platform.  The code sizes are taken
    here.  Raises Failure and OSError."""
    if not sent.is_dir():
        raise Failure(f"{board.line}: its results did not arrive")
    refuse(validate(sent, board.line), sent)
    facts = machine.read_machine(sent)
    facts["board"] = f"{board.name}, {board.kind}"
    facts["git_revision"], facts["git_clean"] = revision
    rows = {name: read_rows(sent / name) for name in MEASURED}
    sizes: list[Row] = []
    for cell in cells_of([folder], "default"):
        sizes += cell.size_rows()
    rows["asm.csv"] = sizes
    out = OUT / board.name
    all_rows, all_facts = merged(out, rows, facts)
    write(out, all_rows, all_facts)
    return str(facts["platform"])


def check_tools() -> None:
    """Raise Failure unless this machine's parallel, GNU's, and its rsync work."""
    for tool, called in (("parallel", "GNU parallel"), ("rsync", "rsync")):
        path = shutil.which(tool)
        if path is None:
            raise Failure(
                f"{tool} is not installed: type  sudo apt-get install parallel rsync"
            )
        try:
            version = run([path, "--version"])
        except Failure as fault:
            version = str(fault)
        if not version.startswith(called):
            first = version.partition("\n")[0]
            raise Failure(
                f"{path} is not {called}, which has to stand before it in PATH: {first}"
            )


def farm(hosts: Path, *folders: Path, messages: str = "", ssh: str = "ssh") -> int:
    """Measure on every type of board at once; 0, or 2 with what is missing
    on stderr.  Without a word the workload is the default one.  Raises
    Failure and OSError."""
    check_tools()
    messages = messages or "default"
    types: dict[str, Type] = {}
    for board in read(hosts):
        types.setdefault(board.kind, Type([], [*folders], messages, ssh)).boards.append(
            board
        )
    with files.alone(Path("build/farm.lock")), ThreadPoolExecutor(len(types)) as pool:
        bundle(cells_of(folders, messages))
        try:
            missing = dict(zip(types, pool.map(Type.measure, types.values())))
        except BaseException:
            faults.end_children()
            raise
    for kind, lacks in missing.items():
        if lacks:
            print(f"farm: {kind}: not measured: {', '.join(lacks)}", file=sys.stderr)
    if any(missing.values()):
        then = f"the next run repeats only what is missing; {faults.AGAIN}"
        print(f"farm: {then}", file=sys.stderr)
        return 2
    return 0
