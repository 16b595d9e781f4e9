"""A whole emulated computer: Debian on a 64-bit ARM kernel, reached over ssh.

Its processor executes one instruction in each nanosecond of its own clock, so the kernel's counter
of instructions is exact, and its times are virtual: they say nothing about any real processor.
"""

from __future__ import annotations

import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from records.faults import Failure

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
