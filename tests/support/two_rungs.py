"""A small checkout, which has all that make needs for the ladder and
nothing else."""

import shutil
import subprocess
from pathlib import Path

from clone import Clone, copy_as_data

from records.ladder import ROOT

PARTS = ("boards", "harness", "iterations", "mk", "records", "rsalab")
PARTS += ("data/inputs/width-128", "Makefile", "studies/width-1024/study.mk")
# Stands for setup.sh, so that no test installs anything.
SETUP = "#!/bin/sh\nmkdir -p build\nfor s; do [ -e build/setup.$s ] || echo >build/setup.$s; done\n"


def checkout(path: Path) -> Path:
    """The files that two rungs need, without .git and .venv."""
    cached = shutil.ignore_patterns("__pycache__")
    for part in PARTS:
        (path / part).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(
                ROOT / part, path / part, ignore=cached, copy_function=copy_as_data
            )
        else:
            copy_as_data(ROOT / part, path / part)
    for name in ("setup.sh", "venv.sh"):
        (path / "harness/setup" / name).write_text(SETUP)
    return path


def make(
    path: Path, *words: str, typed: str = ""
) -> "subprocess.CompletedProcess[str]":
    """What make says there, `typed` on its stdin."""
    return Clone(path).make(*words, typed=typed)
