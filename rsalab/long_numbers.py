"""What operations.csv says of studies/width-1024, beside the tables of
Markovic, Unkasevic and Djordjevic.

A table is (head, rows) of texts; numbers of instructions are exact, and cycles
of the C54x are the source's.  `python3 -m rsalab.long_numbers RESULTS` prints
the tables with which `make width-1024` ends; it needs nothing but Python
itself.
"""

import sys
from collections.abc import Iterable

from records import workload
from records.faults import Failure, command_line
from records.published import read_csv
from records.results import Results
from records.results import load as load_results
from records.statistics import verdict
from records.tables import NONE, aligned, factor, percent, whole
from rsalab import models

FILE = "operations.csv"
SIZES, RANDOM = workload.SIZES, workload.RANDOM
PRODUCT, SQUARE = workload.PRODUCT, workload.SQUARE
POWER, PRIVATE = workload.POWER, workload.PRIVATE
# Operands of the source's Tables 1, 2 and 3, and of none of them.
PATTERNS = dict(zip((*workload.PATTERNS, RANDOM), (1, 2, 3, 0)))
LEVELS = ("Stand.", "1Lr", "2Lr", "3Lr", "4Lr")
HEAD = ["bits", *(f"{of} {name}" for of in (PRODUCT, SQUARE) for name in LEVELS)]
WAYS = {"product": "Ordinary multiplication", "square": "Squaring procedure"}
WAYS |= {"karatsuba": "Squaring with one level of Karatsuba's method"}
HOW = ("standard", "crt")
OWN_WAYS = {"constant-time": "Squaring procedure, in constant time"}  # not the source's
# What is compared with what: a name, the private operation without it, and with it.
TECHNIQUES = {
    "squares, standard": ("standard-product", "standard-square"),
    "squares, CRT": ("crt-product", "crt-square"),
    "Karatsuba's method, standard": ("standard-square", "standard-karatsuba"),
    "Karatsuba's method, CRT": ("crt-square", "crt-karatsuba"),
    "CRT, products only": ("standard-product", "crt-product"),
    "CRT, squares": ("standard-square", "crt-square"),
    "CRT, Karatsuba's method": ("standard-karatsuba", "crt-karatsuba"),
    "constant time, standard": ("standard-square", "standard-constant-time"),
    "constant time, CRT": ("crt-square", "crt-constant-time"),
}
Program = tuple[str, str]  # implementation, level
BEST: Program = ("assembly", "O3")
PROGRAMS = (BEST, ("assembly", "O1"), ("plain", "O3"), ("plain", "O1"))
ARM1176 = {"Pi Zero: ARM1176 at 1 GHz": 1000, "Pi 1: ARM1176 at 700 MHz": 700}  # MHz
# No source timed products of words on these, so that no model of them has a known error.
OTHERS = (
    "Pi 2: Cortex-A7 at 900 MHz",
    "Pi 3: Cortex-A53 at 1.2 GHz",
    "Pi 4: Cortex-A72 at 1.5 GHz",
)
CODE = {"assembly": models.ASSEMBLY, "plain": models.C}  # what the model was compared with
TIMED = {"standard, product only: ms": "standard-product", "CRT with squares: ms": "crt-square"}
TIMED |= {"the same in constant time: ms": "crt-constant-time"}
Key = tuple[str, str, str, int, str, str]  # Program, operation, bits, operands, way
Counts = dict[Key, dict[str, int]]
Table = tuple[list[str], list[list[str]]]


def load(results: Results) -> Counts:
    """Every operation's metrics; {} where none was counted.  Raises Failure."""
    asked = "implementation, level, operation, bits, operands, way, metric, value from operations"
    counts: Counts = {}
    for *key, metric, value in results.query(f"select {asked}"):
        counts.setdefault(tuple(key), {})[metric] = value
    return counts


def measured(results: Results) -> Counts:
    """The same, of results that hold some.  Raises Failure."""
    if counts := load(results):
        return counts
    raise Failure(f"{results.label}: no long numbers; `make width-1024` counts them")


