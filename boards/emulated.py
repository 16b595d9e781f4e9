"""A whole emulated computer: Debian on a 64-bit ARM kernel, reached over ssh.

Its processor executes one instruction in each nanosecond of its own clock, so
the kernel's counter of instructions is exact, and its times are virtual: they
say nothing about any real processor.

agreement.csv of its results has three counters of the same calls of mont_mul:
its kernel's, our plugin and Unicorn; the column `symbol` names the counter.
What the kernel counts beyond the others is the driver's part of a call:
reading operands and printing the result.  It is the same for every cell to
within SLACK, for the C library's text functions take other ways at other
addresses.
"""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from boards.exchange import adopt
from harness import operands, perf
from harness.counters import COUNTERS
from records import files, machine
from records.faults import Failure, first_line, run, seconds_of
from records.ladder import LADDER, LEVELS
from records.machine import read_flags, read_platform
from records.results import load
from records.rows import CELL, Row, number, read_rows, write_rows

# --- counters -------------------------------------------------------------------------------------

FILE = "agreement.csv"
KERNEL = "kernel"  # the counter's name
CALLS = 400
METRIC = "instructions"
WIDTH = 128  # bits
SLACK = 1  # instructions a call
PROGRAMS = f"{LADDER}/*/*/rsa"


def runs() -> list[list[str]]:
    """Return the driver's arguments for N calls, and for 2N: the difference is N calls alone."""
    vectors = f"data/inputs/width-{WIDTH}/vectors/mont_mul.txt"
    words = operands.command(["count", "-k", "random", "-n", 2 * CALLS, vectors], WIDTH)
    return [[*words, str(CALLS)], words]


def difference(name: str, program: Path) -> int:
    """Return the instructions of the N calls by one of our counters.  Raises Failure."""
    totals = []
    for words in runs():
        command = [
            sys.executable,
            "-m",
            "harness",
            "counters",
            str(program),
            *map(str, words),
        ]
        lines = run(command, env={**os.environ, "COUNTER": name}).splitlines()
        counted = dict(line.rsplit("\t", 1) for line in lines)
        total = counted[f"total\t{METRIC}"]
        totals.append(int(total))
    once, twice = totals
    return twice - once


def add_ours(folder: Path, programs: Path) -> None:
    """Count what the kernel has counted, and say which counter cannot; a program is
    programs/STUDY/SNAPSHOT/LEVEL/rsa.  Raises Failure and OSError."""
    kernel = read_rows(folder / FILE)
    rows = list(kernel)
    for name in COUNTERS:
        ours = []
        try:
            for row in kernel:
                program = programs.joinpath(*cell_of(row), "rsa")
                ours.append({**row, "symbol": name, "value": difference(name, program)})
        except Failure as fault:
            print(f"  NOTE    not compared with {name}: {fault}", flush=True)
            continue
        rows += ours
    write_rows(folder / FILE, sorted(rows, key=cell_of))


def cell_of(row: Row) -> list[str]:
    """Return study, snapshot and level of a row."""
    return [row[column] for column in CELL]


def summary(folder: Path) -> str:
    """Return what was tried on a board, when and with what, and whether the
    counters agree.  Raises Failure where they do not, or one is missing."""
    results = load(folder, counted=False)
    cells = results.query(
        "select snapshot, level, plugin, unicorn, kernel, n from agreements"
    )
    if not cells:
        raise Failure(
            f"{folder}: the board's results, whose counts could not be compared"
        )
    apart = []
    of_driver = set()
    for cell in cells:
        if cell["plugin"] != cell["unicorn"]:
            apart.append(f"{cell['snapshot']} {cell['level']}")
        more = cell[KERNEL] - cell["plugin"]
        of_driver.add(more / cell["n"])
    shares = sorted(of_driver)
    if apart or shares[-1] - shares[0] > SLACK:
        raise Failure(f"{folder}: the counters disagree: {' '.join(apart)} {shares}")
    text = ""
    for key in ("date", "git_revision", "os", "kernel", "compiler"):
        text += f"{key}: {results.machine[key]}\n"
    emulator = first_line("qemu-system-aarch64", "--version")
    text += f"emulator: {emulator}\n"
    share = " or ".join(f"{one:.2f}" for one in shares)
    text += f"agree: {len(cells)} cells, {share} instructions of the driver a call\n"
    return text


