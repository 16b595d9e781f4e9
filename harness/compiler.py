"""What a platform is called after its compiler: `gcc12`, `armv6-gcc12`, `gcc12-funroll-loops`.

What decides a program is in the name: the compiler, its version, and every option that a reader or
a distribution adds to those that make states (mk/programs.mk, records/options.csv).
"""

import re
import shlex
from collections.abc import Collection, Iterator
from functools import cache
from hashlib import sha256

from records.faults import run
from records.ladder import ROOT
from records.machine import ARMV6
from records.settings import HARMLESS

ASK = ROOT / "harness/setup/stated.sh"
# Warnings, and what is said of them.  -Wa, -Wl, and -Wp, hand options on.
SILENT = re.compile(r"-W(?![alp],).*|-w|-pipe|-v|-fdiagnostics.*|-fmax-errors.*|-Q.*")
# Of what a compiler records: what may decide code.
DECIDES_CODE = r"-[fm].+|--param.+"
DECIDES_CODE_OF_HOST = r"-f.+|--param.+"  # and not the architecture
LONGEST = 60  # characters of a name; a longer one ends with a part of its hash
HASHED = 8  # characters of it


@cache
def decided(command: str) -> list[str]:
    """Return the options that make states because distributions decide them differently, those of them that a
    compiler knows.  Raises Failure."""
    return run(["sh", ASK, *shlex.split(command)]).split()


def identified(command: Collection[str]) -> str:
    """Return the name and the version of a compiler that these words call, `gcc12` or `clang14`,
    and `armv6-gcc12` where programs are for ARMv6.  Raises Failure."""
    macros = run([*command, "-Wno-error", "-dM", "-E", "-x", "c", "/dev/null"])
    versions = dict(re.findall(r"(?m)^#define __(clang_major|GNUC)__ (\d+)$", macros))
    if "clang_major" in versions:  # clang says that it is a gcc, too
        compiler = f"clang{versions['clang_major']}"
    else:
        compiler = f"gcc{versions['GNUC']}"
    for_armv6 = re.search(r"(?m)^#define __ARM_ARCH 6$", macros)
    return f"{ARMV6}{compiler}" if for_armv6 else compiler


def added(
    asked: Collection[str], usual: Collection[str], recorded: Collection[str]
) -> list[str]:
    """Return the options that are not the usual ones: of those `asked` for, those that are no
    warnings; the usual ones that are left out, as `without-...`; and those that the compiler
    has `recorded` though nobody asked, unless one that was asked for overrides them."""
    own = [word for word in asked if word not in usual and not SILENT.fullmatch(word)]
    for word in usual:
        if word not in asked and not SILENT.fullmatch(word):
            own.append(f"without{word}")
    for word in recorded:
        if word not in HARMLESS and not said(word, asked):
            own.append(word)
    return own


def said(recorded: str, asked: Collection[str]) -> bool:
    """Return whether the options `asked` for say a recorded one, or what overrides it: another value of
    the same option, `-march=armv7-a` beside `-march=armv7-a+neon`, or its opposite."""
    return any(subject(word) == subject(recorded) for word in spoken(asked))


def spoken(asked: Collection[str]) -> Iterator[str]:
    """Yield the options, those of two words (`--param name=2`) as the one that is recorded."""
    words = iter(asked)
    for word in words:
        yield f"{word}={next(words, '')}" if word == "--param" else word


def subject(option: str) -> str:
    """Return what an option is about: `f stack-protector` of -fno-stack-protector and of
    -fstack-protector-strong, `m arch` of -march=armv7-a and of -mcpu=cortex-a7."""
    if option.startswith("--param"):
        return option.rpartition("=")[0]
    name = option.partition("=")[0]
    plain = re.sub("^-([fm])(no-)?", r"\1 ", name).replace("m cpu", "m arch")
    return re.sub("-(all|strong|explicit)$", "", plain)


def suffix(options: Collection[str]) -> str:
    """Return the end of a platform's name for options that are added: `-funroll-loops`."""
    words = []
    for option in options:
        plain = re.sub("[^A-Za-z0-9.]+", "-", option)
        words.append(plain.strip("-."))
    text = "-".join(filter(None, words))
    if len(text) > LONGEST:
        whole = sha256(" ".join(options).encode()).hexdigest()
        beginning = text[: LONGEST - HASHED - 1].rstrip("-.")
        text = f"{beginning}-{whole[:HASHED]}"
    return f"-{text}" if text else ""
