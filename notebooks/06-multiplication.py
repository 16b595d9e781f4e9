# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 6. Long numbers: what is worth doing from 64 to 2048 bits?
#
# RSA keys have 2048 bits, not 128. Markovic, Unkasevic and Djordjevic compare ways to multiply long
# numbers on a TMS320C54x, a signal processor of 16 bits: squares of their own, Karatsuba's method, and the
# Chinese remainder theorem (CRT). `studies/width-1024` does the same on 32-bit ARM, in plain C and in
# assembly. Which of it pays here, from which size on?
#
# Their numbers are cycles, ours instructions: compare factors, not numbers.

# %%
import matplotlib.pyplot as plt
from IPython.display import Markdown, display

import rsalab
from rsalab import models
from rsalab.charts.picture import times

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)

# %% [markdown]
# ## How fast does a product grow?
#
# A number of twice the length has four times as many pairs of limbs, so one would expect x4 for each
# doubling, and that a square needs half of a product. The view `long` has the instructions of an operation;
# both are Montgomery's, with the reduction.

# %%
long = rsalab.measured(results.frame("long"), "make width-1024")
ours = long[(long["implementation"] == "assembly") & (long["level"] == "O3")]
plain = ours[(ours["way"] == "levels-0") & (ours["operands"] == "random")]
sizes = plain.pivot(index="bits", columns="operation", values="instructions")
sizes["square / product"] = sizes["square"] / sizes["product"]
half = sizes["product"].shift()
sizes["product / product of half the bits"] = sizes["product"] / half
styled = sizes.style.format("{:,.0f}", subset=["product", "square"])
styled.format("x{:.2f}", subset=list(sizes.columns[2:]), na_rep="")

# %% [markdown]
# A square stays well above half: its reduction is as long as that of a product.
#
# ## From which size on does Karatsuba's method pay?
#
# Each level replaces four products of half the size by three, and adds sums and differences. Instructions
# with the method over those without: below the black line it pays. Will it pay earlier in C or in
# assembly?

# %%
ways = long[(long["level"] == "O3") & (long["operands"] == "random")]
ways = ways[ways["way"].str.startswith("levels-")]
keys = ["implementation", "operation", "bits"]
with_it = ways.pivot(index=keys, columns="way", values="instructions")
ratio = with_it.drop(columns="levels-0").div(with_it["levels-0"], axis=0)
ratio.columns = ratio.columns.str.replace("levels-", "levels: ")

# %%
fig, panels = plt.subplots(2, 2, figsize=(7, 5), sharex=True, sharey=True)
for ax, (title, lines) in zip(panels.flat, ratio.groupby(level=[0, 1])):
    lines = lines.droplevel([0, 1])
    lines.plot(ax=ax, style=["o-", "s-", "^-", "D-"], loglog=True, legend=False)
    ax.axhline(1, color="black")
    ax.set_title(", ".join(title))
    ax.set_xticks([64, 256, 1024, 2048], [64, 256, 1024, 2048])
    ax.set_xticks([], minor=True)
    ax.set_yticks([1, 2, 5, 10], ["x1", "x2", "x5", "x10"])
    ax.set_yticks([], minor=True)
panels[0, 0].legend()
plt.show()

# %% [markdown]
# The lines fall towards 1. From which size on does the method save 1 % or more, here and on the C54x?

# %%
texts = []
for row in results.frame("crossovers", level="O3").itertuples():
    texts.append(f"{row.implementation}, {row.operation}, from {row.bits} bits")
for row in results.frame("claims", source="Markovic et al.", unit="bits").itertuples():
    texts.append(f"the C54x, {row.claim.split()[-1]}, from {row.value} bits")
display(Markdown(f"{'; '.join(texts)}."))

# %% [markdown]
# ## Which window needs the fewest instructions?
#
# A longer window saves products and costs a longer table. The dashed line is a model: counted squares and
# products, times how often they are expected. A fixed window has its products at fixed places and reads
# the whole table for each, so that its time tells nothing about the exponent.

# %%
windows = results.frame("windows", implementation="assembly", level="O3")
keys = ["bits", "method"]
powers = windows.pivot(index="window", columns=keys, values="instructions")
lengths = sorted(windows["bits"].unique())

