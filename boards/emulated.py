"""A whole emulated computer: Debian on a 64-bit ARM kernel, reached over ssh.

Its processor executes one instruction in each nanosecond of its own clock, so the kernel's counter
of instructions is exact, and its times are virtual: they say nothing about any real processor.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from boards import agreement
from boards.exchange import adopt
from records import faults, files, ladder
from records.command import run
from records.faults import Failure
from records.files import replace

MEMORY = 1024  # MiB
TRANSLATED = 256  # MiB of translated code; qemu's default is up to 1 GiB
EXACT = ("-icount", "shift=0")
READY, INSTALLED = "board: ready", "board: installed"
PATIENCE = 900  # seconds to the first login, on a busy machine


class Board:
    """A computer that runs.  `folder` has kernel, initrd.gz and the key."""

    def __init__(
        self, folder: Path, disk: Path, words: Sequence[str], memory: int, port: int = 0
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or int(free.getsockname()[1])
        self.folder, self.console = folder, disk.with_suffix(".log")
        kernel = f"console=ttyAMA0 quiet board.now={int(time.time())}"
        with self.console.open("wb") as log:
            self.process = subprocess.Popen(  # it ends with this process, however that ends
                ["setpriv", "--pdeathsig", "KILL", "nice", "-n", "5", "qemu-system-aarch64"]
                + f"-M virt -cpu cortex-a53 -m {memory} -nographic -no-reboot".split()
                + ["-accel", f"tcg,tb-size={TRANSLATED}"]
                + ["-kernel", str(folder / "kernel"), "-initrd", str(folder / "initrd.gz")]
                + ["-append", kernel, *words]
                + ["-drive", f"file={disk},if=none,id=disk,format=raw"]
                + "-device virtio-blk-pci,drive=disk".split()
                + ["-netdev", f"user,id=net,hostfwd=tcp:127.0.0.1:{self.port}-:22"]
                + "-device virtio-net-pci,netdev=net,romfile=".split(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def says(self, word: str) -> bool:
        """Whether this word is on its console."""
        return word in self.console.read_text(errors="replace")

    def wait(self, word: str, seconds: float = PATIENCE) -> None:
        """Wait until it says this word.  Raises Failure."""
        end = time.monotonic() + seconds
        while not self.says(word):
            ended = self.process.poll() is not None and not self.says(word)
            if ended or time.monotonic() > end:
                why = "it has stopped" if ended else f"nothing after {seconds:g} s"
                raise Failure(f"the board does not start: {why}; its console: {self.console}")
            time.sleep(0.2)

    def ssh(self, user: str = "pi") -> list[str]:
        """The ssh command that reaches it, without a command for it."""
        options = "-o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
        key = ["-i", str(self.folder / "key"), "-o", "IdentitiesOnly=yes"]
        return ["ssh", *options.split(), *key, "-p", str(self.port), f"{user}@127.0.0.1"]

    def run(self, script: str, user: str = "pi") -> None:
        """Run a script of sh there; what it prints is printed here.  Raises Failure."""
        sys.stdout.flush()
        status = subprocess.run([*self.ssh(user), script], stdin=subprocess.DEVNULL).returncode
        if status:
            raise Failure(f"on the board, status {status}: {script}")

    def send(self, packed: Sequence[str], place: str) -> None:
        """Unpack in a folder there what a command packs here, as tar -z does.  Raises Failure."""
        quoted = shlex.quote(place)
        unpack = [*self.ssh(), f"mkdir -p {quoted} && tar -xzm -C {quoted}"]
        with subprocess.Popen(packed, stdout=subprocess.PIPE) as packer:
            status = subprocess.run(unpack, stdin=packer.stdout).returncode
        if status or packer.returncode:
            raise Failure(f"the board cannot take {place}: status {status}, {packer.returncode}")

    def fetch(self, paths: str, place: Path) -> None:
        """Unpack in a folder here what there is under these paths there.  Raises Failure."""
        place.mkdir(parents=True, exist_ok=True)
        with subprocess.Popen([*self.ssh(), f"tar -c {paths}"], stdout=subprocess.PIPE) as packer:
            status = subprocess.run(
                ["tar", "-x", "--no-same-owner", "-C", place], stdin=packer.stdout
            ).returncode
        if status or packer.returncode:
            raise Failure(f"the board does not send {paths}")

    def stop(self) -> None:
        """Shut it down in order, or switch it off if that takes too long."""
        subprocess.run([*self.ssh("root"), "/etc/board/busybox poweroff"], stdin=subprocess.DEVNULL)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.cut()

    def cut(self) -> None:
        """Take its power away."""
        self.process.kill()
        self.process.wait()


@contextmanager
def booted(
    folder: Path,
    disk: Path | None = None,
    exact: bool = True,
    memory: int = MEMORY,
    port: int = 0,
) -> Iterator[Board]:
    """A board that answers, at this port or at any; `exact`: with a clock that counts
    instructions.  It has stopped when the block is left.  Raises Failure."""
    board = Board(folder, disk or folder / "disk.img", EXACT if exact else (), memory, port)
    try:
        board.wait(READY)
        yield board
        board.stop()
    finally:
        board.cut()


def install(folder: Path) -> None:
    """Turn disk.unpacked into disk.img: packages configure themselves, at the first start.  What is
    interrupted goes on.  Raises Failure."""
    unpacked = folder / "disk.unpacked"
    board = Board(folder, unpacked, (), MEMORY)
    try:
        board.process.wait()
        board.wait(INSTALLED)
    finally:
        board.cut()
    unpacked.rename(folder / "disk.img")


# --- main -----------------------------------------------------------------------------------------

HERE = Path(__file__).parent
BUILD = Path("build/board")
NEEDS = """  NOTE    this builds a computer to be emulated, in {folder}, and starts it.
          It needs 1.4 GB of memory and 4 GiB of disk.  The first time it downloads 200 MB of Debian
          packages (arm64: 250 MB); that, their installation and the run take half an hour of an
          idle processor."""
LISTED = "git ls-files -zco --exclude-standard ':!results'"
PACK = f"{LISTED} | tar -cz --ignore-failed-read --null -T -"
LAST = Path("tests/last-board.txt")
EMPTY = "find . -mindepth 1 -maxdepth 1 ! -name build ! -name results -exec rm -rf {} +"
SENT = "build/sent"


def agreed(folder: Path) -> None:
    """Go on if the image is there, or its owner wants it.  Raises Failure."""
    if (folder / "disk.img").exists():
        return
    print(NEEDS.format(folder=folder), flush=True)
    if os.environ.get("YES") == "1":
        return
    if not sys.stdin.isatty() or input("board: go on? [y/N] ").lower() not in ("y", "yes"):
        raise Failure("nothing was downloaded; YES=1 answers the question")


def build(folder: Path, kind: str) -> None:
    """The image of a kind, unless it is there; an interrupted one goes on.  Raises Failure."""
    agreed(folder)
    if subprocess.run([HERE / "image.sh", folder, kind]).returncode:
        raise Failure("the image is not built; its message is above; the same command goes on")
    if not (folder / "disk.img").exists():
        print("  BOARD   3 of 3: its packages configure themselves: minutes", flush=True)
        install(folder)


def send_checkout(board: Board) -> None:
    """The files of this checkout as they are, and the history's last commit.  What was built and
    measured there stays."""
    clone = board.folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    run(["git", "clone", "-q", "-n", "--depth", "1", f"file://{Path.cwd()}", clone])
    board.run(f"mkdir -p rsa-lab && cd rsa-lab && {EMPTY}")
    board.send(["tar", "-cz", "-C", str(clone), ".git"], "rsa-lab")
    board.send(["sh", "-c", PACK], "rsa-lab")
    board.run("cd rsa-lab && git reset -q")


def make(board: Board, target: str) -> None:
    """Run a target there, as on a Pi."""
    board.run(f"cd rsa-lab && make {target} YES=1 COUNTER=none MESSAGES=small")


def take_over(board: Board, name: str, results: str, programs: str) -> Path:
    """The board's results, checked, in results/local/NAME; beside the kernel's counts of programs
    those of our counters.  Raises Failure and OSError."""
    place, fetched = Path("results/local", name), board.folder / "fetched"
    shutil.rmtree(fetched, ignore_errors=True)
    paths = f"{results} $(cd rsa-lab && ls -d {programs}/{agreement.PROGRAMS})"
    board.fetch(f"-C rsa-lab {paths}", fetched)
    agreement.add_ours(fetched / results, fetched / programs)
    new = fetched / "checked"
    adopt(fetched / results, new)
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    new.rename(place)
    return place


def measured(folder: Path, rung: str, name: str, once: bool = False) -> Path:
    """Build, check and measure the ladder or one rung there, and return the results.  Unless it is
    to start only once, it builds and checks at several times the speed, without a clock that
    counts.  Raises Failure and OSError."""
    checks = [f"build/iterations/{rung}/{level}/check.ok" for level in ladder.LEVELS]
    if not once:
        with booted(folder, exact=False) as board:
            send_checkout(board)
            make(
                board, " ".join([*(checks if rung else ["check"]), "build/selftest build/counter"])
            )
    with booted(folder) as board:
        if once:
            send_checkout(board)
            board.run("rm -rf rsa-lab/results/local")  # so that its date and revision are today's
        make(board, rung or "all-iterations")
        board.run("cd rsa-lab && python3 -m boards.agreement || true")  # results come back
        return take_over(board, name, "results/local", "build")


def counted(folder: Path, name: str) -> Path:
    """Have the board's kernel count the ladder as it is built here.  Raises Failure and OSError."""
    with booted(folder) as board:
        send_checkout(board)
        board.run(f"rm -rf rsa-lab/{SENT}")
        packed = f"cd build && tar -cz flags platform {agreement.PROGRAMS}"
        board.send(["sh", "-c", packed], f"rsa-lab/{SENT}")
        board.run(f"cd rsa-lab && python3 -m boards.agreement {SENT}")
        return take_over(board, name, f"{SENT}/results", SENT)


def main() -> None:
    """The command line.  Raises Failure and OSError."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kind", default="armhf")
    parser.add_argument("--rung", default="")
    parser.add_argument("action", choices=("run", "count", "shell", "build", "test"))
    options = parser.parse_args()
    kind = options.kind
    folder = BUILD / kind
    with files.alone(folder / "lock"):
        build(folder, kind)
        if options.action == "build":
            return
        if options.action == "shell":
            with booted(folder) as board:
                send_checkout(board)
                subprocess.run([*board.ssh(), "-t", "cd rsa-lab && exec bash -l"])
            return
        if options.action == "count":
            place = counted(folder, f"board-{kind}-count")
            print(agreement.summary(place), end="")
            return
        if options.action == "test":
            place = measured(folder, "v8", f"board-{kind}-test", once=True)
            replace(LAST, agreement.summary(place))
            print(LAST.read_text(), end="")
            return
        place = measured(folder, options.rung, f"board-{kind}")
    print(f"{place}: the board's results; `make perf M=local/board-{kind}` shows what perf counted")


if __name__ == "__main__":
    sys.exit(faults.command_line("board", main))
