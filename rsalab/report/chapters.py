"""The report's chapters: values for the places of report.template.md."""

from __future__ import annotations

import re

from records.ladder import Snapshot
from records.numbers import NONE, by_level, factor, percent, whole
from records.verdict import THRESHOLD
from rsalab import markdown, sources
from rsalab.frames import alone, calls, cell, ladder_table, main_line, published, step_factors
from rsalab.models import errors
from rsalab.models.cycles import CASES as MODELLED
from rsalab.models.cycles import MODELS, model_of
from rsalab.report import lines, tables
from rsalab.report.story import MISSING, Story, origin

OPERATIONS = {
    "mont_mul": "One Montgomery product",
    "mod_exp": "One exponentiation, its exponent random and of full width",
    "roundtrip-65537": "One round trip with e = 65537, the usual short public exponent",
}
UNKNOWN = "(not measured)"
NOT_ALONE = "(not measured here: `make studies`)"
MEMBERS = ("count-down-only", "static-inline-only", "key-in-every-product")  # in studies/alone
TIMES = "Times are noisy: medians of `clock_gettime` over the round trips, on the board itself."
NO_TIMES = "There are no times here: the programs ran under emulation, whose time means nothing."
THREAT = (
    "- **No time was measured.** The programs ran under emulation and no ARM board stood behind"
    " these results, so no\n  statement here is about seconds.\n"
)
FIGURES = {
    "process": "How a message gets from Bob to Alice, after Bishop & Austin 2021, Figure 1",
    "use-case": "Who does what with RSA, after Dirk 2019, appendix B",
    "activity": "What every program does with the messages, after Bishop & Austin 2021, Figure 2",
    "mmm": "A bit-serial Montgomery product, after Lee 2021, Figure 2",
    "modexp": "The exponentiation of v6, v7 and v8, after Lee 2021, Figure 1",
}
BELONGS = {"Bit by bit": "mmm", "Stay in the domain": "modexp"}  # heading -> figure at its end
BUSY = 10_000  # calls a round trip from which a function has a column
PRODUCTS = ("mmm", "mmm_1", "mont_mul")
GRAPHS = ("v0-O1", "v8-O1")


def summary(tale: Story) -> dict[str, str]:
    """The main numbers, for the abstract."""
    ladder, line = tale.ladder, main_line(tale.snapshots)
    steps = [s for s in tale.snapshots if tables.verdict_line(ladder, s.name)]
    mixed = [s for s in steps if (ladder[ladder["rung"] == s.name]["verdict"] != "helps").any()]
    others = [f"{s.name}, {s.idea} ({tables.verdict_line(ladder, s.name)})" for s in mixed]
    members = {
        name.replace("-", "_"): by_level(alone(tale.results, name, tale.root)) or NOT_ALONE
        for name in MEMBERS
    }
    helped = f"{len(steps) - len(mixed)} of {len(steps)} steps help at every level"
    return {
        "rungs": str(len(tale.snapshots)),
        "first": line[0],
        "last": line[-1],
        "ends": tables.ends(ladder, tale.snapshots, line[0], line[-1]),
        "helped": helped + (f"; the others are {'; '.join(others)}" if others else ""),
        "registers": by_level(step_factors(ladder, "v0", "v1")) or UNKNOWN,
        "domain": by_level(step_factors(ladder, "v5", "v6")) or UNKNOWN,
        "words": by_level(step_factors(ladder, "v6", "v7")) or UNKNOWN,
        "by_hand": by_level(step_factors(ladder, "v7", "v8")) or UNKNOWN,
        "bit_by_hand": by_level(alone(tale.results, "bit-serial-assembly", tale.root)) or NOT_ALONE,
        "neon_arrays": by_level(step_factors(ladder, "v1", "v3")) or UNKNOWN,
        "neon_limbs": by_level(step_factors(ladder, "v2", "v3")) or UNKNOWN,
        "shorter": tale.charts["lines-and-instructions"].answer,
        **members,
    }


def facts(tale: Story) -> dict[str, str]:
    """What the numbers were measured with, and what is missing."""
    timed = bool(tale.ladder["median_us"].notna().any())
    return {
        "origin": origin(tale.results),
        "platform": tale.results.platform,
        "compiler": tale.results.compiler,
        "flags": tale.results.machine.get("flags", ""),
        "folder": tale.results.label,
        "trips": str(tale.results.trips()),
        "levels": ", ".join(f"-{level}" for level in tale.levels),
        "threshold": f"{100 * THRESHOLD:g}",
        "times": TIMES if timed else NO_TIMES,
        "no_times": "" if timed else THREAT,
    }


