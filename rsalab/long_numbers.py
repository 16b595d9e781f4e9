"""What operations.csv says of studies/width-1024, beside the tables of
Markovic, Unkasevic and Djordjevic.

A table is (head, rows) of texts; numbers of instructions are exact, and cycles
of the C54x are the source's.  `python3 -m rsalab.long_numbers RESULTS` prints
the tables with which `make width-1024` ends; it needs nothing but Python
itself.
"""

import sys
from collections.abc import Iterable, Mapping
from itertools import product
from sqlite3 import Row

from records.commands import command
from records.faults import Failure
from records.published import read_csv
from records.results import Results, load
from records.statistics import verdict
from records.tables import NONE, aligned, factor, percent, whole
from records.workload import PATTERNS, PRIVATE, PRODUCT, RANDOM, SQUARE
from rsalab import models

FILE = "operations.csv"
OPERANDS = (*PATTERNS, RANDOM)  # of the source's Tables 1, 2 and 3, and of none of them
OPERATIONS = (PRODUCT, SQUARE)
COLUMNS = [f"{of}_{levels}" for of in OPERATIONS for levels in ("standard", 1, 2, 3, 4)]
LEVELS = ("Stand.", "1Lr", "2Lr", "3Lr", "4Lr")
HEAD = ["bits", *(f"{of} {name}" for of in OPERATIONS for name in LEVELS)]
WAYS = {"product": "Ordinary multiplication", "square": "Squaring procedure"}
WAYS |= {"karatsuba": "Squaring with one level of Karatsuba's method"}
HOW = {"standard": "standard", "crt": "CRT"}
OWN_WAYS = {"constant-time": "Squaring procedure, in constant time"}  # not the source's
CHANGES = {"squares": ("product", "square"), "Karatsuba's method": ("square", "karatsuba"),
           "constant time": ("square", "constant-time")}  # fmt: skip
# A name -> the ways of a private operation without a technique, and with it.
TECHNIQUES = {f"{name}, {word}": (f"{how}-{without}", f"{how}-{within}")
              for name, (without, within) in CHANGES.items()
              for how, word in HOW.items()}  # fmt: skip
TECHNIQUES |= {f"CRT, {way}": (f"standard-{way}", f"crt-{way}") for way in WAYS}
Program = tuple[str, str]  # implementation, level
BEST: Program = ("assembly", "O3")
BOTH: tuple[Program, ...] = (BEST, ("plain", "O3"))
ARM1176 = {"Pi Zero: ARM1176 at 1 GHz": 1000, "Pi 1: ARM1176 at 700 MHz": 700}  # MHz
CODE = {"assembly": models.ASSEMBLY, "plain": models.C}  # what the model was compared with
TIMED = {"standard, product only: ms": "standard-product", "CRT with squares: ms": "crt-square"}
TIMED |= {"the same in constant time: ms": "crt-constant-time"}
Table = tuple[list[str], list[list[str]]]


def measured(results: Results) -> Results:
    """The results, if they have long numbers.  Raises Failure."""
    if results.query("select 1 from operations limit 1"):
        return results
    raise Failure(f"{results.label}: no long numbers; `make width-1024` counts them")


# --- tables ---------------------------------------------------------------------------------------


def products(results: Results, program: Program, operands: str) -> Table:
    """Table 1, 2 or 3 in the source's shape, in instructions."""
    where = "where (implementation, level, operands) = (?, ?, ?) order by a"
    return _products(results.query(f"select * from karatsuba {where}", *program, operands))


def published_products(number: int) -> Table:
    """The same table of the source, in cycles of a C54x."""
    return _products(read_csv(f"markovic-table-{number}.csv"))


def _products(rows: Iterable[Row | Mapping[str, str]]) -> Table:
    cells = ((str(row["a"]), [row[column] for column in COLUMNS]) for row in rows)
    return HEAD, [[bits, *(whole(int(n)) if n else "x" for n in ns)] for bits, ns in cells]


def crossed(results: Results) -> dict[tuple[str, ...], int]:
    """Implementation, level and operation -> the size in bits from which on
    some level of Karatsuba's method always helps; nothing where none does."""
    return {tuple(place): bits for *place, bits in results.query("select * from crossovers")}


def crossovers(results: Results) -> Table:
    """The crossover of each program, and the source's."""
    rows, sizes = [], crossed(results)
    asked = "select distinct implementation, level from long order by implementation, level desc"
    for program in map(tuple, results.query(asked)):
        found = [sizes.get((*program, of)) for of in OPERATIONS]
        cells = (f"{bits} bits" if bits else "none to 2048 bits" for bits in found)
        rows.append(["{} -{}".format(*program), *cells])
    return ["program", *OPERATIONS], [*rows, ["C54x (source)", "512 bits", "1024 bits"]]


