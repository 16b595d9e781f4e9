"""A results folder as tidy data frames, and the ladder table that charts and report are made from.

results = frames.load(frames.reference())
ladder = frames.ladder_table(results)
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from records import ladder
from records.faults import Failure
from records.ladder import LADDER, LEVELS, ROOT, Snapshot, natural_key
from records.machine import is_imported, none_there, read_machine
from records.published import MAP, TABLE_1, read_csv
from records.rows import Row, read_rows, schema
from records.summary import EXACT, FULL, SIZES, Cell, Key, ladder_rows, means, medians, of_one_case

LOCAL = "results/local"
SWITCH = "RSALAB_RESULTS"
CALLS = "gprof/calls.csv"


@dataclass(frozen=True, eq=False)
class Results:
    """A results folder.  Counts and sizes are exact, times are noisy and often absent.  `label` is
    the folder's name as texts may show it."""

    folder: Path
    label: str
    machine: dict[str, Any]

    def rows(self, name: str) -> list[Row]:
        """The rows of a file of the folder, such as `perf.csv`; [] where there is none.  Raises
        Failure, with the folder's label."""
        path = self.folder / name
        try:
            rows = read_rows(path)
        except (OSError, ValueError) as fault:
            said = str(fault).splitlines()[0].replace(str(path), f"{self.label}/{name}")
            raise Failure(said) from None
        return of_one_case(rows) if name in ("counts.csv", "lines.csv", "models.csv") else rows

    def frame(self, name: str) -> pd.DataFrame:
        """The same as a data frame with the columns of records.rows."""
        return pd.DataFrame(self.rows(name), columns=list(schema(self.folder / name).columns))

    @cached_property
    def counts(self) -> pd.DataFrame:
        """counts.csv, one observation a row."""
        return self.frame("counts.csv")

    @cached_property
    def means(self) -> dict[Key, dict[str, float]]:
        """Study, snapshot, level and case -> exact metric -> mean per operation."""
        return means(self.counts[self.counts["symbol"] == "total"].to_dict("records"))

    @cached_property
    def sizes(self) -> dict[Key, dict[str, float]]:
        """Study, snapshot, level and case -> static metric -> its number."""
        return means(self.rows("asm.csv"))

    @cached_property
    def medians(self) -> dict[Cell, float]:
        """Study, snapshot and level -> median time in microseconds."""
        return medians(self.rows("times.csv"))

    @cached_property
    def lines(self) -> pd.Series:
        """Instructions of a round trip by study, snapshot, level, file and line; empty without
        lines.csv."""
        rows = self.frame("lines.csv")
        rows = rows[rows["case"] == FULL]
        number = rows["instructions"].astype(float) / rows["n"].astype(float)
        return number.groupby(
            [rows[k] for k in ("study", "snapshot", "level", "file", "line")]
        ).sum()

    @property
    def platform(self) -> str:
        """`qemu-gcc12`."""
        return str(self.machine["platform"])

    @property
    def compiler(self) -> str:
        """Name and version, without the distribution's own numbering."""
        words = self.machine["compiler"].split()
        return f"{words[0]} {words[-1]}"

    def trips(self, case: str = FULL, study: str = LADDER) -> int:
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
    What `make import` brought is never the reference.

    Raises Failure when there is none.
    """
    if os.environ.get(SWITCH):
        return root / os.environ[SWITCH]

    def rank(path: Path) -> tuple[object, ...]:
        local, emulated = path.name == Path(LOCAL).name, path.name.startswith("qemu")
        return local, not emulated, natural_key(path.name)

    folders = sorted((path.parent for path in root.glob("results/*/machine.json")), key=rank)
    for folder in folders:
        if not is_imported(folder):
            return folder
    raise Failure("results: no results here yet; `make all-iterations` makes some")


def load(folder: str | Path, root: Path = ROOT) -> Results:
    """Reads a results folder; a relative name is relative to the repository.

    Raises Failure when it is missing, not whole, or has no instruction counts.
    """
    folder = root / folder
    name = label(folder, root)
    if not (folder / "machine.json").is_file():
        raise none_there(folder, name)
    machine = read_machine(folder, name)
    results = Results(folder, name, machine)
    for file, what in (("counts.csv", "instruction counts"), ("asm.csv", "sizes")):
        rows = results.counts if file == "counts.csv" else results.frame(file)
        if rows.empty:
            raise Failure(f"{name}: no {what} here ({file} is missing)")
    if any(counted.get("instructions") == 0 for counted in results.means.values()):
        raise Failure(f"{name}/counts.csv: a total of no instructions; measure again")
    return results


def rungs(results: Results, study: str = LADDER, root: Path = ROOT) -> list[Snapshot]:
    """The study's snapshots in ladder order, those that the results have a count of."""
    counted = {snapshot for of, snapshot, _, _ in results.means if of == study}
    return [snapshot for snapshot in ladder.snapshots(study, root) if snapshot.name in counted]


