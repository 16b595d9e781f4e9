"""The assembler of the live page against GNU as: the same bytes for every
program of the repository, for what gcc makes of the ladder, and for drawn
instructions; a message for every wrong line."""

import csv
import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from gnu_as import HEAD, drawn, linked, refused
from live_assembler import Assembler
from needs import needs
from representatives import mostly_long

from records.ladder import LEVELS, ROOT

pytestmark = needs("arm-linux-gnueabihf-gcc", "arm-linux-gnueabihf-as")

GCC = (
    "arm-linux-gnueabihf-gcc -std=c11 -marm -march=armv7-a -mfpu=neon-vfpv4 -mfloat-abi=hard"
    " -Iharness -Iharness/driver -Idata/inputs/width-128"
).split()
FOLDERS = [
    "iterations",
    "studies/limit",
    "studies/width-*",
    "studies/alone",
    "studies/dead-ends",
    "labs",
]
HAND_WRITTEN = sorted(
    path
    for folder in FOLDERS
    for path in ROOT.glob(f"{folder}/**/*.S")
    # Whole pages of NEON, and .altmacro: the page has neither.
    if path.parent.name not in ("lanes", "variants")
)
RUNGS = sorted(path.parent for path in ROOT.glob("iterations/*/rsa.c"))
CELLS = [(rung, level) for rung in RUNGS for level in LEVELS]
V8 = ROOT / "iterations/v8/mont.S"
WRONG = list(
    csv.DictReader((Path(__file__).parent / "wrong_lines.csv").open(encoding="utf-8"))
)


def gcc(*arguments: str) -> str:
    """Run the compiler in the root and return what it prints."""
    command = [*GCC, *arguments]
    return subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def same(assembler: Assembler, folder: Path, text: str) -> None:
    """Compare the bytes that both assemblers make of a text."""
    expected, externals = linked(folder, text)
    result = assembler.assemble(text, externals)
    assert result["errors"] == []
    assert result["code"].hex(" ", 4) == expected.hex(" ", 4)