def published() -> dict[str, int]:
    """The source's Table 4, in cycles of a C54x."""
    rows = zip(WAYS, read_csv("markovic-table-4.csv"))
    return {f"{of}-{way}": int(row[of]) for way, row in rows for of in HOW}


def privates(results: Results, program: Program) -> dict[str, int]:
    """Way -> instructions of the private operation of 1024 bits."""
    where = "(implementation, level, operation, bits) = (?, ?, ?, 1024)"
    rows = results.query(f"select way, instructions from long where {where}", *program, PRIVATE)
    return dict(map(tuple, rows))


def private(results: Results) -> Table:
    """Table 4: the private operation, plain and by the Chinese remainder theorem."""
    head = ["multiplication", "standard", "CRT", "standard/CRT"]
    head += ["C54x standard", "C54x CRT", "C54x standard/CRT"]
    rows = []
    for way, name in (WAYS | OWN_WAYS).items():
        rows.append([name])
        for numbers in (privates(results, BEST), published()):
            standard, crt = (numbers.get(f"{of}-{way}") for of in HOW)
            ratio = factor(standard / crt) if standard and crt else NONE
            rows[-1] += [whole(standard), whole(crt), ratio]
    return head, rows


def savings(results: Results) -> Table:
    """What a technique does to the private operation: without / with it,
    and the verdict; of instructions, and of cycles where it is the
    source's."""
    programs = {"C54x": published()}
    programs |= {"{} -{}".format(*program): privates(results, program) for program in BOTH}
    rows = []
    for name, pair in TECHNIQUES.items():
        rows.append([name])
        for numbers in programs.values():
            without, within = (numbers.get(way, 0) for way in pair)
            known = without and within
            said = f"{factor(without / within)} {verdict(within, without)}" if known else NONE
            rows[-1].append(said)
    return ["technique", *programs], rows


def milliseconds(results: Results) -> Table:
    """Table 5 by the model: milliseconds of the private operation of 1024
    bits on named cores, and the model's error, modelled / measured - 1."""
    known, rows = models.ranges(models.arm1176_checks()), []
    where = "(implementation, level, operation, bits, way) = (?, ?, ?, 1024, ?)"
    for (core, mhz), (kind, level) in product(ARM1176.items(), BOTH):
        rows.append([core, f"{kind} -{level}"])
        for way in TIMED.values():
            asked = f"select metric, value from operations where {where}"
            counts = dict(map(tuple, results.query(asked, kind, level, PRIVATE, way)))
            rows[-1].append(f"{models.arm1176_of(counts) / mhz / 1000:.2f}" if counts else NONE)
        error = known.get(("arm1176", CODE[kind]))
        rows[-1] += [f"OpenSSL's {CODE[kind]}", percent(*error) if error else NONE]
    return ["core", "program", *TIMED, "model compared on a Pi Zero with", "error"], rows


def summary(results: Results) -> Table:
    """By size: a Montgomery product and square; the best power, and the
    private operation by CRT, each also in constant time."""
    head = ["bits", "product", "square", "power, exponent of full width", "power, constant time"]
    asked = "select * from needs where (implementation, level) = (?, ?) order by bits"
    rows = [[str(bits), *map(whole, numbers)]
            for _, _, bits, *numbers in results.query(asked, *BEST)]  # fmt: skip
    return [*head, "RSA private by CRT", "RSA private, constant time"], rows


def text(results: Results) -> str:
    """All tables.  Raises Failure."""
    results = measured(results)
    parts = {
        f"{kind} -{level}, operands {operands}: instructions of a Montgomery product":
        products(results, (kind, level), operands)
        for kind, level in BOTH for operands in OPERANDS
    }  # fmt: skip
    parts["Karatsuba's method needs fewer instructions from"] = crossovers(results)
    parts["The private operation, 1024 bits, assembly -O3"] = private(results)
    parts["What the private operation gains, 1024 bits"] = savings(results)
    parts["Model of its time"] = milliseconds(results)
    tables = {title: aligned([head, *rows]) for title, (head, rows) in parts.items()}
    return "\n\n".join("\n".join([title, *lines]) for title, lines in tables.items())


def main(results: str) -> None:
    """Prints all tables of a results folder.  Raises Failure."""
    print(text(load(results, counted=False)))


if __name__ == "__main__":
    sys.exit(command("long", main))
