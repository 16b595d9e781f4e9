"""Whether machine.json says all that it should, each fact in its form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from harness.counters import COUNTERS
from records import ladder, workload

HASH = "[0-9a-f]{64}"
COUNTER = f"({'|'.join(COUNTERS)})"
MOMENT = '"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"'
# Key of machine.json -> the form of its value as JSON; runner and qemu are empty where programs run
# directly.
FACTS = {
    **dict.fromkeys(("cpu", "kernel", "os", "flags"), '".+"'),
    "compiler": '"[^$]+"',  # a chart takes what stands between two for a formula
    **dict.fromkeys(("runner", "qemu"), '".*"'),
    "platform": r'"[a-z0-9][a-z0-9._-]*"',
    "git_revision": r'"([0-9a-f]{40}|unknown)"',
    "git_clean": "true|false",
    "date": MOMENT,
    "messages": rf'"({"|".join(workload.MESSAGES)})"',
}
# The same for what not every folder says.
MORE = {
    "counter": rf'"({COUNTER}( and {COUNTER})*)?"',
    **dict.fromkeys(("board", "arm_neon.h"), '".+"'),
    "imported": MOMENT,
    "timing": r'\{"rounds": \d+, "seeds": \[[\d, ]*\], "tainted": \{("[^"]+": \d+(, )?)*\}\}',
}


def fact_faults(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, fault) of everything in machine.json that is missing or not of its form."""
    for key, form in (FACTS | MORE).items():
        said = json.dumps(facts.get(key), ensure_ascii=False, sort_keys=True)
        if key not in facts and key in FACTS:
            yield key, f"no '{key}'"
        elif key in facts and not re.fullmatch(form, said):
            yield key, f"'{key}' is {json.dumps(facts[key])}"
    if not facts["programs"]:
        yield "programs", "no 'programs'"
    for label, value in facts["programs"].items():
        if not re.fullmatch(rf"[^/]+/[^/]+/({'|'.join(ladder.EVERY_LEVEL)})", label):
            yield label, f"'{label}' is not study/snapshot/level"
        elif not re.fullmatch(HASH, str(value)):
            yield label, f"the hash of {label} is not a SHA-256"
