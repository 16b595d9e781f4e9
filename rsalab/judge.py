"""Whether a reader's answer to an experiment is the right one, and what may be wrong of another."""

import math
from collections.abc import Callable
from typing import Any

TOLERANCE = 0.01  # of a reader's number, relative
NEAR = 0.1  # relative: the way is right, and a row too few or too many was taken

Number = Callable[[float], float]
Same = Callable[[Any, Any], bool]
Say = Callable[[Any, Any], str]
# What is said of a number that is not the right one, but follows from it.
DISGUISES: dict[str, Number] = {
    "That is the inverse: divide the other way round.": lambda right: 1 / right,
    "That is a share: per cent are asked for.": lambda right: right / 100,
    "That is in per cent: a factor is asked for.": lambda right: 100 * right,
    "That is what is added: a factor is 1 more.": lambda right: right - 1,
    "That is a factor: per cent beyond 1 are asked for.": lambda right: 1 + right / 100,
}


def agree(answer: Any, right: Any) -> bool:
    """Return whether an answer is the right one: a name, a number or a set of names."""
    same, _ = comparison(right)
    return same(answer, right)


def remark(answer: Any, right: Any) -> str:
    """Return what may be wrong of an answer that is not the right one, "" where nothing
    is known of it."""
    _, say = comparison(right)
    return say(answer, right)


def same_name(answer: Any, right: str) -> bool:
    """Return whether an answer is this name, however it is written."""
    return str(answer).strip().lower() == right.lower()


def about_name(answer: Any, right: str) -> str:
    """Return what is wrong of an answer that should be a name."""
    if isinstance(answer, str):
        return ""
    return (
        f"The answer is a name in quotes, and yours is of type {type(answer).__name__}."
    )


def same_number(answer: Any, right: float) -> bool:
    """Return whether an answer is this number, but for rounding."""
    try:
        return math.isclose(answer, right, rel_tol=TOLERANCE)
    except TypeError:
        return False


def about_number(answer: Any, right: float) -> str:
    """Return what is wrong of an answer that should be a number."""
    try:
        number = answer + 0.0
        wrong = bool(math.isnan(number))
    except (TypeError, ValueError):
        return (
            f"The answer is one number, and yours is of type {type(answer).__name__}."
        )
    if wrong:
        return "Yours is nan: a row or a divisor is missing."
    for text, disguise in DISGUISES.items():
        if same_number(number, disguise(right)):
            return text
    if math.isclose(number, right, rel_tol=NEAR):
        return "You are near."
    return ""


def same_names(answer: Any, right: set[str]) -> bool:
    """Return whether an answer has these names, in any order."""
    return names_of(answer) == {name.lower() for name in right}


def about_names(answer: Any, right: set[str]) -> str:
    """Return what is wrong of an answer that should be a list of names."""
    given = names_of(answer)
    if given is None:
        return f"The answer is a list of names, and yours is of type {type(answer).__name__}."
    wanted = {name.lower() for name in right}
    wrong = len(given - wanted)
    missing = len(wanted - given)
    return f"Of your names {wrong} are wrong, and {missing} are missing."


def names_of(answer: Any) -> set[str] | None:
    """Return the names of a list, a set or a series; None of anything else."""
    if isinstance(answer, str) or getattr(answer, "ndim", 1) > 1:
        return None
    try:
        return {str(name).strip().lower() for name in answer}
    except TypeError:
        return None


def comparison(right: Any) -> tuple[Same, Say]:
    """Return what compares an answer with the right one, and what says why it differs."""
    if isinstance(right, str):
        return same_name, about_name
    if isinstance(right, set):
        return same_names, about_names
    return same_number, about_number
