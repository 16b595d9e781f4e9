"""The live page: a rung's assembly is edited in the browser, checked by the vectors and counted.

`python -m rsalab.live.page OUT`, which `make live` calls after the rungs have passed their check.
OUT is one HTML file that needs no network: the code of every rung at every level, as the compiler
of this checkout makes it, the check vectors, the assembler and the interpreter.
"""

import base64
import json
import sys
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from harness import kinds
from records import ladder
from records.commands import command
from records.files import replace
from records.ladder import ROOT, Snapshot
from records.policy import sealed
from rsalab import cycles
from rsalab.charts import theme
from rsalab.explorer.page import WEB
from rsalab.live.compiler import compiled
from rsalab.live.exercises import Entry, exercises

HERE = Path(__file__).resolve().parent
VECTORS = ROOT / "data/inputs/width-128/vectors"
WORKER_SCRIPTS = (
    "assembler.js",
    "cortex_m4.js",
    "machine.js",
    "faults.js",
    "rounds.js",
    "invariants.js",
    "steps.js",
    "worker.js",
)
PAGE_SCRIPTS = ("live.js", "editor.js", "answer.js", "state.js", "lab.js")
# The worker's script is a part of the data; the interpreter in it is WebAssembly.
NEEDS = {"script-src": "'wasm-unsafe-eval'", "worker-src": "blob:"}
MODEL = cycles.CORES[cycles.MODELLED].core
TIMING = ROOT / "studies/hardware/cores/cortex_m4/timing.json"
DRAWN = 80  # vectors of each kind, of a width that data/inputs/ has not


def cell(snapshot: Snapshot, level: str) -> dict[str, str]:
    """Return the two parts of a program: `text`, which the reader edits, and `rest`.  Where there
    is assembly by hand, that is the text.  Raises Failure."""
    rest = compiled(snapshot.path / "rsa.c", level, snapshot.width)
    by_hand = snapshot.path / "mont.S"
    if by_hand.is_file():
        return {
            "text": by_hand.read_text(encoding="utf-8"),
            "rest": rest,
            "file": "mont.S",
        }
    return {"text": rest, "rest": "", "file": "rsa.s"}


def gather(names: Collection[str] = ()) -> dict[str, Any]:
    """Return all that the page shows, of these rungs or, without names, of all.  Raises Failure
    and OSError."""
    entries = []
    for rung in ladder.snapshots():
        if not names or rung.name in names:
            entries.append(entry_of(rung))
    entries += exercises()
    vectors = {ladder.DEFAULT_WIDTH: recorded_vectors()}
    for entry in entries:
        width = entry["width"]
        if width not in vectors:
            vectors[width] = drawn_vectors(width)
    return {"rungs": entries, "vectors": vectors}


def entry_of(rung: Snapshot) -> Entry:
    """Return what the page shows of a rung.  Raises Failure and OSError."""
    sources = {}
    for name in ("rsa.c", "nat.h"):
        path = rung.path / name
        sources[name] = path.read_text(encoding="utf-8")
    cells: dict[str, dict[str, Any]] = {}
    for level in ladder.LEVELS:
        recorded = recorded_cycles(rung, level)
        cells[level] = {**cell(rung, level), "recorded": recorded}
    return {
        "name": rung.name,
        "idea": rung.idea,
        "width": rung.width,
        "sources": sources,
        "cells": cells,
    }


def model() -> dict[str, Any]:
    """Return the table of the Cortex-M4's model, and its error in per cent.  Raises OSError."""
    low, high = cycles.error_of(MODEL)
    return {
        "table": json.loads(TIMING.read_text(encoding="utf-8")),
        "error": f"{100 * low:+.0f} to {100 * high:+.0f}",
    }


def recorded_cycles(rung: Snapshot, level: str) -> float | None:
    """Return what the model gives a product of gcc's Thumb-2 code; None where it ran none."""
    key = (cycles.MODELLED, rung.study, rung.name, level, cycles.PRODUCT)
    return cycles.means().get(key)


def recorded_vectors() -> str:
    """Return the vectors of data/inputs/, a line each."""
    texts = ""
    for operation in ("mont_mul", "mod_exp"):
        path = VECTORS / f"{operation}.txt"
        texts += path.read_text(encoding="utf-8")
    return texts


def drawn_vectors(width: int) -> str:
    """Return vectors of another width, in the same form."""
    lines = []
    for operation in ("mont_mul", "mod_exp"):
        for call in kinds.calls(operation, width, most=DRAWN):
            numbers = f"{call.n:x} {call.x:x} {call.y:x} {call.z:x}"
            lines.append(f"{operation} {call.kind} {numbers}\n")
    return "".join(lines)


def packed(value: object) -> str:
    """Return a value as JSON, compressed, in letters that HTML takes as they are."""
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def joined(names: Iterable[str]) -> str:
    """Return the text of files of this folder, one after another.  Raises OSError."""
    text = ""
    for name in names:
        path = HERE / name
        text += path.read_text(encoding="utf-8") + "\n"
    return text


def build(names: Collection[str] = ()) -> str:
    """Return the whole page, with these rungs or, without names, with all.  Raises Failure and
    OSError."""
    page_sheet = (WEB / "page.css").read_text(encoding="utf-8")
    basics, _, _ = page_sheet.partition("\nbody > header")
    wasm = base64.b64encode((HERE / "interpreter.wasm").read_bytes()).decode()
    data = {
        "packed": packed(gather(names)),
        "wasm": wasm,
        "worker": joined(WORKER_SCRIPTS),
        "model": model(),
    }
    styles = theme.switched_variables() + basics + joined(["live.css"])
    page = joined(["page.html"]).replace("{{styles}}", styles)
    basics = (WEB / "basics.js").read_text(encoding="utf-8")
    return sealed(page, [basics, joined(PAGE_SCRIPTS)], data, NEEDS)


def write(out: Path, *names: str) -> None:
    """Write the page, with these rungs or, without names, with all, and say how large it is.
    Raises Failure and OSError."""
    replace(out, build(names))
    size = out.stat().st_size / 1e6
    print(f"{out}: {size:.1f} MB; open it in a browser")


if __name__ == "__main__":
    sys.exit(command("live", write))
