"""Where the parent of a step spends its instructions: what an estimate of the step begins with."""

from records.ladder import Snapshot
from records.results import Results
from records.tables import Column, Row, Table, factor, pivot, whole

ALL = 0.995  # a share from which on a function is all that a snapshot executes


def shares(results: Results, snapshot: Snapshot) -> Table:
    """Return of the functions of a snapshot's parent their share of all instructions, and the
    factor that a step gains at most if it makes one of them free."""
    study, parent = snapshot.parent_key
    rows = results.rows(__file__, "shares", study=study, snapshot=parent)
    by: dict[str, Column] = {
        "function": lambda row: f"`{row['function']}`",
        "calls": lambda row: whole(row["calls"]),
    }
    return pivot(rows, by, "level", {"": share_and_cap})


def share_and_cap(row: Row) -> str:
    """Return a share and, by Amdahl's law, what a step gains at most from it: `18 % (x1.22)`."""
    share = row["share"]
    most = factor(1 / (1 - share)) if share < ALL else "all"
    return f"{100 * share:.0f} % ({most})"
