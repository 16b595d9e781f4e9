"""The sentences of texts about results that are made from numbers: `$text:right` is what `right`
returns, and `$fact:helped`, a part of a sentence, what `helped` returns."""

from itertools import groupby
from sqlite3 import Row
from typing import NamedTuple

from records import ladder
from records.ladder import LADDER, LEVELS, Snapshot
from records.results import FULL, Results
from records.statistics import VERDICTS
from records.step_file import BITS_BY_HAND, WORDS_IN_C
from records.tables import NONE, factor, percent, whole
from rsalab import cycles as in_cycles
from rsalab import models
from rsalab.compilers import disagreements
from rsalab.sources.tables import gains
from rsalab.steps.scoreboard import expected, outcome, tally

MISSING = "*Not measured in these results.*"
HELPS = VERDICTS[0]
# Kinds of code.
IN_C = "compiled C"
BY_HAND = "assembly"
BEST_FACTS = (
    "best_c", "c_count", "best_assembly", "assembly_count", "by_hand", "by_words", "best_level"
)  # fmt: skip
ANSWERED_AT = "O1"  # the level of the sentence that answers first
# Cycles of a misprediction in the model, beyond the instruction's own; 4 to 6 are published.
PENALTY = 5

# --- the ladder -----------------------------------------------------------------------------------


def found(results: Results) -> list[str]:
    """Return the levels that the ladder has."""
    question = "select distinct level from cells where study = ? order by level"
    return [level for (level,) in results.query(question, LADDER)]


def answer(results: Results) -> str:
    """Return how many times fewer instructions the last rung executes than the first one, and
    which step gains most."""
    rows = [row for row in counted(results) if row["level"] == ANSWERED_AT]
    steps = [row for row in rows if row["versus_parent"]]
    if not steps or not rows[-1]["versus_base"]:
        return ""
    first = rows[0]
    last = rows[-1]
    best = max(steps, key=lambda row: row["versus_parent"])
    return (
        f"At -{ANSWERED_AT} {last['snapshot']} executes {last['versus_base']:,.0f} times fewer"
        f" instructions than {first['snapshot']}, and the step that gains most is"
        f" [{best['snapshot']}](/iterations/{best['snapshot']}/README.md) ({best['idea']}),"
        f" which executes {best['versus_parent']:.1f} times fewer than {best['parent']}."
    )


def levels(results: Results) -> str:
    """Return the levels as options of the compiler."""
    return ", ".join(f"-{level}" for level in found(results))


def rungs(results: Results) -> str:
    """Return how many rungs were counted."""
    return str(len(results.rungs()))


def has_times(results: Results) -> bool:
    """Return whether the ladder was timed."""
    return bool(results.query("select 1 from medians where study = ? limit 1", LADDER))


def survived(results: Results) -> str:
    """Return which steps survive in cycles wherever they gain in instructions."""
    rungs = in_cycles.steps(results.root)
    if not rungs:
        return ""
    surviving: list[str] = []
    others: list[str] = []
    for rung in rungs:
        words = in_cycles.verdicts(rung, results.root)
        kept = set(words.values()) <= {in_cycles.ON_ALL, in_cycles.NO_GAIN}
        names = surviving if kept else others
        names.append(rung.name)
    steps = f"{len(surviving)} of {len(rungs)} steps"
    text = f"{steps} gain in clock cycles wherever they gain in instructions"
    if others:
        text += f" ([{in_cycles.listed(others)} does not at every level](#the-ladder))"
    counted = {rung.name for rung in rungs}
    uncounted = [
        one.name for one in results.rungs() if one.parent and one.name not in counted
    ]
    if uncounted:
        text += f"; no cycles of {in_cycles.listed(uncounted)} are known"
    return text


def least_in_cycles(results: Results) -> str:
    """Return the gain from which on a factor of the Cortex-M4's model is certain."""
    if not in_cycles.steps(results.root):
        return ""
    model = in_cycles.MODELLED
    return in_cycles.rounded_factor(in_cycles.least_gain(model, results.root))


def cycles(results: Results, snapshot: Snapshot) -> str:
    """Return at which levels a step's gain survives in cycles."""
    return in_cycles.sentence(snapshot, results.root)


def compilers(results: Results) -> str:
    """Return which steps help with one compiler and hurt with another."""
    return " ".join(disagreements(results.root))


def times(results: Results) -> str:
    """Return where times come from."""
    if has_times(results):
        return "Times are noisy: medians of `clock_gettime` over the round trips, on the board itself."
    return "There are no times here: the programs ran under emulation, whose time means nothing."


def no_times(results: Results) -> str:
    """Return what the lack of times threatens."""
    if has_times(results):
        return ""
    return (
        "- **No time was measured.** The programs ran under emulation. No number here is in"
        " seconds."
    )


def scores(results: Results, study: str = LADDER) -> list[Row]:
    """Return a row for each step and level of a study."""
    return results.rows(__file__, "scores", study=study)


