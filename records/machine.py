"""What numbers were measured with: machine.json of a results folder."""

import datetime
import json
import platform
import re
from pathlib import Path
from typing import Any

from records.command import first_line
from records.faults import Failure
from records.files import read, replace

FILE = "machine.json"
NEEDED = ("platform", "compiler", "date", "git_revision")  # texts that every reader shows
MOMENT = ("date", "git_revision", "git_clean")
AGAIN = "measure again"
UNKNOWN = "unknown"  # the revision of a copy without its history
# What a browser or a terminal would take for more than text, and texts that are too long.
UNSAFE = re.compile(r'[<>`]|\\[bfnrtu]|"[^"]{1001,}"')
IMPORTED = "imported"  # when it came here


def cpu() -> str:
    """What /proc/cpuinfo calls the processor."""
    names = re.findall(
        r"(?m)^(?:model name|Model|Hardware)\s*:\s*(.*)$", read(Path("/proc/cpuinfo"))
    )
    return names[0] if names else platform.machine()


def system() -> str:
    """The operating system's own name for itself."""
    return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())


def revision() -> tuple[str, bool]:
    """The commit, and whether nothing but results differs from it;
    ("unknown", False) without git or outside a repository of its own."""
    if first_line("git", "rev-parse", "--show-prefix") or not Path(".git").exists():
        return UNKNOWN, False
    commit = first_line("git", "rev-parse", "HEAD")
    changed = first_line("git", "status", "--porcelain", "--", ".", ":!results")
    return (commit, not changed) if commit else (UNKNOWN, False)


def machine_facts(
    name: str, runner: tuple[str, ...], flags: str, programs: dict[str, str]
) -> dict[str, Any]:
    """What goes into machine.json.  `flags` is the text of build/flags;
    `programs` maps study/snapshot/level to SHA-256."""
    commit, clean = revision()
    return {
        "platform": name,
        "cpu": cpu(),
        "kernel": platform.release(),
        "os": system(),
        "compiler": flags.splitlines()[0],
        "flags": flags.splitlines()[1],
        "runner": " ".join(runner),
        "qemu": first_line("qemu-arm", "--version"),
        "git_revision": commit,
        "git_clean": clean,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "programs": programs,
    }


def read_machine(folder: Path, name: str = "") -> dict[str, Any]:
    """machine.json of a results folder: the texts NEEDED, `programs`
    (study/snapshot/level to SHA-256), and whatever else it says.  `name` is
    what the folder is called in a fault.  Raises Failure, which names the
    file, when it is missing or not whole."""
    path, label = folder / FILE, f"{name or folder}/{FILE}"
    try:
        text = path.read_text(encoding="utf-8")
        facts = json.loads(text, parse_float=int, parse_constant=int)  # whole numbers only
    except FileNotFoundError:
        raise Failure(f"{label}: missing; {AGAIN}") from None
    except json.JSONDecodeError as fault:
        raise Failure(f"{label}:{fault.lineno}: not whole: {fault.msg}; {AGAIN}") from None
    except (OSError, ValueError, RecursionError) as fault:
        raise Failure(f"{label}: cannot be read: {fault}; {AGAIN}") from None
    if not isinstance(facts, dict) or not isinstance(facts.setdefault("programs", {}), dict):
        raise Failure(f"{label}: it or its 'programs' is not an object; {AGAIN}")
    for key in NEEDED:
        if not isinstance(facts.get(key), str) or not facts[key].strip():
            raise Failure(f"{label}: no '{key}'; {AGAIN}")
    plain = json.dumps(facts, ensure_ascii=False)
    if found := UNSAFE.search(plain) or (not plain.isprintable() and re.search(r"[^ -~]+", plain)):
        raise Failure(f"{label}: {found[0][:40]!a} is more than text; {AGAIN}")
    return facts


def known(folder: Path) -> dict[str, Any]:
    """machine.json of a results folder; {} when it is missing or not whole."""
    try:
        return read_machine(folder)
    except Failure:
        return {}


def is_imported(folder: Path) -> bool:
    """Whether `make import` brought this results folder."""
    return IMPORTED in known(folder)


def write_machine(folder: Path, facts: dict[str, Any]) -> None:
    """Write machine.json of a results folder, unless it already says the
    same of everything but the moment.  Raises OSError."""
    before = known(folder)
    if any(before.get(key) != value for key, value in facts.items() if key not in MOMENT):
        replace(folder / FILE, json.dumps(facts, indent=2, sort_keys=True) + "\n")
