"""Whether machine.json says all that it should, each fact in its form."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from harness import counts, perf
from harness.counters import COUNTERS
from records import ladder, machine, workload
from records.faults import Failure, command_line
from records.rows import CELL, SCHEMAS, Row, scan, word_fault
from records.workload import WORDS

CALLS = "gprof/calls.csv"
TABLES = (*(name for name in SCHEMAS if name != "calls.csv"), CALLS)
MOST_TEXTS = 400  # texts of gprof
LARGEST = {".csv": 1 << 26, ".json": 1 << 20, ".txt": 1 << 16}  # bytes of a file
TOTAL = 1 << 28


def names(folder: Path, called: str = "") -> list[str]:
    """The files of a folder that are taken, machine.json first.  `called` is what the folder is
    called in a fault.  Raises Failure where one is no plain file or too large, and OSError."""
    called = called or str(folder)
    texts = sorted(f"gprof/{path.name}" for path in (folder / "gprof").glob("*.txt"))
    if len(texts) > MOST_TEXTS:
        raise Failure(f"{called}/gprof: more than {MOST_TEXTS} texts")
    found, total = [], 0
    for name in (machine.FILE, *TABLES, *texts):
        if not os.path.lexists(folder / name):
            continue
        status = (folder / name).lstat()
        label = name if name.isprintable() else ascii(name)
        if (folder / name).parent.is_symlink() or not stat.S_ISREG(status.st_mode):
            raise Failure(f"{called}/{label}: not a plain file")
        total += status.st_size
        if status.st_size > LARGEST[Path(name).suffix] or total > TOTAL:
            raise Failure(f"{called}/{label}: larger than a results folder's")
        found.append(name)
    return found


def copy(source: Path, target: Path) -> None:
    """Copy a plain file, whatever has become of it since.  Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(f"{source}: changes while it is copied")
        target.write_bytes(file.read(LARGEST[source.suffix]))


def text_faults(folder: Path) -> Iterator[str]:
    """`file: fault` of gprof's texts, which are plain ones."""
    for path in sorted((folder / "gprof").glob("*.txt")):
        text = path.read_bytes().decode("ascii", "replace")
        if not text.replace("\n", "").replace("\t", "").isprintable() or "\ufffd" in text:
            yield f"gprof/{path.name}: not a plain text"


HASH = "[0-9a-f]{64}"
COUNTER = f"({'|'.join(COUNTERS)})"
MOMENT = '"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"'
# Key of machine.json -> the form of its value as JSON; runner and qemu are empty where programs run
# directly.
FACTS = {
    **dict.fromkeys(("cpu", "kernel", "os", "flags"), '".+"'),
    "compiler": '"[^$]+"',  # a chart takes what stands between two for a formula
    **dict.fromkeys(("runner", "qemu"), '".*"'),
    "platform": r'"[a-z0-9][a-z0-9._-]*"',
    "git_revision": r'"([0-9a-f]{40}|unknown)"',
    "git_clean": "true|false",
    "date": MOMENT,
    "messages": rf'"({"|".join(workload.MESSAGES)})"',
}
# The same for what not every folder says.
MORE = {
    "counter": rf'"({COUNTER}( and {COUNTER})*)?"',
    **dict.fromkeys(("board", "arm_neon.h"), '".+"'),
    "imported": MOMENT,
    "timing": r'\{"rounds": \d+, "seeds": \[[\d, ]*\], "tainted": \{("[^"]+": \d+(, )?)*\}\}',
}


