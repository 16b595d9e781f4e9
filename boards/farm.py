"""Measure on several boards at once, over ssh: `python3 -m boards.farm hosts.txt FOLDER...`.

A line of hosts.txt is a board, `user@host[:port]  type`, with # comments.  Boards of one type share
the work; each type does the whole of it.  GNU parallel hands out the jobs, a snapshot each: a job
takes the bundle to its board (rsync sends it once), runs `boards.farm --board` there, which checks
and measures, and brings a results folder back.  Where a board fails, another one does its job.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from boards.exchange import refuse, validate
from harness import target
from harness.cells import Cell, cells_of
from harness.collect import LOCAL, PROVENANCE, merged
from harness.counters import COUNTERS
from records import faults, files, machine, platform
from records.faults import Failure
from records.rows import CELL, SCHEMAS, Row, read_rows, write_rows

LINE = re.compile(r"(\w[\w.-]*@\w[\w.-]*)(?::([0-9]{1,5}))?\s+([a-z0-9][a-z0-9.-]*)", re.ASCII)
EXAMPLE = "`user@host[:port]  type`"


class Board(NamedTuple):
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


def read(path: Path) -> list[Board]:
    """The boards of a file.  Raises Failure naming file and line."""
    if not path.is_file():
        raise Failure(f"{path}: no such file; write one, a line for each board: {EXAMPLE}")
    boards: dict[str, Board] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, place = text.partition("#")[0].strip(), f"{path}:{number}"
        if not text:
            continue
        parts = LINE.fullmatch(text)
        if not parts:
            raise Failure(f"{place}: expected {EXAMPLE}, not {text!r}")
        board = Board(place, parts[1], int(parts[2] or 22), parts[3])
        if board.name in boards:
            raise Failure(f"{place}: {board.name} is in {boards[board.name].place}, too")
        boards[board.name] = board
    if not boards:
        raise Failure(f"{path}: no board in it; a line is {EXAMPLE}")
    return list(boards.values())


# --- a board's part -------------------------------------------------------------------------------

BUNDLE, PROBE = Path("build/farm.tar.gz"), Path("build/probe")
CC = "arm-linux-gnueabihf-gcc"
SENT = """
    records/*  boards/*.py  harness/**/*.py  harness/plugin/*.txt
    data/inputs/**/*  iterations/*/README.md  iterations/*/rsa.c
    studies/**/README.md  studies/*/*/rsa.c
    build/flags  build/selftest  build/count.so  build/unicorn.so  build/probe
"""


def bundle(cells: list[Cell]) -> None:
    """Write all that a board needs as a tar archive.  Raises OSError and Failure."""
    words = platform.read_flags().splitlines()[1].split()
    target.build([CC, *(word for word in words if not word.startswith("-W") or "," in word)], PROBE)
    paths = {path for pattern in SENT.split() for path in Path().glob(pattern) if path.is_file()}
    with tarfile.open(BUNDLE, "w:gz") as archive:
        for path in sorted(paths | {cell.program for cell in cells}):
            archive.add(path)
        if find_spec("elftools"):  # reads programs: a board need not have it installed
            archive.add(Path(str(import_module("elftools").__file__)).parent, "elftools")


def check(cell: Cell) -> None:
    """The cell's program over its vectors, on the board, too.  Raises Failure."""
    stamp, vectors = cell.folder / "check.ok", sorted(cell.inputs.glob("vectors/*.txt"))
    words = [sys.executable, "-m", "harness", "check", cell.program, cell.snapshot.width, *vectors]
    if subprocess.run(list(map(str, words))).returncode:
        raise Failure(f"{cell.label}: wrong on this board")
    moment = max(time.time(), cell.program.stat().st_mtime)  # a board may not know the time
    os.utime(stamp, (moment, moment))