def background(tale: Story) -> dict[str, str]:
    """docs/montgomery.md as a chapter, its headings one deeper, its title left out, and the figures
    that belong to its sections; all figures by name, `figure_use_case`.  Raises Failure."""
    text = markdown.read(tale.root / "docs" / "montgomery.md", tale.root)
    folder = tale.root / "docs" / "figures"
    figures = {
        name: "".join(tale.figure(folder / f"{name}.svg", said)) for name, said in FIGURES.items()
    }
    parts = []
    for part in re.split(r"(?m)^(?=## )", text.split("\n", 1)[1]):
        for head, name in BELONGS.items():
            if part.startswith(f"## {head}"):
                part = f"{part.rstrip()}\n\n{figures[name]}\n\n"
        parts.append(f"#{part}" if part.startswith("## ") else part)
    named = {f"figure_{name.replace('-', '_')}": link for name, link in figures.items()}
    measuring = tale.seen(tale.root / "docs" / "measuring.md")
    return {"background": "".join(parts).strip(), "measuring": measuring, **named}


def ladder_parts(tale: Story) -> dict[str, str]:
    """The ladder drawn, tabulated and charted."""
    levels = [f"At -{level}:\n\n{tables.by_level(tale.ladder, level)}" for level in tale.levels]
    return {
        "tree": markdown.tree(tale.snapshots),
        "overview": tables.overview(tale.ladder, tale.snapshots),
        "speed_up": tale.picture("speed-up"),
        "levels_chart": tale.picture("levels"),
        "by_level": "\n\n".join(levels),
        "survival": tale.picture("survival"),
        "lines": tale.picture("lines-and-instructions"),
        "mix": tale.picture("instruction-mix", "loads-and-stores"),
        "operations": operations(tale),
    }


def operations(tale: Story) -> str:
    """A table for each of the other cases; a word where none was counted."""
    parts = []
    for case, what in OPERATIONS.items():
        n = tale.results.trips(case)
        if n:
            table = ladder_table(tale.results, case=case, root=tale.root)
            head = f"{what} (`{case}`, exact mean of {whole(n)}):"
            parts.append(f"{head}\n\n{tables.operations(table, tale.snapshots)}")
    return "\n\n".join(parts) or MISSING


def steps(tale: Story) -> dict[str, str]:
    """A section for each rung: its README.md's paragraphs and what was measured."""
    return {"sections": "\n\n".join(p for s in tale.snapshots for p in section(tale, s))}


def section(tale: Story, snapshot: Snapshot) -> list[str]:
    """The paragraphs of one rung."""
    part = markdown.parts(snapshot, tale.root)
    name = snapshot.path.relative_to(tale.root).as_posix()
    code = f"Code: [{name}]({tale.seen(snapshot.path)})."
    after = f"Parent: [{snapshot.parent}](#{snapshot.parent}). " if snapshot.parent else ""
    words = tables.verdict_line(tale.ladder, snapshot.name)
    first = tale.ladder["rung"].iloc[0]

    def told(*names: str) -> list[str]:
        return [f"**{name}.** {part[name]}" for name in names if part.get(name)]

    return [
        f'### <a id="{snapshot.name}"></a>{snapshot.name}. {snapshot.idea}',
        f"{after}Source: {snapshot.source or 'none'}. {code}",
        f"**Change.** {part['Change']}",
        *told("Technique"),
        f"**{'Predicted' if snapshot.parent else 'Why'}.** {part['Why']}",
        f"**Measured.** {words}".rstrip() + ("." if words else ""),
        tables.step(tale.ladder, snapshot, first, memory=True),
        *told(markdown.VERDICT, "Costs", "The source says"),
        *where(tale, snapshot),
    ]


