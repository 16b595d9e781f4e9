"""Whether a results folder is whole and means what it says: validate(folder), one line per fault.

`python3 -m harness.exchange.validate FOLDER...` prints them.  Every fault names file and line.
Known are the studies and snapshots of this checkout, the levels, the cases of the workload and the
metrics of each file; totals must be the sums of their symbols.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from harness.calls import draw
from harness.count import counts
from records import ladder, machine, workload
from records.faults import Failure, command_line
from records.rows import CELL, GROUP, LINE, OBSERVATION, SCHEMAS, Row, scan

LEVELS = ladder.EVERY_LEVEL
# Key of machine.json -> its form; runner and qemu are empty where programs run directly.
TEXTS = {
    "platform": r"[a-z0-9][a-z0-9._-]*",
    "cpu": r".+",
    "kernel": r".+",
    "os": r".+",
    "compiler": r".+",
    "flags": r".+",
    "runner": r".*",
    "qemu": r".*",
    "git_revision": r"[0-9a-f]{40}|unknown",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z",
    "messages": "|".join(workload.MESSAGES),
}
PROGRAM = rf"[^/]+/[^/]+/({'|'.join(LEVELS)})"
HASH = r"[0-9a-f]{64}"
SIZES = {"asm_instructions": "instructions", "code_bytes": "bytes", "asm_lines": "lines"}
CLOCKS = {"encrypt": "ns", "decrypt": "ns", "encrypt_clock": "us", "decrypt_clock": "us"}
TAINTED = "_tainted"  # behind a metric that the board spoilt
MOST = 20  # faults that are printed
SUMS = ("total", "snapshot")  # symbols that are sums of others
FILES = {name: form for name, form in SCHEMAS.items() if name != "calls.csv"}
KNOWN = (*FILES, "machine.json", "gprof", "charts", "host")  # host: a folder of its own
Fault = tuple[int, str]  # line, what is wrong there
Numbered = tuple[int, Row]  # line, columns


@cache
def snapshots(study: str, root: Path = ladder.ROOT) -> dict[str, ladder.Snapshot]:
    """The snapshots of a study by name; {} where there is no such study."""
    if study != ladder.LADDER and study not in ladder.studies(root):
        return {}
    return {snapshot.name: snapshot for snapshot in ladder.snapshots(study, root)}


@cache
def classes() -> frozenset[str]:
    """The metrics of the opcode classes, from the header that lists them."""
    text = (ladder.ROOT / "harness/count/plugin/a32.h").read_text(encoding="utf-8")
    return frozenset("class_" + name for name in re.findall(r"\bX\( *(\w+) *\)", text))


@cache
def operations(width: int, messages: str) -> dict[str, int]:
    """Case -> operations of the workload of a width in bits."""
    found: dict[str, int] = {}
    if (ladder.ROOT / f"data/inputs/width-{width}").is_dir() and messages in workload.MESSAGES:
        for task in workload.tasks(ladder.ROOT / f"data/inputs/width-{width}", messages):
            found[task.case] = found.get(task.case, 0) + task.n
    return found


def unit(file: str, metric: str) -> str | None:
    """The unit of a file's metric; "" where any will do, None where the file has no such metric."""
    if file == "counts.csv":
        return counts.unit(metric) if metric in counts.METRICS or metric in classes() else None
    if file == "models.csv":
        return "cycles" if metric in ("model_cycles_arm1176", "model_cycles_cortex-a72") else None
    if file == "perf.csv":
        return "" if re.fullmatch(r"[a-z0-9-]+(_tainted)?", metric) else None
    return {"asm.csv": SIZES, "times.csv": CLOCKS}[file].get(metric.removesuffix(TAINTED))


def place_fault(file: str, row: Row, messages: str) -> str:
    """What is wrong with a row's study, snapshot, level, case or n; empty if nothing."""
    known = snapshots(row["study"])
    if not known:
        return f"no study '{row['study']}' here"
    if row["snapshot"] not in known:
        return f"no snapshot '{row['snapshot']}' in {row['study']} here"
    if row["level"] not in LEVELS:
        return f"level '{row['level']}' is none of {', '.join(LEVELS)}"
    if file == "asm.csv":
        wanted = {"static": 1}
    else:
        timed = file in ("times.csv", "perf.csv")  # of the default workload, whatever was counted
        wanted = operations(known[row["snapshot"]].width, "default" if timed else messages)
    if row["case"] not in wanted:
        return f"no case '{row['case']}' in the workload"
    n = 1 if file == "times.csv" else wanted[row["case"]]
    if row["n"] < 1:
        return f"n is '{row['n']}', not a whole number of operations"
    if file != "perf.csv" and row["n"] != n:
        return f"n is {row['n']}; the {messages} workload has {n}"
    return ""


