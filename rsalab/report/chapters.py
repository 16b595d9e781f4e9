"""The report's chapters: values for the places of report.template.md."""

from __future__ import annotations

import re

from records.ladder import LADDER, Snapshot
from records.published import FOLDER, INDEX, OURS, read_csv
from records.statistics import THRESHOLD
from records.tables import NONE, factor, whole
from rsalab import markdown, sources
from rsalab.charts import inside
from rsalab.frames import ladder_table, main_line
from rsalab.report import reasons, studies, tables
from rsalab.report.story import MISSING, Story, origin
from rsalab.sources.bishop import published

BY_HAND = "bit-serial-assembly"  # in studies/alone
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
MOVES = "neon_move"  # the counter's class of moves between core and VFP or NEON registers
MANY = 0.05  # of all instructions: from there on the report names them
SENTENCES = 4  # of a README's causes, the first of which judges the prediction


def facts(tale: Story) -> dict[str, str]:
    """What the numbers were measured with, what is missing, and what the text links to."""
    timed = bool(tale.ladder["median_us"].notna().any())
    pages = {name: tale.seen(tale.root / "docs" / f"{name}.md")
             for name in ("montgomery", "glossary", "measuring", "trust")}  # fmt: skip
    return {
        **pages,
        "notebook_03": tale.seen(tale.root / "notebooks" / "03-call-graphs.ipynb"),
        "notebook_05": tale.seen(tale.root / "notebooks" / "05-against-the-sources.ipynb"),
        "origin": origin(tale.results),
        "platform": markdown.plain(tale.results.platform),
        "compiler": markdown.plain(tale.results.compiler),
        "flags": tale.results.machine.get("flags", ""),
        "folder": markdown.plain(tale.results.label),
        "trips": str(tale.results.trips()),
        "levels": ", ".join(f"-{level}" for level in tale.levels),
        "threshold": f"{100 * THRESHOLD:g}",
        "times": TIMES if timed else NO_TIMES,
        "no_times": "" if timed else THREAT,
        "dropped": sources.lessons.dropped(),
    }


def answer(tale: Story) -> dict[str, str]:
    """The numbers that an engineer asks for first."""
    ladder, line = tale.ladder, main_line(tale.snapshots)
    steps = [s for s in tale.snapshots if tables.verdict_line(ladder, s.name)]
    mixed = [s for s in steps if (ladder[ladder["rung"] == s.name]["verdict"] != "helps").any()]
    others = [f"{s.name}, {s.idea} ({tables.verdict_line(ladder, s.name)})" for s in mixed]
    helped = f"{len(steps) - len(mixed)} of {len(steps)} steps help at every level"
    rows = []
    for what, slow, fast in PAIRS:
        pair = slow or line[0], fast or line[-1]
        gains = gain(tale, *pair)
        rows.append([what, " / ".join(pair), *(factor(gains.get(level)) for level in tale.levels)])
    head = ["what", "programs", *(f"-{level}" for level in tale.levels)]
    return {
        "rungs": str(len(tale.snapshots)),
        "first": line[0],
        "lead": lead(tale),
        "answers": markdown.table(head, rows, (0, 1)),
        "helped": helped + (f"; the others are {'; '.join(others)}" if others else ""),
    }


def gain(tale: Story, slow: str, fast: str) -> dict[str, float]:
    """Level -> instructions of one program over those of another, rungs or studies/alone."""
    means, found = tale.results.means, {}
    for level in tale.levels:
        pair = [means(studies.ALONE if name == BY_HAND else LADDER, name, level)
                for name in (slow, fast)]  # fmt: skip
        if pair[0] and pair[1]:
            found[level] = pair[0]["instructions"] / pair[1]["instructions"]
    return found


def lead(tale: Story) -> str:
    """The best C beside the best assembly, each at its best level, and what arithmetic is worth."""
    by_hand = {snapshot.name for snapshot in tale.snapshots if snapshot.has_assembly}
    hand = tale.ladder["rung"].isin(by_hand)
    if not hand.any() or hand.all():
        return "These results hold no rung in C beside one in assembly."
    c, asm = (rows.loc[rows["instructions"].idxmin()]
              for rows in (tale.ladder[~hand], tale.ladder[hand]))  # fmt: skip
    words = gain(tale, "v6", "v7").get(c["level"])
    return (
        f"**The best C executes {whole(c['instructions'])} instructions a round trip"
        f" ({c['rung']} at -{c['level']}), the best assembly {whole(asm['instructions'])}"
        f" ({asm['rung']} at -{asm['level']}): assembly by hand is worth"
        f" {factor(c['instructions'] / asm['instructions'])}. Arithmetic with words instead of bits"
        f" is worth {factor(words)} at -{c['level']}, and it is C.**"
    )


