"""`make board`: everything that a Raspberry Pi's owner types, on an emulated computer.

`python3 -m harness.board [--kind arm64] [--rung v8] run | count | shell | build | test`.  `run`
copies the checkout there, builds, checks and measures the ladder with the board's own compiler,
kernel and perf, and takes the results to results/local/board-KIND.  COUNTER=none, because an
emulator in an emulator would count for an hour; harness/board/agreement.py counts the same programs
here.  `count` sends the programs that are built here, for the board's kernel to count them:
results/local/board-KIND-count.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.board import agreement, machine
from harness.exchange.import_results import adopt
from records import faults, files, ladder
from records.command import run
from records.faults import Failure
from records.files import replace

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
        machine.install(folder)


def send_checkout(board: machine.Board) -> None:
    """The files of this checkout as they are, and the history's last commit.  What was built and
    measured there stays."""
    clone = board.folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    run(["git", "clone", "-q", "-n", "--depth", "1", f"file://{Path.cwd()}", clone])
    board.run(f"mkdir -p rsa-lab && cd rsa-lab && {EMPTY}")
    board.send(["tar", "-cz", "-C", str(clone), ".git"], "rsa-lab")
    board.send(["sh", "-c", PACK], "rsa-lab")
    board.run("cd rsa-lab && git reset -q")


def make(board: machine.Board, target: str) -> None:
    """Run a target there, as on a Pi."""
    board.run(f"cd rsa-lab && make {target} YES=1 COUNTER=none MESSAGES=small")


def take_over(board: machine.Board, name: str, results: str, programs: str) -> Path:
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
        with machine.booted(folder, exact=False) as board:
            send_checkout(board)
            make(
                board, " ".join([*(checks if rung else ["check"]), "build/selftest build/counter"])
            )
    with machine.booted(folder) as board:
        if once:
            send_checkout(board)
            board.run("rm -rf rsa-lab/results/local")  # so that its date and revision are today's
        make(board, rung or "all-iterations")
        board.run("cd rsa-lab && python3 -m harness.board.agreement || true")  # results come back
        return take_over(board, name, "results/local", "build")


def counted(folder: Path, name: str) -> Path:
    """Have the board's kernel count the ladder as it is built here.  Raises Failure and OSError."""
    with machine.booted(folder) as board:
        send_checkout(board)
        board.run(f"rm -rf rsa-lab/{SENT}")
        packed = f"cd build && tar -cz flags platform {agreement.PROGRAMS}"
        board.send(["sh", "-c", packed], f"rsa-lab/{SENT}")
        board.run(f"cd rsa-lab && python3 -m harness.board.agreement {SENT}")
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
            with machine.booted(folder) as board:
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