def instructions(
    counts: Counts, program: Program, operation: str, bits: int, way: str, operands: str = RANDOM
) -> int | None:
    """Those of one operation; None where it is not counted."""
    return counts.get((*program, operation, bits, operands, way), {}).get("instructions")


def by_level(
    counts: Counts, program: Program, operation: str, bits: int, operands: str = RANDOM
) -> list[int | None]:
    """Instructions without Karatsuba's method, and with one to four levels of it."""
    ways = (f"levels-{level}" for level in range(len(LEVELS)))
    return [instructions(counts, program, operation, bits, way, operands) for way in ways]


def windows(counts: Counts, program: Program, bits: int) -> dict[str, dict[int, int]]:
    """Method -> window in bits -> instructions of a power."""
    methods: dict[str, dict[int, int]] = {}
    for key, counted in counts.items():
        if key[:4] == (*program, POWER, bits):
            method, _, window = key[5].partition("-")
            methods.setdefault(method, {})[int(window)] = counted["instructions"]
    return methods


def modelled_window(product: float, square: float, bits: int, window: int) -> float:
    """Instructions of a power by sliding windows, a model: a table of
    2^(w-1) odd powers, a square for each bit, and a product for every w + 1
    bits (Koc 1995)."""
    table = float(2 ** (window - 1) - 1)
    return bits * square + (table + bits / (window + 1)) * product + square


def crossover(counts: Counts, program: Program, operation: str) -> int | None:
    """The smallest size in bits from which on, at every size that is
    counted, some level of Karatsuba's method helps, by the repository's
    verdict; None where there is no such size."""
    smallest = None
    for bits in reversed(SIZES):
        without, *within = by_level(counts, program, operation, bits)
        few = [n for n in within if n is not None]
        if without is not None and not (few and verdict(min(few), without) == "helps"):
            break
        smallest = bits if without is not None else smallest
    return smallest


# --- tables ---------------------------------------------------------------------------------------


def products(counts: Counts, program: Program, operands: str) -> Table:
    """Table 1, 2 or 3 in the source's shape, in instructions."""
    rows = []
    for bits in SIZES:
        pair = (by_level(counts, program, of, bits, operands) for of in (PRODUCT, SQUARE))
        rows.append([str(bits), *(whole(n) if n else "x" for numbers in pair for n in numbers)])
    return HEAD, rows


def published_products(operands: str) -> Table:
    """The same table of the source, in cycles of a C54x."""
    columns = [f"{of}_{way}" for of in (PRODUCT, SQUARE) for way in ("standard", *"1234")]
    rows = read_csv(f"markovic-table-{PATTERNS[operands]}.csv")
    return HEAD, [
        [row["a"], *(whole(int(row[c])) if row[c] else "x" for c in columns)] for row in rows
    ]


def crossovers(counts: Counts) -> Table:
    """The crossover of each program, and the source's."""
    rows = []
    for program in PROGRAMS:
        sizes = (crossover(counts, program, of) for of in (PRODUCT, SQUARE))
        cells = (f"{size} bits" if size else "none to 2048 bits" for size in sizes)
        rows.append(["{} -{}".format(*program), *cells])
    return ["program", PRODUCT, SQUARE], [*rows, ["C54x (source)", "512 bits", "1024 bits"]]


def published() -> dict[str, int]:
    """The source's Table 4, in cycles of a C54x."""
    rows = zip(WAYS, read_csv("markovic-table-4.csv"))
    return {f"{of}-{way}": int(row[of]) for way, row in rows for of in HOW}


def privates(counts: Counts, program: Program, bits: int = 1024) -> dict[str, int]:
    """Way -> instructions of the private operation."""
    of = (key for key in counts if key[:5] == (*program, PRIVATE, bits, RANDOM))
    return {key[5]: counts[key]["instructions"] for key in of}


def ratio(one: int | None, other: int | None) -> str:
    """A factor, or a dash where a number is missing."""
    return NONE if one is None or other is None else factor(one / other)


