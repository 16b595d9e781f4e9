"""The path of every Python that make starts, read at its start (PYTHONPATH, mk/settings.mk).

The root of the repository comes after Python's own modules: so a file of the reader's, such as
json.py in the root, stands for none of them.  It comes before installed packages, because a .venv
may know the modules of another copy of this folder.
"""

import sys
from pathlib import Path

first = 0
while first < len(sys.path) and not sys.path[first].endswith("-packages"):
    first += 1
sys.path.insert(first, str(Path(__file__).resolve().parents[3]))
