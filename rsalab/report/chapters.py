"""The report's chapters: values for the places of report.template.md."""

import re
from collections.abc import Iterator
from pathlib import Path

from records import ladder
from records.ladder import LADDER, ROOT, Snapshot
from records.published import FOLDER, INDEX, OURS, read_csv
from records.results import Results, load
from records.statistics import THRESHOLD
from records.tables import NONE, Table, factor, whole
from rsalab import long_numbers, markdown, models, openssl
from rsalab.frames import grid, ladder_table, main_line
from rsalab.report import story
from rsalab.report.story import MISSING, Story
from rsalab.sources import tables
from rsalab.steps import claims, spent
from rsalab.steps.why import movers
from studies.hardware import hardware

PAGES = {
    **{name: f"docs/{name}.md" for name in ("montgomery", "glossary", "measuring", "trust")},
    "notebook_03": "notebooks/03-call-graphs.ipynb",
    "notebook_05": "notebooks/05-against-the-sources.ipynb",
    "notebook_06": "notebooks/06-multiplication.ipynb",
    "notebook_08": "notebooks/08-hardware.ipynb",
    "notebook_09": "notebooks/09-limit.ipynb",
    "width_1024": "studies/width-1024",
    "openssl": "studies/openssl",
}
PICTURES = ("speed-up", "survival", "lines-and-instructions", "instruction-mix", "floor")
ALONE = "alone"  # the study of single techniques
BY_HAND = f"{ALONE}/bit-serial-assembly"
PAIRS = (  # what it is worth; the slower program and the faster one
    ("The whole ladder", "", ""),
    ("Arithmetic: words instead of bits, both in C", "v6", "v7"),
    ("Assembly by hand instead of C, both with bits", "v6", BY_HAND),
    ("Arithmetic against assembly: words in C instead of bits in assembly", BY_HAND, "v7"),
    ("Best C against assembly, both with words", "v7", "v8"),
    ("One product instead of four, both in C", "v5", "v6"),
)
TIMES = "Times are noisy: medians of `clock_gettime` over the round trips, on the board itself."
NO_TIMES = "There are no times here: the programs ran under emulation, whose time means nothing."
THREAT = (
    "- **No time was measured.** The programs ran under emulation. No number here is in seconds.\n"
)
STEPS = "select * from scores where study = ?"
MANY = 0.05  # of all instructions: from there on the report names them
SENTENCES = 4  # of a README's causes, the first of which judges the prediction
SORTED_BY = "O1"
FUNCTIONS = ("mont_mul", "mod_exp")  # of traces.csv


def values(tale: Story) -> dict[str, str]:
    """Every place of the template.  Raises Failure."""
    results, root = tale.results, tale.root
    timed = bool(tale.ladder["median_us"].notna().any())
    return {
        **{name: tale.seen(root / path) for name, path in PAGES.items()},
        **{name.replace("-", "_"): tale.picture(name) for name in PICTURES},
        **best(tale),
        **another_compiler(results),
        **longer(tale),
        **{f"model_{name.replace('-', '_')}": cycles(tale, name) for name in models.MODELS},
        "origin": story.origin(results),
        "platform": markdown.plain(results.platform),
        "compiler": markdown.plain(results.compiler),
        "flags": results.machine.get("flags", ""),
        "folder": markdown.plain(results.label),
        "trips": str(results.trips()),
        "levels": ", ".join(f"-{level}" for level in tale.levels),
        "threshold": f"{100 * THRESHOLD:g}",
        "times": TIMES if timed else NO_TIMES,
        "no_times": "" if timed else THREAT,
        "dropped": tables.dropped(),
        "rungs": str(len(tale.snapshots)),
        "first": main_line(tale.snapshots)[0],
        "answers": answers(tale),
        "helped": helped(tale),
        "tree": markdown.tree(tale.snapshots),
        "overview": story.overview(tale.ladder, tale.snapshots),
        "product": product(tale),
        "sections": "\n\n".join(part for s in tale.snapshots for part in section(tale, s)),
        "alone": of_study(tale, ALONE),
        "sorted_by": f"-{SORTED_BY}",
        "studies": "\n\n".join(others(tale)) or MISSING,
        "scoreboard": story.predictions(results),
        "agreement": agreement(root, largest=True),
        "leaks": leaks(tale),
        **hardware.values(),
        "side_by_side": tables.answer(results, "steps").markdown,
        "beside": tale.picture("beside-bishop-austin-2021"),
        "errata": tables.answer(results, "errata").markdown,
        "lessons": tables.answer(results, "lessons").markdown,
        "sources": sources(tale),
    }


