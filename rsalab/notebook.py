"""What a notebook has beside pandas and matplotlib: results are loaded, rows that are missing name
what measures them, a picture has menus, and a reader's answer is judged.

Nothing here needs pandas before it is called: a board has none.
"""

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records import results as records
from records.faults import Failure
from records.ladder import ROOT
from records.machine import FILE
from records.results import LOCAL, MENUS, NOT_HERE, SWITCH, Results
from rsalab import answers, judge

if TYPE_CHECKING:
    import pandas
    from pandas.io.formats.style import Styler


def load(folder: str | Path = "") -> Results:
    """Return the results folder of a name, `qemu-gcc12`, or of a path, and
    print which.  Without a name it is one's own last run where there is one,
    and else the committed reference.  What a run lacks is taken from the
    reference, and the cell that takes it says so.  In a notebook, figures get
    the look of the report's."""
    results = records.load(chosen(folder), counted=False, reference=True)
    machine = results.machine
    line = f"{results.label}: {results.compiler}, {machine['date']}"
    if results.lender:
        line += (
            f"; what it lacks is the reference's, {results.lender.label}, and marked"
        )
    print(line)
    if "IPython" in sys.modules:
        prepare(results)
    return results


def chosen(folder: str | Path) -> str | Path:
    """Return the folder that is read where a notebook names one, or none."""
    if folder:
        return folder
    if os.environ.get(SWITCH):
        return os.environ[SWITCH]
    own = ROOT / LOCAL / FILE
    return LOCAL if own.is_file() else records.reference()


def prepare(results: Results) -> None:
    """Give a notebook's figures the report's look, and each cell its mark of what is borrowed."""
    import matplotlib.style

    from rsalab.charts import theme
    from rsalab.pages.borrowed import mark_borrowed

    matplotlib.style.use(["default", theme.CHART, {"font.size": 10}])
    mark_borrowed(results)


def measured(frame: "pandas.DataFrame", command: str) -> "pandas.DataFrame":
    """Return a frame that has rows.  Raises Failure, which names the command
    that measures them, where it has none."""
    if frame.empty:
        raise Failure(f"{NOT_HERE}; `{command}` measures it")
    return frame


def describe(results: Results, name: str = "") -> "Styler":
    """Return what each column of a view or file means, as a table that a cell
    shows; without a name, what each view and file has.  Raises Failure where
    there is none of this name."""
    import pandas as pd

    from rsalab.frames import check_name
    from rsalab.report import described

    views = described.dictionary(results)
    if name:
        check_name("view", name, views)
        rows = list(views[name].remarks.items())
        head = ["column", "what it is"]
    else:
        rows = [(view.name, view.text) for view in views.values()]
        head = ["name", "what it has"]
    table = pd.DataFrame(rows, columns=head).style.hide(axis="index")
    return table.set_properties(**{"text-align": "left"})


def choose(draw: Callable[..., None], **menus: list[str]) -> None:
    """Call `draw` with the first name of each menu.  Where a reader can
    choose (JupyterLab, VS Code), the menus stand above what it draws."""
    if find_spec("ipywidgets") and os.environ.get(MENUS) != "off":
        from ipywidgets import interact

        interact(draw, **menus)
        return
    first = {name: names[0] for name, names in menus.items()}
    draw(**first)


def check(answer: Any, notebook: str, results: Results) -> None:
    """Print whether the answer to a notebook's experiment is right, and
    otherwise what may be wrong of it and where to look.  An answer is a name,
    a number (to 1 %) or a list of names in any order.  Raises Failure where
    there is no such notebook."""
    from rsalab.frames import check_name

    check_name("notebook", notebook, answers.EXERCISES)
    exercise = answers.EXERCISES[notebook]
    if answer is None:
        print("No answer yet: put yours in place of None, and run the cell again.")
        return
    right = exercise.solve(results)
    if judge.agree(answer, right):
        print("Right.")
        return
    words = ["Not yet.", judge.remark(answer, right), exercise.hint]
    print(" ".join(filter(None, words)))