@pytest.mark.parametrize(
    "path",
    mostly_long(HAND_WRITTEN, HAND_WRITTEN[::4]),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_hand_written(assembler: Assembler, tmp_path: Path, path: Path) -> None:
    """A file is assembled as it stands, or as the preprocessor leaves it
    where it has something to do."""
    text = path.read_text(encoding="utf-8")
    if refused(tmp_path, text):
        width = re.search(r"width-(64|96)", str(path))
        text = gcc("-E", f"-DWIDTH={width[1] if width else 128}", str(path))
    same(assembler, tmp_path, text)


@pytest.mark.parametrize(
    ("rung", "level"),
    mostly_long(CELLS, [CELLS[0], CELLS[11], CELLS[22]]),
    ids=lambda value: getattr(value, "name", value),
)
def test_compiled(assembler: Assembler, tmp_path: Path, rung: Path, level: str) -> None:
    """The ladder is assembled as gcc compiles it, and every instruction
    knows its line of C."""
    text = gcc("-S", "-g", f"-{level}", str(rung / "rsa.c"), "-o", "-")
    same(assembler, tmp_path, text)
    result = assembler.assemble(text, linked(tmp_path, text)[1])
    code_words = source_lines(tmp_path / "linked.elf")
    assert len(code_words) > 20
    assert [result["cLines"][word] for word in code_words] == list(code_words.values())


def source_lines(program: Path) -> dict[int, str]:
    """Return `file:line` of each word of code by the debug information, where
    a literal pool belongs to the line before."""
    with program.open("rb") as file:
        units = list(ELFFile(file).get_dwarf_info().iter_CUs())
        table = units[0].dwarfinfo.line_program_for_CU(units[0])
        states = [entry.state for entry in table.get_entries() if entry.state]
        names = [entry.name.decode() for entry in table["file_entry"]]
        first = 0 if table["version"] >= 5 else 1
        lines = {}
        for state, following in zip(states, states[1:]):
            name = names[state.file - first]
            for address in range(state.address, following.address, 4):
                lines[(address - 0x8000) // 4] = f"{name}:{state.line}"
        return lines


def test_directives(assembler: Assembler, tmp_path: Path) -> None:
    """A reader may write what no program of the repository needs."""
    same(
        assembler,
        tmp_path,
        (Path(__file__).parent / "directives.s").read_text(encoding="utf-8"),
    )


def test_lines_of_macros(assembler: Assembler, tmp_path: Path) -> None:
    """A word of a macro has the line that uses it and the line of the body;
    GNU as has the former in the debug information."""
    gcc("-c", "-g", str(V8), "-o", str(tmp_path / "v8.o"))
    link = ["arm-linux-gnueabihf-ld", "-e0", "-Ttext=0x8000", "v8.o", "-o", "v8"]
    subprocess.run(link, cwd=tmp_path, check=True)
    words = source_lines(tmp_path / "v8")
    text = V8.read_text(encoding="utf-8")
    result = assembler.assemble(text)
    assert [f"mont.S:{line}" for line in result["lines"]] == [
        words[k] for k in range(len(result["lines"]))
    ]
    lines = text.splitlines()
    inner = {lines[line - 1].split()[0] for line in result["inner"] if line}
    assert inner == {"ldr", "umaal", "mul"}
    assert result["symbols"] == {"mont_mul": 0x8000}


def test_names_of_registers(assembler: Assembler) -> None:
    """A name is in force from its .req to its .unreq."""
    text = "x .req r4\n.unreq x\nx .req r5\ny .req r6\n"
    assert assembler.names(text, 1) == {"x": "r4"}
    assert assembler.names(text, 2) == {}
    assert assembler.names(text, 4) == {"x": "r5", "y": "r6"}


def agree(assembler: Assembler, folder: Path, seed: int, count: int) -> None:
    """Compare the bytes of drawn instructions, and see that what GNU as finds
    wrong is found wrong."""
    lines = drawn(seed, count)
    wrong = refused(folder, "\n".join(lines) + "\n")
    alone = [
        line for number in wrong if "l" not in (line := lines[number - 1]).split()[-1]
    ]
    while again := refused(folder, "\n".join(lines) + "\n"):
        lines = [
            "" if number in again else line for number, line in enumerate(lines, 1)
        ]
    assert sum(map(bool, lines)) > 0.8 * count
    same(assembler, folder, "\n".join(lines) + "\n")
    tried = ["\n".join([*HEAD, "1:", line, "1:", ""]) for line in alone]
    accepted = [
        line for line, errors in zip(alone, assembler.complaints(tried)) if not errors
    ]
    assert len(alone) > 0.02 * count and accepted == []


def test_drawn(assembler: Assembler, tmp_path: Path) -> None:
    """A sample of drawn instructions agrees."""
    agree(assembler, tmp_path, seed=43, count=3000)


def test_every_mnemonic_is_drawn(assembler: Assembler) -> None:
    """No instruction of the assembler goes untried."""
    words = {line.split()[0] for line in drawn(43, 20000) if line.startswith(" ")}
    kinds = {tuple(word.partition(".")[::2]) for word in words}
    untried = []
    for name in assembler.mnemonics():
        stem, _, types = name.partition(".")
        if not any(
            drawn_stem.startswith(stem) and types == kind for drawn_stem, kind in kinds
        ):
            untried.append(name)
    assert untried == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_more_drawn(assembler: Assembler, tmp_path: Path, seed: int) -> None:
    """Twenty thousand drawn instructions agree."""
    agree(assembler, tmp_path, seed, count=5000)


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row["text"][:40])
def test_wrong_line(assembler: Assembler, row: dict[str, str]) -> None:
    """One message, at the line, that says what is wrong."""
    result = assembler.assemble(row["text"].replace("|", "\n"))
    assert [(error["line"], error["message"]) for error in result["errors"]] == [
        (int(row["line"]), row["message"])
    ]


def test_no_text_throws(assembler: Assembler) -> None:
    """Errors are collected, however a text is cut, and no more than 20."""
    text = V8.read_text(encoding="utf-8") + gcc(
        "-S", "-O3", str(RUNGS[3] / "rsa.c"), "-o", "-"
    )
    cut = [text[start : start + 400] for start in range(0, len(text), 97)]
    assert all(len(errors) <= 20 for errors in assembler.complaints(cut))
    runaway = ".macro m\nm\nm\n.endm\nm\n"
    assert assembler.complaints([runaway, ".rept 99999999\nnop\n.endr"])


def test_a_deep_expression_is_a_message(assembler: Assembler) -> None:
    result = assembler.assemble("mov r0, #" + "(" * 5000, {})
    assert [error["message"] for error in result["errors"]] == [
        "a line of 5009 letters: it has more than 2000"
    ]


@pytest.mark.parametrize("letters", ["a", "nop;", "{r0-", '"', "#1+"])
def test_a_line_without_end_is_refused_at_once(
    assembler: Assembler, letters: str
) -> None:
    """What depends on the square of its length would take hours."""
    text = letters * (2_000_000 // len(letters))
    [error] = assembler.assemble(text)["errors"]
    assert "letters" in error["message"] and len(error["message"]) < 100