def answers(tale: Story) -> str:
    """The numbers that an engineer asks for first."""
    line, rows = main_line(tale.snapshots), []
    for what, slow, fast in PAIRS:
        pair = slow or line[0], fast or line[-1]
        gains = [factor(tables.gain(tale.results, *pair, level)) for level in tale.levels]
        rows.append([what, " / ".join(name.rpartition("/")[2] for name in pair), *gains])
    return markdown.table(["what", "programs", *(f"-{at}" for at in tale.levels)], rows, (0, 1))


def best(tale: Story) -> dict[str, str]:
    """The best C and the best assembly, each at its best level, and what
    assembly by hand and arithmetic are worth."""
    counts, levels, told = dict[str, float](), dict[str, str](), dict[str, str]()
    by_hand = {snapshot.name for snapshot in tale.snapshots if snapshot.has_assembly}
    for row in sorted(tale.results.ladder(), key=lambda row: -float(row["instructions"])):
        kind = "best_assembly" if row["rung"] in by_hand else "best_c"
        counts[kind], levels[kind] = row["instructions"], row["level"]
        told[kind] = f"{row['rung']} at -{row['level']}"
    c, asm, level = counts.get("best_c"), counts.get("best_assembly"), levels.get("best_c", "O1")
    return {
        "best_c": told.get("best_c", NONE),
        "best_assembly": told.get("best_assembly", NONE),
        "c_count": whole(c),
        "assembly_count": whole(asm),
        "by_hand": factor(c / asm if c and asm else None),
        "words": factor(tables.gain(tale.results, "v6", "v7", level)),
        "best_level": f"-{level}",
    }


def helped(tale: Story) -> str:
    """How many steps help at every level, and what the others do."""
    lines = {s: line for s in tale.snapshots if (line := story.verdict_line(tale.ladder, s.name))}
    mixed = {s: line for s, line in lines.items() if re.search("no difference|hurts", line)}
    others = "; ".join(f"{s.name}, {s.idea} ({line})" for s, line in mixed.items())
    text = f"{len(lines) - len(mixed)} of {len(lines)} steps help at every level"
    return text + f"; the others are {others}" * bool(others)


# --- the ladder -----------------------------------------------------------------------------------


def product(tale: Story) -> str:
    """Instructions of one Montgomery product, by rung and level."""
    if not tale.results.trips("mont_mul"):
        return MISSING
    table = ladder_table(tale.results, case="mont_mul")
    return story.by_level(grid(table, tale.snapshots, "instructions"), whole)


def section(tale: Story, snapshot: Snapshot) -> list[str]:
    """One rung: what changed, the numbers, the reasons, where to read on."""
    part = markdown.parts(snapshot, tale.root)
    reason = claims.SENTENCE.split(part.get(markdown.VERDICT, ""))[:SENTENCES]
    made = {at: spent.step(tale.results, snapshot, at) for at in tale.levels}
    why = "\n".join(f"- -{level}: {movers(one)}" for level, one in made.items() if one)
    if snapshot.parent and not why:
        why = MISSING
    return [
        f'### <a id="{snapshot.name}"></a>{snapshot.name}. {snapshot.idea}',
        f"**Change.** {part['Change']}",
        story.step(tale.ladder, snapshot, tale.ladder["rung"].iloc[0]),
        *filter(None, (why, " ".join(reason), moves(tale, snapshot.name))),
        f"More: {tale.linked(snapshot, snapshot.path.relative_to(tale.root).as_posix())}.",
    ]


