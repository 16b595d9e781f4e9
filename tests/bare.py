"""README's two commands on a minimal Debian or Ubuntu, as somebody meets them who has git and make only.

    python3 tests/bare.py SUITE [--user root] [--two] [--quick]      SUITE: such as bookworm, all, others

mmdebstrap makes the minimal system once: build/bare/SUITE.tar.  Every run unpacks it, clones what
git has of this checkout into a folder there whose path has a space, and types README's commands,
then what `make help` names and needs no board and no network, on several kinds of results.  With
--two it types the two commands only, with --quick the main job and the quick tests.  The counts of
the main job are compared with the record of the same compiler.  `all` is every suite, `others` all
but the first; of these, what cannot be fetched here is named and left out.  Mirror, certificates and
pip's configuration are those of this machine.  Where all of it works, results/bare.csv keeps what
the commands took.  Needs root or user namespaces.
"""

import csv
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from records import commands
from records.faults import Failure, first_line, run
from records.files import replace
from records.ladder import LADDER
from records.rows import CELL, read_rows
from records.tables import Table
from rsalab import markdown

SUITES = {
    "bookworm": "Debian 12",
    "trixie": "Debian 13",
    "jammy": "Ubuntu 22.04",
    "noble": "Ubuntu 24.04",
    "resolute": "Ubuntu 26.04",
}
# The words for several suites.
SEVERAL = {"all": [*SUITES], "others": [*SUITES][1:]}
DISK = 5  # GB: the packages, .venv, what the tests build
FOLDER = ROOT / "build" / "bare"
TABLE = ROOT / "results" / "bare.csv"
COLUMNS = ("suite", "user", "cores", "command", "seconds", "megabytes")
README = ROOT / "README.md"
FIRST, TESTS, QUICK = "make all-iterations", "make test", "make test-quick"
FETCHED = {FIRST: "the packages", TESTS: "`.venv`"}
READ = (
    "make notebooks; make report; make site; make slides; make explore; make diff B=v4;"
    " make why B=v4; make scoreboard; make steps; make models; make annotate V=v8; make gprof;"
    " make lab L=1; make valid; make doctor"
).split("; ")
# The results on which all of that is typed: the whole ladder's, one rung's, the small workload's.
MEASURE = (FIRST, "make v8", f"{FIRST} MESSAGES=small")
OURS = re.compile(r"(?i).*_proxy|PIP_.*|SSL_CERT.*|.*_CA_BUNDLE|.*CAINFO|.*_CA_CERTS")
COPIED = (
    "/etc/resolv.conf",
    "/etc/pip.conf",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/local/share/ca-certificates",
)
OF_APT = re.compile(r"(?i)Acquire::https?\S*::(Proxy|CaInfo)")
# Mounts of a namespace that ends with its command: nothing stays mounted, nothing goes on running.
ENTER = r"""set -e; root=$1 user=$2; shift 2
for name in dev sys; do mount --rbind /$name "$root/$name"; done
mount -t proc proc "$root/proc"
exec chroot --userspec="$user:$user" --groups= "$root" /usr/bin/env -i "$@"
"""


class Absent(Failure):
    """A suite cannot be fetched here."""


