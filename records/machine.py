"""Where programs run, and what numbers were measured with: build/platform and
build/flags, which make writes, and machine.json of a results folder."""

import datetime
import json
import platform
import re
import shlex
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from records.faults import Failure, first_line
from records.files import read, replace
from records.typed import Kind, check, like

PLATFORM = Path("build/platform")
HOST = Path("build/host/platform")
FLAGS = Path("build/flags")
FLAGS_OF_HOST = Path("build/host/flags")
FILE = "machine.json"
# Texts of machine.json that every reader shows, and others that some reader shows.
NEEDED = ("platform", "compiler", "date", "git_revision")
MORE = ("cpu", "os", "kernel", "flags", "runner", "qemu", "messages", "counter")
MOMENT = ("date", "git_revision", "git_clean")
SQLITE = (3, 37)  # the first version with strict tables
UNKNOWN = "unknown"  # the revision of a copy without its history
IMPORTED = "imported"  # when it came here
# Before the compiler in the name of a platform whose programs are for ARMv6, not ARMv7.
ARMV6 = "armv6-"
# The compiler and what follows in the name of a platform.
OF_COMPILER = re.compile(rf"-((?:{ARMV6})?(?:gcc|clang)\d+)(-.+)?$")
CORE = "cortex-a7"  # the processor that qemu-arm and Unicorn emulate
CORE_OF_ARMV6 = "arm1176"
# What a browser or a terminal would take for more than text, as JSON has it.
UNSAFE = re.compile(r"[^\n -~]|[<>`]|\\[bfnrtu]")
NOT_PLAIN = re.compile(r"[^ -~]|[<>`\\]")  # the same, in a text before JSON has it
# What browsers, notebooks and terminals make a link of.
ADDRESS = re.compile(r":(?=//)|www\.(?=\w)", re.IGNORECASE)


def is_table_of_texts(value: Any) -> bool:
    """Return whether a value is a table, every value of which is a text."""
    return isinstance(value, dict) and all(isinstance(x, str) for x in value.values())


def is_timing(value: Any) -> bool:
    """Return whether a value says how times were taken."""
    return isinstance(value, dict) and isinstance(value.get("tainted", {}), dict)


KINDS = dict.fromkeys(
    (*NEEDED, *MORE), like("a text of at most 2,000 characters", ".{,2000}")
) | {
    "git_clean": Kind("true or false", lambda value: isinstance(value, bool)),
    "programs": Kind("a table of programs and their SHA-256", is_table_of_texts),
    "timing": Kind("a table with the table `tainted`", is_timing),
}


def compiler_name(text: str) -> str:
    """Return name and version of a compiler, of the first line that it prints of itself: `gcc 12.2.0`."""
    words = text.split()
    name = "clang" if "clang" in words else "gcc"
    return f"{name} {words[-1]}"


def read_compiler(path: Path = FLAGS) -> str:
    """Return name and version of the compiler of build/flags.  Raises OSError."""
    first, *_ = read_flags(path).splitlines()
    return compiler_name(first)


class Platform(NamedTuple):
    """`name`, such as qemu-gcc12 or qemu-armv6-gcc12, and the words before a
    program's own; none where it runs directly on this machine."""

    name: str
    runner: tuple[str, ...]

    @property
    def direct(self) -> bool:
        """Return whether programs run directly, so that their times mean something."""
        return not self.runner

    @property
    def is_armv6(self) -> bool:
        """Return whether programs are for ARMv6."""
        return f"-{ARMV6}" in self.name

    @property
    def toolchain(self) -> str:
        """Return the end of the name: `gcc12`, `armv6-gcc12`, or `gcc12-funroll-loops` where
        options are added to the usual ones."""
        named = OF_COMPILER.search(self.name)
        return named[1] + self.options if named else self.name.rpartition("-")[2]

    @property
    def options(self) -> str:
        """Return what the name says of options that are added: `-funroll-loops`."""
        named = OF_COMPILER.search(self.name)
        return named[2] or "" if named else ""

    @property
    def core(self) -> str:
        """Return the processor that is emulated, to run or to count programs."""
        return CORE_OF_ARMV6 if self.is_armv6 else CORE

    def __str__(self) -> str:
        """Return the lines of the file: two assignments that a shell can read."""
        return f"platform={shlex.quote(self.name)}\nrunner={shlex.quote(shlex.join(self.runner))}\n"


def read_platform(path: Path = PLATFORM) -> Platform:
    """Return the platform that make found.  Raises OSError."""
    facts = dict(word.split("=", 1) for word in shlex.split(path.read_text()))
    return Platform(facts["platform"], tuple(shlex.split(facts["runner"])))


