"""What a notebook takes from the reference, because the results that it shows lack it."""

import re

from IPython.core.getipython import get_ipython
from IPython.display import Markdown, display

from records.database import QUESTION
from records.ladder import LADDER
from records.results import NOT_YOURS, Results

# What is asked while a file is read.
OF_A_FILE = re.compile(r"select distinct (study|'') from \w+")


def mark_borrowed(results: Results) -> None:
    """Write below each cell of this notebook, from this one on, what the
    cell took from the reference."""
    shell = get_ipython()
    lender = results.lender
    if shell is None or lender is None:
        return
    asked: list[str] = []
    results.db.set_trace_callback(asked.append)

    def mark(*_: object) -> None:
        names = borrowed_by(asked, results)
        asked.clear()
        if names:
            text = f"*{', '.join(sorted(names))}: {NOT_YOURS} ({lender.label}).*"
            display(Markdown(text))

    shell.events.register("post_run_cell", mark)


def borrowed_by(asked: list[str], results: Results) -> set[str]:
    """Return the studies, or the files without studies, whose rows are the
    lender's and are read by questions in SQL, their values included."""
    names: set[str] = set()
    studies = {LADDER}.union(*results.db.borrowed.values())
    for question in set(asked):
        if not QUESTION.match(question) or OF_A_FILE.fullmatch(question):
            continue
        named = {study for study in studies if f"'{study}'" in question}
        for table in results.db.read_by(question):
            for study in results.db.borrowed.get(table, ()):
                if not named or study in named:
                    names.add(study or f"{table}.csv")
    return names
