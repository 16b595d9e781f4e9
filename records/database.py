"""A database in memory whose tables are filled when a question first reads them.

SQLite says itself, before it runs a question, which tables the question
reads, also through views.
"""

import re
import sqlite3
import statistics
from collections.abc import Callable
from functools import partial
from typing import Any

from records.faults import Failure

# What a question does that only reads.
READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
# How a question begins, behind what it says of itself.
QUESTION = re.compile(r"(\s|--.*\n|/\*.*?\*/)*(select|with|values)\b", re.IGNORECASE)
SHOWN = 200  # characters of a question, in a fault
# In a file of views: what is computed once, when it is first read.
COMPUTED_ONCE = re.compile(r"(?m)^create table (\w+) as\b")


class Median(list[float]):
    """The aggregate that SQLite lacks: a list of values."""

    step = list.append

    def finalize(self) -> float:
        """Return the median of all of them."""
        return statistics.median(self)


class Database(sqlite3.Connection):
    """Tables and views; each table is filled when a question first reads it.

    `fillers` has what fills a table, by its name.  `inputs` has what each
    view was computed from that is kept as a table.
    """

    def __init__(self) -> None:
        super().__init__(":memory:", check_same_thread=False)
        self.row_factory = sqlite3.Row
        self.create_aggregate("median", 1, Median)  # type: ignore[arg-type]
        self.fillers: dict[str, Callable[[], None]] = {}
        self.inputs: dict[str, set[str]] = {}
        self._filled: set[str] = set()
        self._prepared: set[str] = set()

    def execute(self, question: str, values: Any = (), /) -> sqlite3.Cursor:
        """Run a question, whose tables are filled before.  Raises what their
        fillers raise."""
        if question not in self._prepared:
            self.fill(self.read_by(question, values))
            self._prepared.add(question)
        return super().execute(question, values)

    def ask(
        self, question: str, values: Any = ()
    ) -> tuple[list[sqlite3.Row], list[str]]:
        """Return the answer to a question of a reader, and the names of its columns; it can change
        nothing.  Raises Failure for what is no question or not understood by SQLite, and what the
        tables' fillers raise."""
        asked = " ".join(question.split())[:SHOWN]
        try:
            new = question not in self._prepared
            if new and (not QUESTION.match(question) or self.changes(question, values)):
                raise Failure(
                    f"results are not changed: a question begins with `select` or `with`: {asked}"
                )
            found = self.execute(question, values)
            columns = [column for column, *_ in found.description]
            return found.fetchall(), columns
        except (sqlite3.Error, sqlite3.Warning) as fault:
            raise Failure(f"{str(fault).rstrip('.')}: {asked}") from None

    def changes(self, question: str, values: Any) -> bool:
        """Return whether a question would change something.  SQLite notes in its own schema which
        functions a question takes for tables."""
        changing = False

        def note(act: int, name: str | None, *_: Any) -> int:
            nonlocal changing
            changing |= act not in READING and name != "sqlite_master"
            return sqlite3.SQLITE_OK

        self._explain(question, values, note)
        return changing

    def read_by(self, question: str, values: Any = ()) -> set[str]:
        """Return the names of the tables and views that a question reads or
        changes, with all that these are made from."""
        names: set[str] = set()

        def note(_act: int, name: str | None, *_: Any) -> int:
            names.add(name or "")
            return sqlite3.SQLITE_OK

        self._explain(question, values, note)
        return names.union(*(self.inputs.get(name, ()) for name in names))

    def _explain(self, question: str, values: Any, note: Callable[..., int]) -> None:
        """Let SQLite plan a question, and tell `note` of each act; it does not run."""
        self.set_authorizer(note)
        try:
            super().execute(f"explain {question}", values)
        finally:
            self.set_authorizer(None)

    def fill(self, names: set[str]) -> None:
        """Fill those of the tables that are still empty, in the order in
        which they were defined."""
        for name, filler in self.fillers.items():
            if name in names and name not in self._filled:
                self._filled.add(name)
                try:
                    with self:  # all rows or none
                        filler()
                except BaseException:
                    self._filled.remove(name)
                    raise

    def define(self, views: str) -> None:
        """Define the views of a file.  What the file calls a table is
        computed once, when it is first read; it reads what stands above it."""
        self.executescript(COMPUTED_ONCE.sub(r"create view \1 as", views))
        for name in COMPUTED_ONCE.findall(views):
            self.fillers[name] = partial(self._compute, name)

    def _compute(self, name: str) -> None:
        self.inputs[name] = self.read_by(f"select * from {name}")
        find = super().execute("select sql from sqlite_schema where name = ?", [name])
        definition = str(find.fetchone()["sql"])
        # The view stays where the query is interrupted.
        super().execute("begin")
        super().execute(f"drop view {name}")
        super().execute(definition.replace("CREATE VIEW", "create table", 1))