def on_board(folder: Path, messages: str, out: Path, sender: str) -> None:
    """Check and collect one snapshot, put the results into a new folder, and print a line: what
    GNU parallel calls this board, and the snapshot.  `sender` is the architecture of the machine
    that sent the bundle.  Raises Failure and OSError."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    version = platform.read_flags().splitlines()[0].split()[-1]
    here = target.platform(PROBE, "gcc" + version.partition(".")[0])
    files.replace(platform.FILE, str(here))
    for counter in COUNTERS.values() if os.uname().machine != sender else ():
        counter.library.unlink(missing_ok=True)  # code for the other machine
    for cell in cells_of([folder], messages):
        check(cell)
    words = [sys.executable, "-m", "harness", "collect", "--no-sizes", "--messages", messages]
    # A job that was cut off from its farm is waited for, as if it were of the same make.
    environment = {**os.environ, "MAKE_PID": "farm"}
    if subprocess.run([*words, str(folder)], env=environment).returncode:
        raise Failure(f"{folder}: not measured on this board")
    for path in LOCAL.iterdir():
        if path.name in (machine.FILE, *MEASURED):
            shutil.copyfile(path, out / path.name)
    print(os.environ["PARALLEL_SSHLOGIN"], folder, sep="\t", flush=True)


# --- jobs -----------------------------------------------------------------------------------------

# Never a question.  A board that falls silent is noticed after 75 s; a busy one is waited for.
OPTIONS = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
# Each job says --transferfile: where a board is down, --basefile ends everything.  What goes wrong
# is said by reach.sh, on fd 9, which is this program's stderr; rsync's words are for nobody.
ENGINE = ["sh", "-c", 'exec "$@" 9>&2 2>/dev/null', "sh", "parallel", "--will-cite", "--no-notice"]
ENGINE += ["--workdir", "rsa-farm", "--transferfile", str(BUNDLE)]
# PARALLEL_SHELL: it guesses where SHELL is unset.  -t: what has the same time is not sent again.
ENVIRONMENT = {"PARALLEL_SHELL": "/bin/sh", "PARALLEL_RSYNC_OPTS": "-rltDzR"}


def measure(
    boards: list[Board], folders: list[Path], ssh: str, messages: str
) -> Iterator[tuple[Board, Path, Path]]:
    """Have boards of one type measure snapshots; (board, snapshot, its results) as each job ends.
    A board that stops is named on stderr, and not asked again in this run (reach.sh)."""
    place = Path("build/farm", boards[0].kind)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    known, logins = {}, place / "logins"
    for board in boards:
        (place / board.name).write_text(f"{board.place}: {board.name}")
        known[f"{board.who}:{board.port}"] = board
    reach = f"1/sh boards/reach.sh {place}/{{}} {ssh} {OPTIONS} {{}}\n"
    logins.write_text("".join(reach.format(board.name, who) for who, board in known.items()))
    limit = f"LIMIT={shlex.quote(os.environ['LIMIT'])} " if os.environ.get("LIMIT") else ""
    job = f"tar xzf {BUNDLE} && {limit}python3 -m boards.farm --board {place}/sent/{{}}"
    job += f" --messages {shlex.quote(messages)} {os.uname().machine} {{}}"
    options = ["--sshloginfile", logins, "--retries", len(boards) + 1]
    options += ["--return", f"{place}/sent/{{}}", job, ":::", *folders]
    with subprocess.Popen(
        [*ENGINE, *map(str, options)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
        env={**os.environ, **ENVIRONMENT},
    ) as jobs:
        for line in jobs.stdout or ():
            login, _, folder = line.rstrip("\n").partition("\t")
            who = login.rpartition(" ")[2]
            if who in known:
                yield known[who], Path(folder), place / "sent" / folder
            else:
                print(line, end="", flush=True)


# --- results --------------------------------------------------------------------------------------

OUT = Path("results/farm")
MEASURED = ("counts.csv", "times.csv", "perf.csv", PROVENANCE)  # the last says that all are there


def accept(board: Board, folder: Path, sent: Path, revision: tuple[str, bool]) -> str:
    """Put what a board has sent of a snapshot beside what it sent before, all or nothing, and
    return its platform.  The code sizes are taken here.  Raises Failure and OSError."""
    refuse(validate(sent, board.place), sent)
    cells = {cell.label: cell for cell in cells_of([folder], "default")}
    facts = machine.read_machine(sent)
    programs = {label: value for label, value in facts["programs"].items() if label in cells}
    facts |= {"programs": programs, "board": f"{board.name}, {board.kind}"}
    facts["git_revision"], facts["git_clean"] = revision
    made = {"asm.csv": [row for cell in cells.values() for row in cell.size_rows()]}
    for name in MEASURED:
        rows = read_rows(sent / name)
        made[name] = [row for row in rows if "/".join(row[part] for part in CELL) in cells]
    kept, facts = merged(OUT / board.name, {name: made[name] for name in made if made[name]}, facts)
    machine.write_machine(OUT / board.name, facts)
    for name, rows in kept.items():
        write_rows(OUT / board.name / name, rows)
    return str(facts["platform"])


def groups(rows: Iterable[Row]) -> set[tuple[object, ...]]:
    """Rows of provenance.csv, to be compared."""
    return {tuple(row[name] for name in SCHEMAS[PROVENANCE].columns) for row in rows}


def lacking(boards: list[Board], options: argparse.Namespace) -> list[Path]:
    """The folders that no board of a type has delivered as they are now."""
    kept = {board: groups(read_rows(OUT / board.name / PROVENANCE)) for board in boards}
    todo = []
    for folder in options.folders:
        cells = cells_of([folder], options.messages)
        now = groups(row for cell in cells for row in cell.groups(platform.read_flags()))
        there = [board.name for board in boards if now <= kept[board]]
        if there:
            print(f"  FARM    {folder} is there already: {OUT / there[0]}/", flush=True)
        else:
            todo.append(folder)
    return todo


def of_kind(boards: list[Board], options: argparse.Namespace) -> set[str]:
    """Measure every folder on boards of one type; the folders that could not be."""
    todo, revision = lacking(boards, options), machine.revision()
    missing, first = set(map(str, todo)), ""
    for board, folder, sent in measure(boards, todo, options.ssh, options.messages) if todo else ():
        try:
            found = accept(board, folder, sent, revision)
        except faults.EXPECTED as fault:
            print(f"farm: {folder} on {board.name}: {faults.line(fault)}", file=sys.stderr)
            continue
        missing.discard(str(folder))
        print(f"  FARM    {folder} on {board.name} ({found}): {OUT / board.name}/", flush=True)
        first = first or found
        if found != first:
            unlike = f"{board.place}: a {board.kind} that is {found}, while another is {first}"
            raise Failure(f"{unlike}; boards of one type share work: give this one another type")
    return missing


def farm(options: argparse.Namespace) -> list[str]:
    """Everything that the command line asks for; a line for each type that lacks something."""
    for tool in ("parallel", "rsync"):
        if shutil.which(tool) is None:
            raise Failure(f"{tool} is not installed: type  sudo apt-get install parallel rsync")
    kinds: dict[str, list[Board]] = {}
    for board in read(options.hosts):
        kinds.setdefault(board.kind, []).append(board)
    bundle(cells_of(options.folders, options.messages))
    with ThreadPoolExecutor(max_workers=len(kinds)) as pool:
        try:
            missing = list(pool.map(lambda boards: of_kind(boards, options), kinds.values()))
        except BaseException:
            faults.end_children()
            raise
    both = zip(kinds, missing)
    return [f"{kind}: not measured: {', '.join(sorted(lacks))}" for kind, lacks in both if lacks]


def main() -> int:
    """Command line; 0, or 2 with what is missing on stderr.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ssh", default="ssh", help="the ssh command with its options")
    parser.add_argument("--messages", default="default")
    parser.add_argument("--board", type=Path, help="on a board: measure, into this folder")
    parser.add_argument("hosts", type=Path)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.board:
        on_board(options.folders[0], options.messages, options.board, str(options.hosts))
        return 0
    with files.alone(Path("build/farm.lock")):
        lacks = farm(options)
    if lacks:
        lacks.append(f"the next run repeats only what is missing; {faults.AGAIN}")
    print("".join(f"farm: {line}\n" for line in lacks), end="", file=sys.stderr)
    return 2 if lacks else 0


if __name__ == "__main__":
    sys.exit(faults.command_line("farm", main))
