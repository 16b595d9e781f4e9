# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 8. Hardware: the ladder in cycles of three cores, and what a unit gains
#
# An instruction is not a cycle. Does what a step gains in instructions survive in clock cycles? And three
# of the sources propose a circuit of their own for the Montgomery product: does it pay?
#
# No ARM board is at hand. A **Cortex-M4** is a model, whose error was measured; **PicoRV32** and
# **VexRiscv** are open RISC-V cores, whose Verilog is simulated, so their cycles are exact.
# [How](../studies/hardware/cores/README.md).

# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import LOOK

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)
CORES = ["cortex-m4", "picorv32", "vexriscv"]
MARKS = dict(zip(["A32 instructions", *CORES], ["|", "v", "D", "^"]))

# %% [markdown]
# ## How many cycles does each rung take?
#
# The view `cores` has means of an operation. v3 needs NEON, which none of the three has; v8 is ARM
# assembly, which the RISC-V cores cannot run. What a core has not run at a level stays empty.

# %%
every = results.frame("cores", study="iterations", operation="roundtrip")
every = rsalab.measured(every[every["core"].isin(CORES)], "make cores")
cycles = every.pivot(index="snapshot", columns=["level", "core"], values="cycles")
cycles = cycles.sort_index(axis=1) / 1000
styled = cycles.style.format("{:,.0f}", na_rep="")
styled.set_caption("thousand cycles a round trip")

# %% [markdown]
# ## Does what a step gains survive?
#
# A step is compared with its parent, which the view `ladder` names. On each line are the factor in
# instructions and those in cycles. Where the marks meet, instructions tell the truth. Change LEVEL: at
# -O0 the long programs were not simulated.

# %%
LEVEL = "O1"

trips = {"study": "iterations", "workload": "roundtrip-full"}
ladder = results.frame("ladder", level=LEVEL, **trips)
ladder = rsalab.measured(ladder, "make all-iterations").set_index("snapshot")
gains = pd.DataFrame({"A32 instructions": ladder["versus_parent"]})
for core in CORES:
    here = every[(every["core"] == core) & (every["level"] == LEVEL)]
    cost = here.set_index("snapshot")["cycles"]
    gains[core] = ladder["parent"].map(cost) / cost
gains = rsalab.measured(gains.dropna(thresh=2), "make all-iterations")

# %%
fig, ax = plt.subplots(figsize=(7, 3.8))
for measure, mark in MARKS.items():
    size = 14 if mark == "|" else 6
    ax.plot(gains[measure], gains.index, mark, label=measure, markersize=size)
ax.axvline(1, color="grey")
ax.set_xscale("log", base=2)
ax.set_xlabel(f"parent / step at -{LEVEL}")
ax.xaxis.set_major_formatter("x{x:g}")
ax.invert_yaxis()
# Usual marks here fall on half a pixel, which machines round differently.
ax.legend(handlelength=1.5)
plt.show()

farthest = (gains["cortex-m4"] / gains["A32 instructions"] - 1).abs().idxmax()
texts = [f"{name} x{gain:.2f}" for name, gain in gains.loc[farthest].dropna().items()]
display(Markdown(f"Farthest apart on the Cortex-M4: {farthest}, {', '.join(texts)}."))

# %% [markdown]
# ## How many cycles does an instruction take?
#
# Cycles over the instructions that the core itself executes. One would expect about the same for every
# rung of a core.

# %%
every["each"] = every["cycles"] / every["instructions"]
each = every.pivot(index="snapshot", columns=["core", "level"], values="each")
each = each.sort_index(axis=1)

fig, panels = plt.subplots(1, 3, figsize=(7, 3), sharex=True)
for ax, core in zip(panels, CORES):
    for level in each[core]:
        ax.plot(each[core, level].dropna(), **LOOK[level])
    ax.set_xticks(range(len(each)), each.index, fontsize=7)
    ax.set_ylim(bottom=0)
    ax.set_title(core)
panels[-1].legend()
panels[0].set_ylabel("cycles an instruction")
plt.show()

lowest, highest = each.min(), each.max()
texts = []
for core in CORES:
    texts.append(f"{core} {lowest[core].min():.2f} to {highest[core].max():.2f}")
display(Markdown(f"Cycles an instruction: {'; '.join(texts)}."))

# %% [markdown]
# ## A surprise: fewer instructions, and more cycles?
#
# Pairs of the same program at -O1 and -O3, on one core. In which of them do instructions fall and cycles
# rise?

