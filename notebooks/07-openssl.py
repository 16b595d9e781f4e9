# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 7. OpenSSL: what is another Montgomery product worth?
#
# OpenSSL's RSA spends nearly all its time in one function, the Montgomery product. How much faster does
# all of RSA become when only this function is replaced?
#
# `make openssl` builds OpenSSL 3.1.1 four times: in C, with its own assembly, with our
# `studies/openssl/bn_mul_mont.S`, and with this and the two halves of a signature in two lanes of NEON
# (`studies/width-1024/lanes`). Its own assembly uses NEON where the core has it, so that build counts
# twice. The operations are those of `openssl speed rsa`, with padding and blinding: a signature uses the
# private key, a verification the public one. One would expect our product, which needs no NEON, to lie
# between OpenSSL's assembly and its NEON code.

# %%
import matplotlib.pyplot as plt
from IPython.display import Markdown, display

import rsalab
from rsalab.charts.picture import GREY, times

RESULTS = ""  # such as "results/qemu-gcc14"
results = rsalab.load(RESULTS)
STYLES = {"lanes": "v-", "ours": "s-", "neon": "^-", "assembly": "o-", "c": "D-"}

# %% [markdown]
# ## How many instructions does each build execute?
#
# The view `rsa` has a row for each operation, size and build. `whose="here"` are the counts of the results
# that were loaded.

# %%
rsa = rsalab.measured(results.frame("rsa", whose="here"), "make openssl-speed")
keys = ["operation", "bits"]
counts = rsa.pivot(index=keys, columns="implementation", values="instructions")
counts = counts[[build for build in STYLES if build in counts]]
millions = (counts / 1e6).style.format("{:,.2f}", na_rep="not measured")
millions.set_caption("million instructions of an operation")

# %% [markdown]
# ## How many times as many as ours?
#
# Each build divided by the one with our product. Above the line ours needs fewer instructions. For
# which sizes do you expect the lines to come together? The lanes take signatures with primes of 288 to
# 2,048 bits; everything else is as with ours.

# %%
ratios = counts.div(counts["ours"], axis=0)

fig, panels = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True)
for ax, operation in zip(panels, ("sign", "verify")):
    others = ratios.loc[operation].drop(columns="ours")
    others.plot(ax=ax, style=STYLES, logx=True, title=operation, legend=False)
    ax.axhline(1, color=GREY)
    ax.set_xticks(others.index, others.index, rotation=45)
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter("x{x:g}")
panels[0].set_ylabel("instructions / ours")
fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

of_2048 = ratios.loc["sign", 2048]
texts = [f"{build} {times(of_2048[build])}" for build in counts if build != "ours"]
text = "A signature of 2048 bits, instructions over ours"
display(Markdown(f"{text}: {', '.join(texts)}."))

# %% [markdown]
# ## Did the source's assembly gain as much?
#
# The source wrote an assembly of its own and published times of a Pi Zero W. Its clock and our counts are
# two metrics, so each has its panel, and what can be compared is the factor against OpenSSL's assembly
# of the same side.

# %%
published = results.frame("published_rsa")
ms = published.pivot(index=keys, columns="implementation", values="ms")
gains = {
    "time there: its own assembly": ms["assembly"] / ms["ours"],
    "instructions here: our assembly": counts["assembly"] / counts["ours"],
}

# %%
sizes = [512, 1024, 2048, 4096, 15360]
fig, panels = plt.subplots(1, 2, figsize=(7, 3.4), sharey=True)
for ax, (title, gain) in zip(panels, gains.items()):
    sides = gain.unstack("operation")
    sides.plot(ax=ax, style=["o-", "D--"], logx=True, title=title)
    ax.axhline(1, color=GREY)
    ax.set_xticks(sizes, sizes)
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter("x{x:g}")
panels[0].set_ylabel("OpenSSL's / the new one")
plt.show()

