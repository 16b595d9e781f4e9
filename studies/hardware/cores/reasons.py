"""Why a step gains more or less in cycles than in instructions: README's sentences, with their
numbers from results/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from records.ladder import LADDER, ROOT
from records.results import load, reference
from rsalab.templates import filled
from studies.hardware.cores import cores
from studies.hardware.cores.cortex_m4.published import CORE as M4

TEMPLATE = Path("studies/hardware/cores/reasons.template.md")
WAITING = ("load", "store")
MULTIPLICATIONS = ("class_mul", "class_mul_long")
MASKED = "masked-addition"
# The last and the first register of a range, such as r4-r11.
RANGE = re.compile(r"[a-z]+(\d+)-[a-z]+(\d+)")
BLOCK = re.compile(r"(?m)^\s+(?:push|pop|ldm|stm)(?:cc|cs)?\s[^{\n]*\{([^}]*)\}")


class Cost(NamedTuple):
    """What an operation executes and takes, on average."""

    instructions: float
    cycles: float


def totals(
    core: str, snapshot: str, level: str, operation: str
) -> dict[tuple[str, str], int]:
    """Return what all calls of an operation of a snapshot take on a core, by metric and symbol."""
    question = """select metric, symbol, value from every_core
        where (platform, snapshot, level, workload) = (?, ?, ?, ?)"""
    rows = load(reference(ROOT)).query(
        question, cores.folder_of(core), snapshot, level, operation
    )
    return {(row["metric"], row["symbol"]): row["value"] for row in rows}


def cost(core: str, snapshot: str, level: str, operation: str = "mont_mul") -> Cost:
    """Return what an operation of a snapshot costs on a core."""
    question = """select instructions, cycles from cores
        where (core, snapshot, level, operation) = (?, ?, ?, ?)"""
    rows = load(reference(ROOT)).query(question, core, snapshot, level, operation)
    (row,) = rows
    return Cost(row["instructions"], row["cycles"])


def events(
    core: str, snapshot: str, level: str, operation: str = "mont_mul"
) -> dict[str, Cost]:
    """Return the instructions of each class and their cycles, of all measured calls."""
    found = {}
    spent = totals(core, snapshot, level, operation)
    for (metric, event), count in spent.items():
        if metric == "events":
            found[event] = Cost(count, spent["cycles", event])
    return found


def a32_product(snapshot: str) -> dict[str, float]:
    """Return the counts of a product at -O1 in A32, by metric."""
    question = (
        "select metric, 1.0 * value / n as mean from counts where study = ? and snapshot = ?"
        " and level = 'O1' and workload = 'mont_mul' and symbol = 'snapshot'"
    )
    rows = load(reference(ROOT)).query(question, LADDER, snapshot)
    return {row["metric"]: row["mean"] for row in rows}


def waits(snapshot: str) -> float:
    """Return the cycles of loads and stores beyond one each, of a product at -O0 on VexRiscv."""
    total = 0.0
    for event, spent in events("vexriscv", snapshot, "O0").items():
        if event in WAITING:
            total += spent.cycles - spent.instructions
    return total / cores.OPERATIONS["mont_mul"][1]


def first_step() -> dict[str, str]:
    """Return the numbers of v1."""
    before = cost("vexriscv", "v0", "O0")
    after = cost("vexriscv", "v1", "O0")
    saved = before.cycles - after.cycles
    waited = waits("v0") - waits("v1")
    return {
        "v1_instructions": f"{before.instructions - after.instructions:,.0f}",
        "v1_cycles": f"{saved:,.0f}",
        "v1_waits": f"{100 * waited / saved:.0f} %",
    }


def share_of_memory(snapshot: str, level: str) -> str:
    """Return the share of loads and stores in the instructions of a product on PicoRV32."""
    executed = 0.0
    accesses = 0.0
    for event, spent in events("picorv32", snapshot, level).items():
        executed += spent.instructions
        if event in WAITING:
            accesses += spent.instructions
    return f"{100 * accesses / executed:.0f} %"


def named_limbs() -> dict[str, str]:
    """Return the numbers of v2."""
    found = {}
    for snapshot in ("v1", "v2"):
        for level in ("O0", "O1"):
            name = f"memory_{snapshot}_{level.lower()}"
            found[name] = share_of_memory(snapshot, level)
    return found


def words() -> dict[str, str]:
    """Return the numbers of v7."""
    calls = cores.OPERATIONS["mont_mul"][1]
    six = cost("picorv32", "v6", "O1")
    seven = cost("picorv32", "v7", "O1")
    a32_six = a32_product("v6")
    a32_seven = a32_product("v7")
    a32_muls = sum(a32_seven[metric] for metric in MULTIPLICATIONS)
    muls = events("picorv32", "v7", "O1")["mul"].instructions / calls
    slow = events("picorv32-slow", "v7", "O1")["mul"]
    slow_six = cost("picorv32-slow", "v6", "O1")
    slow_seven = cost("picorv32-slow", "v7", "O1")
    return {
        "v7_rv32im": f"{seven.instructions:.0f}",
        "v7_muls": f"{muls:.0f}",
        "v7_a32": f"{a32_seven['instructions']:.0f}",
        "v7_a32_muls": f"{a32_muls:.0f}",
        "v6_rv32im": f"{six.instructions:,.0f}",
        "v6_a32": f"{a32_six['instructions']:,.0f}",
        "slow_mul": f"{slow.cycles / slow.instructions:.0f}",
        "slow_gain": f"x{slow_six.cycles / slow_seven.cycles:.1f}",
        "fast_gain": f"x{six.cycles / seven.cycles:.1f}",
    }


def cache() -> dict[str, str]:
    """Return the numbers of v7 at -O3 on VexRiscv, of a round trip."""
    slow = cost("vexriscv", "v7", "O1", "roundtrip")
    fast = cost("vexriscv", "v7", "O3", "roundtrip")
    missed = events("vexriscv", "v7", "O3", "roundtrip")["miss"].cycles
    fewer = 1 - fast.instructions / slow.instructions
    return {
        "o3_fewer": f"{100 * fewer:.0f} %",
        "o3_more": f"{100 * (fast.cycles / slow.cycles - 1):.0f} %",
        "o3_misses": f"{100 * missed / fast.cycles:.0f} %",
    }


def registers(listed: str) -> int:
    """Return how many registers a list such as `r0, r4-r11, lr` has."""
    total = 0
    for name in listed.split(","):
        ends = RANGE.fullmatch(name.strip())
        total += int(ends[2]) - int(ends[1]) + 1 if ends else 1
    return total


def blocks() -> list[int]:
    """Return the registers of each instruction of v8's product that moves several."""
    text = (ROOT / "iterations/v8/mont.S").read_text("utf-8")
    return [registers(listed) for listed in BLOCK.findall(text)]


def assembly() -> dict[str, str]:
    """Return the numbers of v8 on the Cortex-M4."""
    product = cost(M4, "v8", "O1")
    moved = blocks()
    return {
        "v8_blocks": str(len(moved)),
        "v8_instructions": f"{product.instructions:.0f}",
        "v8_block_cycles": str(sum(moved) + len(moved)),
        "v8_cycles": f"{product.cycles:.0f}",
    }


def masks() -> dict[str, str]:
    """Return how many times v6's instructions and cycles the masked addition takes."""
    executed = []
    spent = []
    for core in cores.CORES:
        for level in ("O0", "O1", "O3"):
            six = cost(core, "v6", level)
            masked = cost(core, MASKED, level)
            executed.append(masked.instructions / six.instructions)
            spent.append(masked.cycles / six.cycles)
    return {
        "masked_instructions": f"{min(executed):.1f} to {max(executed):.1f}",
        "masked_cycles": f"{min(spent):.1f} to {max(spent):.1f}",
    }


def reasons() -> str:
    """Return the sentences, as Markdown."""
    facts = first_step() | named_limbs() | words() | cache() | assembly() | masks()
    return filled(ROOT / TEMPLATE, facts).strip()
