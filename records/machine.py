"""What numbers were measured with: machine.json."""

from __future__ import annotations

import datetime
import json
import platform
import re
from pathlib import Path
from typing import Any

from records.command import first_line
from records.files import replace

MOMENT = ("date", "git_revision", "git_clean")
UNKNOWN = "unknown"  # the revision of a copy without its history


def cpu() -> str:
    """What /proc/cpuinfo calls the processor."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^(?:model name|Model|Hardware)\s*:\s*(.*)$", text, re.M)
    return found.group(1) if found else platform.machine()


def system() -> str:
    """The operating system's own name for itself."""
    text = Path("/etc/os-release").read_text() if Path("/etc/os-release").exists() else ""
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.M)
    return found.group(1) if found else platform.system()


def revision() -> tuple[str, bool]:
    """The commit, and whether nothing but results differs from it; ("unknown", False) without git
    or outside a repository of its own."""
    if first_line("git", "rev-parse", "--show-prefix") or not Path(".git").exists():
        return UNKNOWN, False
    commit = first_line("git", "rev-parse", "HEAD")
    changed = first_line("git", "status", "--porcelain", "--", ".", ":!results")
    return (commit, not changed) if commit else (UNKNOWN, False)


def machine_facts(
    name: str, runner: tuple[str, ...], flags: str, programs: dict[str, str]
) -> dict[str, Any]:
    """What goes into machine.json.  `flags` is the text of build/flags; `programs` maps
    study/snapshot/level to SHA-256."""
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


def write_machine(path: Path, said: dict[str, Any]) -> None:
    """Write machine.json, unless it already says the same of everything but the moment."""
    try:
        before = json.loads(path.read_text())
        same = {k: before.get(k) for k in said if k not in MOMENT}
    except (OSError, ValueError, AttributeError):
        same = {}
    if same != {k: v for k, v in said.items() if k not in MOMENT}:
        replace(path, json.dumps(said, indent=2, sort_keys=True) + "\n")
