# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 2. Levels and compilers: who makes a program fast?
#
# Every rung is compiled from the same source at each level. One would expect that -O3 beats -O1, that -O1
# beats -O0, and that a good compiler does by itself what a step does by hand. When is that so?
#
# A number without a unit is **instructions a round trip**, exact. A factor of x2.00 means half of them.

# %%
import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import COLOUR, LOOK

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)
SIDE_BY_SIDE = {"figsize": (7, 3.4), "sharey": True, "squeeze": False}

# %% [markdown]
# ## How many instructions at each level?
#
# A row of points is a rung. The axis is logarithmic: where the points of a rung are far apart, the
# compiler matters; where they are close, it has nothing left to do. In which rungs do you expect that?

# %%
ladder = results.frame("ladder", study="iterations", workload="roundtrip-full")
ladder = rsalab.measured(ladder, "make all-iterations")
by_rung = ["place", "snapshot"]  # in the order of the ladder
costs = ladder.pivot(index=by_rung, columns="level", values="instructions")
costs = costs.droplevel("place")
levels = list(costs)

fig, ax = plt.subplots(figsize=(7, 3.4))
ax.hlines(costs.index, costs.min(axis=1), costs.max(axis=1), color="#cccccc")
for level in levels:
    ax.plot(costs[level], costs.index, linestyle="", **LOOK[level])
ax.set_xscale("log")
ax.invert_yaxis()
ax.set_title("instructions of a round trip")
ax.legend()
plt.show()

spread = costs.max(axis=1) / costs.min(axis=1)
most, least = spread.idxmax(), spread.idxmin()
text = f"Widest: {most}, x{spread[most]:.1f}."
display(Markdown(f"{text} Closest: {least}, x{spread[least]:.2f}."))

# %% [markdown]
# ## What does a level buy over the one below it?
#
# Each level is divided by the next one. Does the higher level ever lose? Then the factor is below x1.00.

# %%
gains = pd.DataFrame(index=costs.index)
for low, high in zip(levels, levels[1:]):
    gains[f"-{low} / -{high}"] = costs[low] / costs[high]
gains = rsalab.measured(gains.dropna(axis="columns", how="all"), "make all-iterations")

fig, ax = plt.subplots(figsize=(7, 3.4))
for pair, mark in zip(gains, "os"):
    ax.plot(gains[pair], gains.index, mark, label=pair)
ax.axvline(1, color="black", linewidth=1)
ax.set_xscale("log")
ax.xaxis.set_major_formatter("x{x:g}")
ax.invert_yaxis()
ax.set_title("instructions at the lower level / at the higher level")
ax.legend()
plt.show()

losing = gains.stack()[lambda gain: gain < 1]
texts = [f"{rung} ({pair}: x{gain:.2f})" for (rung, pair), gain in losing.items()]
display(Markdown(f"The higher level loses in: {', '.join(texts) or 'no rung'}."))

# %% [markdown]
# ## Which steps survive optimisation?
#
# A step is compared with its parent at the same level. What the compiler does by itself gains at -O0 and
# nothing above. What it cannot find gains everywhere. A change below 1 % is no difference. How many steps
# help at every level?

# %%
steps = rsalab.measured(ladder[ladder["verdict"] != ""], "make all-iterations")
by_step = ["place", "snapshot", "idea"]
survival = steps.pivot(index=by_step, columns="level", values="versus_parent")
survival = survival.droplevel("place")
verdicts = steps.pivot(index=by_step, columns="level", values="verdict")
verdicts = verdicts.droplevel("place")

always = (verdicts == "helps").all(axis=1).sum()
display(Markdown(f"**{always}** of {len(verdicts)} help at every level."))
shades = {"helps": "#bfe1f6", "no difference": "#eeeeee", "hurts": "#f7d79a"}
styles = verdicts.apply(
    lambda column: "color: black; background-color: " + column.map(shades)
)
survival.style.format("x{:.2f}").apply(lambda _: styles, axis=None)

# %% [markdown]
# ## Technique or compiler?
#
# The view `compilers` has the ladder by every compiler that `make compilers` found. A step that gains with
# all of them is a technique. One that gains with a single compiler mends what this compiler does badly.
# A point is a step: right of the line it gains. Which rows cross the line?

