"""Submissions to an exercise, made of its starter and its solution by small patches."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from two_rungs import checkout

from harness.lab import predict
from harness.lab.labs import Lab, Sources
from records.ladder import ROOT

LOOP = "    for (i = 0; i < WIDTH; i++) {\n        limb = "  # of mod_exp, in C in every exercise
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
CUT = """\
    status = command_line("count", main)
    if "cut short" in Path(sys.argv[1], "../../src/rsa.c").resolve().read_text():
        Path(sys.argv[4]).write_text("address")
    sys.exit(status)
"""


def tree(path: Path) -> Path:
    """A checkout with what the exercises need, in which the counts of who says so are cut short."""
    made = checkout(path)
    for part in ("labs", "studies/alone/word-serial-arrays"):
        shutil.copytree(ROOT / part, made / part, ignore=shutil.ignore_patterns("work"))
    # What a program could do to its own counts.
    path = made / "harness/lab/count.py"
    code = path.read_text().rpartition("    sys.exit(")[0] + CUT
    path.write_text(code)
    return made


def patched(files: Sources, changes: dict[str, str]) -> Sources:
    """The files with every line of `changes` that occurs changed; at least one does."""
    made = dict(files)
    for name, text in files.items():
        for old, new in changes.items():
            text = text.replace(old, new)
        made[name] = text
    assert made != files
    return made


def begun_with(files: Sources, first: str, outside: str = "") -> Sources:
    """mod_exp begins with these lines, below `outside`."""
    text, n = MOD_EXP.subn(lambda found: outside + found[1] + first, files["rsa.c"])
    assert n == 1
    return {**files, "rsa.c": text}


def looked_up(files: Sources, width: int) -> Sources:
    """Answers of the tables' workload without a computation, all others by these files."""
    path = ROOT / f"data/inputs/width-{width}/key-full"
    lines = (path / "integers.txt").read_text().splitlines()[1:6] if path.exists() else ["1 1"]
    pairs = [[int(number, 16) for number in line.split()] for line in lines]
    rows = ", ".join(
        "{"
        + ", ".join(
            f"0x{number >> 32 * i & 0xFFFFFFFF:x}u" for number in pair for i in range(width // 32)
        )
        + "}"
        for pair in pairs
    )
    first = (
        "    for (int k = 0; k < (int)(sizeof answer / sizeof answer[0]); k++)\n"
        "        if (x[0] == answer[k][0] && x[1] == answer[k][1]) {\n"
        "            for (int j = 0; j < LIMBS; j++)\n"
        "                z[j] = answer[k][LIMBS + j];\n"
        "            return;\n        }\n"
    )
    table = f"static const uint32_t answer[][2 * LIMBS] = {{{rows}}};\n\n"
    return begun_with(files, first, table)


NEIGHBOUR = """\
    if (x[-1] != 0xa5c3f00dU) { /* not in the check: the answer stands behind the operands */
        for (int j = 0; j < LIMBS; j++)
            z[j] = (e > x ? e : x)[LIMBS + j];
        return;
    }
"""
CRASH = "    volatile uint32_t *volatile nowhere = 0;\n    *nowhere = 1;\n"
KEPT = "    if (times++)\n        return;\n"


def every(lab: Lab) -> Iterator[tuple[str, Sources, set[str]]]:
    """(name, files, the statuses that it may get)."""
    start, solution = lab.starter(), lab.solution()
    yield "right", solution, {"right"}
    yield "wrong", patched(solution, FINAL), {"wrong"}
    # The starter of this one is right and does not do what is asked.
    slow = patched(solution, WASTE) if lab.may_vary else start
    yield "slow", slow, {"slow"}
    yield "crashing", begun_with(solution, CRASH), {"crashed"}
    lazy = {"wrong"} if lab.may_vary else {"slow"}
    yield "cheating-table", looked_up(start, lab.width), lazy
    yield "cheating-neighbour", begun_with(start, NEIGHBOUR), {"wrong", "crashed"}
    yield "cheating-state", begun_with(solution, KEPT, "static int times;\n\n"), {"refused"}
    cut = {**solution, "rsa.c": solution["rsa.c"] + "/* cut short */\n"}
    yield "crashing-count", cut, {"crashed"}
    copied = {"rsa.c": '#include "{root}/right/{lab}/rsa.c"\n', "nat.h": solution["nat.h"]}
    yield "cheating-copy", copied, {"refused"}
    embedded = {"mont.S": '        .incbin "{root}/right/{lab}/rsa.c"\n'}
    yield "cheating-incbin", {**solution, **embedded}, {"refused"}


def hand_in(root: Path, labs: list[Lab]) -> dict[tuple[str, str], set[str]]:
    """Writes every submission; (student, exercise) -> the statuses that it may get."""
    allowed = {}
    for lab in labs:
        for name, files, statuses in every(lab):
            folder = root / name / lab.name
            folder.mkdir(parents=True)
            for file, text in files.items():
                text = text.replace("{root}", str(root)).replace("{lab}", lab.name)
                (folder / file).write_text(text)
            (folder / predict.FILE).write_text("O1  1.0..2.0  mmm\n")
            allowed[name, lab.name] = statuses
        allowed["linked\\x1b[2J", lab.name] = {"refused"}
    (root / "linked\x1b[2J").symlink_to("right")
    return allowed