def fact_faults(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, fault) of everything in machine.json that is missing or not of its form."""
    for key, form in (FACTS | MORE).items():
        said = json.dumps(facts.get(key), ensure_ascii=False, sort_keys=True)
        if key not in facts and key in FACTS:
            yield key, f"no '{key}'"
        elif key in facts and not re.fullmatch(form, said):
            yield key, f"'{key}' is {json.dumps(facts[key])}"
    if not facts["programs"]:
        yield "programs", "no 'programs'"
    for label, value in facts["programs"].items():
        if not re.fullmatch(rf"[^/]+/[^/]+/({'|'.join(ladder.EVERY_LEVEL)})", label):
            yield label, f"'{label}' is not study/snapshot/level"
        elif not re.fullmatch(HASH, str(value)):
            yield label, f"the hash of {label} is not a SHA-256"


# --- validate -------------------------------------------------------------------------------------

TAINTED = "_tainted"  # behind a metric that the board spoilt
MOST = 20  # faults that are printed
FREE = ("perf.csv", "agreement.csv")  # tables whose n is not a workload's
SUMS = ("total", "snapshot")  # symbols that are sums of others
Fault = tuple[int, str]  # line, what is wrong there
Numbered = tuple[int, Row]  # line, columns
WHOLE = "[0-9]+"
# Column -> its form, in every table.  What perf counts may be below zero, or nothing.
FORMS = {
    **dict.fromkeys(("symbol", "class", "caller", "callee"), ".+"),
    **dict.fromkeys(("value", "repeat", "line", "instructions", "taken"), WHOLE),
    **dict.fromkeys(("load_accesses", "store_accesses"), WHOLE),
    **dict.fromkeys(("n", "calls"), "[1-9][0-9]*"),
    **dict.fromkeys(("program", "inputs", "flags"), HASH),
    "level": "|".join(ladder.EVERY_LEVEL),
    "offset": "0x[0-9a-f]+",
}


@cache
def snapshots(study: str) -> dict[str, ladder.Snapshot]:
    """The snapshots of a study by name; {} where there is no such study."""
    known = study in (ladder.LADDER, *ladder.studies())
    return {snapshot.name: snapshot for snapshot in ladder.snapshots(study)} if known else {}


@cache
def units(file: str) -> dict[str, str]:
    """Metric of a table -> its unit."""
    if file == "counts.csv":  # the opcode classes are those of the header that lists them
        text = (ladder.ROOT / "harness/plugin/a32.h").read_text(encoding="utf-8")
        classes = ["class_" + name for name in re.findall(r"\bX\( *(\w+) *\)", text)]
        return {metric: counts.unit(metric) for metric in (*counts.METRICS, *classes)}
    found = {
        "asm.csv": {
            "asm_instructions": "instructions",
            "code_bytes": "bytes",
            "asm_lines": "lines",
        },
        "models.csv": {f"model_cycles_{core}": "cycles" for core in ("arm1176", "cortex-a72")},
        "agreement.csv": {"instructions": "instructions"},
        "perf.csv": perf.UNITS,
        "times.csv": {"encrypt": "ns", "decrypt": "ns"}
        | {"encrypt_clock": "us", "decrypt_clock": "us"},
    }[file]
    return found | {metric + TAINTED: unit for metric, unit in found.items()}


@cache
def operations(width: int, messages: str) -> dict[str, int]:
    """Case -> operations of the workload of a width in bits."""
    found: dict[str, int] = {}
    if (ladder.ROOT / f"data/inputs/width-{width}").is_dir() and messages in workload.MESSAGES:
        for task in workload.tasks(ladder.ROOT / f"data/inputs/width-{width}", messages):
            found[task.case] = found.get(task.case, 0) + task.n
    return found


def cases(file: str, row: Row, messages: str) -> dict[str, int]:
    """Case of a table -> operations.  Times are of the default workload, whatever was counted."""
    if file == "asm.csv":
        return {"static": 1}
    timed = file in ("times.csv", "perf.csv")
    width = snapshots(row["study"])[row["snapshot"]].width
    return operations(width, "default" if timed else messages)


def row_fault(file: str, row: Row, messages: str) -> str:
    """What is wrong with a row; empty if nothing."""
    if file in WORDS:
        return word_fault(row, WORDS[file])
    for column, form in FORMS.items():
        noisy = file == "perf.csv" and column == "value"
        if column in row and not noisy and not re.fullmatch(form, str(row[column])):
            return f"{column} is '{row[column]}', not of the form {form}"
    if row["snapshot"] not in snapshots(row["study"]):
        return f"no snapshot '{row['snapshot']}' in '{row['study']}' here"
    unit = units(file).get(row["metric"]) if "metric" in row else None
    if "metric" in row and unit is None:
        return f"no metric '{row['metric']}' in {file}"
    if unit and row["value"] is not None and row["unit"] != unit:
        return f"the unit of {row['metric']} is {unit}, not '{row['unit']}'"
    place = snapshots(row["study"])[row["snapshot"]].path
    if row.get("file") and not (place / row["file"]).is_file():
        return f"no file '{row['file']}' in {row['study']}/{row['snapshot']}"
    if "case" not in row:
        return ""
    # Rows of an earlier run may be of another workload than the last one.
    words = dict.fromkeys((messages, *workload.MESSAGES))
    wanted = {word: found for word in words if (found := cases(file, row, word).get(row["case"]))}
    if not wanted:
        return f"no case '{row['case']}' in any workload"
    numbers = [1] if file == "times.csv" else list(wanted.values())
    if row["n"] not in numbers and file not in FREE:  # repeated as often as the noise asks for
        return f"n is {row['n']}; the {next(iter(wanted))} workload has {numbers[0]}"
    return ""


def sum_faults(rows: Iterable[Numbered]) -> Iterator[Fault]:
    """Each total that is not the sum of its symbols, and each row that is there twice; rows of
    counts.csv or asm.csv."""
    seen: dict[tuple[str, ...], int] = {}
    sums: Counter[tuple[str, ...]] = Counter()
    totals: dict[tuple[str, ...], Numbered] = {}
    for number, row in rows:
        key = tuple(row[name] for name in (*CELL, "case", "metric", "symbol"))
        place, symbol = key[:-1], key[-1]
        if seen.setdefault(key, number) != number:
            yield number, f"the same row as line {seen[key]}"
        elif symbol not in SUMS:
            sums[place] += row["value"]
        elif symbol == "total":
            totals[place] = number, row
    for key, number in seen.items():
        if key[:-1] not in totals:
            yield number, f"{' '.join(key)} has no total"
    for place, (number, row) in totals.items():
        if place in sums and row["value"] != sums[place]:
            yield number, f"total {row['value']} is not the sum of its symbols, {sums[place]}"


def file_faults(path: Path, file: str, messages: str) -> tuple[list[Numbered], list[Fault]]:
    """The rows of one table, and its faults in line order."""
    rows: list[Numbered] = []
    faults: list[Fault] = []
    for number, row in scan(path.read_bytes().decode("utf-8", "replace"), SCHEMAS[path.name]):
        said = row if isinstance(row, str) else row_fault(file, row, messages)
        if said:
            faults.append((number, said))
        elif not isinstance(row, str):
            rows.append((number, row))
    if file in ("counts.csv", "asm.csv") and not faults:
        faults = sorted(sum_faults(rows))
    return rows, faults


def contradictions(
    rows: dict[str, list[Numbered]], programs: dict[str, str]
) -> Iterator[tuple[str, int, str]]:
    """(file, line, fault) where tables, provenance.csv and machine.json contradict each other; a
    cell or group is named once."""

    def cell(row: Row) -> str:
        return "/".join(row[name] for name in CELL)

    groups = {(cell(row), row["case"]) for _, row in rows.get("provenance.csv", [])}
    counted = "counts.csv" if groups else ""
    known = dict(programs)
    for file, table in rows.items():
        for number, row in table:
            label = cell(row)
            if known.setdefault(label, "") == "":
                known[label] = "named"
                yield file, number, f"machine.json has no program for {label}"
            if file == "provenance.csv" and row["program"] != known[label]:
                yield file, number, f"machine.json has another program for {label}"
            if file == counted and (label, row["case"]) not in groups:
                groups.add((label, row["case"]))
                yield file, number, f"provenance.csv has no group {label} {row['case']}"


def faults_of(folder: Path, facts: dict[str, Any]) -> Iterator[str]:
    """`file:line: fault` of each fault of a results folder whose machine.json could be read."""
    text = (folder / machine.FILE).read_text(encoding="utf-8")
    for key, said in fact_faults(facts):
        before = text[: max(0, text.find(json.dumps(key) + ":"))]
        yield f"{machine.FILE}:{before.count(chr(10)) + 1}: {said}"
    yield from text_faults(folder)
    rows: dict[str, list[Numbered]] = {}
    whole = True
    for file in TABLES:
        if (folder / file).is_file():
            rows[file], faults = file_faults(folder / file, file, str(facts.get("messages")))
            whole = whole and not faults
            yield from (f"{file}:{line}: {said}" for line, said in faults)
    if not rows:
        yield f"no rows: there is none of {', '.join(TABLES)}"
    if whole:
        rows.pop(CALLS, None)  # of programs that are built to be profiled
        rows = {file: table for file, table in rows.items() if file not in WORDS}
        for file, line, said in contradictions(rows, facts["programs"]):
            yield f"{file}:{line}: {said}"


def validate(folder: Path, name: str = "") -> list[str]:
    """Every fault of a results folder, `name/file:line: fault`; [] when there is none.  `name` is
    what the folder is called in them."""
    name = name or str(folder)
    if not folder.is_dir():
        there = sorted(path.parent.name for path in folder.parent.glob("*/machine.json"))
        return [f"{name}: no such folder; there are: {' '.join(there) or 'none'}"]
    try:
        names(folder, name)  # before one is opened
        facts = machine.read_machine(folder, name)
    except Failure as fault:
        return [str(fault)]
    return [f"{name}/{said}" for said in faults_of(folder, facts)]


def main() -> int:
    """Print the faults of the folders that the command line names; 1 when there is one."""
    faults = []
    for folder in map(Path, sys.argv[1:]):
        faults += validate(folder)
    more = [f"and {len(faults) - MOST:,} more"] if faults[MOST:] else []
    print("\n".join(faults[:MOST] + more) or f"{' '.join(sys.argv[1:])}: whole")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(command_line("valid", main))