def moves(tale: Story, rung: str) -> str:
    """A sentence where a rung executes many moves between the core and the VFP and NEON unit."""
    parts = []
    for level in tale.levels:
        here = spent.spent(tale.results, LADDER, rung, level)
        share = here.of(spent.MOVES) / (here.of() or 1)
        if share >= MANY:
            number = whole(here.of(spent.MOVES))
            parts.append(f"{number} at -{level} ({100 * share:.1f} % of all instructions)")
    if not parts:
        return ""
    return (
        f"Moves between core registers and registers of the VFP and NEON unit: {', '.join(parts)}."
        " A limb that is held in that unit has to move to the core for each use there."
    )


# --- the studies ----------------------------------------------------------------------------------


def others(tale: Story) -> Iterator[str]:
    """Every other study: a table for each; a study that was not measured is named as such."""
    for study in ladder.studies(tale.root):
        if study != ALONE:
            yield f"**[studies/{study}]({tale.seen(ladder.study_path(study, tale.root))})**"
            yield of_study(tale, study)


def longer(tale: Story) -> dict[str, str]:
    """Of the study of long numbers what the best program needs at each size,
    from which size on Karatsuba's method pays, and what each technique
    gains; our Montgomery product in OpenSSL."""
    ask = tale.results.table
    long = {f"long_{name}": ask(long_numbers.__file__, name)
            for name in ("summary", "crossovers", "savings")}  # fmt: skip
    in_openssl = {
        "openssl_instructions": ask(openssl.__file__, "instructions"),
        "openssl_times": ask(openssl.__file__, "times", whose="here", ours=False),
        "openssl_validation": ask(openssl.__file__, "validation"),
    }
    return {name: table.markdown or MISSING for name, table in (long | in_openssl).items()}


def of_study(tale: Story, study: str) -> str:
    """A row for each snapshot: its folder, its parent, parent/this with its
    verdict by level; the techniques measured alone that gain most first."""
    if study not in tale.results.studies():
        return MISSING
    found = {(row["rung"], row["level"]): row for row in tale.results.ladder(study)
             if row["verdict"]}  # fmt: skip
    gains = {at: float(row["versus_parent"]) for at, row in found.items()}
    snapshots = tale.results.rungs(study)
    if study == ALONE:
        snapshots.sort(key=lambda s: -gains.get((s.name, SORTED_BY), 0))
    rows = []
    for s in snapshots:
        places = [(s.name, level) for level in tale.levels]
        texts = (f"{factor(gains[at])} {found[at]['verdict']}" if at in found else NONE
                 for at in places)  # fmt: skip
        parent = (s.parent or NONE).rpartition("/")[2]
        rows.append([tale.linked(s, s.name), s.idea, parent, *texts])
    head = ["folder", "idea", "parent", *(f"-{level}" for level in tale.levels)]
    return markdown.table(head, rows, tuple(range(len(head))))


# --- leaks, counters, cycles, sources -------------------------------------------------------------


def leaks(tale: Story) -> str:
    """What the traces of both functions say, over all levels and compilers: a
    row for each rung, and for each other snapshot that has one without a leak."""
    said = {tuple(row)[:3]: row["said"] for row in tale.results.query("select * from leaks")}
    rows = []
    for study in (LADDER, *ladder.studies(tale.root)):
        for s in ladder.snapshots(study, tale.root):
            texts = [said.get((study, s.name, name), MISSING) for name in FUNCTIONS]
            if study == LADDER or set(texts) - {"leaks", MISSING}:
                name = s.name if study == LADDER else f"{study}/{s.name}"
                rows.append([tale.linked(s, name), *texts])
    return markdown.table(["snapshot", *FUNCTIONS], rows, (0, 1, 2)) if said else MISSING