# %%
spans = []
for title, gain in gains.items():
    spans.append(f"{title}, {times(gain.min())} to {times(gain.max())}")
display(Markdown(f"OpenSSL's assembly over the new one, {'; '.join(spans)}."))

# %% [markdown]
# ## How far can a model say what a Pi Zero would need?
#
# The model of its core, an ARM1176: cycles = instructions + 2 x long multiplies, at 1 GHz. It knows no
# cache and no wait for a result. Because OpenSSL's own code was timed by the source and counted here,
# the model's error is known: 0 % would be right.

# %%
theirs = published[published["implementation"] != "ours"]
both = theirs.merge(rsa, on=["implementation", "operation", "bits"])
both["by model, ms"] = both["cycles"] / 1e6
both["error"] = both["by model, ms"] / both["ms"] - 1
both["code"] = both["implementation"] + ", " + both["operation"]
error = both.pivot(index="bits", columns="code", values="error")

fig, ax = plt.subplots(figsize=(7, 3))
(100 * error).plot(ax=ax, style=["o-", "o--", "D-", "D--"], logx=True)
ax.axhline(0, color=GREY)
ax.set_xticks(error.index, error.index)
ax.set_xticks([], minor=True)
ax.set_ylabel("error of the model, %")
plt.show()

spans = both.groupby("implementation")["error"].agg(["min", "max"])
spans.style.format("{:+.0%}")

# %% [markdown]
# ## What would ours need where the source's assembly was measured?
#
# The source's new assembly was timed; ours is modelled. For assembly of 2048 bits and more the error
# above is small, so there, right of the grey part, the two may be compared. At which size do you expect ours
# to be ahead?

# %%
new = rsa[rsa["implementation"] == "ours"].set_index(keys)
by_model = new["cycles"] / 1e6
faster = (ms["ours"] / by_model).unstack("operation")

fig, ax = plt.subplots(figsize=(7, 3))
faster.plot(ax=ax, style=["o-", "D-"], logx=True)
ax.axhline(1, color=GREY)
ax.axvspan(faster.index[0], 2048, color="#eeeeee", zorder=0)
ax.set_xticks(faster.index, faster.index)
ax.set_xticks([], minor=True)
ax.yaxis.set_major_formatter("x{x:.1f}")
ax.set_ylabel("measured there / by model here")
plt.show()

sizes = [2048, 4096, 15360]
texts = []
for bits in sizes:
    there, here = ms.loc[("sign", bits), "ours"], by_model["sign", bits]
    texts.append(f"{bits} bits {there:,.0f} and {here:,.0f} ms")
display(Markdown(f"A signature, measured there and by model here: {'; '.join(texts)}."))

# %% [markdown]
# ## A surprise: which gains more, a signature or a verification?
#
# A verification has 17 products, a signature thousands. Padding and the way into the Montgomery domain
# stay as they are, whoever multiplies, so one would expect a verification to gain less. Does it?

# %%
keeps = ratios["c"].unstack("operation")
keeps["verify / sign"] = keeps["verify"] / keeps["sign"]
more = (keeps["verify / sign"] > 1).sum()
display(Markdown(f"The verification gains more at {more} of {len(keeps)} sizes."))
keeps.style.format(times).set_caption("instructions of the build in C / ours")

# %% [markdown]
# A signature works modulo p and q, which have half the bits of the key. So compare a signature of 1024 bits
# with a verification of 512: both multiply numbers of 512 bits.
#
# ## An experiment: what do the multiplications take?
#
# The frame `openssl_operations` has the metrics of each operation: among them `multiplies_long` and
# `multiplies_umaal`. Of the instructions of a signature of 2048 bits with our product, how many per cent
# are multiplications of these two kinds? Put the number in place of `None`.

# %%
ours = {"implementation": "ours", "operation": "sign", "bits": 2048}
metrics = results.frame("openssl_operations", **ours)

answer = None
rsalab.check(answer, "07-openssl", results)