def private(counts: Counts, program: Program, bits: int = 1024) -> Table:
    """Table 4: the private operation, plain and by the Chinese remainder theorem."""
    head = ["multiplication", "standard", "CRT", "standard/CRT"]
    head += ["C54x standard", "C54x CRT", "C54x standard/CRT"]
    rows = []
    for way, name in (WAYS | OWN_WAYS).items():
        row = [name]
        for numbers in (privates(counts, program, bits), published()):
            pair = [numbers.get(f"{of}-{way}") for of in HOW]
            row += [*map(whole, pair), ratio(*pair)]
        rows.append(row)
    return head, rows


def savings(counts: Counts, bits: int = 1024) -> Table:
    """What a technique does to the private operation: without / with it,
    and the verdict; of instructions, and of cycles where it is the
    source's."""
    programs = {"C54x": published()}
    programs |= {"{} -{}".format(*p): privates(counts, p, bits) for p in PROGRAMS[::2]}
    rows = []
    for name, (without, within) in TECHNIQUES.items():
        row = [name]
        for numbers in programs.values():
            some = without in numbers and within in numbers
            said = verdict(numbers[within], numbers[without]) if some else ""
            row.append(f"{ratio(numbers.get(without), numbers.get(within))} {said}".strip())
        rows.append(row)
    return ["technique", *programs], rows


def milliseconds(counts: Counts, bits: int = 1024) -> Table:
    """Table 5 by the model: milliseconds of the private operation on named
    cores, and the model's error, modelled / measured - 1."""
    known, rows = models.ranges(models.arm1176_checks()), []
    for name, mhz in ARM1176.items():
        for kind, level in PROGRAMS[::2]:
            of = [counts.get((kind, level, PRIVATE, bits, RANDOM, way)) for way in TIMED.values()]
            times = [f"{models.arm1176_of(one) / mhz / 1000:.2f}" if one else NONE for one in of]
            error = known.get(("arm1176", CODE[kind]))
            told = f"OpenSSL's {CODE[kind].removeprefix('compiled ')} on a Pi Zero"
            rows.append(
                [name, f"{kind} -{level}", *times, told, percent(*error) if error else NONE]
            )
    missing = [NONE, *("not available here" for _ in TIMED), "no times of its like", NONE]
    rows += [[name, *missing] for name in OTHERS]
    return ["core", "program", *TIMED, "model compared with", "error"], rows


def least(numbers: Iterable[int]) -> int | None:
    """The smallest, None of none."""
    return min(numbers, default=None)


def summary(counts: Counts) -> Table:
    """By size: a Montgomery product and square; the best power, and the
    private operation by CRT, each also in constant time."""
    head = ["bits", "product", "square", "power, exponent of full width", "power, constant time"]
    rows = []
    for bits in SIZES:
        cells = [by_level(counts, BEST, operation, bits)[0] for operation in (PRODUCT, SQUARE)]
        of, crt = windows(counts, BEST, bits), privates(counts, BEST, bits)
        cells += [least(of.get(method, {}).values()) for method in ("sliding", "fixed")]
        cells += [crt.get(f"crt-{way}") for way in ("square", "constant-time")]
        rows.append([str(bits), *map(whole, cells)])
    return [*head, "RSA private by CRT", "RSA private, constant time"], rows


def text(results: Results) -> str:
    """All tables.  Raises Failure."""
    counts = measured(results)
    parts = {
        f"{kind} -{level}, operands {operands}: instructions of a Montgomery product":
        products(counts, (kind, level), operands)
        for kind, level in PROGRAMS[::2] for operands in PATTERNS
    }  # fmt: skip
    parts["Karatsuba's method needs fewer instructions from"] = crossovers(counts)
    parts["The private operation, 1024 bits, assembly -O3"] = private(counts, BEST)
    parts["What the private operation gains, 1024 bits"] = savings(counts)
    parts["Model of its time"] = milliseconds(counts)
    tables = {title: aligned([head, *rows]) for title, (head, rows) in parts.items()}
    return "\n\n".join("\n".join([title, *lines]) for title, lines in tables.items())


def main() -> None:
    """The command line.  Raises Failure."""
    print(text(load_results(sys.argv[1], counted=False)))


if __name__ == "__main__":
    sys.exit(command_line("long", main))