# %%
measures = ["instructions", "cycles"]
levels = every.pivot(index=["core", "snapshot"], columns="level", values=measures)
ratios = levels.xs("O3", axis=1, level="level") / levels.xs("O1", axis=1, level="level")
crossed = ratios[(ratios["instructions"] < 1) & (ratios["cycles"] > 1)]
display(Markdown(f"-O3 over -O1, {len(crossed)} of {len(ratios.dropna())} programs:"))
crossed.style.format("x{:.2f}")

# %% [markdown]
# The events of the simulation name the reason: where an unrolled loop no longer fits VexRiscv's cache of
# 4 KB for code, the core waits for it ([cores](../studies/hardware/cores/README.md#the-risc-v-cores)).
#
# ## What does a unit in the core gain?
#
# The frame `kernels` has loops in C at -O3 and the same loops with a unit: an adder with carry and
# rotate for bits (Lee's question), a multiply-accumulate for words, and an engine for the whole product.
# Words in plain C need no unit. What do you expect to gain more: a unit for bits, or words?

# %%
kernels = results.frame("kernels", operation="mont_mul", width=128)
kernels["clocks"] = kernels["cycles"] / kernels["n"]
units = kernels["unit"].map(" ({})".format, na_action="ignore").fillna("")
kernels["name"] = kernels["kernel"] + units
clocks = kernels.pivot(index="name", columns="core", values="clocks")
clocks = clocks.sort_values("picorv32", ascending=False)

fig, ax = plt.subplots(figsize=(7, 2.6))
for core in clocks:
    ax.plot(clocks[core], clocks.index, MARKS[core], label=core)
ax.set_xscale("log")
ax.set_xlabel("clocks of a product of 128 bits")
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.invert_yaxis()
ax.legend()
plt.show()

gain = clocks.loc["serial"] / clocks
gain.style.format("x{:.1f}").set_caption("clocks of serial / clocks of this")

# %% [markdown]
# ## Are the sources' claims about units right?
#
# Bishop and Austin expect that an instruction takes the loop of MMM_1 from 9 to 5 cycles. Here are the
# same loop and instruction, 32 bits, with the bit that their circuit drops; and the 32-bit digit in plain C
# that needs no circuit.

# %%
figures = results.frame("bishop_austin_2021_figures_6_8")
printed = figures.set_index("code")["cycles"]
claimed = printed["software"] / printed["with the hardware unit"]
small = results.frame("kernels", operation="mont_mul", width=32)
small = small.pivot(index="kernel", columns="core", values="cycles")
gain = small.loc["one"] / small.loc[["one-step", "one-loop", "one-words"]]
gain.index = [
    "their instruction",
    "32 of their steps in one instruction",
    "a digit in C, no unit",
]
display(Markdown(f"They claim x{claimed:.2f}. Clocks of the loop in C / clocks with:"))
gain.style.format("x{:.1f}")

# %% [markdown]
# ## How large and how fast is a circuit of its own?
#
# Units of 128 bits on an ECP5 after routing: h2 does a bit in a clock, h3 several, h4 keeps no carry chain,
# h5 and h6 multiply words. More bits in a clock need fewer clocks, but each is longer. Which way out is
# best?

# %%
units = results.frame("synthesis", width=128)
units = units[units["target"].str.startswith("ECP5")]
units = units.sort_values("ns")
units["name"] = units["unit"]
several = units["unit"] == "h3"
bits = units["value"].map("{:.0f}".format)
units.loc[several, "name"] = "h3, " + bits + " bits"

# %%
fig, ax = plt.subplots(figsize=(7, 3.4))
ax.plot(units["ns"], units["luts"], "o")
for number, unit in enumerate(units.itertuples()):
    below = number % 2  # so that neighbours do not cover each other
    look = {"ha": "center", "va": "top" if below else "bottom"}
    place, offset = (unit.ns, unit.luts), (0, -6 if below else 6)
    ax.annotate(unit.name, place, offset, textcoords="offset points", **look)
ax.set(xlabel="ns of a product", ylabel="LUTs", xlim=(0, 1500), ylim=(0, 6000))
plt.show()

# %% [markdown]
# To the left is fast, below is small. Which units use multipliers of the chip, and is every one of them fast?

# %%
shown = units[["name", "clocks", "mhz", "ns", "luts", "multipliers"]]
shown.style.hide(axis="index").format(precision=0, thousands=",", na_rep="")

# %% [markdown]
# ## An experiment: which circuit does most with its area?
#
# A circuit that is twice as large has to be twice as fast, or two small ones do the same. Compare area
# times time, LUTs x ns, for 64 bits on the ECP5, in the frame `synthesis`. Which unit has the least? Put
# its name in place of `None`.

# %%
answer = None
rsalab.check(answer, "08-hardware", results)