def row_fault(file: str, row: Row) -> str:
    """What is wrong with a row's metric, unit or numbers; empty if nothing."""
    wanted = unit(file, row["metric"])
    if wanted is None:
        return f"no metric '{row['metric']}' in {file}"
    if wanted and row["unit"] != wanted:
        return f"the unit of {row['metric']} is {wanted}, not '{row['unit']}'"
    noisy = file == "perf.csv"  # a difference of noisy numbers, or none and `unit` says why
    if not noisy and (row["value"] is None or row["value"] < 0):
        return f"value is '{row['value']}', not a whole number"
    if row["repeat"] < 0:
        return f"repeat is '{row['repeat']}', not a whole number"
    return "" if row["symbol"] else "no symbol"


def line_fault(row: Row) -> str:
    """What is wrong with a row of lines.csv; empty if nothing."""
    for name in LINE.numbers:
        if row[name] < 0:
            return f"{name} is '{row[name]}', not a whole number"
    offset = row["offset"]
    return "" if re.fullmatch("0x[0-9a-f]+", offset) else f"offset is '{offset}', not 0x..."


def group_fault(row: Row) -> str:
    """What is wrong with a row of provenance.csv; empty if nothing."""
    bad = [name for name in ("program", "inputs", "flags") if not re.fullmatch(HASH, row[name])]
    return f"{bad[0]} is not a SHA-256" if bad else ""


def sum_faults(rows: Iterable[Numbered]) -> Iterator[Fault]:
    """Each total that is not the sum of its symbols, and each row that is there twice; rows of
    counts.csv or asm.csv."""
    groups: dict[tuple[str, ...], dict[str, Numbered]] = {}
    for number, row in rows:
        group = groups.setdefault(tuple(row[name] for name in (*CELL, "case", "metric")), {})
        if row["symbol"] in group:
            yield number, f"the same row as line {group[row['symbol']][0]}"
        group.setdefault(row["symbol"], (number, row))
    for key, group in groups.items():
        parts = [row["value"] for name, (_, row) in group.items() if name not in SUMS]
        first, _ = next(iter(group.values()))
        if "total" not in group:
            yield first, f"{' '.join(key[1:])} has no total"
        elif parts and group["total"][1]["value"] != sum(parts):
            number, row = group["total"]
            yield number, f"total {row['value']} is not the sum of its symbols, {sum(parts)}"


def file_faults(path: Path, messages: str) -> tuple[list[Numbered], list[Fault]]:
    """The rows of one results file, and its faults in line order."""
    file, form = path.name, FILES[path.name]
    rows: list[Numbered] = []
    faults: list[Fault] = []
    for number, row in scan(path.read_bytes().decode("utf-8", "replace"), form):
        if isinstance(row, str):
            faults.append((number, row))
            continue
        rows.append((number, row))
        said = place_fault(file, row, messages)
        if not said and form is OBSERVATION:
            said = row_fault(file, row)
        if not said and form is LINE:
            said = line_fault(row)
        if not said and form is GROUP:
            said = group_fault(row)
        if said:
            faults.append((number, said))
    if file in ("counts.csv", "asm.csv") and not faults:
        faults += sum_faults(rows)
    return rows, sorted(faults)


def contradictions(
    rows: dict[str, list[Numbered]], programs: dict[str, str]
) -> Iterator[tuple[str, int, str]]:
    """(file, line, fault) where counts.csv, provenance.csv and machine.json contradict each other;
    a cell or group is named once."""
    groups = set()
    for number, row in rows.get("provenance.csv", []):
        cell = "/".join(row[name] for name in CELL)
        groups.add((cell, row["case"]))
        if programs.get(cell) != row["program"]:
            yield "provenance.csv", number, f"machine.json has another program for {cell}"
    named: set[str | tuple[str, str]] = set()
    for file in ("counts.csv", "asm.csv", "times.csv"):
        for number, row in rows.get(file, []):
            cell = "/".join(row[name] for name in CELL)
            if cell not in programs and cell not in named:
                named.add(cell)
                yield file, number, f"machine.json has no program for {cell}"
            group = cell, row["case"]
            if groups and file == "counts.csv" and group not in groups and group not in named:
                named.add(group)
                yield file, number, f"provenance.csv has no group {cell} {row['case']}"


