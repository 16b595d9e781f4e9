"""The report: what the names of report.template.md stand for, beyond those of every text about
results."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from sqlite3 import Row

from records import ladder
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import NOT_YOURS, Results, load, rank
from records.statistics import THRESHOLD
from records.tables import NONE, Table, factor
from rsalab import chapter, long_numbers, markdown, models, openssl
from rsalab.report import readmes, tables
from rsalab.report.sentences import MISSING, best_facts, scores
from rsalab.report.story import Story, template
from rsalab.sources import tables as sources
from rsalab.steps import claims, spent
from rsalab.steps.why import movers
from rsalab.templates import Maker

ALONE = "alone"  # the study of single techniques
SORTED_BY = "O1"
SENTENCES = 4  # of a README's causes, the first of which judges the prediction


def report(story: Story) -> str:
    """Return the report's text.  Raises Failure."""
    results = story.results
    rungs = results.rungs()
    story.know(best(results, story.lender))
    story.know(chapter.facts())
    story.know({"sorted_by": SORTED_BY, "threshold": f"{100 * THRESHOLD:g}"})
    story.know(
        {"flags": results.machine.get("flags", ""), "dropped": sources.dropped()}
    )
    counted = results if scores(results) or not story.lender else story.lender
    facts, gains = another_compiler(counted)
    if counted is not results:
        facts["other_compiler"] += (
            f" ({NOT_YOURS}, as {markdown.plain(counted.label)} is)"
        )
    story.know(facts)
    alone = partial(of_study, story, ALONE)
    others = [study for study in ladder.studies(results.root) if study != ALONE]
    story.add("table", {"answers": partial(answers, story), "alone": alone})
    story.add("table", {"other_gains": lambda: gains.markdown or "None."})
    for name, make in ELSEWHERE.items():
        story.add("table", {name: partial(story.made, make)})
    parts: dict[str, Maker] = {
        "tree": partial(markdown.tree, rungs),
        "sections": lambda: "\n\n".join(section(story, rung) for rung in rungs),
        "studies": lambda: (
            "\n\n".join(of_other_study(story, study) for study in others) or MISSING
        ),
        "agreement": lambda: agreement(results.root, largest=True),
        "sources_lessons": partial(story.made, sources.lessons),
        "sources_errata": partial(story.made, sources.errata),
    }
    story.add("text", parts)
    return story.file(template("report"))


def best(results: Results, lender: Results | None) -> dict[str, str]:
    """Return what the best C and the best assembly need; what the results lack is the lender's."""
    facts = best_facts(results)
    if not lender:
        return facts
    for name, lent in best_facts(lender).items():
        if facts[name] == NONE and lent != NONE:
            facts[name] = f"{lent} ({NOT_YOURS})"
    return facts


def answers(story: Story) -> str:
    """Return the answers; those that the results lack are the lender's."""
    own = tables.answers(story.results)
    if not own.rows or not story.lender:
        return story.made(tables.answers)
    answered = [what for what, *_ in own.rows]
    lent = tables.answers(story.lender)
    if lent.head != own.head:
        return own.markdown
    for what, *cells in lent.rows:
        if what not in answered:
            own.rows.append([f"{what} ({NOT_YOURS})", *cells])
    return own.markdown


def section(story: Story, rung: Snapshot) -> str:
    """Return one rung: what changed, the numbers, the reasons, where to read on."""
    part = markdown.parts(rung, story.results.root)
    why = reasons_of(story.results, rung)
    if not why and story.lender:
        lent = reasons_of(story.lender, rung)
        why = f"{story.mark}\n\n{lent}" if lent else ""
    if not why and rung.parent:
        why = MISSING
    verdict = part.get(markdown.VERDICT, "")
    causes = claims.SENTENCE.split(verdict)[:SENTENCES]
    texts: dict[str, Maker] = {
        "idea": lambda: part["Idea"],
        "why": lambda: why,
        "reason": lambda: " ".join(causes),
    }
    of_rung = readmes.story_of(story.results, rung)
    of_rung.add("text", texts)
    return of_rung.get("text:section")


def reasons_of(results: Results, rung: Snapshot) -> str:
    """Return by level which functions changed most, "" where a step was not counted by line."""
    lines = []
    for level in LEVELS:
        step = spent.step(results, rung, level)
        if step:
            lines.append(f"- At -{level}: {movers(step)}")
    return "\n".join(lines)


def of_study(story: Story, study: str) -> str:
    """Return a row for each snapshot: its folder, its parent, parent/this with its
    verdict by level; the techniques measured alone that gain most first."""
    return story.made(partial(tables.of_study, study=study, sorted_by=SORTED_BY))


def of_other_study(story: Story, study: str) -> str:
    """Return a table for another study, below its name."""
    return f"**[studies/{study}](/studies/{study})**\n\n{of_study(story, study)}"


