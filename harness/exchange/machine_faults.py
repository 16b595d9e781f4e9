"""What is wrong with a machine.json: machine_faults(path)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from records import workload
from records.ladder import EVERY_LEVEL

# Key -> what its text must look like; runner and qemu are empty where programs run directly.
TEXTS = {
    "platform": r"[a-z0-9][a-z0-9._-]*",
    "cpu": r".+",
    "kernel": r".+",
    "os": r".+",
    "compiler": r".+",
    "flags": r".+",
    "runner": r".*",
    "qemu": r".*",
    "git_revision": r"[0-9a-f]{40}|unknown",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
    "messages": "|".join(workload.MESSAGES),
}
PROGRAM = rf"[^/]+/[^/]+/({'|'.join(EVERY_LEVEL)})"


def line_of(text: str, key: str) -> int:
    """The line that a key stands on; 1 where it does not occur."""
    at = text.find(json.dumps(key) + ":")
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def fact_faults(facts: dict) -> Iterator[tuple[str, str]]:
    """(key, fault) of everything that is missing or not of its form."""
    for key, form in TEXTS.items():
        if key not in facts:
            yield key, f"no '{key}'"
        elif not isinstance(facts[key], str) or not re.fullmatch(form, facts[key]):
            yield key, f"'{key}' is {json.dumps(facts[key])}"
    if not isinstance(facts.get("git_clean"), bool):
        yield "git_clean", "'git_clean' is neither true nor false"
    programs = facts.get("programs")
    if not isinstance(programs, dict) or not programs:
        yield "programs", "no 'programs'"
        return
    for label, value in programs.items():
        if not re.fullmatch(PROGRAM, label):
            yield label, f"'{label}' is not study/snapshot/level"
        elif not isinstance(value, str) or not re.fullmatch("[0-9a-f]{64}", value):
            yield label, f"the hash of {label} is not a SHA-256"


def machine_faults(path: Path) -> tuple[dict, list[tuple[int, str]]]:
    """What machine.json says ({} where it cannot be read), and (line, fault) in line order."""
    try:
        text = path.read_text(encoding="utf-8")
        facts = json.loads(text)
    except FileNotFoundError:
        return {}, [(1, "missing")]
    except json.JSONDecodeError as fault:
        return {}, [(fault.lineno, f"not whole: {fault.msg}")]
    except (OSError, UnicodeDecodeError) as fault:
        return {}, [(1, f"cannot be read: {fault}")]
    if not isinstance(facts, dict):
        return {}, [(1, "not an object")]
    found = [(line_of(text, key), fault) for key, fault in fact_faults(facts)]
    return facts, sorted(found)