def counted(results: Results, study: str = LADDER, workload: str = FULL) -> list[Row]:
    """Return a row for each snapshot and level of a study that has counts of a workload."""
    return results.rows(__file__, "counted", study=study, workload=workload)


def best(results: Results, code: str) -> Row | None:
    """Return the rung and level with the fewest instructions of a kind of code, of equals the last
    rung; None where there is none."""
    rows = [row for row in counted(results) if row["code"] == code]
    return min(rows, key=lambda row: (row["instructions"], -row["place"]), default=None)


class Compared(NamedTuple):
    """The labels of the programs that the answers compare, "" where there is none: words instead of
    bits in C, the same in bits, that with four products for one, and bits by hand."""

    words: str
    bits: str
    four_products: str
    bits_by_hand: str


def compared(results: Results) -> Compared:
    """Return them: a word-serial rung is compared with its parent, and that with its own."""
    words = ladder.with_role(WORDS_IN_C, results.root)
    bits = words and ladder.parent_of(words, results.root)
    four = bits and ladder.parent_of(bits, results.root)
    by_hand = ladder.with_role(BITS_BY_HAND, results.root)
    labels = [one.label if one else "" for one in (words, bits, four, by_hand)]
    return Compared(*labels)


def best_facts(results: Results) -> dict[str, str]:
    """Return what the best C and the best assembly need, each at its best level; what assembly by
    hand is worth, and arithmetic at the level that is best for C."""
    c = best(results, IN_C)
    assembly = best(results, BY_HAND)
    facts = dict.fromkeys(BEST_FACTS, NONE)
    if c:
        programs = compared(results)
        by_words = gains(results, programs.bits, programs.words)
        facts["best_c"] = f"{c['snapshot']} at -{c['level']}"
        facts["c_count"] = whole(c["instructions"])
        facts["best_level"] = f"-{c['level']}"
        facts["by_words"] = factor(by_words.get(c["level"]))
    if assembly:
        facts["best_assembly"] = f"{assembly['snapshot']} at -{assembly['level']}"
        facts["assembly_count"] = whole(assembly["instructions"])
    if c and assembly:
        facts["by_hand"] = factor(c["instructions"] / assembly["instructions"])
    return facts


def helped(results: Results) -> str:
    """Return how many steps help at every level, and which ones do not."""
    steps = 0
    others = []
    for name, group in groupby(scores(results), lambda row: row["snapshot"]):
        rows = list(group)
        steps += 1
        if any(row["verdict"] != HELPS for row in rows):
            idea = rows[0]["idea"]
            verdicts = [f"{row['verdict']} at -{row['level']}" for row in rows]
            others.append(f"{name}, {idea} ({', '.join(verdicts)})")
    if not steps:
        return ""
    text = f"{steps - len(others)} of {steps} steps help at every level"
    if others:
        text += f". The others are {'; '.join(others)}"
    return text


def by_level(rows: list[Row]) -> str:
    """Return the verdicts on a step, each behind its level."""
    return ", ".join(f"{row['level']} {row['verdict']}" for row in rows)


def right(results: Results) -> str:
    """Return how many predictions there are of each kind, and what became of them."""
    return " ".join(tally(scores(results))) if scores(results) else ""


def leak(traced: list[Row]) -> str:
    """Return what the traces of a function say, a row for each level; "" where none was traced."""
    if not traced:
        return ""
    leaking = [f"-{row['level']}" for row in traced if row["traces"] > 1]
    if not leaking:
        secrets = min(row["secrets"] for row in traced)
        return f"the same for {secrets} secrets"
    if len(leaking) == len(traced):
        return "leaks"
    return f"leaks at {', '.join(leaking)}"


# --- a snapshot -----------------------------------------------------------------------------------


def answers(results: Results, name: str, snapshot: Snapshot) -> list[Row]:
    """Return the answer to a question about a snapshot."""
    return results.rows(__file__, name, study=snapshot.study, snapshot=snapshot.name)


def verdict(results: Results, snapshot: Snapshot) -> str:
    """Return the verdict on a step by level, as step.toml has it."""
    rows = [
        row
        for row in scores(results, snapshot.study)
        if row["snapshot"] == snapshot.name
    ]
    return by_level(rows)


def foreseen(results: Results, snapshot: Snapshot) -> str:
    """Return what was predicted of a step and what was found, a line for each level."""
    lines = []
    for row in scores(results, snapshot.study):
        if row["snapshot"] != snapshot.name or row["low"] is None:
            continue
        gain = factor(row["gain"])
        score = f"{expected(row)}, found {gain}: {outcome(row)}"
        lines.append(f"- -{row['level']}: {score}")
    if not lines:
        return ""
    kind = f"[{snapshot.kind}](/docs/predictions.md)"
    return "\n".join([f"Predicted ({kind}):", "", *lines])


