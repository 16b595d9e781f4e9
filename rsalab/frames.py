"""A results folder as tidy data frames, and the ladder table that charts and report are made from.

results = frames.load(frames.reference())
ladder = frames.ladder_table(results)
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, ROOT, Snapshot, natural_key
from records.machine import read_machine
from records.rows import OBSERVATION, read_rows
from records.verdict import verdict
from rsalab.published import MAP, TABLE_1, read_csv
from rsalab.steps.table import LEVELS, means, medians, sizes

LOCAL = "results/local"
SWITCH = "RSALAB_RESULTS"
EXACT = ("instructions", "loads", "stores", "branches", "multiplies", "neon")
STATIC = ("asm_instructions", "asm_lines", "code_bytes")


@dataclass(frozen=True)
class Results:
    """A results folder.  `counts` and `asm` are exact, `times` is noisy and often empty; all three
    have the columns of records.rows, one observation a row.  `label` is the folder's name as
    texts may show it."""

    folder: Path
    label: str
    machine: dict
    counts: pd.DataFrame
    asm: pd.DataFrame
    times: pd.DataFrame

    @property
    def platform(self) -> str:
        """`qemu-gcc12`."""
        return self.machine["platform"]

    @property
    def compiler(self) -> str:
        """Name and version, without the distribution's own numbering."""
        words = self.machine["compiler"].split()
        return f"{words[0]} {words[-1]}"

    def trips(self, case: str = "roundtrip-full", study: str = LADDER) -> int:
        """Operations that a study's mean of this case is over; 0 where it was not counted."""
        counts = self.counts
        found = counts.loc[(counts["case"] == case) & (counts["study"] == study), "n"]
        return int(found.max()) if len(found) else 0


def label(folder: Path, root: Path = ROOT) -> str:
    """A folder's name relative to the repository; outside it the last part of the name."""
    folder, root = folder.resolve(), root.resolve()
    return folder.relative_to(root).as_posix() if root in folder.parents else folder.name


def reference(root: Path = ROOT) -> Path:
    """The results that a reader sees: the folder named by RSALAB_RESULTS, or the committed
    reference (an emulated platform first, then by name), or else the last run of this machine.

    Raises Failure when there is none.
    """
    if os.environ.get(SWITCH):
        return root / os.environ[SWITCH]
    found = [path.parent for path in root.glob("results/*/machine.json")]
    committed = [path for path in found if path.name != Path(LOCAL).name]
    committed.sort(key=lambda path: (not path.name.startswith("qemu"), natural_key(path.name)))
    if committed or found:
        return (committed or found)[0]
    raise Failure("results: no results here yet; `make all-iterations` makes some")


def load(folder: str | Path, root: Path = ROOT) -> Results:
    """Reads a results folder; a relative name is relative to the repository.

    Raises Failure when it is missing, not whole, or has no instruction counts.
    """
    folder = root / folder
    name = label(folder, root)
    if not (folder / "machine.json").is_file():
        raise Failure(f"{name}: no results here (no machine.json); run `make all-iterations`")
    machine = read_machine(folder, name)
    frames = {part: _frame(folder / f"{part}.csv", name) for part in ("counts", "asm", "times")}
    for part, what in (("counts", "instruction counts"), ("asm", "sizes")):
        if frames[part].empty:
            raise Failure(f"{name}: no {what} here ({part}.csv is missing)")
        if (frames[part]["n"] < 1).any():
            raise Failure(f"{name}/{part}.csv: a row over no operation; measure again")
    return Results(folder, name, machine, **frames)


def _frame(path: Path, name: str) -> pd.DataFrame:
    """One results file; empty when there is none."""
    try:
        return pd.DataFrame(read_rows(path), columns=list(OBSERVATION.columns))
    except (OSError, ValueError) as fault:
        file, said = f"{name}/{path.name}", str(fault).splitlines()[0].replace(f"{path}:", "")
        raise Failure(f"{file}:{said if said[:1].isdigit() else ' ' + said.strip()}") from None


