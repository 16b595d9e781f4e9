"""Call graphs as pictures: gprof's text through gprof2dot and dot.

`python -m harness.calls.draw FOLDER...` writes NAME.svg beside each NAME.txt of results folders'
gprof/.  Numbers of calls are exact and stand at nodes and edges; a thicker edge is called more
often.  Colours and shares are of sampled time, so there are none where the text has no time.
Needs the packages gprof2dot (in .venv) and graphviz; without them one line says so, older pictures
of changed texts are removed, and the texts stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from records.command import run
from records.faults import Failure, command_line
from records.files import replace
from records.machine import seal

try:
    import gprof2dot
except ImportError:  # the system's Python has none
    gprof2dot = None

MISSING = "no pictures of the call graphs: {} is not here; {} and the same command draw them"
INK = (0.0, 0.0, 0.2)  # hue, saturation, lightness
THIN, THICK = 0.6, 3.0  # points
LIMIT = 60  # seconds for one picture
SPACES = "nodesep=0.25; ranksep=0.45;"  # inches


def stamp(text: str) -> str:
    """What a picture says of the text that it was drawn from."""
    return f"<!-- drawn from gprof's text, SHA-256 {hashlib.sha256(text.encode()).hexdigest()} -->"


def title(text: str) -> list[str]:
    """The head of a text: what it is of, that calls are exact, and where it was made; not what it
    says of times."""
    head, _, _ = text.partition("\n\n")
    return [line.partition("  ")[0] for line in head.splitlines()]


def parse(text: str) -> Any:
    """gprof2dot's Profile of a text.  Raises Failure where a line of it is not understood."""
    graph, index, names = text.partition("\n\nIndex by function name\n")
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:  # gprof ends the call graph with a form feed, which the text does not keep
            profile = gprof2dot.GprofParser(io.StringIO(f"{graph}\n\f\n{index}{names}")).parse()
        except (SystemExit, AssertionError, AttributeError, LookupError, ValueError):
            profile = None
    if not index or profile is None or said.getvalue():
        raise Failure(f"not gprof's call graph: {(said.getvalue() or 'cut short').splitlines()[0]}")
    return profile


def dot(text: str) -> str:
    """The graph in dot's language.  Raises Failure."""
    profile, file = parse(text), io.StringIO()
    calls = [call for function in profile.functions.values() for call in function.calls.values()]
    most = max((call[gprof2dot.CALLS] for call in calls), default=1)
    writer, theme = gprof2dot.DotWriter(file), gprof2dot.TEMPERATURE_COLORMAP
    writer.show_edge_events = [gprof2dot.CALLS]
    if profile[gprof2dot.TIME]:
        profile.prune(0, 0, [], False)
    else:
        writer.show_function_events = []
        theme = gprof2dot.Theme(mincolor=INK, maxcolor=INK, nodestyle="solid", gamma=1.0,
                                minpenwidth=THIN, maxpenwidth=THICK)  # fmt: skip
        for call in calls:
            call.weight = math.log(call[gprof2dot.CALLS] + 1) / math.log(most + 1)
    writer.graph(profile, theme)
    head = [line.replace("\\", "\\\\").replace('"', '\\"') for line in title(text)]
    said = "".join(f"{line}\\l" for line in head)
    name = head[0].partition(",")[0].rstrip("\\")
    whole = file.getvalue().replace("digraph {", f'digraph "{name}" {{', 1).rstrip().rstrip("}")
    whole += f'\tlabel=" \\l{said}"; labeljust=l; fontsize=10; {SPACES}\n}}\n'
    return re.sub(r"(\d+)\u00d7", lambda number: f" {int(number[1]):,}\u00d7 ", whole)


def svg(text: str) -> str:
    """The picture, without a word of the tool's version.  Raises Failure and OSError."""
    said = run(["dot", "-Tsvg"], input=dot(text), timeout=LIMIT)
    body = said[said.index("<svg") :]
    body = re.sub(r"<!--[^>]*-->\n?|<title>[0-9][^<]*</title>\n", "", body)
    body = body.replace('font-family="Arial"', 'font-family="Arial,Helvetica,sans-serif"')
    body = body.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
    return f"{stamp(text)}\n{body}"


def missing() -> str:
    """One line on what has to be installed; empty when all is here."""
    if gprof2dot is None:
        return MISSING.format("gprof2dot", "`make venv`")
    return "" if shutil.which("dot") else MISSING.format("dot", "`apt-get install graphviz`")


def draw(folder: Path, able: bool) -> int:
    """Draw every text of a folder, or else remove what was drawn from other texts; the number of
    pictures there.  Raises Failure and OSError."""
    texts = {path.stem: path.read_text() for path in sorted(folder.glob("*.txt"))}
    for path in folder.glob("*.svg"):
        if path.stem not in texts or not path.read_text().startswith(stamp(texts[path.stem])):
            path.unlink(missing_ok=True)
    for name, text in texts.items() if able else ():
        try:
            replace(folder / f"{name}.svg", svg(text))
        except Failure as fault:
            raise Failure(f"{folder / name}.txt: {fault}") from None
    return len(list(folder.glob("*.svg")))


def main(folders: Sequence[str]) -> None:
    """Draw for these results folders; missing tools are a note and no fault.  Raises Failure and
    OSError."""
    why_not = missing()
    for name in folders:
        n = draw(Path(name, "gprof"), not why_not)
        seal(Path(name))
        print(f"  NOTE    {why_not}" if why_not else f"  DRAW    {name}/gprof: {n} call graphs")


if __name__ == "__main__":
    sys.exit(command_line("gprof", lambda: main(sys.argv[1:])))
