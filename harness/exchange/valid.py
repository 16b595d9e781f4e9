"""Whether a results folder is whole and means what it says: validate(folder), one line per fault.

Every fault names file and line.  Known are the studies and snapshots of this checkout, the levels,
the cases of the workload and the metrics of each file; totals must be the sums of their symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from harness.calls import draw
from harness.count import counts
from harness.exchange import provenance
from harness.exchange.machine_faults import machine_faults
from records import ladder, workload
from records.rows import OBSERVATION, SCHEMAS, scan

LEVELS = ladder.EVERY_LEVEL
SIZES = {"asm_instructions": "instructions", "code_bytes": "bytes", "asm_lines": "lines"}
CLOCKS = {"encrypt": "ns", "decrypt": "ns", "encrypt_clock": "us", "decrypt_clock": "us"}
TAINTED = "_tainted"  # behind a metric that the board spoilt
SUMS = ("total", "snapshot")  # symbols that are sums of others
HEADS = {name: form for name, form in SCHEMAS.items() if name != "calls.csv"}
KNOWN = (*HEADS, "machine.json", "gprof", "charts", "host")  # host: a folder of its own
Row = tuple[int, dict]  # line, columns


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


def place_fault(file: str, row: dict, messages: str) -> str:
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


def row_fault(file: str, row: dict) -> str:
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


def sum_faults(rows: Iterable[Row]) -> Iterator[tuple[int, str]]:
    """(line, fault) of each total that is not the sum of its symbols, and of each row that is there
    twice; rows of counts.csv or asm.csv."""
    groups: dict[tuple, dict[str, Row]] = {}
    for number, row in rows:
        key = tuple(row[name] for name in ("study", "snapshot", "level", "case", "metric"))
        group = groups.setdefault(key, {})
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


def file_faults(path: Path, messages: str) -> tuple[list[Row], list[tuple[int, str]]]:
    """The rows of one results file, and (line, fault) in line order."""
    file = path.name
    rows: list[Row] = []
    faults: list[tuple[int, str]] = []
    for number, row in scan(path.read_bytes().decode("utf-8", "replace"), HEADS[file]):
        if isinstance(row, str):
            faults.append((number, row))
            continue
        rows.append((number, row))
        said = place_fault(file, row, messages)
        if not said and HEADS[file] is OBSERVATION:
            said = row_fault(file, row)
        if not said and file == "lines.csv":
            bad = [name for name in HEADS[file].numbers if row[name] < 0]
            bad += [] if re.fullmatch("0x[0-9a-f]+", row["offset"]) else ["offset"]
            said = f"{bad[0]} is '{row[bad[0]]}', not a whole number" if bad else ""
        if not said and file == provenance.FILE:
            bad = [h for h in provenance.HASHES if not re.fullmatch("[0-9a-f]{64}", row[h])]
            said = f"{bad[0]} is not a SHA-256" if bad else ""
        if said:
            faults.append((number, said))
    if file in ("counts.csv", "asm.csv") and not faults:
        faults += sum_faults(rows)
    return rows, sorted(faults)


def group_faults(rows: dict[str, list[Row]], programs: dict) -> Iterator[tuple[str, int, str]]:
    """(file, line, fault) where counts.csv, provenance.csv and machine.json contradict each other;
    a cell or group is named once."""
    groups = {}
    for number, row in rows.get(provenance.FILE, []):
        cell = f"{row['study']}/{row['snapshot']}/{row['level']}"
        groups[cell, row["case"]] = number
        if programs.get(cell) != row["program"]:
            yield provenance.FILE, number, f"machine.json has another program for {cell}"
    named = set()
    for file in ("counts.csv", "asm.csv", "times.csv"):
        for number, row in rows.get(file, []):
            cell = f"{row['study']}/{row['snapshot']}/{row['level']}"
            if cell not in programs and cell not in named:
                named.add(cell)
                yield file, number, f"machine.json has no program for {cell}"
            group = cell, row["case"]
            if groups and file == "counts.csv" and group not in groups and group not in named:
                named.add(group)
                yield file, number, f"{provenance.FILE} has no group {cell} {row['case']}"


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


def shortened(faults: list[str], most: int = 20) -> str:
    """The first faults as lines, and how many more there are."""
    more = len(faults) - most
    return "\n".join(faults[:most] + [f"and {more:,} more"] * (more > 0))


def validate(folder: Path, name: str | None = None) -> list[str]:
    """Every fault of a results folder, `name/file:line: fault`; [] when there is none.  `name` is
    what the folder is called in them."""
    name = name or str(folder)
    if not folder.is_dir():
        there = sorted(path.parent.name for path in folder.parent.glob("*/machine.json"))
        return [f"{name}: no such folder; there are: {' '.join(there) or 'none'}"]
    facts, said = machine_faults(folder / "machine.json")
    found = [f"{name}/machine.json:{line}: {fault}" for line, fault in said]
    rows: dict[str, list[Row]] = {}
    for path in sorted(folder.iterdir()):
        if path.name not in KNOWN or path.is_symlink():
            found.append(f"{name}/{path.name}: not part of a results folder")
        elif path.name in HEADS:
            messages = str(facts.get("messages"))
            rows[path.name], faults = file_faults(path, messages)
            found += [f"{name}/{path.name}:{line}: {fault}" for line, fault in faults]
    found += [f"{name}/{file}: {fault}" for file, fault in picture_faults(folder / "gprof")]
    if not rows:
        found.append(f"{name}: no rows: there is none of {', '.join(HEADS)}")
    if not found:
        told = group_faults(rows, facts["programs"])
        found += [f"{name}/{file}:{line}: {fault}" for file, line, fault in told]
    return found