def model_arm1176(results: Results) -> str:
    """Return the cycles of an ARM1176 by model, below a line that says of which programs."""
    counted = models.for_armv6(results)
    if counted is None:
        return MISSING
    said = f"Counted: {counted.platform}, {markdown.plain(counted.compiler)}."
    return f"{said}\n\n{models.by_level(counted).markdown}"


# The tables of other modules: of long numbers what the best program needs at each size, from which
# size on Karatsuba's method pays, and what each technique gains; our Montgomery product in OpenSSL;
# cycles of an ARM1176 by model; the sources' tables.
ELSEWHERE: dict[str, Callable[[Results], Table | str]] = {
    "long_summary": long_numbers.summary,
    "long_crossovers": long_numbers.crossovers,
    "long_savings": long_numbers.savings,
    "openssl_compared": openssl.compared,
    "openssl_times": partial(openssl.times, whose="here", ours=False),
    "openssl_validation": openssl.validation,
    "model_arm1176": model_arm1176,
    "sources_steps": sources.steps,
}


def another_compiler(results: Results) -> tuple[dict[str, str], Table]:
    """Return what changes with the compiler: how many verdicts and words for predictions differ,
    the claims that do not hold, and a table of each gain that differs by 1 % or more.  Without
    other results nothing changes."""
    other = of_other_compiler(results)
    others = scores_by_cell(other)
    rows = []
    false: list[str] = []
    uncounted: list[str] = []
    steps = 0
    verdicts = 0
    words = 0
    for cell, own in scores_by_cell(results).items():
        theirs = others.get(cell)
        if theirs is None:
            continue
        steps += 1
        verdicts += own["verdict"] != theirs["verdict"]
        words += own["outcome"] != theirs["outcome"]
        name, level = cell
        child = ladder.find(name, root=results.root)
        if abs(theirs["gain"] / own["gain"] - 1) >= THRESHOLD:
            gains = [factor(own["gain"]), factor(theirs["gain"])]
            title = f"{child.parent} to {name}"
            rows.append([title, f"-{level}", *gains, theirs["verdict"]])
        step = spent.step(other, child, level)
        if not step:
            continue
        false_there, uncounted_there = claims.missed(other, child, level, step)
        if false_there:
            false.append(f"{name} -{level} {' '.join(false_there)}")
        if uncounted_there:
            uncounted.append(f"{name} {' '.join(uncounted_there)}")
    facts = {
        "other_folder": other.folder.name,
        "other_compiler": markdown.plain(other.compiler),
        "steps": str(steps),
        "other_verdicts": str(verdicts),
        "other_words": str(words),
        "other_false": claims_there(false, uncounted),
    }
    head = ["step", "level", results.folder.name, other.folder.name, "verdict"]
    return facts, Table(head, rows)


def claims_there(false: list[str], uncounted: list[str]) -> str:
    """Return what the claims of the READMEs say of another compiler: which of them are false, and
    which name a program that was not counted with it."""
    said = "Each claim of the READMEs that can be tested there holds."
    if false:
        said = f"Claims that do not hold there, by their numbers in the READMEs: {', '.join(false)}."
    if uncounted:
        said += f" Not counted there: {', '.join(dict.fromkeys(uncounted))}."
    return said


def of_other_compiler(results: Results) -> Results:
    """Return the first results of another compiler, or else these."""
    paths = results.root.glob("results/qemu-*/lines.csv")
    folders = [path.parent for path in paths]
    for folder in sorted(folders, key=rank):
        if folder == results.folder:
            continue
        other = load(folder, results.root)
        alike = other.is_armv6 == results.is_armv6
        if alike and other.compiler != results.compiler:
            return other
    return results


def scores_by_cell(results: Results) -> dict[tuple[str, str], Row]:
    """Return the scores of the ladder by rung and level."""
    cells = {}
    for row in results.query("select * from scores where study = ?", LADDER):
        cells[row["snapshot"], row["level"]] = row
    return cells


def agreement(root: Path = ROOT, largest: bool = False) -> str:
    """Return a table for each board whose kernel has counted, or only for that which counted most
    cells: instructions of the same calls of mont_mul by plugin and Unicorn, and what the kernel
    counts beyond them.  Raises Failure."""
    boards = []
    for path in sorted(root.glob("results/board-*/agreement.csv")):
        boards.append(load(path.parent, root, counted=False))
    if largest:
        boards.sort(key=cells_counted)
        boards = boards[-1:]
    tables = [Story(board).get("text:board") for board in boards]
    return "\n\n".join(tables) or MISSING


def cells_counted(board: Results) -> int:
    """Return how many cells the kernel of a board has counted."""
    return len(board.query("select 1 from agreement"))
