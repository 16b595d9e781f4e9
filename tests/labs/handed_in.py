"""Submissions to an exercise, made of its starter and its solution by
small patches."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from two_rungs import checkout

from labs.judge import Sources
from labs.lab import FILE, Lab
from records.ladder import ROOT

MOD_EXP = re.compile(r"(void mod_exp\(.*?\n\{\n)", re.S)
FINAL = {  # the line that decides on the final subtraction -> the same without what is above
    "    if (top || !less(z, n))\n": "    if (!less(z, n))\n",
    "        sbcs    r8, r8, #0\n": "",
    "        sbcs    r10, r10, #0\n": "",
}
# Squaring twice as dear: into the domain once more and out again.
WASTE = {
    "        p = mmm(p, p, n);\n": "        p = mmm_1(mmm(mmm(p, p, n), rr, n), n);\n",
}
CRASH = "    volatile uint32_t *volatile nowhere = 0;\n    *nowhere = 1;\n"
KEPT = "    if (times++)\n        return;\n"
SPLICE = "#define SPLICE(x, y) x##y\n__attribute__((SPLICE(opti, mize)(3)))\n"
# What emulators answer to svc 0x123456 with 0x11 in r0 is the time.
ASK = '    __asm__ volatile("mov r0, #0x11\\n svc #0x123456" : : : "r0", "memory");\n'
LEAVE = '    __asm__ volatile("mov r7, #1\\n mov r0, #0\\n svc #0");\n'


def tree(path: Path) -> Path:
    """A checkout with what the exercises need."""
    made = checkout(path)
    for part in ("labs", "studies/alone/word-serial-arrays"):
        shutil.copytree(ROOT / part, made / part, ignore=shutil.ignore_patterns("work"))
    (made / ".venv").symlink_to(ROOT / ".venv")
    return made


def patched(files: Sources, changes: dict[str, str]) -> Sources:
    """The files with every line of `changes` that occurs changed; at least
    one does."""
    made = dict(files)
    for name in files:
        for old, new in changes.items():
            made[name] = made[name].replace(old, new)
    assert made != files
    return made


def begun_with(files: Sources, first: str, outside: str = "") -> Sources:
    """mod_exp begins with these lines, below `outside`."""
    text, n = MOD_EXP.subn(lambda head: outside + head[1] + first, files["rsa.c"])
    assert n == 1
    return files | {"rsa.c": text}


def every(lab: Lab, root: Path) -> Iterator[tuple[str, Sources, str]]:
    """(name, files, the status that it gets)."""
    start, solution, other = (
        lab.starter(),
        lab.solution(),
        root / "right" / lab.name / "rsa.c",
    )
    # The starter of the exercise with may_vary is right and does not do what is asked.
    slow = (
        patched(solution, WASTE)
        if lab.may_vary
        else begun_with(start, "    (void)e;\n")
    )
    yield "right", solution, "right"
    yield (
        "again",
        {name: f"/* mine */\n{text}" for name, text in solution.items()},
        "right",
    )
    yield "slow", slow, "slow"
    yield "unchanged", start, "unchanged"
    yield "wrong", patched(solution, FINAL), "wrong"
    yield "leaving", begun_with(solution, LEAVE), "wrong"
    yield "asking", begun_with(solution, ASK), "crashed"
    yield "splicing", begun_with(solution, "", SPLICE), "refused"
    yield "crashing", begun_with(solution, CRASH), "crashed"
    yield (
        "keeping-state",
        begun_with(solution, KEPT, "static int times;\n\n"),
        "refused",
    )
    yield "including", solution | {"rsa.c": f'#include "{other}"\n'}, "refused"
    yield "embedding", solution | {"mont.S": f'        .incbin "{other}"\n'}, "refused"
    yield "empty", {}, "refused"


def hand_in(root: Path, labs: list[Lab]) -> dict[tuple[str, str], str]:
    """Writes every submission; (student, exercise) -> the status that it
    gets."""
    statuses = {}
    for lab in labs:
        for name, files, status in every(lab, root):
            folder = root / name / lab.name
            folder.mkdir(parents=True)
            for file, text in (files | {FILE: "O1  1.0..2.0  mod_exp\n"}).items():
                (folder / file).write_text(text)
            statuses[name, lab.name] = status
        statuses["linked\\x1b[2J\\udcfc", lab.name] = "refused"
    (root / "linked\x1b[2J\udcfc").symlink_to("right")
    for path in ("__MACOSX/right", ".git/objects", "right/__MACOSX", "right/._right"):
        (root / path).mkdir(parents=True)  # what systems add by themselves
    (root / ".DS_Store").touch()
    (root / "right/00-\x1b[2J").mkdir()
    statuses["right", "00-\\x1b[2J"] = "refused"
    for one in labs[1:]:
        (root / "absent" / labs[0].name).mkdir(parents=True, exist_ok=True)
        statuses |= {
            ("absent", labs[0].name): "refused",
            ("absent", one.name): "missing",
        }
    return statuses