def on_board(sent: Path) -> None:
    """Do the board's half: its kernel counts what was measured in this
    checkout, or programs that another machine has built and sent, with the
    files flags and platform; their results are in SENT/results.  Raises
    Failure and OSError."""
    folder = Path("results/local")
    if sent != Path("build"):
        folder = sent / "results"
        paths = {
            str(path.parent.relative_to(sent)): path for path in sent.glob(PROGRAMS)
        }
        hashes = {label: files.digest(path) for label, path in paths.items()}
        toolchain = read_platform(sent / "platform").toolchain
        facts = machine.machine_facts(
            f"board-{toolchain}", (), read_flags(sent / "flags"), hashes
        )
        machine.write_machine(folder, {**facts, "messages": "small"})
    facts = machine.read_machine(folder)
    common: Row = {"workload": "mont_mul", "n": CALLS, "symbol": KERNEL}
    common["compiler"] = machine.compiler_name(facts["compiler"])
    rows = []
    for label in facts["programs"]:
        cell = dict(zip(CELL, label.split("/")))
        if cell["study"] == LADDER:
            program = str(sent / label / "rsa")
            commands = [[program, *words] for words in runs()]
            n, unit = perf.sample(commands, [METRIC])[METRIC]
            if n is None:
                raise Failure(f"the kernel does not count instructions: {unit}")
            rows.append(number(METRIC, n, **cell, **common))
    write_rows(folder / FILE, rows)
    print(f"  KERNEL  {len(rows)} cells counted by the kernel", flush=True)


# --- computer -------------------------------------------------------------------------------------

EMULATOR = """setpriv --pdeathsig KILL nice -n 5 qemu-system-aarch64
    -M virt -cpu cortex-a53 -m 1024 -nographic -no-reboot -accel tcg,tb-size=256
    -kernel {folder}/kernel -initrd {folder}/initrd.gz
    -drive file={disk},if=none,id=disk,format=raw -device virtio-blk-pci,drive=disk
    -netdev user,id=net,hostfwd=tcp:127.0.0.1:{port}-:22
    -device virtio-net-pci,netdev=net,romfile="""
SSH = """ssh -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
    -i {folder}/key -o IdentitiesOnly=yes -p {port} {user}@127.0.0.1"""
ICOUNT = ("-icount", "shift=0")
READY = "board: ready"
INSTALLED = "board: installed"
PATIENCE = 900  # seconds of processor time to the first login
LONGEST_WAIT = 6 * 3600  # seconds of real time: for a board that only waits
END_SECONDS = 900  # of real time, to switch itself off