def ladder_parts(tale: Story) -> dict[str, str]:
    """The ladder drawn, tabulated and charted, and a section for each rung."""
    case, product = "mont_mul", MISSING
    if tale.results.trips(case):
        table = ladder_table(tale.results, case=case)
        product = tables.operations(table, tale.snapshots)
    return {
        "tree": markdown.tree(tale.snapshots),
        "overview": tables.overview(tale.ladder, tale.snapshots),
        "speed_up": tale.picture("speed-up"),
        "survival": tale.picture("survival"),
        "lines": tale.picture("lines-and-instructions"),
        "mix": tale.picture("instruction-mix"),
        "product": product,
        "sections": "\n\n".join(p for s in tale.snapshots for p in section(tale, s)),
    }


def moves(tale: Story, rung: str) -> list[str]:
    """A sentence where a rung executes many moves between the core and the VFP and NEON unit."""
    counted = inside.classes(tale.results, LADDER)
    if MOVES not in counted:
        return []
    here = [(level, counted.loc[(rung, level), [MOVES, "total"]])
            for level in tale.levels if (rung, level) in counted.index]  # fmt: skip
    said = [
        f"{whole(n[MOVES])} at -{level} ({100 * n[MOVES] / n['total']:.1f} % of all instructions)"
        for level, n in here
        if n[MOVES] >= MANY * n["total"]
    ]
    if not said:
        return []
    return [
        f"Moves between core registers and registers of the VFP and NEON unit: {', '.join(said)}."
        " A limb that is held in that unit has to move to the core for each use there."
    ]


def section(tale: Story, snapshot: Snapshot) -> list[str]:
    """One rung: what changed, the numbers, the reasons, where to read on."""
    part = markdown.parts(snapshot, tale.root)
    code = tale.seen(snapshot.path / "README.md")
    reason = re.split(r"(?<=\.)\s+", part.get(markdown.VERDICT, ""))[:SENTENCES]
    return [
        f'### <a id="{snapshot.name}"></a>{snapshot.name}. {snapshot.idea}',
        f"**Change.** {part['Change']}",
        tables.step(tale.ladder, snapshot, tale.ladder["rung"].iloc[0]),
        *why(tale, snapshot),
        " ".join(reason),
        *moves(tale, snapshot.name),
        f"More: [{snapshot.path.relative_to(tale.root).as_posix()}]({code}).",
    ]


def why(tale: Story, snapshot: Snapshot) -> list[str]:
    """What changed most at each level.  Raises Failure for counts by line that are not whole."""
    if snapshot.parent is None:
        return []
    if not tale.results.query("select 1 from lines limit 1"):
        return [MISSING]
    return list(filter(None, [reasons.why(tale.results.folder, snapshot, tale.root)]))


def comparison(tale: Story) -> dict[str, str]:
    """The five sources' numbers beside ours, in words and in a table, and where all of them are."""
    found = sources.lessons.found(tale.results, tale.ladder, tale.root)
    return {
        "side_by_side": tables.side_by_side(tale.ladder, published(tale.root)),
        "beside": tale.picture("beside-bishop-austin-2021"),
        "errata": sources.lessons.table(tale.root),
        "lessons": "\n".join(f"- **{source}.** {one}" for source, all_ in found.items()
                             for one in all_),
        "sources": listed(tale),
    }  # fmt: skip


def listed(tale: Story) -> str:
    """The sources' tables: source, place there, title and the file that has it."""
    rows = []
    for row in read_csv(INDEX, tale.root):
        if row["source"] not in (OURS, "all"):
            link = tale.seen(tale.root / FOLDER / row["file"])
            rows.append([row["source"], row["section"] or NONE, f"[{row['title']}]({link})"])
    return markdown.table(["source", "place", "table"], rows, (0, 1, 2))


def besides(tale: Story) -> dict[str, str]:
    """What was measured outside the ladder, and the predictions."""
    return {
        "alone": studies.alone(tale),
        "sorted_by": f"-{studies.SORTED_BY}",
        "studies": studies.others(tale),
        "scoreboard": reasons.predictions(tale.results.folder, root=tale.root),
        "agreement": studies.largest(tale.root),
        "compilers": reasons.another_compiler(tale.results.folder, tale.root) or MISSING,
        "leaks": studies.leaks(tale),
    }


def values(tale: Story) -> dict[str, str]:
    """Every place of the template.  Raises Failure."""
    parts = (facts, answer, ladder_parts, besides, comparison, studies.cycles)
    return {name: text for part in parts for name, text in part(tale).items()}