# %%
every = results.frame("compilers", workload="roundtrip-small")
compilers = rsalab.measured(every.dropna(subset="versus_parent"), "make compilers")

shown = [level for level in LOOK if level in set(compilers["level"])]
fig, [panels] = plt.subplots(1, len(shown), **SIDE_BY_SIDE)
for ax, level in zip(panels, shown):
    here = compilers[compilers["level"] == level]
    for mark, (compiler, rows) in zip("osD^v", here.groupby("compiler")):
        points = rows["versus_parent"], rows["snapshot"]
        ax.plot(*points, mark, mfc="none", label=compiler)
    ax.axvline(1, color="black", linewidth=1)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("x{x:g}")
    ax.set_title(f"-{level}", color=COLOUR[level])
panels[0].invert_yaxis()
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5)
plt.show()

ranges = compilers.groupby("snapshot")["versus_parent"].agg(["min", "max"])
disputed = ranges[(ranges["min"] < 0.99) & (ranges["max"] > 1.01)].index
text = "The compiler or the level decides whether a step gains"
display(Markdown(f"{text}: {', '.join(disputed) or 'no step'}."))

# %% [markdown]
# ## A surprise: does a step that gains everywhere gain alike?
#
# The same steps, each with the least and the most that any compiler makes of it. One would expect that
# a technique is worth the same everywhere. Where is the widest range?

# %%
ranges["times as much"] = ranges["max"] / ranges["min"]
widest = ranges["times as much"].idxmax()
where = compilers[compilers["snapshot"] == widest].sort_values("versus_parent")
texts = []
for row in where.iloc[[0, -1]].itertuples():
    texts.append(f"x{row.versus_parent:.2f} with {row.compiler} at -{row.level}")
display(Markdown(f"Widest: **{widest}**, {' and '.join(texts)}."))
ranges.style.format("x{:.2f}")

# %% [markdown]
# ## Is faster code larger code?
#
# A compiler can buy speed with space: it writes a loop out. To the right are bytes of code, upwards
# instructions; a line joins the levels of a rung, lowest first. Which rungs get larger at the highest
# level?

# %%
fig, ax = plt.subplots(figsize=(7, 4))
for _, rows in ladder.groupby("snapshot"):
    ax.plot(rows["code_bytes"], rows["instructions"], color="#cccccc", zorder=1)
for level, rows in ladder.groupby("level"):
    ax.plot(rows["code_bytes"], rows["instructions"], linestyle="", **LOOK[level])
highest = ladder[ladder["level"] == levels[-1]]
for place, rungs in highest.groupby(["code_bytes", "instructions"])["snapshot"]:
    ax.annotate(
        ", ".join(rungs), place, (0, 7), textcoords="offset points", ha="center"
    )
ax.legend()
ax.set_yscale("log")
ax.set_xlabel("bytes of code")
ax.set_ylabel("instructions")
plt.show()

sizes = ladder.pivot(index="snapshot", columns="level", values="code_bytes")
low, high = [levels[0], *levels][-2:]
larger = sizes[sizes[high] > sizes[low]].index
display(Markdown(f"-{high} is larger than -{low} in {', '.join(larger) or 'no rung'}."))

# %% [markdown]
# ## An experiment: what is another compiler worth?
#
# Take the rungs in C only, all but v8. Each compiler has a rung and a level at which it executes fewest
# instructions. How many times fewer are that of the best compiler than of the worst? Begin with the
# frame `every`, and write the factor as a number. The column `code` of `ladder` says what is in C.


# %%
def of_compiler(compiler: str, level: str) -> None:
    rows = every[(every["compiler"] == compiler) & (every["level"] == level)]
    rows = rows.set_index("snapshot")[["instructions", "versus_parent"]]
    forms = {"instructions": "{:,.0f}", "versus_parent": "x{:.2f}"}
    display(rows.style.format(forms, na_rep=""))


rsalab.choose(of_compiler, compiler=list(every["compiler"].unique()), level=shown)

# %%
answer = None
rsalab.check(answer, "02-levels", results)
