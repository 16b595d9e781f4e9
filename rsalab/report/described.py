"""The generated parts of docs/results.md: every file and view with its columns, from the comments
of their definitions in SQL; and what the examples print."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from records import published
from records.ladder import ROOT
from records.results import FACTS, OTHER_VIEWS, OWN_VIEWS, Results
from records.rows import FILE_TABLE
from records.tables import Column, Row, tabulate
from rsalab.markdown import between

PAGE = "docs/results.md"
FILES = OWN_VIEWS.with_name("tables.sql")
DEFINITION = re.compile(r"(?ms)((?:^-- [^\n]*\n)+)^create (?:table|view) (\w+)(.*?);$")
REMARK = re.compile(r"(?m)^( *[^\s-].*?),?  +-- (.*)$")
EXAMPLE = re.compile(r"(?ms)^```python\n(.*?)^```\n\n```text\n(.*?)^```$")


class Definition(NamedTuple):
    """A table or view as its file defines it: what its comment says, and the
    remarks on its columns."""

    name: str
    text: str
    remarks: dict[str, str]


# The view of the rows of several files (records/rows.py).
TOGETHER = Definition(
    "numbers",
    "All rows of these files in one view.",
    {"file": "the file of the row: `counts.csv`"},
)


def definitions(path: Path) -> Iterator[Definition]:
    """Yield what a file of SQL defines below a comment."""
    sql = path.read_text(encoding="utf-8")
    for comment, name, body in DEFINITION.findall(sql):
        lines = [line.removeprefix("-- ") for line in comment.splitlines()]
        remarks = {}
        for code, remark in REMARK.findall(body):
            remarks[column_of(code)] = remark
        yield Definition(name, " ".join(lines), remarks)


def column_of(code: str) -> str:
    """Return the column that a line of SQL defines: `sum(us) as us`, `here.us` and `us text` all `us`."""
    renamed = re.search(r"\bas (\w+)$", code)
    if renamed:
        return renamed[1]
    first, *_ = re.findall(r"[\w.]+", code)
    *_, column = first.split(".")
    return str(column)


def every_view(results: Results) -> str:
    """Return all files and views with their columns, as Markdown."""
    known: dict[str, str] = {}
    blocks = ["## Files"]
    for head in definitions(FILES):
        tables = tables_of(head)
        blocks += [heading(tables), head.text, contents(tables)]
        blocks.append(columns(results, tables[0], known))
        if head.name == TOGETHER.name:
            blocks += [heading([TOGETHER]), TOGETHER.text]
            blocks.append(columns(results, TOGETHER, known))
    for title, path in titles():
        blocks.append(f"## {title}")
        for one in definitions(path):
            blocks += [f"### {one.name}", one.text, columns(results, one, known)]
    return "\n\n".join(blocks)


def dictionary(results: Results) -> dict[str, Definition]:
    """Return every file and view with a remark on each of its columns: its own, or that
    of the first one above that has the column."""
    known: dict[str, str] = {}
    found = {}
    for path in (FILES, *(path for _, path in titles())):
        for one in tables_in(path):
            remarks = {}
            for column in results.columns(one.name):
                remarks[column] = one.remarks.get(column) or known.get(column, "")
            known = remarks | known
            found[one.name] = one._replace(remarks=remarks)
    return found | printed_tables(results)


def tables_in(path: Path) -> Iterator[Definition]:
    """Yield what a file of SQL defines, for a head of files each table that has it."""
    for one in definitions(path):
        if path == FILES:
            yield from tables_of(one)
            if one.name == TOGETHER.name:
                yield TOGETHER
        else:
            yield one


def tables_of(head: Definition) -> list[Definition]:
    """Return the tables of the files with a head, each with what the file holds."""
    found = []
    for row in FILE_TABLE:
        if row["head"] == head.name:
            name = row["file"].removesuffix(".csv")
            found.append(Definition(name, row["holds"], head.remarks))
    return found


def heading(tables: list[Definition]) -> str:
    """Return the heading of the tables with one head."""
    names = ", ".join(table.name for table in tables)
    return f"### {names}"


def contents(tables: list[Definition]) -> str:
    """Return what each table holds, as Markdown."""
    rows = [{"table": f"`{one.name}`", "what it holds": one.text} for one in tables]
    heads: dict[str, Column] = {"table": "table", "what it holds": "what it holds"}
    return tabulate(rows, heads).markdown


def printed_tables(results: Results) -> dict[str, Definition]:
    """Return the tables that the sources printed."""
    found = {}
    for row in results.query(f"select * from {published.INDEX_TABLE}"):
        name = published.plain(Path(row["file"]).stem)
        remarks = dict.fromkeys(results.columns(name), "as printed")
        text = f"{row['source']}, {row['section']}: {row['title']}; {row['unit']}"
        found[name] = Definition(name, text, remarks)
    return found


def titles() -> Iterator[tuple[str, Path]]:
    """Yield a heading and the file that defines what is below it."""
    yield "Facts beside the files", FACTS
    yield "Views of everybody", OWN_VIEWS
    for path in OTHER_VIEWS:
        yield f"Views of {path.parent.relative_to(ROOT)}/", path


def columns(results: Results, one: Definition, known: dict[str, str]) -> str:
    """Return the columns of a table or view: by name those that mean what
    they mean where they are `known` from, and the others in a table."""
    answer = results.db.execute(f"select * from {one.name} limit 0")
    as_before = []
    rows = []
    for name, *_ in answer.description:
        remark = one.remarks.get(name, "")
        if name in known and name not in one.remarks:
            as_before.append(f"`{name}`")
        else:
            rows.append({"column": f"`{name}`", "what it is": remark})
        known.setdefault(name, remark)
    blocks = []
    if as_before:
        blocks.append(f"As above: {', '.join(as_before)}.")
    if rows:
        table = tabulate(rows, {"column": "column", "what it is": "what it is"})
        blocks.append(table.markdown)
    return "\n\n".join(blocks)


def sources(results: Results) -> str:
    """Return the table of each file of the sources, as Markdown."""
    rows = results.query(f"select * from {published.INDEX_TABLE} order by rowid")

    def table(row: Row) -> str:
        name = Path(row["file"]).stem
        return f"`{published.plain(name)}`"

    columns: dict[str, Column] = {
        "table": table,
        "source": "source",
        "place": "section",
        "what": "title",
    }
    return tabulate(rows, columns).markdown


def with_examples(text: str) -> str:
    """Return a page in which below each example stands what it prints.  The
    examples share their names, as the cells of a notebook do."""
    names: dict[str, Any] = {}

    def executed(example: re.Match[str]) -> str:
        code = example[1]
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, PAGE, "exec"), names)
        output = ""
        for line in printed.getvalue().splitlines():
            output += f"{line.rstrip()}\n"
        return f"```python\n{code}```\n\n```text\n{output}```"

    return EXAMPLE.sub(executed, text)


def page(results: Results) -> str:
    """Return PAGE with its generated parts.  Raises Failure, OSError."""
    path = results.root / PAGE
    text = path.read_text(encoding="utf-8")
    text = between(text, "views", every_view(results), PAGE)
    text = between(text, "sources", sources(results), PAGE)
    return with_examples(text)
