"""`make labs-variant SEED=7 NAME=ann`: which variants of exercises a student of a class gets.

An exercise may have variants of other widths, so that what one student writes does not fit another.
The seed says who has which; whoever does not know it cannot tell.
"""

import hashlib
import sys

from labs.lab import Lab, labs
from records.commands import command
from records.faults import Failure


def variant_for(lab: Lab, seed: str, student: str) -> Lab:
    """Return the variant that a class of this seed gives a student."""
    words = f"{seed} {lab.path.name} {student}".encode("utf-8", "replace")
    digits = hashlib.sha256(words).hexdigest()
    number = int(digits, 16) % len(lab.variants)
    width = lab.variants[number]
    return lab.with_width(width)


def why_not(lab: Lab, seed: str, student: str) -> str:
    """Return why an exercise is not this student's, "" where it is; without a seed nobody has
    variants."""
    if not seed or not lab.variants:
        return ""
    own = variant_for(lab, seed, student)
    return "" if own == lab else f"the variant of this student is {own.name}"


def main(seed: str, student: str) -> None:
    """Print the variants of a student, and how they are graded.  Raises Failure."""
    if not seed or not student:
        raise Failure("say a seed that only you know, and a student: SEED=7 NAME=ann")
    for lab in labs():
        if lab.variants:
            own = variant_for(lab, seed, student)
            print(f"{student}: {own.name}    make lab L={own.number}")
    print(f"later: make grade DIR=submissions VARIANTS={seed}")


if __name__ == "__main__":
    sys.exit(command("labs-variant", main))
