"""The live page: a rung's assembly is edited in the browser, checked by the vectors and counted.

`python -m rsalab.live.page OUT`, which `make live` calls after the rungs have passed their check.
OUT is one HTML file that needs no network: the code of every rung at every level, as the compiler
of this checkout makes it, the check vectors, the assembler and the interpreter.
"""

import base64
import json
import re
import shlex
import shutil
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

from records import ladder, machine
from records.commands import command
from records.faults import Failure
from records.files import replace
from records.ladder import ROOT, Snapshot
from records.settings import USUAL_TOOLCHAIN
from rsalab.explorer.page import WEB, held

HERE = Path(__file__).resolve().parent
VECTORS = ROOT / "data/inputs/width-128/vectors"
INCLUDES = ("-Iharness", "-Iharness/driver", "-Idata/inputs/width-128")
# What the debugger alone needs follows the code; the lines of C (.loc) stand in the code.
DEBUGGING = re.compile(r"(?m)^\t\.section\t\.debug_.*\Z", re.DOTALL)
# What says nothing to a reader: notes for the linker and the debugger, labels that only these use.
NOISE = re.compile(
    r"\t\.(?:cfi_|eabi_attribute|size|type|ident)|\t@|\.L(?:VL|FB|FE|BB|BE|BI|text|etext)\d+:"
)
VIEW = re.compile(r"(?m)^(\t\.loc \d+ \d+) .*$")  # the column, and what a debugger shows there
OVERRULED = re.compile(r"(?m)(?:^\t\.loc .*\n)+(?=\t\.loc )")  # of several lines the last counts
COMPILER = USUAL_TOOLCHAIN.command
SCRIPTS = ("assembler.js", "worker.js")


def assembly(snapshot: Snapshot, level: str) -> str:
    """Return what the compiler makes of a snapshot's rsa.c, with the lines of C.
    Raises Failure where it does not compile."""
    compiler, flags = compile_flags()
    source = snapshot.path / "rsa.c"
    paths = f"-ffile-prefix-map={ROOT}=."
    line = [*compiler, *flags, paths, *INCLUDES, f"-{level}", "-g", "-S", str(source), "-o", "-"]
    made = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    if made.returncode:
        raise Failure(f"{source}: it does not compile; `make check` says why")
    code = VIEW.sub(r"\1", DEBUGGING.sub("", made.stdout))
    lines = [line for line in code.splitlines() if not NOISE.match(line)]
    return OVERRULED.sub("", "\n".join(lines) + "\n")


def compile_flags() -> tuple[list[str], list[str]]:
    """Return the compiler and the flags of the programs that make has built.
    Raises Failure where it has built none."""
    if not machine.FLAGS.exists() or not shutil.which(COMPILER):
        raise Failure("no rung is built here; `make check` builds them")
    options = machine.read_flags().splitlines()[1]
    flags = [word for word in shlex.split(options) if word.startswith(("-std", "-m"))]
    return [COMPILER], flags


def cell(snapshot: Snapshot, level: str) -> dict[str, str]:
    """Return the two parts of a program: `text`, which the reader edits, and `rest`.  Where there
    is assembly by hand, that is the text."""
    compiled = assembly(snapshot, level)
    by_hand = snapshot.path / "mont.S"
    if by_hand.is_file():
        return {"text": by_hand.read_text(encoding="utf-8"), "rest": compiled, "file": "mont.S"}
    return {"text": compiled, "rest": "", "file": "rsa.s"}


def gather() -> dict[str, Any]:
    """Return all that the page shows.  Raises Failure and OSError."""
    rungs = []
    for rung in ladder.snapshots():
        sources = {}
        for name in ("rsa.c", "nat.h"):
            sources[name] = (rung.path / name).read_text(encoding="utf-8")
        cells = {level: cell(rung, level) for level in ladder.LEVELS}
        rungs.append({"name": rung.name, "idea": rung.idea, "sources": sources, "cells": cells})
    vectors = []
    for operation in ("mont_mul", "mod_exp"):
        vectors.append((VECTORS / f"{operation}.txt").read_text(encoding="utf-8"))
    return {"rungs": rungs, "vectors": "".join(vectors)}


def packed(value: object) -> str:
    """Return a value as JSON, compressed, in letters that HTML takes as they are."""
    text = json.dumps(value, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def build() -> str:
    """Return the whole page.  Raises Failure and OSError."""
    colours = (WEB / "page.css").read_text(encoding="utf-8").partition("\nbody > header")[0]
    worker = "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    wasm = base64.b64encode((HERE / "interpreter.wasm").read_bytes()).decode()
    data = {"packed": packed(gather()), "wasm": wasm, "worker": worker}
    page = (HERE / "page.html").read_text(encoding="utf-8")
    parts = {
        "styles": colours + (HERE / "live.css").read_text(encoding="utf-8"),
        "data": held("data", data),
        "script": (HERE / "live.js").read_text(encoding="utf-8"),
    }
    for name, part in parts.items():
        page = page.replace(f"{{{{{name}}}}}", part)
    return page


def write(out: Path) -> None:
    """Write the page, and say how large it is.  Raises Failure and OSError."""
    replace(out, build())
    size = out.stat().st_size / 1e6
    print(f"{out}: {size:.1f} MB; open it in a browser")


if __name__ == "__main__":
    sys.exit(command("live", write))