def ladder_table(
    results: Results, study: str = LADDER, case: str = FULL, root: Path = ROOT
) -> pd.DataFrame:
    """One row for each rung and level that was counted, in ladder order, with the columns of
    records.summary.ladder_rows; what is not known is NaN.  Raises Failure when nothing of the study
    was counted."""
    snapshots = ladder.snapshots(study, root)
    rows = ladder_rows(snapshots, results.means, results.sizes, results.medians, case, root)
    rows = [row for row in rows if row["instructions"] is not None]
    if not rows:
        command = "make all-iterations" if study == LADDER else "make studies"
        raise Failure(f"{results.label} has no counts of {study}; `{command}` measures them")
    numbers = [*EXACT, "versus_base", "versus_parent", *SIZES, "median_us"]
    return pd.DataFrame(rows).astype(dict.fromkeys(numbers, float))


def measured(results: Results, root: Path = ROOT, case: str = FULL) -> dict[str, pd.DataFrame]:
    """Study -> its ladder table; studies without a count are left out."""
    counted = {of for of, _, _, measured_case in results.means if measured_case == case}
    return {
        study: ladder_table(results, study, case, root)
        for study in ladder.studies(root)
        if study in counted and rungs(results, study, root)
    }


def levels(table: pd.DataFrame) -> list[str]:
    """The levels that a ladder table has."""
    return [level for level in LEVELS if (table["level"] == level).any()]


def cell(table: pd.DataFrame, rung: str, level: str) -> pd.Series | None:
    """The row of the ladder table for a rung and a level, or None."""
    found = table[(table["rung"] == rung) & (table["level"] == level)]
    return found.iloc[0] if len(found) else None


def cells(table: pd.DataFrame, rung: str) -> list[tuple[str, pd.Series]]:
    """(level, row of the ladder table) for each level of a rung."""
    rows = table[table["rung"] == rung]
    return [(level, rows[rows["level"] == level].iloc[0]) for level in levels(rows)]


def grid(table: pd.DataFrame, snapshots: Iterable[Snapshot], metric: str) -> pd.DataFrame:
    """A column of the ladder table: a row for each snapshot, a column for each level."""
    wide = table.pivot(index="rung", columns="level", values=metric)
    return wide.reindex(index=[s.name for s in snapshots], columns=levels(table))


def row_of(grid: pd.DataFrame, name: str) -> pd.Series:
    """One rung's row.  Raises Failure where it was not counted."""
    if name in grid.index:
        return grid.loc[name]
    raise Failure(f"no counts of {name} in these results; `make {name}` measures it")


def step_factors(table: pd.DataFrame, parent: str, child: str) -> dict[str, float]:
    """Level -> how many times fewer instructions a rung takes than another one."""
    one, other = (dict(cells(table, rung)) for rung in (parent, child))
    return {
        level: row["instructions"] / other[level]["instructions"]
        for level, row in one.items()
        if level in other
    }


def alone(results: Results, name: str, root: Path = ROOT) -> dict[str, float]:
    """Level -> factor against its parent of a technique that studies/alone has; {} where
    it was not measured with its parent."""
    table = measured(results, root).get("alone")
    rows = [] if table is None else cells(table[table["verdict"] != ""], name)
    return {level: row["versus_parent"] for level, row in rows}


def main_line(snapshots: list[Snapshot]) -> list[str]:
    """The rungs from the first to the end of the longest descent, the last of several; all others
    are branches."""
    lines: dict[str, list[str]] = {}
    for snapshot in snapshots:
        lines[snapshot.name] = [*lines.get(snapshot.parent or "", []), snapshot.name]
    return max(reversed(lines.values()), key=len)


def calls(results: Results) -> pd.DataFrame:
    """Calls of each function in a round trip of the ladder: rung, level, callee, calls.  Empty
    without the file.  Raises Failure for one that is not whole."""
    rows = results.frame(CALLS).rename(columns={"snapshot": "rung"})
    rows = rows[(rows["study"] == LADDER) & (rows["caller"] == "<total>")]
    powers = rows["calls"].where(rows["callee"] == "mod_exp", 0)
    trips = powers.groupby([rows["rung"], rows["level"]]).transform("sum") / 2
    rows = rows.assign(calls=rows["calls"] / trips)[trips > 0]
    return rows[["rung", "level", "callee", "calls"]].reset_index(drop=True)


def published(root: Path = ROOT) -> pd.DataFrame:
    """Bishop and Austin's Table 1 with our map of its rows, and `milliseconds`, `factor` (against
    its own row 0) and `step` (against the row before)."""
    rows = [{**row, **where} for row, where in zip(read_csv(TABLE_1, root), read_csv(MAP, root))]
    table = pd.DataFrame(rows)
    table["iteration"] = table["iteration"].astype(int)
    table["asm_lines"] = table["asm_lines"].astype(int)
    table["milliseconds"] = table["seconds"].astype(float) * 1000
    table["factor"] = table["milliseconds"].iloc[0] / table["milliseconds"]
    table["step"] = table["milliseconds"].shift(1) / table["milliseconds"]
    return table
