"""The path of every Python that make starts, read at its start (PYTHONPATH, mk/settings.mk).

The root of the repository, and the folder of a script that is run, come after Python's own modules: so a
file of the reader's, such as json.py in the root, stands for none of them.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
for word in sys.orig_argv:
    if word.endswith(".py"):
        sys.path.append(str(Path(word).resolve().parent))
        break
