"""What a test needs of the machine: where it is absent, the test is
skipped with that reason."""

import functools
import importlib.util
import json
import os
import shutil
import subprocess

import pytest

from harness import counters
from records.faults import first_line
from records.ladder import ROOT

SOURCES = ROOT.parent / "shared" / "seeds"


@functools.cache
def absent(need: str) -> str:
    """Why a need is not met; empty where it is.

    A need is a command, `python:NAME` (a Python package) or one of
    CONDITIONS.
    """
    if need.startswith("python:"):
        name = need.removeprefix("python:")
        return (
            ""
            if importlib.util.find_spec(name)
            else f"no {name} in this Python; `make venv`"
        )
    if need in CONDITIONS:
        return CONDITIONS[need]()
    if shutil.which(need, path=f"{os.environ['PATH']}:/usr/sbin"):
        return ""
    return f"{need} is not installed"


def needs(*wanted: str) -> pytest.MarkDecorator:
    """A mark for tests that can only run where every need is met."""
    reasons = [reason for need in wanted if (reason := absent(need))]
    return pytest.mark.skipif(
        bool(reasons), reason="; ".join(reasons) or "everything is here"
    )


def require(*wanted: str) -> None:
    """Skips the running test unless every need is met."""
    for need in wanted:
        if reason := absent(need):
            pytest.skip(reason)


def working_counters() -> list[str]:
    """The counters that this machine can run."""
    why_not = {"plugin": counters.no_plugins(), "unicorn": counters.no_unicorn()}
    return [name for name, reason in why_not.items() if not reason]


def source(name: str) -> list[str]:
    """The lines of a source's text; skips the running test where the texts
    are absent."""
    require("sources")
    return (SOURCES / name).read_text(encoding="utf-8").splitlines()


def no_sources() -> str:
    """Why the sources' texts cannot be read."""
    return (
        ""
        if SOURCES.is_dir()
        else "the sources' texts are not at hand (../shared/seeds)"
    )


def no_libfuzzer() -> str:
    """Why nothing can be built with libFuzzer and GMP."""
    program = "#include <gmp.h>\nint LLVMFuzzerTestOneInput(void) { return 0; }\n"
    command = ["clang", "-fsanitize=fuzzer", "-x", "c", "-", "-lgmp", "-o", os.devnull]
    try:
        subprocess.run(
            command, input=program, text=True, check=True, capture_output=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "no clang with libFuzzer and GMP; `make fuzz` says what to install"
    return ""


def another_compiler() -> str:
    """Why it is not known what the compiler inlines, and which functions
    it makes equal."""
    facts = json.loads((ROOT / "results/qemu-gcc12/machine.json").read_text())
    version = first_line("arm-linux-gnueabihf-gcc", "-dumpfullversion")
    known = version == facts["compiler"].split()[-1]
    return "" if known else f"what gcc {version} inlines is not recorded"


CONDITIONS = {
    "compiler of the reference": another_compiler,
    "libfuzzer": no_libfuzzer,
    "plugins": counters.no_plugins,
    "sources": no_sources,
}
