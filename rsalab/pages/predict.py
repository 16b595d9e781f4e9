"""`make predict` on the page of a step: what it shows before, a form, and what was found."""

import html
import re
from functools import cache
from typing import Any

from records import ladder
from records.faults import Failure
from records.ladder import LEVELS, Snapshot
from records.results import Results
from rsalab.pages.document import WEB, fenced, words_of
from rsalab.steps import predict

SCRIPT = WEB / "predict.js"
SHEET = WEB / "predict.css"
ROUNDS = "<details>\n<summary>The rounds of {}</summary>\n\n{}\n\n</details>"
ELSEWHERE = "The code of {} is in `{}/`."
SHARES = re.compile(r"<!-- shares -->(.*?)<!-- /shares -->\n*", re.DOTALL)
CHANGED = "<!-- /change -->\n"  # what a lesson says before it, a reader may know


def with_form(text: str, results: Results, child: Snapshot) -> str:
    """Return the text of a lesson with the form behind the change, and in it where the parent
    spends its instructions.  Raises Failure where parent and child cannot be compared, and where
    the lesson does not say both."""
    shares = SHARES.search(text)
    if not shares or CHANGED not in text:
        raise Failure(f"{child.label}: its page has no change or no shares")
    form = asking(results, child, shares[1].strip())
    return SHARES.sub("", text).replace(CHANGED, f"{CHANGED}\n{form}\n", 1)


def asking(results: Results, child: Snapshot, shares: str) -> str:
    """Return what a reader is shown and asked of a step, in Markdown.  Raises Failure."""
    parent = ladder.parent_of(child, results.root)
    assert parent
    choices = ["", *predict.functions_of(results, child), predict.NOTHING]
    names = {"parent": parent.label, "child": child.label}
    return words_of(
        "predict.md",
        parent=parent.label,
        counts=predict.counts(results, child),
        shares=shares,
        rounds=rounds_of(parent, results),
        question=predict.QUESTION.format(**names),
        examples=predict.EXAMPLES,
        inputs=" ".join(map(field_of, LEVELS)),
        options="".join(map(option_of, choices)),
    )


def rounds_of(parent: Snapshot, results: Results) -> str:
    """Return the rounds of a product of the parent, folded, or where they are."""
    code = predict.definition_of(parent, predict.ROUND)
    if code:
        return ROUNDS.format(parent.label, fenced(code, "c"))
    folder = parent.path.relative_to(results.root)
    return ELSEWHERE.format(parent.label, folder)


def field_of(level: str) -> str:
    """Return the field for the factor at a level, in HTML."""
    return (
        f'<label>-{level} <input type="number" name="{level}" required step="any"'
        f' min="{predict.LOWEST}" max="{predict.HIGHEST:.0f}" aria-describedby="examples"></label>'
    )


def option_of(function: str) -> str:
    """Return a function that a reader can choose, in HTML."""
    return f"<option>{html.escape(function)}</option>"


def shown(results: Results, child: Snapshot) -> dict[str, object]:
    """Return what the script of a step's page compares an answer with.  Raises Failure."""
    return {
        "step": child.label,
        "near": predict.NEAR,
        "head": predict.HEAD,
        "rule": predict.RULE,
        "summary": predict.SUMMARY,
        "steps": steps(results),
    }


@cache
def steps(results: Results) -> dict[str, dict[str, Any]]:
    """Return by step of the ladder its parent and what was found by level.  Raises Failure."""
    found = {}
    for child in ladder.snapshots(root=results.root):
        if not child.parent:
            continue
        levels = {}
        for level in LEVELS:
            levels[level] = predict.found_of(results, child, level)._asdict()
        found[child.label] = {"parent": child.parent_name, "levels": levels}
    return found