def rungs(results: Results, study: str = LADDER, root: Path = ROOT) -> list[Snapshot]:
    """The study's snapshots in ladder order, those that the results have a count of."""
    counted = set(results.counts.loc[results.counts["study"] == study, "snapshot"])
    return [snapshot for snapshot in ladder.snapshots(study, root) if snapshot.name in counted]


def ladder_table(
    results: Results, study: str = LADDER, case: str = "roundtrip-full", root: Path = ROOT
) -> pd.DataFrame:
    """One row for each rung and level that was counted, in ladder order.

    Columns: rung, level, idea, parent; instructions, loads, stores, branches, multiplies, neon
    (exact means an operation); versus_base and versus_parent (how many times fewer instructions
    than the first rung and than the parent at the same level, NaN where there is none); verdict;
    asm_instructions, asm_lines, code_bytes; median_us (noisy, NaN where no time was taken).
    """
    counts, static = results.counts.to_dict("records"), results.asm.to_dict("records")
    exact = {metric: means(counts, study, case, metric) for metric in EXACT}
    size = {metric: sizes(static, study, metric) for metric in STATIC}
    times = medians(results.times.to_dict("records"), study) if case == "roundtrip-full" else {}
    instructions = exact["instructions"]
    rows, first = [], ladder.snapshots(study, root)[0].name
    for snapshot in rungs(results, study, root):
        for level in LEVELS:
            cell = (snapshot.name, level)
            if cell not in instructions:
                continue
            base = instructions.get((first, level))
            above = instructions.get((snapshot.parent or "", level))
            if "/" in (snapshot.parent or ""):  # it stands in another study
                elsewhere, _, name = str(snapshot.parent).rpartition("/")
                above = means(counts, elsewhere, case, "instructions").get((name, level))
            row = {"rung": snapshot.name, "level": level, "idea": snapshot.idea}
            row["parent"] = snapshot.parent or ""
            row.update({metric: exact[metric].get(cell) for metric in EXACT})
            row["versus_base"] = base / instructions[cell] if base else None
            row["versus_parent"] = above / instructions[cell] if above else None
            row["verdict"] = verdict(instructions[cell], above) if above else ""
            row.update({metric: size[metric].get(cell) for metric in STATIC})
            row["median_us"] = times.get(cell)
            rows.append(row)
    if not rows:
        raise Failure(f"{results.label}: nothing of {study} was counted there")
    table = pd.DataFrame(rows)
    numbers = [*EXACT, "versus_base", "versus_parent", *STATIC, "median_us"]
    table[numbers] = table[numbers].astype(float)
    return table


def cell(table: pd.DataFrame, rung: str, level: str) -> pd.Series | None:
    """The row of the ladder table for a rung and a level, or None."""
    found = table[(table["rung"] == rung) & (table["level"] == level)]
    return found.iloc[0] if len(found) else None


def main_line(snapshots: list[Snapshot]) -> list[str]:
    """The rungs from the first to the end of the longest descent, the last of several; all others
    are branches."""
    depth: dict[str, int] = {}
    parent = {snapshot.name: snapshot.parent for snapshot in snapshots}
    for snapshot in snapshots:
        depth[snapshot.name] = depth.get(snapshot.parent or "", 0) + 1
    name: str | None = max(reversed(depth), key=lambda rung: depth[rung])
    line: list[str] = []
    while name in parent:
        line.insert(0, str(name))
        name = parent[str(name)]
    return line


def published(root: Path = ROOT) -> pd.DataFrame:
    """The first source's Table 1 with our map of its rows, and `milliseconds` and `factor` (against
    its own row 0), `step` (against the row before)."""
    rows = [{**row, **where} for row, where in zip(read_csv(TABLE_1, root), read_csv(MAP, root))]
    table = pd.DataFrame(rows)
    table["iteration"] = table["iteration"].astype(int)
    table["asm_lines"] = table["asm_lines"].astype(int)
    table["milliseconds"] = table["seconds"].astype(float) * 1000
    table["factor"] = table["milliseconds"].iloc[0] / table["milliseconds"]
    table["step"] = table["milliseconds"].shift(1) / table["milliseconds"]
    return table
