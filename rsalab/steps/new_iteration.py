"""Starts a snapshot from another one: what `make new-iteration FROM=v8 NAME=v9` does.

Usage: python -m rsalab.steps.new_iteration FROM NAME [--study STUDY]
"""

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from records.faults import Failure
from records.ladder import LADDER, ROOT, find, front_matter, study_path

NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")

PROMPTS = """
**Change.** What differs from {parent}, in the names that the code uses.

**Why.** What should happen to the instructions at each level, more or fewer, and for what reason:
written before measuring.

**Measured.** <!-- measured -->
<!-- /measured -->

**What came of it.** Was the prediction right, and if not, why not?

**Look at.** Which lines of assembly show it: `make diff B={name}`.
"""


def readme(name: str, parent: str, values: dict[str, str]) -> str:
    """An empty README.md: the front matter's keys, filled as far as known, and four prompts."""
    known = {"parent": parent, "width": values.get("width", "")}
    keys = ["idea", "parent", "source", "verdict", *(["width"] if known["width"] else [])]
    lines = [f"{key}: {known.get(key, '')}".rstrip() for key in keys]
    return (
        "\n".join(["---", *lines, "---", PROMPTS.format(parent=parent, name=name)]).rstrip("\n")
        + "\n"
    )


def new_iteration(parent: str, name: str, study: str = LADDER, root: Path = ROOT) -> Path:
    """Copies a snapshot's folder under a new name and empties its README.md.

    Returns the new folder.  Raises Failure when the parent is missing, or the name is taken,
    a target of the Makefile, or not made of lower-case letters, digits, '_' and '-'.
    """
    if not NAME.fullmatch(name):
        raise Failure(f"'{name}' is not a name: lower-case letters, digits, '_' and '-' only")
    makefile = root / "Makefile"
    if makefile.exists() and re.search(rf"^{name}:", makefile.read_text(), re.MULTILINE):
        raise Failure(f"'{name}' is a target of the Makefile; choose another name")
    old = find(parent, study, root)
    new = study_path(study, root) / name
    if new.exists():
        raise Failure(f"{new.relative_to(root)} exists already")
    text = readme(name, parent, front_matter(old.path / "README.md", root))
    # The folder appears under its name only when it is whole.
    with tempfile.TemporaryDirectory(prefix=".new-", dir=new.parent) as scratch:
        copy = Path(scratch) / name
        shutil.copytree(old.path, copy)
        (copy / "README.md").write_text(text, encoding="utf-8")
        copy.rename(new)
    return new


def main() -> int:
    """Status 2 with one line on stderr when the names are wrong."""
    parser = argparse.ArgumentParser(prog="new-iteration", description="Starts a snapshot.")
    parser.add_argument("parent", metavar="FROM")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--study", default=LADDER)
    args = parser.parse_args()
    if not args.parent or not args.name:
        print("new-iteration: type `make new-iteration FROM=v8 NAME=v9`", file=sys.stderr)
        return 2
    try:
        new = new_iteration(args.parent, args.name, args.study)
    except (Failure, OSError) as fault:
        print(f"new-iteration: {fault}", file=sys.stderr)
        return 2
    print(f"{new.relative_to(ROOT)} is a copy of {args.parent}.  Next:")
    print(f"  1. {new.relative_to(ROOT)}/README.md: the idea, and what you expect it to do")
    print("  2. the change itself, in nat.h, rsa.c or mont.S")
    if args.study == LADDER:
        print(f"  3. make {args.name}                 builds, checks and counts it")
    print(f"  then make diff B={args.name}, make steps, make all-iterations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