class Machine:
    """A minimal system, unpacked in a folder."""

    def __init__(self, suite: str, user: str) -> None:
        self.suite, self.user = suite, user
        self.root = FOLDER / f"{suite}-{user}"
        self.home = "/root" if user == "root" else f"/home/{user}"
        self.log = FOLDER / f"{suite}-{user}.log"
        self.path = f"{self.home}/a new folder/rsa-lab"

    def unpack(self) -> None:
        """Make the folder anew.  Raises Failure."""
        self.remove()
        self.root.mkdir(parents=True)
        self.log.unlink(missing_ok=True)
        run(
            [
                "tar",
                "-C",
                self.root,
                "--exclude=./dev/*",
                "-xf",
                FOLDER / f"{self.suite}.tar",
            ]
        )
        for name in COPIED:
            there = self.root / name.lstrip("/")
            there.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).exists():
                run(["cp", "-rLT", name, there])
        lines = run(["apt-config", "dump"]).splitlines()
        ours = "\n".join(filter(OF_APT.match, lines)) + "\n"
        (self.root / "etc/apt/apt.conf.d/90machine").write_text(ours)
        # As Debian's installer writes it.
        (self.root / "etc/hosts").write_text(
            f"127.0.0.1 localhost\n127.0.1.1 {os.uname().nodename}\n"
        )
        if self.user != "root":
            add = f"useradd --create-home {self.user} && echo '{self.user} ALL=(ALL) NOPASSWD: ALL'"
            self.type(f"{add} >/etc/sudoers.d/{self.user}", user="root", path="/")
        self.clone()

    def clone(self) -> None:
        """Clone what git has of this checkout, as README says."""
        folder = self.root / self.path.lstrip("/")
        folder.parent.mkdir(parents=True)
        run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", folder])
        owner = f"{self.user}:{self.user}"
        self.type(f"chown -R {owner} {shlex.quote(self.home)}", user="root", path="/")

    def type(self, command: str, *, user: str = "", path: str = "") -> int:
        """Type a command on this machine and return its status; its output goes to the log."""
        kept = [f"{k}={v}" for k, v in os.environ.items() if OURS.fullmatch(k)]
        words = [
            "sh",
            "-c",
            ENTER,
            "sh",
            self.root,
            user or self.user,
            f"HOME={self.home}",
        ]
        words += [
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            *kept,
        ]
        words.append("YES=1")  # nobody is there to be asked
        words.append("PYTEST_ADDOPTS=-rs")  # the log says why a test was skipped
        words += ["sh", "-c", f"cd {shlex.quote(path or self.path)} && {command}"]
        with self.log.open("a") as log:
            print(f"$ {command}", file=log, flush=True)
            separate = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
            return subprocess.run(
                [*separate, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            ).returncode

    def said(self) -> list[str]:
        """Return what the last command has printed."""
        return (
            self.log.read_text(errors="replace").rpartition("\n$ ")[2].splitlines()[1:]
        )

    def size(self) -> int:
        """Return how many MB of disk the machine takes."""
        return int(run(["du", "-sxm", self.root]).split()[0])

    def remove(self) -> None:
        """Remove the folder; nothing of it is mounted out here."""
        if self.root.exists():
            run(["rm", "-rf", "--one-file-system", self.root])


def fetch(suite: str) -> None:
    """Fetch the minimal system, SUITE.tar, if it is not there yet.  Raises Absent."""
    tar = FOLDER / f"{suite}.tar"
    if tar.exists():
        return
    print(f"  BARE    fetching a minimal {SUITES[suite]}: {tar}", flush=True)
    new = tar.with_suffix(".new.tar")
    options = ["--quiet", "--variant=minbase", "--include=git,make,sudo"]
    try:
        run(["mmdebstrap", *options, *source(suite, new)])
    except Failure:
        why = "its archive cannot be reached from here, so it is not tried"
        raise Absent(f"{suite}: {SUITES[suite]}: {why}") from None
    new.rename(tar)


def source(suite: str, tar: Path) -> list[str | Path]:
    """Return mmdebstrap's words for a suite, its file, and where it comes from."""
    if SUITES[suite].startswith("Ubuntu"):  # mmdebstrap knows its archive
        return ["--components=main,universe", suite, tar]
    return [suite, tar, *mirror(suite)]


def mirror(suite: str) -> list[str]:
    """Return the line of sources.list that this machine's own apt would use, if it is a Debian."""
    targets = run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(SITE)"]
    )
    sites = [
        words[2]
        for line in targets.splitlines()
        if (words := line.split())[:1] == ["Debian"]
    ]
    site = next((site for site in sites if "security" not in site), "")
    return [f"deb {site} {suite} main"] if site else []


def measure(machine: Machine, command: str) -> tuple[int, float, int]:
    """Type a command; return its status, its seconds and the MB of disk that it took."""
    before, start = machine.size(), time.monotonic()
    status = machine.type(command)
    seconds = time.monotonic() - start
    grown = machine.size() - before
    tag = f"{machine.suite} {machine.user}: {command}: "
    print(f"  BARE    {tag}status {status}, {seconds:.0f} s, {grown} MB", flush=True)
    if status:
        print("\n".join(machine.said()[-40:]), flush=True)
    elif command == TESTS:
        print(machine.said()[-1].strip("= "), flush=True)
    return status, seconds, grown


def compared(machine: Machine) -> bool:
    """Return whether the counts of the main job are those of the record of the same compiler, and say
    so; without such a record only that there is none."""
    folder = machine.root / machine.path.lstrip("/") / "results/local"
    facts = json.loads((folder / "machine.json").read_text())
    record = ROOT / "results" / facts["platform"]
    tag = f"  BARE    {machine.suite} {machine.user}: {facts['compiler']}: "
    if not (record / "counts.csv").exists():
        print(f"{tag}no record of {facts['platform']} to compare with", flush=True)
        return True
    found = values(folder)
    known = values(record)
    both = found.keys() & known.keys()
    same = sum(found[key] == known[key] for key in both)
    verdict = f"{same} of {len(both)} counts equal those of results/{record.name}"
    print(f"{tag}{verdict}", flush=True)
    return bool(both) and same == len(both)


