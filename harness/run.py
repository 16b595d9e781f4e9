"""`make run V=v8 TEXT='Meet at ten'`: one text on its way through a snapshot.

The text becomes a number, the number is encrypted with the full-length key of
the snapshot's width and decrypted again.  What each of the two costs is
counted, and the step that the snapshot stands for is named.
"""

from collections import Counter as Multiset
from pathlib import Path

from harness import counters, operands
from harness.cells import Cell
from harness.executed import Instruction
from harness.operands import Call
from records import files, ladder, machine
from records.faults import Failure, limit
from records.ladder import Snapshot
from records.workloads import KEYS, TRIP_FULL

RUN_SECONDS = (
    600  # of processor time, of one exponentiation; that of v0 at -O0 takes a second
)
FUNCTIONS_SHOWN = 5
LABEL_WIDTH = 12  # columns

Instructions = Multiset[str]  # by function


def number_of(text: str, width: int) -> int:
    """Return a text's bytes as one number, the first the highest.  Raises
    Failure when it is empty or does not fit below a modulus of this width."""
    room = width // 8 - 1
    data = text.encode("utf-8", "surrogateescape")
    if not data:
        raise Failure(
            "TEXT is empty; type for example: make run V=v8 TEXT='Meet at ten'"
        )
    if len(data) > room:
        raise Failure(
            f"TEXT has {len(data)} bytes, and a number of {width} bits has room for {room}: "
            "send it in parts"
        )
    return int.from_bytes(data, "big")


def text_of(number: int) -> str:
    """Return the text whose bytes a number is."""
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()


def counted(cell: Cell, call: Call) -> tuple[int, list[Instruction]]:
    """Make one call by the program; its result, and the instructions that
    it executed.  Raises Failure."""
    width = cell.snapshot.width
    calls = operands.kept(operands.text([call], width))
    counter = counters.chosen()
    with files.scratch(cell.folder, "run") as folder:
        out = folder / "counts"
        found = counter.count(
            cell.program,
            ["call", str(calls)],
            width,
            out=out,
            seconds=limit(RUN_SECONDS),
            core=machine.read_platform().core,
        )
        results = operands.results(counters.results_of(out).read_text())
    if wrong := operands.wrong([call], results):
        raise Failure(f"{cell.program}: {wrong}")
    return results[0], found


def by_function(instructions: list[Instruction]) -> Instructions:
    """Return the instructions of each function."""
    found = Instructions()
    for one in instructions:
        found[one.symbol] += one.executions
    return found


def row(name: str, encrypting: str, decrypting: str) -> str:
    """Return a row of the table."""
    return f"  {name:<24}{encrypting:>14}{decrypting:>14}"


def table(encrypting: Instructions, decrypting: Instructions) -> list[str]:
    """Return a row for each of the functions that cost most, and their sum."""
    costs = encrypting + decrypting
    rows = [row("", "encrypt", "decrypt")]
    for name, _ in costs.most_common(FUNCTIONS_SHOWN):
        rows.append(row(name, f"{encrypting[name]:,}", f"{decrypting[name]:,}"))
    rows.append(row("all", f"{encrypting.total():,}", f"{decrypting.total():,}"))
    return rows


def line(label: str, text: str) -> str:
    """Return a line of the answer."""
    return f"{label:<{LABEL_WIDTH}}{text}"


def step(snapshot: Snapshot) -> list[str]:
    """Return what the snapshot's step was, and what to type next."""
    parent = (
        f", after {snapshot.parent}" if snapshot.parent else ", where the ladder starts"
    )
    lines = [line("the step", f"{snapshot.name}{parent}: {snapshot.idea}")]
    study = "" if snapshot.study == ladder.LADDER else f" STUDY={snapshot.study}"
    if snapshot.parent:
        lines.append(
            line("next", f"make diff B={snapshot.name}{study}    what it changes")
        )
        lines.append(line("", f"make why B={snapshot.name}{study}     why that helps"))
    return lines


def main(name: str, level: str, text: str = "", study: str = ladder.LADDER) -> None:
    """Encrypt and decrypt a text by a snapshot.  Raises Failure."""
    if not name:
        raise Failure("say which rung, and a text: make run V=v8 TEXT='Meet at ten'")
    snapshot = ladder.find(name, study)
    if level not in ladder.EVERY_LEVEL:
        raise Failure(f"LEVEL={level}: say {', '.join(ladder.EVERY_LEVEL)}")
    width = snapshot.width
    message = number_of(text, width)
    key = operands.key(Path(f"data/inputs/width-{width}", KEYS[TRIP_FULL], "key.txt"))
    encryption = operands.power(key.n, message, key.e)
    decryption = operands.power(key.n, encryption.z, key.d)
    cell = Cell(snapshot, level, "small")
    hidden, encrypting = counted(cell, encryption)
    plain, decrypting = counted(cell, decryption)

    digits = width // 4
    print(line("text", text_of(message)))  # what is no text in UTF-8 cannot be printed
    print(line("number", f"x = {message:0{digits}x}    its bytes, as one number"))
    print(line("key", f"n = {key.n:0{digits}x}    the product of two primes"))
    print(line("", f"e = {key.e:0{digits}x}    public: it encrypts"))
    print(line("", f"d = {key.d:0{digits}x}    private: it decrypts"))
    print(line("encrypted", f"y = {hidden:0{digits}x}    x^e mod n"))
    print(line("decrypted", f"x = {plain:0{digits}x}    y^d mod n"))
    print(line("text", text_of(plain)))
    print()
    print(f"instructions that {snapshot.name} executed at -{level}, by function:")
    print("\n".join(table(by_function(encrypting), by_function(decrypting))))
    print()
    print("\n".join(step(snapshot)))
