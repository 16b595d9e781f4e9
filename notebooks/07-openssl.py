# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% [markdown]
# # 7. Our Montgomery product in OpenSSL
#
# How much faster is the RSA of OpenSSL 3.1.1 when only its Montgomery product is another one?
#
# `make openssl` builds OpenSSL three times: in C, with its own assembly, and with
# `studies/openssl/bn_mul_mont.S`. OpenSSL's own assembly uses NEON where the core has it, so that
# build has two columns. The operations are those of `openssl speed rsa`. All their instructions are
# counted under qemu-arm, with padding and blinding.
#
# A signature uses the private key, a verification the public one. The chart shows what each build
# executes (left), and the times that the source published for its own three builds (right). The
# source's new assembly is near OpenSSL's. Ours is near OpenSSL's NEON code, but needs no NEON.

# %%
import sys

sys.path.insert(0, "..")  # the repository, seen from notebooks/

from IPython.display import Markdown, display

from records.results import load, reference
from rsalab import openssl
from rsalab.charts import studies
from rsalab.pages.borrowed import mark_borrowed

results = load(reference(), reference=True)
mark_borrowed(results)
instructions = openssl.instructions(results)
display(studies.openssl_operations(results), Markdown(instructions.markdown))

# %% [markdown]
# ## How far can a model say what a Pi Zero would need?
#
# The model of its core, an ARM1176: cycles = instructions + 2 x long multiplies. It knows no cache
# and no wait for a result. The source measured OpenSSL's own code on a Pi Zero W at 1 GHz. So the
# model's error is known for OpenSSL's assembly and for its compiled C. It is small for assembly and
# long numbers. For compiled C the model is far too low.

# %%
errors = openssl.validation(results)
times = openssl.times(results, "here", ours=False)
display(Markdown(errors.markdown), Markdown(times.markdown))

# %% [markdown]
# ## What would ours need where the source's assembly was measured?
#
# The source's assembly was measured; ours is modelled. The error of the model for OpenSSL's
# assembly, above, is the only one that is known for code of this kind.

# %%
Markdown(openssl.times(results, "here", ours=True).markdown)