def values(folder: Path) -> dict[tuple[str, ...], int]:
    """Return the counts of the ladder in a results folder by cell, workload, metric and symbol."""
    return {
        tuple(row[column] for column in (*CELL, "workload", "metric", "symbol")): int(
            row["value"]
        )
        for row in read_rows(folder / "counts.csv")
        if row["study"] == LADDER
    }


def read(machine: Machine) -> bool:
    """Return whether all that reads results has worked, on each kind of results.

    Of one rung there is less to say: there a command may answer with one line and status 2.
    No command may print a traceback.
    """
    good = True
    for first in MEASURE:
        if first != FIRST:  # whose results are there
            good &= (
                machine.type(
                    f"rm -rf results/local build/iterations labs/work && {first}"
                )
                == 0
            )
        for command in READ:
            status, *_ = measure(machine, command)
            fine = status == 0 or (status == 2 and first == "make v8")
            good &= fine and "Traceback" not in "\n".join(machine.said())
    return good


def table(text: str) -> str:
    """Return README's table of times and disk, from the text of results/bare.csv."""
    rows = list(csv.DictReader(io.StringIO(text)))
    measured = {(row["suite"], row["command"]) for row in rows}
    shown = [suite for suite in SUITES if (suite, TESTS) in measured]
    lines = []
    for command, fetched in FETCHED.items():
        cells = [f"`{command}`, {fetched} included"]
        for suite in shown:
            found = [r for r in rows if (r["suite"], r["command"]) == (suite, command)]
            minutes = math.ceil(int(found[0]["seconds"]) / 60)
            took = "a minute" if minutes == 1 else f"{minutes} minutes"
            cells.append(f"{took}, {int(found[0]['megabytes']) / 1000:.1f} GB")
        lines.append(cells)
    systems = [SUITES[suite] for suite in shown]
    return Table([f"on {rows[0]['cores']} cores", *systems], lines).markdown


def write(machine: Machine, took: dict[str, tuple[int, float, int]]) -> None:
    """Write results/bare.csv, where the rows of other suites and commands stay, and README's table."""
    with TABLE.open() as file:
        _, *rows = csv.reader(file)
    kept = [row for row in rows if row[0] != machine.suite or row[3] not in took]
    who = [machine.suite, machine.user, str(os.cpu_count())]
    for command, (_, seconds, grown) in took.items():
        kept.append([*who, command, f"{seconds:.0f}", str(grown)])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *sorted(kept)])
    replace(TABLE, text.getvalue())
    readme = markdown.between(
        README.read_text(), "bare", table(text.getvalue()), "README.md"
    )
    replace(README, readme)


def inside() -> None:
    """Go on as root of a user namespace, where this is not root.  Raises Failure."""
    if os.geteuid() == 0:
        return
    enter = ["unshare", "--user", "--map-root-user", "--map-auto"]
    if not first_line(*enter, "echo", "yes"):
        raise Failure("this needs root, or user namespaces (Debian package uidmap)")
    os.execvp("unshare", [*enter, sys.executable, __file__, *sys.argv[1:]])


def try_one(suite: str, two: bool, quick: bool, user: str) -> bool:
    """Type the commands on one bare machine; return whether all of it has worked.  Raises Failure."""
    fetch(suite)
    machine = Machine(suite, user)
    try:
        machine.unpack()
        typed = (FIRST, QUICK) if quick else (FIRST, TESTS)
        took = {}
        for command in typed:
            took[command] = measure(machine, command)
        good = not any(status for status, *_ in took.values())
        good = good and compared(machine)
        good = good and (two or quick or read(machine))
    finally:
        machine.remove()
    if good:
        write(machine, took)
    return good


def main(
    suite: str, two: bool = False, quick: bool = False, user: str = "student"
) -> int:
    """Type README's commands on bare machines, as root or as a user with sudo; with --two only the
    first two, with --quick the main job and the quick tests.  Raises Failure."""
    if suite not in (*SUITES, *SEVERAL):
        raise Failure(f"SUITE={suite}: say one of {', '.join((*SUITES, *SEVERAL))}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(FOLDER).free < DISK * 1e9:
        raise Failure(f"{FOLDER}: this takes {DISK} GB, and less is free")
    print(f"  BARE    {suite}: half an hour, {DISK} GB of {FOLDER}", flush=True)
    inside()
    good = True
    for one in SEVERAL.get(suite, [suite]):
        try:
            good = try_one(one, two, quick, user) and good
        except Absent as absent:
            if suite not in SEVERAL:
                raise
            print(f"  BARE    {absent}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(commands.command("bare", main))
