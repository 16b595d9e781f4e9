"""The front page's chart that a reader can change: its data and its scripts, in the page."""

from __future__ import annotations

from pathlib import Path

from rsalab.explorer.page import element, embedded, hashes
from rsalab.frames import grid, main_line
from rsalab.report.story import Story

WEB = Path(__file__).parent / "web"
SCRIPTS = ("vendor/chart.js", "chart.js")
LICENCES = WEB / "vendor" / "LICENSES"
METRICS = {
    "instructions": " a round trip", "loads": " a round trip", "stores": " a round trip",
    "branches": " a round trip", "multiplies": " a round trip", "code_bytes": "",
}  # fmt: skip
POLICY, END = "default-src 'none';", "</body>"
PLACE = '\n\n<div id="chart" hidden></div>'


def data(tale: Story, explorer: bool) -> dict[str, object]:
    """What the chart shows; a point leads to its step in the explorer, or else in the report."""
    line, rungs = main_line(tale.snapshots), []
    for snapshot in tale.snapshots:
        step = f"a={snapshot.parent}&b={snapshot.name}" if snapshot.parent else f"b={snapshot.name}"
        there = f"explorer.html#{step}&level=LEVEL" if explorer else f"report.html#{snapshot.name}"
        rungs.append(
            {"name": snapshot.name, "idea": snapshot.idea, "parent": snapshot.parent, "href": there,
             "main": snapshot.name in line, "assembly": snapshot.has_assembly}
        )  # fmt: skip
    counts = {}
    for metric in METRICS:
        wide = grid(tale.ladder, tale.snapshots, metric)
        found = {level: wide[level].dropna().to_dict() for level in wide}
        counts[metric.replace("_", " ")] = found
    unit = {metric.replace("_", " "): words for metric, words in METRICS.items()}
    source = f"{tale.results.platform}, {tale.results.compiler}, exact means"
    return {"levels": tale.levels, "rungs": rungs, "counts": counts, "unit": unit, "source": source}


def with_scripts(page: str, parts: list[str], value: dict[str, object] | None = None) -> str:
    """The page with these scripts, which its policy then allows, and the data that they read."""
    elements = [element("script", text) for text in parts]
    held = f'<script type="application/json" id="chart-data">{embedded(value)}</script>'
    page = page.replace(POLICY, f"{POLICY} script-src {hashes(parts)};", 1)
    head, end, tail = page.rpartition(END)
    return "\n".join([head, *[held] * (value is not None), *elements, end + tail])


def with_chart(page: str, tale: Story, explorer: bool) -> str:
    """The front page with the chart."""
    parts = [(WEB / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return with_scripts(page, parts, data(tale, explorer))
