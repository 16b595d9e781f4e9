"""What a notebook has beside pandas and matplotlib: results are loaded, rows that are missing name
what measures them, a picture has menus, and a reader's answer is judged.

Nothing here needs pandas before it is called: a board has none.
"""

import math
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
from records.results import LOCAL, MENUS, SWITCH, Results
from rsalab import answers

if TYPE_CHECKING:
    import pandas

TOLERANCE = 0.01  # of a reader's number, relative
LOOK = Path(__file__).with_name("charts") / "look.mplstyle"


def load(folder: str | Path = "") -> Results:
    """Return a results folder, and print which.  Without a name it is one's
    own last run where there is one, and else the committed reference.  What
    a run lacks is taken from the reference, and the cell that takes it says
    so.  In a notebook, figures get the look of the report's."""
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

    from rsalab.pages.borrowed import mark_borrowed

    matplotlib.style.use(["default", LOOK, {"font.size": 10}])
    mark_borrowed(results)


def measured(frame: "pandas.DataFrame", command: str) -> "pandas.DataFrame":
    """Return a frame that has rows.  Raises Failure, which names the command
    that measures them, where it has none."""
    if frame.empty:
        raise Failure(f"not in these results; `{command}` measures it")
    return frame


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
    otherwise where to look: a name, a number (to 1 %), a list of names in
    any order, or a frame."""
    exercise = answers.EXERCISES[notebook]
    if answer is None:
        print("No answer yet: put yours in place of None, and run the cell again.")
    elif agree(answer, exercise.solve(results)):
        print("Right.")
    else:
        print(f"Not yet. {exercise.hint}")


def agree(answer: Any, right: Any) -> bool:
    """Return whether an answer is the right one."""
    for kind, same in COMPARISONS:
        if isinstance(right, kind):
            return same(answer, right)
    return same_table(answer, right)


def same_name(answer: Any, right: str) -> bool:
    """Return whether an answer is this name, however it is written."""
    return str(answer).strip().lower() == right.lower()


def same_number(answer: Any, right: float) -> bool:
    """Return whether an answer is this number, but for rounding."""
    try:
        return math.isclose(answer, right, rel_tol=TOLERANCE)
    except TypeError:
        return False


def same_names(answer: Any, right: set[str]) -> bool:
    """Return whether an answer has these names, in any order."""
    try:
        return {str(name) for name in answer} == right
    except TypeError:
        return False


def same_table(answer: Any, right: "pandas.Series[Any]") -> bool:
    """Return whether an answer is a series or a frame with these numbers
    at these names, but for rounding; rows and columns are in any order."""
    from pandas.testing import assert_frame_equal

    try:
        assert_frame_equal(
            answer.to_frame() if answer.ndim == 1 else answer,
            right.to_frame() if right.ndim == 1 else right,
            rtol=TOLERANCE,
            check_dtype=False,
            check_names=False,
            check_like=True,
        )
    except (AssertionError, AttributeError):
        return False
    return True


COMPARISONS: list[tuple[Any, Callable[[Any, Any], bool]]] = [
    (str, same_name),
    ((int, float), same_number),
    (set, same_names),
]
