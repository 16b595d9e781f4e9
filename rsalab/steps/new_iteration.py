"""Starts a snapshot from another one: what `make new-iteration FROM=v8 NAME=v9` does.

Usage: python -m rsalab.steps.new_iteration FROM NAME [--study STUDY]
"""

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

from records.faults import Failure, command_line
from records.ladder import LADDER, ROOT, find, front_matter, study_path

NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")

FRONT = """\
idea:
parent: {parent}
source:
exempt:    # 'new representation' or 'new algorithm' where the diff is longer than the limit
predicts:  # parent / this in instructions, before measuring: O0 1.10..1.30, O1 1.00..1.00
disclosed: # the levels whose result was known when the range was written: O0 O1
claims:    # for each cause below a line such as '  - [1] O3: saved(add) >= 0.5 * saved()'
look:      # level and function that show the step best: O1 add; view and lines: c 36-43
constant-time:  # yes, where no branch and no address depends on a secret: `make traces`
verdict:
"""

PROMPTS = """
**Change.** What differs from {parent}, in the names that the code uses.

**Invariant.** What is true at the top of every round, and why nothing overflows.

**Technique.** Its general name, and where else one uses it.

**Why.** What should happen to the instructions at each level, more or fewer, and for what reason:
written before measuring.

**Measured.** <!-- measured -->
<!-- /measured -->

**What came of it.** Was the prediction right, and if not, why not? Each sentence with a cause ends
with the number of its claim.

<!-- claims -->
<!-- /claims -->

**In the assembly.** <!-- assembly -->
<!-- /assembly -->

**Costs.** What it costs in readability, portability, side channels and generality.

**The source says.** What the source claims, and who is right.

**Next.** What a further step would change.
"""


def readme(parent: str, width: str) -> str:
    """An empty README.md: the front matter's keys, filled as far as known, and the prompts."""
    front = FRONT.format(parent=parent) + f"width: {width}\n" * bool(width)
    return f"---\n{front}---\n{PROMPTS.format(parent=parent)}"


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
        shutil.copytree(old.path, copy)
        (copy / "README.md").write_text(readme(parent, width), encoding="utf-8")
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


def main() -> int:
    """Status 2 with one line on stderr when the names are wrong."""
    parser = argparse.ArgumentParser(prog="new-iteration", description="Starts a snapshot.")
    parser.add_argument("parent", metavar="FROM")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--study", default=LADDER)
    args = parser.parse_args()
    return command_line("new-iteration", lambda: start(args.parent, args.name, args.study))


if __name__ == "__main__":
    sys.exit(main())
