"""Measure on several boards at once, over ssh, one job at a time on each.

`python3 -m harness.farm.farm [--ssh COMMAND] [--messages all] HOSTS FOLDER...`.  Every board gets
the same statically linked programs and needs nothing but sshd and python3.  A job is one snapshot;
GNU parallel hands the jobs out and gives those of a board that dies to another one of its type.
Each board's results are in results/farm/BOARD/ as soon as a job has ended.
"""

from __future__ import annotations

import argparse
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from harness import target
from harness.cells import Cell, cells_of
from harness.farm import delivery, hosts
from harness.farm.delivery import plain
from harness.farm.farmhand import BUNDLE, PROBE
from records import faults, files, machine
from records.faults import Failure
from records.files import replace
from records.platform import read_flags

HERE = 'cd "${RSA_FARM:-rsa-farm}"'  # on a board: under the home of the user, or as it says
SECRET = secrets.token_bytes(32)  # of this run: what a board's token is made with
PATIENCE, MOST = 600, 2**20  # seconds and bytes in which a board must say what it is
CC = "arm-linux-gnueabihf-gcc"
REACH = "harness/farm/reach.sh"  # its lines go to fd 9, which is this program's stderr
ENGINE = ("sh", "-c", 'exec "$@" 9>&2', "sh", "parallel", "--will-cite", "--no-notice")
# What a board is sent beside its programs.
SENT = """
    records/*.py  harness/**/*.py  harness/plugin/*.txt
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


def token(board: hosts.Board) -> str:
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


def prepare(board: hosts.Board, ssh: str, archive: bytes) -> str:
    """Send a board what it needs; its platform, or "" and a line on stderr if it cannot serve.
    Boards are prepared at once: each line is one write."""
    there = 'mkdir -p "${RSA_FARM:-rsa-farm}" && ' + HERE
    there += f" && tar xzf - && sync && python3 -m harness.farm.farmhand prepare {token(board)}"
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


def usable(boards: list[hosts.Board], ssh: str, archive: bytes) -> dict[str, list[hosts.Board]]:
    """Type -> the boards that can serve.  Raises Failure when boards of a type are not alike."""
    with ThreadPoolExecutor(max_workers=len(boards)) as pool:
        platforms = list(pool.map(lambda board: prepare(board, ssh, archive), boards))
    kinds: dict[str, list[hosts.Board]] = {board.kind: [] for board in boards}
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


def logins(boards: list[hosts.Board], ssh: str, folder: str) -> Iterator[str]:
    """GNU parallel's options for the boards; files with their names in the folder (reach.sh)."""
    for board in boards:
        name = Path(folder, board.name)
        name.write_text(f"{board.place}: {board.name}")
        yield from ("--sshlogin", f"1/sh {REACH} {name} {board.login(ssh)}")


def measure(
    boards: list[hosts.Board], folders: list[Path], ssh: str, messages: str
) -> Iterator[tuple[hosts.Board, str, str]]:
    """Have boards of one type measure the folders; (board, folder, what it sends) as each job ends.
    Lines that no board has signed are not read: a shell may print some.  A board that stops is
    named on stderr, and not asked again in this run."""
    signed = {token(board): board for board in boards}
    limit = f"LIMIT={shlex.quote(os.environ['LIMIT'])} " if os.environ.get("LIMIT") else ""
    job = f"{HERE} && {limit}python3 -m harness.farm.farmhand measure {{}} {shlex.quote(messages)}"
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


def lacking(boards: list[hosts.Board], options: argparse.Namespace) -> list[Path]:
    """The folders that no board of a type has delivered as they are now."""
    kept = {board.name: groups for board in boards if (groups := delivery.held(board))}
    todo = []
    for folder in options.folders:
        now = delivery.wanted(cells_of([folder], options.messages)) if kept else set()
        there = [name for name, groups in kept.items() if now and now <= groups]
        if there:
            print(f"  FARM    {folder} is there already: {delivery.OUT / there[0]}/", flush=True)
        else:
            todo.append(folder)
    return todo


def of_kind(boards: list[hosts.Board], options: argparse.Namespace) -> set[str]:
    """Measure every folder on boards of one type; the folders that could not be."""
    todo, revision = lacking(boards, options), machine.revision()
    missing = set(map(str, todo))
    if not boards or not todo:
        return missing
    for board, folder, sent in measure(boards, todo, options.ssh, options.messages):
        try:
            delivery.accept(board, sent, revision)
        except delivery.FAULTS as fault:
            print(f"farm: {folder} on {board.name}: {plain(faults.line(fault))}", file=sys.stderr)
            continue
        missing.discard(folder)
        print(f"  FARM    {folder} on {board.name}: {delivery.OUT / board.name}/", flush=True)
    return missing


def farm(options: argparse.Namespace) -> list[str]:
    """Everything that the command line asks for; a line for each type that lacks something."""
    if shutil.which("parallel") is None:
        raise Failure("GNU parallel is not installed: type  sudo apt-get install parallel")
    boards = hosts.read(options.hosts)
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
