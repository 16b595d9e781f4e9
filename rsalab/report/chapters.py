"""The report: what the names of report.template.md stand for, beyond those of every text about
results."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

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
    story.know({"flags": results.machine.get("flags", ""), "dropped": sources.dropped()})
    counted = results if scores(results) or not story.lender else story.lender
    facts, gains = another_compiler(counted)
    if counted is not results:
        facts["other_compiler"] += f" ({NOT_YOURS}, as {markdown.plain(counted.label)} is)"
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
        "studies": lambda: "\n\n".join(of_other_study(story, study) for study in others) or MISSING,
        "agreement": lambda: agreement(results.root, largest=True),
        "sources_lessons": partial(story.made, sources.lessons),
    }
    story.add("text", parts)
    return story.file(template("report"))


def best(results: Results, lender: Results | None) -> dict[str, str]:
    """Return what the best C and the best assembly need; what the results lack is the lender's."""
    facts = best_facts(results)
    lent = best_facts(lender) if lender else facts
    for name, value in facts.items():
        if value == NONE and lent[name] != NONE:
            facts[name] = f"{lent[name]} ({NOT_YOURS})"
    return facts


def answers(story: Story) -> str:
    """Return the answers; those that the results lack are the lender's."""
    own = tables.answers(story.results)
    if not own.rows or not story.lender:
        return story.made(tables.answers)
    answered = [row[0] for row in own.rows]
    lent = tables.answers(story.lender)
    for what, *cells in lent.rows if lent.head == own.head else []:
        if what not in answered:
            own.rows.append([f"{what} ({NOT_YOURS})", *cells])
    return own.markdown


def section(story: Story, rung: Snapshot) -> str:
    """Return one rung: what changed, the numbers, the reasons, where to read on."""
    part = markdown.parts(rung, story.results.root)
    why = reasons_of(story.results, rung)
    if not why and story.lender and reasons_of(story.lender, rung):
        why = f"{story.mark}\n\n{reasons_of(story.lender, rung)}"
    if not why and rung.parent:
        why = MISSING
    causes = claims.SENTENCE.split(part.get(markdown.VERDICT, ""))
    texts = {"change": part["Change"], "why": why, "reason": " ".join(causes[:SENTENCES])}
    of_rung = readmes.story_of(story.results, rung)
    of_rung.add("text", {name: partial(str, text) for name, text in texts.items()})
    return of_rung.get("text:section")


def reasons_of(results: Results, rung: Snapshot) -> str:
    """Return by level which functions changed most, "" where a step was not counted by line."""
    lines = []
    for level in LEVELS:
        step = spent.step(results, rung, level)
        if step:
            lines.append(f"- -{level}: {movers(step)}")
    return "\n".join(lines)


def of_study(story: Story, study: str) -> str:
    """Return a row for each snapshot: its folder, its parent, parent/this with its
    verdict by level; the techniques measured alone that gain most first."""
    return story.made(partial(tables.of_study, study=study, sorted_by=SORTED_BY))


def of_other_study(story: Story, study: str) -> str:
    """Return a table for another study, below its name."""
    return f"**[studies/{study}](/studies/{study})**\n\n{of_study(story, study)}"


# The tables of other modules: of long numbers what the best program needs at each size, from which
# size on Karatsuba's method pays, and what each technique gains; our Montgomery product in OpenSSL;
# cycles by model; the sources' tables.
ELSEWHERE: dict[str, Callable[[Results], Table]] = {
    "long_summary": long_numbers.summary,
    "long_crossovers": long_numbers.crossovers,
    "long_savings": long_numbers.savings,
    "openssl_instructions": openssl.instructions,
    "openssl_times": partial(openssl.times, whose="here", ours=False),
    "openssl_validation": openssl.validation,
    "model_arm1176": partial(models.by_level, model="arm1176"),
    "model_cortex_a72": partial(models.by_level, model="cortex-a72"),
    "sources_steps": sources.steps,
    "sources_errata": sources.errata,
}


def another_compiler(results: Results) -> tuple[dict[str, str], Table]:
    """What changes with the compiler: each gain that differs by 1 % or more,
    how many verdicts and words for predictions differ, and the claims that
    do not hold.  Without other results nothing changes."""
    tables = results.root.glob("results/qemu-*/lines.csv")
    folders = sorted((path.parent for path in tables), key=rank)
    others = (load(path, results.root) for path in folders if path != results.folder)
    other = next((one for one in others if one.compiler != results.compiler), results)
    asked = f"select * from scores where study = '{LADDER}'"
    steps, there = ({(row["snapshot"], row["level"]): row for row in one.query(asked)}
                    for one in (results, other))  # fmt: skip
    pairs = [(steps[at], there[at]) for at in steps if at in there]
    rows, false = [], []
    for here, row in pairs:
        child, level = ladder.find(row["snapshot"], root=results.root), row["level"]
        if abs(row["gain"] / here["gain"] - 1) >= THRESHOLD:
            gains = factor(here["gain"]), factor(row["gain"])
            rows.append([f"{child.parent} to {child.name}", f"-{level}", *gains, row["verdict"]])
        made = spent.step(other, child, level)
        if missed := made and claims.missed(child, level, made):
            false.append(f"{child.name} -{level} {' '.join(missed)}")
    head = ["step", "level", results.folder.name, other.folder.name, "verdict"]
    differ = (sum(here[what] != row[what] for here, row in pairs) for what in ("verdict", "word"))
    facts = {
        "other_folder": other.folder.name,
        "other_compiler": markdown.plain(other.compiler),
        "steps": str(len(pairs)),
        **dict(zip(("other_verdicts", "other_words"), map(str, differ))),
        "other_false": ", ".join(false) or NONE,
    }
    return facts, Table(head, rows)


def agreement(root: Path = ROOT, largest: bool = False) -> str:
    """A table for each board whose kernel has counted, or only for that
    which counted most cells: instructions of the same calls of mont_mul by
    plugin and Unicorn, and what the kernel counts beyond them.  Raises Failure."""
    folders = sorted(path.parent for path in root.glob("results/board-*/agreement.csv"))
    boards = [load(folder, root, counted=False) for folder in folders]
    if largest:
        boards = sorted(boards, key=lambda one: len(one.query("select 1 from agreement")))[-1:]
    return "\n\n".join(Story(board).get("text:board") for board in boards) or MISSING
