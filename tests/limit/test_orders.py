"""studies/alone/ordered: the model of an ARM1176, and the search through all orders."""

from itertools import permutations
from pathlib import Path

import pytest
from needs import needs

from records.faults import Failure, run
from records.ladder import ROOT
from records.rows import read_rows
from studies.alone.ordered import order

# Sequences with the cycles that the manual gives them (ARM DDI 0301H, 16.2, 16.7 and 16.12), and
# one more instruction where the last result counts.
SEQUENCES = {
    "ldr r1, [r2]; adds r6, r5, r4": 2,
    "adds r1, r2, r3; adds r9, r6, r1": 2,
    "ldr r1, [r2]; adds r6, r5, r1": 4,
    "adds r1, r5, r6; ldr r2, [r1]": 3,
    "ldr r1, [r2]; ldr r5, [r1]": 5,
    "ldm r0, {r1, r2, r4, r5}; adds r9, r9, r4": 5,
    "mul r0, r1, r2; adds r3, r3, r0": 5,
    "umull r0, r1, r2, r3; umaal r4, r1, r2, r3": 8,
    "umull r0, r1, r2, r3; umaal r0, r4, r2, r3": 6,
    "umull r0, r1, r2, r3; mul r4, r0, r5": 7,
}
FEW = "ldr r1, [r2]; ldr r4, [r2, #4]; umull r5, r6, r1, r4; mul r7, r5, r0; adds r8, r7, r6; adc r9, r3, r8"
FOLDERS = ("iterations/v8", "studies/alone/ordered", "studies/alone/rows-in-assembly")


def code(text: str) -> order.Code:
    return order.code_of([line.replace(" ", "\t", 1) for line in text.split("; ")])


def product(rung: str, folder: Path) -> Path:
    """Return the assembly of a rung as an object."""
    out = folder / f"{Path(rung).name}.o"
    options = ["-march=armv7-a", "-mfpu=neon", "-marm", "-c"]
    source = ROOT / rung / "mont.S"
    run(["arm-linux-gnueabihf-gcc", *options, source, "-o", out])
    return out


@pytest.mark.parametrize("text", SEQUENCES)
def test_a_sequence_takes_what_the_manual_says(text: str) -> None:
    assert order.cycles(code(text), order.ARM1176) == SEQUENCES[text]


@pytest.mark.parametrize("core", order.CORES, ids=lambda core: core.name)
def test_the_search_finds_what_trying_every_permutation_finds(core: order.Core) -> None:
    """Of few instructions, each permutation that makes every value before it is used."""
    few = code(FEW)
    found = []
    for permutation in permutations(range(len(few.instructions))):
        done = 0
        for at in permutation:
            if at not in order.next_ones(few, done):
                break
            done |= 1 << at
        else:
            instructions = [few.instructions[at] for at in permutation]
            found.append(order.cycles(few._replace(instructions=instructions), core))
    best = order.search(few, core)
    assert best.orders == len(found) > 1
    assert [state.clock for state in best.states] == [min(found)]


@needs("arm-linux-gnueabihf-gcc")
def test_the_product_is_v8s_in_the_fastest_order(tmp_path: Path) -> None:
    v8, ordered, other = (product(rung, tmp_path) for rung in FOLDERS)
    rows = order.searched(v8, ordered)
    assert rows == order.recorded()
    by_core = {row[0]: [int(number) for number in row[1:5]] for row in rows}
    before, now, fewest, _ = by_core["ARM1176"]
    assert before > now == fewest
    with pytest.raises(Failure, match="not the instructions of .* in another order"):
        order.searched(v8, other)


def test_the_page_says_what_was_recorded() -> None:
    assert order.shown() in (order.HERE / "README.md").read_text("utf-8")


def test_both_models_of_a_cortex_m4_give_the_same_cycles() -> None:
    """This one, and that of studies/hardware/cores, which executes the code as Thumb-2."""
    modelled = {row[0]: (int(row[1]), int(row[2])) for row in order.recorded()}
    found = {}
    for row in read_rows(ROOT / "results/core-cortex-m4/cycles.csv"):
        cell = row["level"], row["workload"], row["metric"]
        if cell == ("O1", "mont_mul", "cycles"):
            found[row["snapshot"]] = row["value"] / row["n"]
    assert (found["v8"], found["ordered"]) == modelled["Cortex-M4"]