def read_flags(path: Path = FLAGS) -> str:
    """Return the text of build/flags: a line with the compiler, one with the
    options that make gives it, one with those that it records itself, and
    one with its tools and libraries.  Raises OSError."""
    return path.read_text()


def read_recorded(path: Path = FLAGS) -> list[str]:
    """Return the words that a compiler records of itself and of its options in
    what it makes.  Raises OSError."""
    _, _, recorded, *_ = read_flags(path).splitlines()
    return recorded.split()


def cpu() -> str:
    """Return what /proc/cpuinfo calls the processor."""
    cpuinfo = read(Path("/proc/cpuinfo"))
    named = re.search(r"(?m)^(?:model name|Model|Hardware)\s*:\s*(.*)$", cpuinfo)
    return named[1] if named else platform.machine()


def revision() -> tuple[str, bool]:
    """Return the commit, and whether nothing but results differs from it;
    ("unknown", False) without git or outside a repository of its own."""
    commit = Path(".git").exists() and first_line("git", "rev-parse", "HEAD")
    changed = first_line("git", "status", "--porcelain", "--", ".", ":!results")
    return (commit, not changed) if commit else (UNKNOWN, False)


def system() -> str:
    """Return what the operating system calls itself, or its kernel's name."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a value of JSON with every text in it changed."""
    if isinstance(value, dict):
        return {
            changed(key, change): changed(one, change) for key, one in value.items()
        }
    if isinstance(value, list):
        return [changed(one, change) for one in value]
    return change(value) if isinstance(value, str) else value


def plain(text: str) -> str:
    """Return a text with only such characters as read_machine lets through, and without an
    address: an accent is dropped, any other character becomes a question mark."""
    letters = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return unlinked(NOT_PLAIN.sub("?", bare))


def unlinked(text: str) -> str:
    """Return a text in which no program that shows it sees an address: `https: //gcc.gnu.org`."""
    return ADDRESS.sub(r"\g<0> ", text)


def machine_facts(
    name: str, runner: tuple[str, ...], flags: str, programs: dict[str, str]
) -> dict[str, Any]:
    """Return what goes into machine.json.  `flags` is the text of build/flags,
    of which its first two lines are needed; `programs` maps
    study/snapshot/level to SHA-256."""
    commit, clean = revision()
    compiler, options, *more = flags.splitlines()
    facts = {
        "platform": name,
        "cpu": cpu(),
        "kernel": platform.release(),
        "os": system(),
        "compiler": compiler,
        "flags": options,
        "runner": " ".join(runner),
        "qemu": first_line("qemu-arm", "--version"),
        "git_revision": commit,
        "git_clean": clean,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "programs": programs,
    }
    facts |= zip(("recorded", "tools"), more)
    return dict(changed(facts, plain))


def read_machine(folder: Path, name: str = "") -> dict[str, Any]:
    """Return machine.json of a results folder: the texts NEEDED, `programs`
    (study/snapshot/level to SHA-256), and whatever else it says.  `name` is
    what the folder is called in a fault.  Raises Failure, which names the
    file, when it is missing or not whole."""
    path = folder / FILE
    label = f"{name or folder}/{FILE}"
    try:
        text = path.read_text(encoding="utf-8")
        facts = json.loads(text)
        facts.setdefault("programs", {})
    except FileNotFoundError:
        raise Failure(
            f"{label}: missing; `make all-iterations` measures again"
        ) from None
    except (OSError, ValueError, RecursionError, AttributeError) as fault:
        raise Failure(
            f"{label}: not whole: {fault}; `make all-iterations` measures again"
        ) from None
    if found := UNSAFE.search(text):
        raise Failure(
            f"{label}: {found[0]!r} is more than text; `make all-iterations` measures again"
        )
    for key in NEEDED:
        if not str(facts.get(key, "")).strip():
            raise Failure(f"{label}: no '{key}'; `make all-iterations` measures again")
    for key, kind in KINDS.items():
        if key in facts:
            check(f"{label}: {key}", facts[key], kind)
    return {key: changed(value, unlinked) for key, value in facts.items()}


def facts_of(folder: Path) -> dict[str, Any]:
    """Return machine.json of a results folder; {} when it is missing or not whole."""
    try:
        return read_machine(folder)
    except Failure:
        return {}


def is_imported(folder: Path) -> bool:
    """Return whether `make import` brought this results folder."""
    return IMPORTED in facts_of(folder)


def write_machine(folder: Path, facts: dict[str, Any]) -> None:
    """Write machine.json of a results folder, unless it already says the
    same of everything but the moment.  Raises OSError."""
    before = facts_of(folder)
    shown = dict(changed(facts, plain))
    for key, value in shown.items():
        if key not in MOMENT and before.get(key) != value:
            text = json.dumps(shown, indent=2, sort_keys=True)
            replace(folder / FILE, f"{text}\n")
            return