def another_compiler(results: Results) -> dict[str, str]:
    """What changes with the compiler: each gain that differs by 1 % or more,
    how many verdicts and words for predictions differ, and the claims that
    do not hold.  Without other results nothing changes."""
    folders = sorted(path.parent for path in results.root.glob("results/qemu-*/lines.csv"))
    others = (load(path, results.root) for path in folders if path != results.folder)
    other = next(others, results)
    steps = [{(row["rung"], row["level"]): row for row in one.query(STEPS, LADDER)}
             for one in (results, other)]  # fmt: skip
    pairs = [(own, steps[1][at]) for at, own in steps[0].items() if at in steps[1]]
    rows, false = [], []
    for own, there in pairs:
        child, level = ladder.find(own["rung"], root=results.root), own["level"]
        if abs(there["gain"] / own["gain"] - 1) >= THRESHOLD:
            gains = (factor(one["gain"]) for one in (own, there))
            rows.append([f"{child.parent} to {child.name}", f"-{level}", *gains, there["verdict"]])
        made = spent.step(other, child, level)
        if missed := made and claims.missed(child, level, made):
            false.append(f"{child.name} -{level} {' '.join(missed)}")
    verdicts, words = (sum(own[key] != there[key] for own, there in pairs)
                       for key in ("verdict", "word"))  # fmt: skip
    head = ["step", "level", results.folder.name, other.folder.name, "verdict"]
    return {
        "other_folder": other.folder.name,
        "other_compiler": markdown.plain(other.compiler),
        "verdicts": f"{len(pairs)} verdicts {verdicts}",
        "words_differ": f"{len(pairs)} words for the predictions {words}",
        "other_gains": Table(head, rows).markdown,
        "other_false": ", ".join(false) or NONE,
    }


def agreement(root: Path = ROOT, largest: bool = False) -> str:
    """A table for each board whose kernel has counted, or only for that
    which counted most cells. Raises Failure."""
    folders = sorted(path.parent for path in root.glob("results/board-*/agreement.csv"))
    boards = [load(folder, root, counted=False) for folder in folders]
    if largest:
        boards = sorted(boards, key=lambda one: len(one.query("select 1 from agreement")))[-1:]
    return "\n\n".join(map(of_board, boards)) or MISSING


def of_board(results: Results) -> str:
    """Instructions of the same calls of mont_mul by plugin and Unicorn, a
    row for each snapshot, a column for each level; and what the kernel
    counts beyond them, the instructions of the driver."""
    rows = results.query("select * from agreements")
    levels = sorted({row["level"] for row in rows})
    table: dict[str, list[str]] = {}
    for row in rows:
        counts = dict.fromkeys(f"{row[counter]:,}" for counter in ("plugin", "unicorn"))
        table.setdefault(row["snapshot"], []).append(" or ".join(counts))
    agreed = sum(row["plugin"] == row["unicorn"] for row in rows)
    shares = sorted({(row["kernel"] - row["plugin"]) / row["n"] for row in rows})
    more = " or ".join(f"{share:g}" for share in shares)
    facts, calls = results.machine, max(row["n"] for row in rows)
    lines = [[name, *texts] for name, texts in table.items()]
    return (
        f"{markdown.table(['', *(f'-{level}' for level in levels)], lines)}\n\n"
        f"Instructions of {calls} calls of mont_mul; plugin and Unicorn agree in {agreed} of"
        f" {len(rows)} cells; the kernel counts {more} more a call, the driver's. {results.label}:"
        f" {facts['os']}, kernel {facts['kernel']}, {facts['compiler']}."
    )


def cycles(tale: Story, model: str) -> str:
    """Cycles a call of mont_mul and a round trip by rung and level, and the model's error."""
    return tale.results.table(models.__file__, "by_level", model=model).markdown or MISSING


def sources(tale: Story) -> str:
    """The sources' tables: source, place there, title and the file that has it."""
    rows = []
    for row in read_csv(INDEX, tale.root):
        if row["source"] not in (OURS, "all"):
            link = tale.seen(tale.root / FOLDER / row["file"])
            rows.append([row["source"], row["section"] or NONE, f"[{row['title']}]({link})"])
    return markdown.table(["source", "place", "table"], rows, (0, 1, 2))