class Board:
    """A computer that runs.  `folder` has kernel, initrd.gz and the key."""

    def __init__(self, folder: Path, disk: Path, words: Sequence[str] = ()) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self.folder = folder
        self.console = disk.with_suffix(".log")
        command = EMULATOR.format(folder=folder, disk=disk, port=self.port).split()
        command += [
            "-append",
            f"console=ttyAMA0 quiet board.now={int(time.time())}",
            *words,
        ]
        # It ends with this process, however that ends.
        with self.console.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait(self, word: str) -> None:
        """Wait until it says this word on its console.  Raises Failure."""
        end = time.monotonic() + LONGEST_WAIT
        why = ""
        while word not in self.console.read_text(errors="replace"):
            if why:
                raise Failure(
                    f"the board does not start: {why}; its console: {self.console}"
                )
            if self.process.poll() is not None:
                why = "it has stopped"  # its console is read once more
            elif seconds_of(self.process.pid) > PATIENCE:
                why = f"nothing after {PATIENCE} s of processor time, its limit"
            elif time.monotonic() > end:
                why = f"nothing after {LONGEST_WAIT} s"
            time.sleep(0.2)

    def ssh(self, *words: str, user: str = "pi") -> list[str]:
        """Return the command that reaches it, and does there what `words` say."""
        ssh = SSH.format(folder=self.folder, port=self.port, user=user)
        return [*ssh.split(), *words]

    def run(self, script: str) -> None:
        """Run a script of sh there; what it prints is printed here.  Raises Failure."""
        sys.stdout.flush()
        status = subprocess.run(self.ssh(script), stdin=subprocess.DEVNULL).returncode
        if status:
            raise Failure(f"on the board, status {status}: {script}")

    def send(self, packed: str, folder: str) -> None:
        """Unpack in a folder there what a command packs here, as tar -z does.  Raises Failure."""
        unpack = self.ssh(f"mkdir -p {folder} && tar -xzm -C {folder}")
        pipe(f"({packed})", shlex.join(unpack))

    def fetch(self, paths: str, folder: Path) -> None:
        """Unpack in a folder here what there is under these paths there.  Raises Failure."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pack = shlex.join(self.ssh(f"tar -c {paths}"))
        pipe(pack, f"tar -x --no-same-owner -C {shlex.quote(str(folder))}")


def pipe(pack: str, unpack: str) -> None:
    """Run two commands, of which the second reads what the first prints.  Raises
    Failure."""
    run(["bash", "-o", "pipefail", "-c", f"{pack} | {unpack}"])


@contextmanager
def started(folder: Path, disk: str, words: Sequence[str] = ()) -> Iterator[Board]:
    """Give a board whose power is cut when the block is left."""
    board = Board(folder, folder / disk, words)
    try:
        yield board
    finally:
        board.process.kill()
        board.process.wait()


@contextmanager
def booted(folder: Path, exact: bool = True) -> Iterator[Board]:
    """Give a board that answers, and is shut down when the block is left;
    `exact`: with a clock that counts instructions.  Raises Failure."""
    with started(folder, "disk.img", ICOUNT if exact else ()) as board:
        board.wait(READY)
        yield board
        subprocess.run(board.ssh("/etc/board/busybox poweroff", user="root"))
        with suppress(subprocess.TimeoutExpired):
            board.process.wait(END_SECONDS)


NEEDS = """  NOTE    this builds a computer to be emulated, in {folder}, and starts it.
          It needs 1.4 GB of memory and 4 GiB of disk.  The first time it downloads 200 MB of Debian
          packages (arm64: 250 MB); that, their installation and the run take half an hour of an
          idle processor."""


def is_wanted() -> bool:
    """Return whether YES=1 or somebody at the terminal says that it may go on."""
    if os.environ.get("YES") == "1":
        return True
    if not sys.stdin.isatty():
        return False
    answer = input("board: go on? [y/N] ")
    return answer.lower() in ("y", "yes")


def build(folder: Path, kind: str) -> None:
    """Build the image of a kind, unless it is there, if its owner wants it; an
    interrupted one goes on: packages configure themselves at the first
    start of disk.unpacked.  Raises Failure."""
    if not (folder / "disk.img").exists():
        print(NEEDS.format(folder=folder), flush=True)
        if not is_wanted():
            raise Failure("nothing was downloaded; YES=1 answers the question")
    script = Path(__file__).with_name("image.sh")
    if subprocess.run(["sh", script, folder, kind]).returncode:
        raise Failure(
            "the image is not built; its message is above; the same command goes on"
        )
    if not (folder / "disk.img").exists():
        print(
            "  BOARD   3 of 3: its packages configure themselves: minutes", flush=True
        )
        with started(folder, "disk.unpacked") as board:
            board.process.wait()
            board.wait(INSTALLED)
        (folder / "disk.unpacked").rename(folder / "disk.img")


# --- work -----------------------------------------------------------------------------------------

LISTED = "git ls-files -zco --exclude-standard ':!results'"
PACK = f"{LISTED} | tar -cz --ignore-failed-read --null -T -"
EMPTY = "find . -mindepth 1 -maxdepth 1 ! -name build ! -name results -exec rm -rf {} +"
SENT = "build/sent"
TESTED = "v8"
LAST = Path("tests/last-board.txt")
ACTIONS = ("run", "count", "test", "shell")


def send_checkout(board: Board) -> None:
    """Send the files of this checkout as they are, and the history's last
    commit.  What was built and measured there stays."""
    clone = board.folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    run(["git", "clone", "-q", "-n", "--depth", "1", f"file://{Path.cwd()}", clone])
    board.run(f"mkdir -p rsa-lab && cd rsa-lab && {EMPTY}")
    board.send(f"tar -cz -C {clone} .git", "rsa-lab")
    board.send(PACK, "rsa-lab")
    board.run("cd rsa-lab && git reset -q")


def make(board: Board, target: str) -> None:
    """Run a target there, as on a Pi."""
    board.run(f"cd rsa-lab && make {target} YES=1 COUNTER=none MESSAGES=small")


def take_over(board: Board, name: str, results: str, programs: str) -> Path:
    """Put the board's results, checked, into results/local/NAME, and return
    that folder; beside the kernel's counts of programs are those of our
    counters.  Raises Failure and OSError."""
    fetched = board.folder / "fetched"
    listed = f"$(cd rsa-lab && ls -d {programs}/{PROGRAMS})"
    board.fetch(f"-C rsa-lab {results} {listed}", fetched)
    add_ours(fetched / results, fetched / programs)
    checked = fetched / "checked"
    adopt(fetched / results, checked)
    kept = Path("results/local", name)
    shutil.rmtree(kept, ignore_errors=True)
    kept.parent.mkdir(parents=True, exist_ok=True)
    return checked.rename(kept)


def measured(folder: Path, rung: str, name: str) -> Path:
    """Build, check and measure the ladder or one rung there, and return the
    results.  It builds and checks at several times the speed, without a
    clock that counts.  Raises Failure and OSError."""
    checks = " ".join(f"build/iterations/{rung}/{level}/check.ok" for level in LEVELS)
    with booted(folder, exact=False) as board:
        send_checkout(board)
        make(board, f"{checks if rung else 'check'} build/selftest build/counter")
        # The results get the date and the revision of today.
        board.run("rm -rf rsa-lab/results/local")
    with booted(folder) as board:
        make(board, rung or "all-iterations")
        # Results come back even where this fails.
        board.run("cd rsa-lab && python3 -m boards kernel build || true")
        return take_over(board, name, "results/local", "build")


def counted(folder: Path, name: str) -> Path:
    """Have the board's kernel count the ladder as it is built here.  Raises Failure and OSError."""
    with booted(folder) as board:
        send_checkout(board)
        board.run(f"rm -rf rsa-lab/{SENT}")
        board.send(f"cd build && tar -cz flags platform {PROGRAMS}", f"rsa-lab/{SENT}")
        board.run(f"cd rsa-lab && python3 -m boards kernel {SENT}")
        return take_over(board, name, f"{SENT}/results", SENT)


def main(action: str, kind: str = "armhf", rung: str = "") -> None:
    """Run `make board`.  Raises Failure and OSError."""
    if action not in ACTIONS:
        raise Failure(f"{action}: say one of {', '.join(ACTIONS)}")
    folder = Path("build/board", kind)
    name = f"board-{kind}"
    with files.alone(folder / "lock"):
        build(folder, kind)
        if action == "shell":
            with booted(folder) as board:
                send_checkout(board)
                subprocess.run(board.ssh("-t", "cd rsa-lab && exec bash -l"))
        elif action == "count":
            print(summary(counted(folder, f"{name}-count")), end="")
        elif action == "test":
            report = summary(measured(folder, TESTED, f"{name}-test"))
            files.replace(LAST, report)
            print(report, end="")
        else:
            results = measured(folder, rung, name)
            print(f"{results}: the board's results; ", end="")
            print(f"`make perf M=local/{name}` shows what perf counted")