fig, panels = plt.subplots(1, len(lengths), figsize=(7, 3))
for ax, bits in zip(panels, lengths):
    lines = powers[bits][["fixed", "sliding", "modelled"]] / 1e6
    lines.plot(ax=ax, style=["s-", "o-", "--"], title=f"{bits} bits", legend=False)
    ax.set_xlabel("window in bits")
panels[0].legend()
panels[0].set_ylabel("million instructions")
plt.show()

best = powers.idxmin().unstack("bits").loc[["fixed", "sliding"]]
best.style.format("{:.0f}").set_caption("the best window in bits")

# %% [markdown]
# ## What does the Chinese remainder theorem save?
#
# The private key knows p and q, so a power modulo n becomes two of half the length with exponents of half
# the length: 2 / 8 of the work, x4. The source found x2.6. The view `privates` has both programs, with
# a key of 1024 bits. Ours verifies its result with the public exponent before it leaves, because a fault in
# one half would tell the factors of n.

# %%
privates = results.frame("privates")
privates = privates[privates["level"] != "O1"]
privates["gain"] = privates["standard"] / privates["crt"]
wide = privates.pivot(index=["place", "way"], columns="implementation", values="gain")
wide = wide.droplevel("place")

fig, ax = plt.subplots(figsize=(7, 2.6))
for program, mark in zip(wide, "osD"):
    ax.plot(wide[program], wide.index, mark, label=program)
ax.set_xlabel("without CRT / with CRT")
ax.xaxis.set_major_formatter("x{x:g}")
ax.set_xlim(1, 4)
ax.margins(y=0.15)
ax.invert_yaxis()
ax.legend()
plt.show()

texts = [f"{program} {times(gain.max())}" for program, gain in wide.items()]
display(Markdown(f"The theorem saves most with: {', '.join(texts)}."))

# %% [markdown]
# ## How long would it take on a Pi?
#
# Nothing here was timed. The model of an ARM1176 is in the view `arm1176`: the cycles of each metric. Their
# sum divided by the clock rate is a time, and the view `errors` says how far the same model is from what
# was measured with OpenSSL's code of the same kind. The programs are built for ARMv6, which that core runs.

# %%
private = {"operation": "private", "bits": 1024, "level": "O3"}
armv6 = models.for_armv6(results)
operations = armv6.frame("long_numbers", **private)
if armv6.is_borrowed("long_numbers"):  # counts of programs that the core does not run
    operations = operations.head(0)
operations = rsalab.measured(operations, "make width-1024 CC=armv6")
cycles = operations.merge(results.frame("arm1176"), on="metric")
cycles["cycles"] = cycles["value"] * cycles["cycles"]
total = cycles.groupby(["way", "implementation"])["cycles"].sum()
ms = total.unstack() / 1e6  # a million cycles take a millisecond at 1 GHz

# %%
errors = results.frame("errors").set_index("code")
texts = [f"{code} {row.low:+.0%} to {row.high:+.0%}" for code, row in errors.iterrows()]
display(Markdown(f"Error of the model: {', '.join(texts)}."))
ms.style.format("{:,.1f}").set_caption("ms at 1 GHz, by model; 1024 bits")

# %% [markdown]
# ## A surprise: do the operands matter?
#
# The source's cycles depend on the operands: with nearly all bits zero its ordinary product is so fast that
# Karatsuba's method never pays. How many different counts has one operation of ours over all kinds of
# operands?

# %%
kinds = ours.groupby(["operation", "bits", "way"])["instructions"].nunique()
markovic = results.frame("markovic")
theirs = markovic.pivot(index="a", columns="operands", values="product_standard")
one = (kinds == 1).sum()
text = f"Ours has one count for all operands in {one} of {len(kinds)} cases."
display(Markdown(text))
styled = theirs.rename_axis("bits").style.format("{:,.0f}")
styled.set_caption("C54x: cycles of a product")

# %% [markdown]
# ## An experiment: what does constant time cost at 2048 bits?
#
# The times above are of 1024 bits; the view `long` has `private` operations of 512, 1024 and 2048. How many
# times as many instructions as `crt-square` does `crt-constant-time` take, in assembly at -O3, with a key of
# 2048 bits? Do you expect more or less than with 1024? Put the factor in place of `None`.

# %%
answer = None
rsalab.check(answer, "06-multiplication", results)
