"""Starts a snapshot from another one: what `make new-iteration FROM=v8 NAME=v9` does."""

import re
import shutil
import tempfile
from pathlib import Path
from string import Template

from records.faults import Failure
from records.ladder import LADDER, ROOT, find, front_matter, study_path

NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")

TEMPLATE = Path(__file__).with_name("new_iteration.md")


def new_iteration(parent: str, name: str, study: str = LADDER, root: Path = ROOT) -> Path:
    """Copies a snapshot's folder under a new name and empties its README.md.

    Returns the new folder.  Raises Failure when the parent is missing, or the name is taken,
    a target of make or a folder beside it, or not made of lower-case letters, digits, '_' and '-'.
    """
    if not NAME.fullmatch(name):
        raise Failure(f"'{name}' is not a name: lower-case letters, digits, '_' and '-' only")
    rules = "".join(path.read_text() for path in (*root.glob("Makefile"), *root.glob("mk/*.mk")))
    folders = ("build", *(path.name for path in root.iterdir()))
    if name in folders or re.search(rf"^{name}:", rules, re.MULTILINE):
        raise Failure(f"'{name}' is a target of make or a folder here; choose another name")
    old = find(parent, study, root)
    new = study_path(study, root) / name
    if new.exists():
        raise Failure(f"{new.relative_to(root)} exists already; say another NAME")
    width = front_matter(old.path / "README.md", root).get("width", "")
    # The folder appears under its name only when it is whole.
    with tempfile.TemporaryDirectory(prefix=".new-", dir=new.parent) as scratch:
        copy = Path(scratch) / name
        shutil.copytree(old.path, copy, copy_function=shutil.copy)  # dated now, for make
        words = {"name": name, "parent": parent, "width": f"width: {width}\n" * bool(width)}
        text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(words)
        (copy / "README.md").write_text(text, encoding="utf-8")
        copy.rename(new)
    return new


def start(parent: str, name: str, study: str) -> None:
    """Starts a snapshot and says what comes next.  Raises Failure, OSError."""
    if not parent or not name:
        raise Failure("type `make new-iteration FROM=v8 NAME=v9`")
    new = new_iteration(parent, name, study).relative_to(ROOT)
    print(f"{new} is a copy of {parent}.  Next:")
    print(f"  1. {new}/README.md: the idea, and in predicts: what you expect it to do")
    print("  2. the change itself, in nat.h, rsa.c or mont.S")
    if study == LADDER:
        print(f"  3. make {name}                 builds, checks and counts it")
    print(f"  then make diff B={name}, make steps, make all-iterations")