def where(tale: Story, snapshot: Snapshot) -> list[str]:
    """The lines that execute most, or whose counts changed most, at -O1 or the only levels that
    there are; a word where the results have no count of lines."""
    level = "O1" if "O1" in tale.levels else tale.levels[0]
    counts = tale.results.lines
    table = lines.against_parent(counts, snapshot, level, tale.root)
    said = f"The lines whose counts changed most at -{level}, `-` where a text lacks the line:"
    if not table:
        table = lines.hottest(counts, snapshot, level)
        said = f"The lines that execute most at -{level}:"
    return [f"**Lines.** {said}", table] if table else [f"**Lines.** {MISSING}"]


def called(tale: Story) -> dict[str, str]:
    """Exact calls a round trip, and the call graphs that there are."""
    found = calls(tale.results)
    wide = found.pivot_table(index="rung", columns=["level", "callee"], values="calls")
    levels = [level for level in tale.levels if level in wide.columns]
    if not levels:
        return {"calls": MISSING, "calls_level": "the first level"}
    first = wide[levels[0]].dropna(how="all")
    busy = first.max().sort_values(ascending=False, kind="stable")
    names = [name for name in busy.index[busy >= BUSY] if name not in PRODUCTS]
    rows = []
    for rung in (s.name for s in tale.snapshots if s.name in first.index):
        own = first.loc[rung]
        numbers = [own.reindex(PRODUCTS).sum(), *own[names].fillna(0)]
        numbers += [wide.loc[rung, level].sum() for level in levels]
        rows.append([rung, *(whole(n) if n else NONE for n in numbers)])
    head = ["rung", "products", *(f"`{name}`" for name in names)]
    head += [f"all -{level}" for level in levels]
    graphs = tale.results.folder.resolve() / "gprof"
    shown = [tale.figure(graphs / f"{name}.svg", f"Calls of {name.replace('-', ' at -')}")
             for name in GRAPHS]  # fmt: skip
    text = "\n\n".join([markdown.table(head, rows), *sum(shown, [])])
    return {"calls": text, "calls_level": f"-{levels[0]}"}


def cycles(tale: Story) -> dict[str, str]:
    """A table for each model: cycles a call of mont_mul and a round trip by rung and level, and the
    model's error; a word for the model that the results cannot feed."""
    says, ranges = {}, {}
    for row, error in errors.known_in(tale.results.folder):
        model = model_of(row)
        says[model, row["snapshot"], row["level"], row["case"]] = row["value"] / row["n"]
        ranges[model, row["snapshot"]] = percent(*error)
    names = ("mont_mul", "round trip")
    head = ["rung", *(f"{name} -{level}" for name in names for level in tale.levels), "error"]
    parts = {}
    for model in MODELS:
        rows = []
        for rung in (s.name for s in tale.snapshots if (model, s.name) in ranges):
            had = [says.get((model, rung, at, case)) for case in MODELLED for at in tale.levels]
            rows.append([rung, *map(whole, had), ranges[model, rung]])
        name = f"model_{model.replace('-', '_')}"
        parts[name] = markdown.table(head, rows) if rows else MISSING
    return parts


def comparison(tale: Story) -> dict[str, str]:
    """The five sources' own numbers beside ours."""
    theirs = published(tale.root)
    ours = [cell(tale.ladder, rung, "O0") for rung in ("v5", "v6")]
    before, after = (UNKNOWN if row is None else whole(row["asm_lines"]) for row in ours)
    return {
        "table_1": tables.table_1(theirs),
        "reasons": tables.reasons(theirs),
        "side_by_side": tables.side_by_side(tale.ladder, theirs),
        "beside": tale.picture("beside-bishop-austin-2021"),
        "their_last": factor(theirs["step"].iloc[-1]),
        "their_lines_before": whole(theirs["asm_lines"].iloc[-2]),
        "their_lines_after": whole(theirs["asm_lines"].iloc[-1]),
        "our_lines_before": before,
        "our_lines_after": after,
        "sources": with_charts(tale, sources.section(tale.results, tale.ladder, tale.root)),
    }


def with_charts(tale: Story, text: str) -> str:
    """A text whose sections end with their source's chart, which is named after its first word."""
    parts = re.split(r"(?m)^(?=### )", text)
    for place, part in enumerate(parts):
        source = re.match(r"### (\w+)", part)
        for name in tale.charts:
            if source and name.startswith(f"beside-{source[1].lower()}"):
                parts[place] = f"{part.rstrip()}\n\n{tale.picture(name)}\n\n"
    return "".join(parts).strip()