def own_cycles(results: Results, snapshot: Snapshot) -> str:
    """Return the cycles of a round trip by the model of the Cortex-M4, by level; "" where that
    core did not run the snapshot."""
    parts = []
    for level in LEVELS:
        cycles_there = in_cycles.trip(snapshot, level, results.root)
        if cycles_there:
            parts.append(f"{in_cycles.rounded(cycles_there)} at -{level}")
    if not parts:
        return ""
    core = in_cycles.MODELLED
    _, own = snapshot.page_names
    return f"Clock cycles of a round trip of {own}, {core}: {in_cycles.listed(parts)}."


def of_product(results: Results, snapshot: Snapshot) -> str:
    """Return what `(product)` means in the table of cycles; "" where it does not stand there."""
    gains = in_cycles.gains(snapshot, results.root)
    if any(gain.operation == in_cycles.PRODUCT for gain in gains):
        return ". `(product)`: this core simulated a product only"
    return ""


def moves(results: Results, snapshot: Snapshot) -> str:
    """Return how many instructions move limbs between core and NEON unit, where they are many."""
    parts = []
    for row in answers(results, "moves", snapshot):
        share = 100 * row["moves"] / row["instructions"]
        number = whole(row["moves"] / row["n"])
        parts.append(f"{number} at -{row['level']} ({share:.1f} % of all instructions)")
    if not parts:
        return ""
    return (
        "Moves between core registers and registers of the VFP and NEON unit:"
        f" {', '.join(parts)}."
        " A limb that is held in that unit has to move to the core for each use there."
    )


def slower(results: Results, snapshot: Snapshot) -> str:
    """Return by level how long a step takes by the model, with its error, beside its parent, also
    with a penalty at either published end, and the penalty at which both take as long."""
    lines = []
    for row in answers(results, "modelled", snapshot):
        before = row["cycles_before"]
        after = row["cycles"]
        fewer_wrong = row["wrong_before"] - row["wrong"]
        slow = snapshot.name if before < after else snapshot.parent_name
        at_four = before - row["wrong_before"] > after - row["wrong"]
        at_six = before + row["wrong_before"] > after + row["wrong"]
        ends = "but not at both ends of the published penalty"
        if at_four == at_six:
            ends = "also with a penalty of 4 or 6 cycles"
        penalty = (after - before) / fewer_wrong + PENALTY if fewer_wrong else None
        equal = f"{penalty:.1f}" if penalty and penalty > 0 else NONE
        lines.append(
            f"- -{row['level']}: {snapshot.parent_name}/{snapshot.name} is {factor(row['gain'])} by"
            f" instructions and {by_model(row['factor'])} by model cycles ({error_of(row)}): {slow} is"
            f" slower, {ends}."
            f" Penalty at which both take as long: {equal} cycles."
        )
    return "\n".join(lines)


def by_model(value: float) -> str:
    """Return a factor in cycles of the ARM1176's model."""
    return in_cycles.rounded_factor(value, models.DIGITS)


def error_of(row: Row) -> str:
    """Return the model's error for code of this kind, and the range of factors that it allows."""
    error = percent(row["low"], row["high"])
    return (
        f"the model errs by {error} for {row['code']}: {by_model(row['least'])} to"
        f" {by_model(row['greatest'])} is possible"
    )


def timed(results: Results, snapshot: Snapshot) -> str:
    """Return the times of a step and of its parent by level."""
    name = snapshot.name
    parent = snapshot.parent_name
    lines = []
    for row in answers(results, "timed", snapshot):
        own_us = row["own_us"]
        parent_us = row["parent_us"]
        times = f"{parent} {parent_us:.0f} µs, {name} {own_us:.0f} µs"
        ratio = factor(parent_us / own_us)
        lines.append(f"- -{row['level']}: {times}, {parent}/{name} {ratio}")
    return "\n".join(lines)


# --- boards ---------------------------------------------------------------------------------------


def agreed(results: Results) -> str:
    """Return in how many cells the counters agree, and what the kernel counts beyond them."""
    rows = results.query("select * from agreements")
    if not rows:
        return ""
    calls = max(row["n"] for row in rows)
    same = 0
    beyond = set()  # instructions a call
    for row in rows:
        if row["plugin"] == row["unicorn"]:
            same += 1
        more = row["kernel"] - row["plugin"]
        beyond.add(f"{more / row['n']:g}")
    shares = sorted(beyond)
    return (
        f"These are the instructions of {calls} calls of mont_mul. The plugin and Unicorn agree in"
        f" {same} of {len(rows)} cells. The kernel counts {' or '.join(shares)} more a call: those"
        " of the driver."
    )


# What every report says: where results have no number for it, the reference does.
ALWAYS = helped, right
FACTS_OF_RESULTS = levels, rungs, helped, survived
TEXTS_OF_RESULTS = answer, times, no_times, right, agreed, compilers, least_in_cycles
FACTS_OF_SNAPSHOT = (verdict, of_product)
TEXTS_OF_SNAPSHOT = foreseen, own_cycles, moves, slower, timed, cycles
