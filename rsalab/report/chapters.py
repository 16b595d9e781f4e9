"""The report: what the names of report.template.md stand for, beyond those of every text about
results."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from records import ladder
from records.ladder import LADDER, LEVELS, ROOT, Snapshot
from records.results import Results, load, rank
from records.statistics import THRESHOLD
from records.tables import NONE, Table, factor
from rsalab import chapter, long_numbers, markdown, models, openssl
from rsalab.report import readmes, tables
from rsalab.report.sentences import MISSING, best_facts
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
    story.know(best_facts(results))
    story.know(chapter.facts())
    story.know({"sorted_by": SORTED_BY, "threshold": f"{100 * THRESHOLD:g}"})
    story.know({"flags": results.machine.get("flags", ""), "dropped": sources.dropped()})
    facts, gains = another_compiler(results)
    story.know(facts)
    story.add("table", elsewhere(results))
    story.add("table", {"alone": partial(of_study, results, ALONE)})
    story.add("table", {"other_gains": lambda: gains.markdown or "None."})
    parts: dict[str, Maker] = {
        "tree": partial(markdown.tree, rungs),
        "sections": lambda: "\n\n".join(section(results, rung) for rung in rungs),
        "studies": lambda: "\n\n".join(others(results)) or MISSING,
        "agreement": lambda: agreement(results.root, largest=True),
        "sources_lessons": lambda: sources.lessons(results),
    }
    story.add("text", parts)
    return story.file(template("report"))


def section(results: Results, rung: Snapshot) -> str:
    """Return one rung: what changed, the numbers, the reasons, where to read on."""
    part = markdown.parts(rung, results.root)
    steps = {level: spent.step(results, rung, level) for level in LEVELS}
    why = "\n".join(f"- -{level}: {movers(step)}" for level, step in steps.items() if step)
    if not why and rung.parent:
        why = MISSING
    reasons = claims.SENTENCE.split(part.get(markdown.VERDICT, ""))
    texts = {"change": part["Change"], "why": why, "reason": " ".join(reasons[:SENTENCES])}
    story = readmes.story_of(results, rung)
    story.add("text", {name: partial(str, text) for name, text in texts.items()})
    return story.get("text:section")


def of_study(results: Results, study: str) -> str:
    """Return a row for each snapshot: its folder, its parent, parent/this with its
    verdict by level; the techniques measured alone that gain most first."""
    return tables.of_study(results, study, SORTED_BY).markdown or MISSING


def others(results: Results) -> Iterator[str]:
    """Every other study: a table for each; a study that was not measured is named as such."""
    for study in ladder.studies(results.root):
        if study != ALONE:
            yield f"**[studies/{study}](/studies/{study})**"
            yield of_study(results, study)


def elsewhere(results: Results) -> dict[str, Maker]:
    """Return what makes the tables of other modules: of long numbers what the best program needs
    at each size, from which size on Karatsuba's method pays, and what each
    technique gains; our Montgomery product in OpenSSL; cycles by model; the
    sources' tables."""
    tables: dict[str, Callable[[], Table]] = {
        "long_summary": partial(long_numbers.summary, results),
        "long_crossovers": partial(long_numbers.crossovers, results),
        "long_savings": partial(long_numbers.savings, results),
        "openssl_instructions": partial(openssl.instructions, results),
        "openssl_times": partial(openssl.times, results, "here", ours=False),
        "openssl_validation": partial(openssl.validation, results),
        "model_arm1176": partial(models.by_level, results, "arm1176"),
        "model_cortex_a72": partial(models.by_level, results, "cortex-a72"),
        "sources_steps": partial(sources.steps, results),
        "sources_errata": partial(sources.errata, results),
    }

    def shown(make: Callable[[], Table]) -> str:
        return make().markdown or MISSING

    return {name: partial(shown, make) for name, make in tables.items()}


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
