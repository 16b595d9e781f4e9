"""How much of a program is another's: by short runs of tokens, whatever the names in C, comments,
layout and order of functions are.

What a program shares with the exercise's start says nothing, and neither does a small change, which
many make in the same way.
"""

import re
from collections.abc import Mapping
from hashlib import blake2b

RUN = 8  # tokens
DIGITS = 8  # of the name of a run
MOST = 4000  # runs of a program that are kept; a rung has 1000
LEAST = 70  # runs that are no part of the start: below, equal programs are no sign
SAME = 0.8  # of them, from which on a program is called a copy
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*|@[^\n]*", re.S)
OF_C = re.compile(r"[A-Za-z_]\w*|\d\w*|\S")
OF_ASSEMBLY = re.compile(r"[A-Za-z_.][\w.]*|\d\w*|\S")
# What a renaming leaves alone.
C_WORDS = frozenset(
    """if else for while do return break continue switch case default goto sizeof static inline const
    volatile register void int unsigned long short char struct union enum typedef uint32_t uint64_t
    int32_t int64_t include define""".split()
)
Sources = Mapping[str, str]  # file name -> text
Runs = frozenset[str]  # names made of them


def runs_of(sources: Sources) -> Runs:
    """Return the runs of tokens of a program, a name of DIGITS digits for each."""
    found: set[str] = set()
    for file, text in sources.items():
        code = COMMENT.sub(" ", text)
        if file.endswith(".S"):
            words = OF_ASSEMBLY.findall(code)
        else:
            words = [same_name(word) for word in OF_C.findall(code)]
        for run in zip(*(words[i:] for i in range(RUN))):
            found.add(
                blake2b(" ".join(run).encode(), digest_size=DIGITS // 2).hexdigest()
            )
    return frozenset(sorted(found)[:MOST])


def same_name(word: str) -> str:
    """Return a token of C, every name of the author's as one word."""
    return "name" if word.isidentifier() and word not in C_WORDS else word


def share(program: Runs, other: Runs, start: Runs) -> float:
    """Return how much of what a program adds to the start is another's, too: 0 to 1; 0 where that
    is little."""
    own = program - start
    return len(own & other) / len(own) if len(own) >= LEAST else 0.0


def is_copy(program: Runs, other: Runs, start: Runs) -> bool:
    """Return whether a program is so much like another that one of them was there first."""
    return share(program, other, start) >= SAME