def fact_faults(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, fault) of everything in machine.json that is missing or not of its form."""
    for key, form in TEXTS.items():
        if not isinstance(facts.get(key), str) or not re.fullmatch(form, facts[key]):
            yield key, f"'{key}' is {json.dumps(facts[key])}" if key in facts else f"no '{key}'"
    if not isinstance(facts.get("git_clean"), bool):
        yield "git_clean", "'git_clean' is neither true nor false"
    if not facts["programs"]:
        yield "programs", "no 'programs'"
    for label, value in facts["programs"].items():
        if not re.fullmatch(PROGRAM, label):
            yield label, f"'{label}' is not study/snapshot/level"
        elif not isinstance(value, str) or not re.fullmatch(HASH, value):
            yield label, f"the hash of {label} is not a SHA-256"


def machine_faults(folder: Path, name: str) -> tuple[dict[str, Any], list[str]]:
    """What machine.json says ({} where it cannot be read), and its faults as lines."""
    try:
        facts = machine.read_machine(folder, name)
    except Failure as fault:
        return {}, [str(fault)]
    text = (folder / machine.FILE).read_text(encoding="utf-8")
    found = []
    for key, said in fact_faults(facts):
        at = max(0, text.find(json.dumps(key) + ":"))
        found.append(f"{name}/{machine.FILE}:{text.count(chr(10), 0, at) + 1}: {said}")
    return facts, found


def picture_faults(folder: Path) -> Iterator[tuple[str, str]]:
    """(file, fault) of what does not belong into gprof/.  A picture is of the text beside it, and
    neither runs nor fetches anything where it is shown."""
    for path in sorted(folder.glob("*")):
        if path.is_symlink() or (path.suffix not in (".txt", ".svg") and path.name != "calls.csv"):
            yield f"gprof/{path.name}", "not part of a results folder"
        elif path.suffix == ".svg":
            beside, picture = path.with_suffix(".txt"), path.read_text(errors="replace")
            if not beside.exists() or not picture.startswith(draw.stamp(beside.read_text())):
                yield f"gprof/{path.name}", f"not drawn from {beside.name}"
            elif re.search(r"<(script|foreignObject|image|use)|href=|\son\w+=|url\(", picture):
                yield f"gprof/{path.name}", "a picture must not run or fetch anything"


def validate(folder: Path, name: str = "") -> list[str]:
    """Every fault of a results folder, `name/file:line: fault`; [] when there is none.  `name` is
    what the folder is called in them."""
    name = name or str(folder)
    if not folder.is_dir():
        there = sorted(path.parent.name for path in folder.parent.glob("*/machine.json"))
        return [f"{name}: no such folder; there are: {' '.join(there) or 'none'}"]
    facts, found = machine_faults(folder, name)
    if not facts:
        return found
    rows: dict[str, list[Numbered]] = {}
    for path in sorted(folder.iterdir()):
        if path.name not in KNOWN or path.is_symlink():
            found.append(f"{name}/{path.name}: not part of a results folder")
        elif path.name in FILES:
            rows[path.name], faults = file_faults(path, str(facts.get("messages")))
            found += [f"{name}/{path.name}:{line}: {fault}" for line, fault in faults]
    found += [f"{name}/{file}: {fault}" for file, fault in picture_faults(folder / "gprof")]
    if not rows:
        found.append(f"{name}: no rows: there is none of {', '.join(FILES)}")
    if not found:
        told = contradictions(rows, facts["programs"])
        found += [f"{name}/{file}:{line}: {fault}" for file, line, fault in told]
    return found


def main() -> int:
    """Print the faults of the folders that the command line names; 1 when there is one."""
    faults = [fault for folder in sys.argv[1:] for fault in validate(Path(folder))]
    more = len(faults) - MOST
    print("\n".join(faults[:MOST]) if faults else f"{' '.join(sys.argv[1:])}: whole")
    if more > 0:
        print(f"and {more:,} more")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(command_line("valid", main))
