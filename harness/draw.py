"""Call graphs as pictures: gprof's text through gprof2dot and dot.

`python -m harness.draw FOLDER...` writes NAME.svg beside each NAME.txt of results folders'
gprof/.  Numbers are of a round trip.  Calls are exact and stand at nodes and edges; a thicker edge
is called more often.  Where counts.csv has the cell, the colour and the size of a node say how many
instructions the function itself executes in the measured program: exact, a mean.  Without it they
are of sampled time, and there are none where the text has no time.
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
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from records.command import run
from records.faults import Failure, command_line
from records.files import replace
from records.ladder import LADDER
from records.results import FULL
from records.rows import read_rows

try:
    import gprof2dot
except ImportError:  # the system's Python has none
    gprof2dot = None

MISSING = "no pictures of the call graphs: {} is not here; {} and the same command draw them"
INK = (0.0, 0.0, 0.2)  # hue, saturation, lightness
COLD, HOT = (0.13, 1.0, 0.93), (0.06, 1.0, 0.6)
SMALL, LARGE = 10.0, 20.0  # points, of a node's text
COST = "Numbers of a round trip. Colour, size, number: exact instructions of the function itself."
INLINED = "Without a number: the measured program has its code in another function."
THIN, THICK = 0.6, 3.0  # points
LIMIT = 60  # seconds for one picture
SPACES = "nodesep=0.25; ranksep=0.45;"  # inches
WIDTH = 80  # characters of a line below a picture
SUMS = ("total", "snapshot")
Costs = dict[str, float]


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


def by_trip(profile: Any) -> None:
    """Divides calls by the number of round trips, which has two exponentiations each."""
    powers = [f.called for f in profile.functions.values() if f.name == "mod_exp"]
    trips = sum(powers) / 2 or 1
    for function in profile.functions.values():
        if function.called is not None:
            function.called = round(function.called / trips)
        for call in function.calls.values():
            call[gprof2dot.CALLS] = round(call[gprof2dot.CALLS] / trips)


def heat(profile: Any, cost: Costs, writer: Any) -> Any:
    """Gives each function its cost and each call its weight; returns the theme that shows both."""
    event, whole = gprof2dot.Event("Cost", "", max, str), sum(cost.values())
    writer.show_function_events = [event]
    for function in profile.functions.values():
        own = [n for name, n in cost.items() if name.partition(".")[0] == function.name]
        function.weight = sum(own) / whole
        if own:
            function[event] = f"{sum(own):,.0f} ({function.weight:.0%})"
    theme = gprof2dot.Theme(mincolor=COLD, maxcolor=HOT, fontcolor="black")
    theme.node_fgcolor = lambda _: (0.0, 0.0, 0.0)
    theme.node_fontsize = lambda weight: SMALL + (LARGE - SMALL) * weight
    theme.edge_color = lambda _: theme.hsl_to_rgb(*INK)
    theme.edge_fontsize = lambda _: SMALL
    theme.edge_penwidth = lambda weight: max(THIN, THICK * weight)
    return theme


def dot(text: str, cost: Costs | None = None) -> str:
    """The graph in dot's language; `cost` is instructions a round trip by function.  Raises
    Failure."""
    profile, file = parse(text), io.StringIO()
    by_trip(profile)
    calls = [call for function in profile.functions.values() for call in function.calls.values()]
    most = max((call[gprof2dot.CALLS] for call in calls), default=1)
    writer, theme = gprof2dot.DotWriter(file), gprof2dot.TEMPERATURE_COLORMAP
    writer.show_edge_events = [gprof2dot.CALLS]
    if cost or not profile[gprof2dot.TIME]:
        for call in calls:
            call.weight = math.log(call[gprof2dot.CALLS] + 1) / math.log(most + 1)
    head = title(text)
    if cost:
        theme = heat(profile, cost, writer)
        named = {name.partition(".")[0] for name in cost}
        rest = any(f.name not in named for f in profile.functions.values())
        head += [COST, *[INLINED] * rest]
    elif profile[gprof2dot.TIME]:
        profile.prune(0, 0, [], False)
    else:
        writer.show_function_events = []
        theme = gprof2dot.Theme(mincolor=INK, maxcolor=INK, nodestyle="solid", gamma=1.0,
                                minpenwidth=THIN, maxpenwidth=THICK)  # fmt: skip
    writer.graph(profile, theme)
    head = [part for line in head for part in textwrap.wrap(line, WIDTH)]
    head = [line.replace("\\", "\\\\").replace('"', '\\"') for line in head]
    said = "".join(f"{line}\\l" for line in head)
    name = head[0].partition(",")[0].rstrip("\\")
    whole = file.getvalue().replace("digraph {", f'digraph "{name}" {{', 1).rstrip().rstrip("}")
    whole += f'\tlabel=" \\l{said}"; labeljust=l; fontsize=10; {SPACES}\n}}\n'
    return re.sub(r"(\d+)\u00d7", lambda number: f" {int(number[1]):,}\u00d7 ", whole)


def svg(text: str, cost: Costs | None = None) -> str:
    """The picture, without a word of the tool's version.  Raises Failure and OSError."""
    said = run(["dot", "-Tsvg"], input=dot(text, cost), timeout=LIMIT)
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


def costs(counts: Path) -> dict[str, Costs]:
    """Name of a text -> instructions a round trip of each function.  Raises ValueError, OSError."""
    found: dict[str, Costs] = {}
    for row in read_rows(counts) if counts.is_file() else ():
        if (row["metric"], row["case"]) == ("instructions", FULL) and row["symbol"] not in SUMS:
            names = (row["snapshot"], row["level"])
            name = "-".join(names if row["study"] == LADDER else (row["study"], *names))
            found.setdefault(name, {})[row["symbol"]] = row["value"] / row["n"]
    return found


def draw(folder: Path, able: bool) -> int:
    """Draw every text of a folder, or else remove what was drawn from other texts; the number of
    pictures there.  Raises Failure and OSError."""
    texts = {path.stem: path.read_text() for path in sorted(folder.glob("*.txt"))}
    for path in folder.glob("*.svg"):
        if path.stem not in texts or not path.read_text().startswith(stamp(texts[path.stem])):
            path.unlink(missing_ok=True)
    cost = costs(folder.parent / "counts.csv") if able else {}
    for name, text in texts.items() if able else ():
        try:
            replace(folder / f"{name}.svg", svg(text, cost.get(name)))
        except Failure as fault:
            raise Failure(f"{folder / name}.txt: {fault}") from None
    return len(list(folder.glob("*.svg")))


def main(folders: Sequence[str]) -> None:
    """Draw for these results folders; missing tools are a note and no fault.  Raises Failure and
    OSError."""
    why_not = missing()
    for name in folders:
        n = draw(Path(name, "gprof"), not why_not)
        print(f"  NOTE    {why_not}" if why_not else f"  DRAW    {name}/gprof: {n} call graphs")


if __name__ == "__main__":
    sys.exit(command_line("gprof", lambda: main(sys.argv[1:])))
