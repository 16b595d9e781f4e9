"""The colours of pages, slides and charts, on light and on dark: those of looks.csv, and those of
the levels and the cores in records/; the fonts of pages and slides; and the sizes of all text, on a
screen, on paper, on a slide and in a chart.

A page has them as CSS variables, and the pictures in it follow.
"""

import re
from pathlib import Path
from typing import Any

from records.settings import CORE_TABLE, LEVEL_TABLE
from records.typed import Keyed, read_table

LOOKS = read_table(Path(__file__).with_name("looks.csv"))
FILE = "rsalab/charts/looks.csv"
COLOUR = Keyed(FILE, {look["name"]: look["colour"] for look in LOOKS})
COLOUR |= {row.level: row.colour for row in LEVEL_TABLE}
COLOUR |= {row.core: row.colour for row in CORE_TABLE if row.colour}
DARK = Keyed(FILE, {look["name"]: look["dark"] for look in LOOKS})
DARK |= {row.level: row.dark for row in LEVEL_TABLE}
DARK |= {row.core: row.dark for row in CORE_TABLE if row.dark}
# What a picture draws in no colour of ours: names, and the black of matplotlib.
OTHERS = {"black": "text", "white": "ground", "#000000": "text"}
FONTS = {
    "sans": 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", Helvetica, Arial, sans-serif',
    "mono": 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
}
LEGIBLE_PIXELS = 11  # of the smallest text in a picture
# rem, so that they follow the reader's own size; code, whose lines have a fixed height, in pixels.
SIZES = {
    "title-size": "1.9rem",
    "section-size": "1.4rem",
    "step-size": "1.35rem",
    "part-size": "1.13rem",
    "body-size": "1rem",
    "name-size": "0.95rem",
    "program-size": "0.94rem",  # of the explorer and the live page
    "note-size": "0.87rem",
    "small-size": "0.8rem",
    "wide-code-size": "13px",
    "code-size": "12px",
    "dense-code-size": f"{LEGIBLE_PIXELS}px",
    "code-line": "19px",
    "edited-line": "18px",
    "paper-size": "10pt",
    "paper-note-size": "8.25pt",
    "paper-table-size": "8pt",
    "paper-line-size": "7pt",  # 100 columns fit into a page
    "paper-code-size": "6pt",
    "paper-half-size": "5.1pt",  # 100 columns fit into half a page
}
# Pixels of the smallest and the largest letters of code on a slide.
SLIDE_CODE_PIXELS = (17, 24)
# Of a slide, which has 1280 by 720 pixels, and of one on a narrow screen.
SLIDE_SIZES = {
    "slide-title-size": "44px",
    "slide-head-size": "38px",
    "slide-size": "28px",
    "slide-code-size": f"{SLIDE_CODE_PIXELS[1]}px",
    "slide-table-size": "24px",
    "slide-note-size": "22px",
    "slide-number-size": "20px",
}
NARROW_SLIDE_SIZES = {
    "slide-title-size": "24px",
    "slide-head-size": "21px",
    "slide-size": "16px",
    "slide-code-size": "12px",
    "slide-table-size": "13px",
    "slide-note-size": "13px",
    "slide-number-size": "12px",
}
NARROW_SCREEN = "@media screen and (max-width: 800px)"
# Points of what a chart writes.
POINTS = {
    "names": 8.5,
    "texts": 8,
    "labels": 7.5,
    "crowded": 6,
}
# What every chart looks like: settings of matplotlib.
CHART: dict[str, Any] = {
    "svg.hashsalt": "rsalab",  # the same picture is the same bytes
    "svg.fonttype": "none",  # text is text: it can be found, copied and coloured
    "font.size": 9,
    "figure.titlesize": 12,
    "figure.titleweight": "bold",
    "figure.labelsize": 8,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": COLOUR["soft"],
    "axes.labelcolor": COLOUR["soft"],
    "axes.titlecolor": COLOUR["soft"],
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": COLOUR["pale"],
    "xtick.color": COLOUR["soft"],
    "ytick.color": COLOUR["soft"],
}
DARK_SCREEN = "@media screen and (prefers-color-scheme: dark)"
PIXELS_A_POINT = 4 / 3


def variable(name: str) -> str:
    """Return the CSS variable of a colour."""
    return f"--{name.replace(' ', '-')}"


def sheet(values: dict[str, str]) -> str:
    """Return the rule that gives each value its variable."""
    lines = [f"    {variable(name)}: {value};" for name, value in values.items()]
    return "\n".join([":root {", *lines, "}"])


def sheets(values: dict[str, str], condition: str, others: dict[str, str]) -> str:
    """Return the style sheet with the first values, and with the others where the condition holds."""
    return f"{sheet(values)}\n{condition} {{\n{sheet(others)}\n}}\n"


def variables() -> str:
    """Return the style sheet that gives every font, size and colour its variable."""
    return sheets(FONTS | SIZES | COLOUR, DARK_SCREEN, DARK)


def slide_variables() -> str:
    """Return the style sheet that gives each size of a slide its variable, on a wide screen and on
    a narrow one."""
    return sheets(SLIDE_SIZES, NARROW_SCREEN, NARROW_SLIDE_SIZES)


def switched_variables() -> str:
    """Return the same style sheet for a page with a switch: `color-scheme` says which colour
    of the two is shown."""
    both = {
        name: f"light-dark({colour}, {DARK[name]})" for name, colour in COLOUR.items()
    }
    return sheet(FONTS | SIZES | both) + "\n"


def complete(page: str) -> str:
    """Return a page or a style sheet in which every variable has a value, from a style sheet or from
    a script.  Raises Failure for a colour that looks.csv does not have."""
    used = set(re.findall(r"var\(--([\w-]+)", page))
    given = set(re.findall(r"""--([\w-]+)(?:\s*:|",)""", page))
    for name in sorted(used - given):
        COLOUR[name]  # raises Failure
    return page


def names_of_colours() -> dict[str, str]:
    """Return the name of each colour as a picture has it, of equal ones the first."""
    names = dict(OTHERS)
    for name, colour in COLOUR.items():
        names.setdefault(colour, name)
    return names


def recoloured(svg: str, colours: dict[str, str]) -> str:
    """Return a picture in which each colour of a name is what `colours` has for the name."""
    names = names_of_colours()

    def new(found: re.Match[str]) -> str:
        before, colour = found.groups()
        name = names.get(colour)
        return f"{before}{colours[name]}" if name else found[0]

    return re.sub(r"""((?:fill|stroke)(?:: |="))(#[0-9a-f]{6}|black|white)""", new, svg)


def dark_twin(svg: str) -> str:
    """Return a picture for dark pages."""
    text_colour = f"<style>text {{ fill: {DARK['text']} }}</style>"
    return recoloured(svg, DARK).replace("<defs>", f"{text_colour}<defs>", 1)


def inline(svg: str, words: str) -> str:
    """Return a picture as a part of a page, whose colours it takes; `words`, which are HTML, stand
    for it.  It is never so small that its text cannot be read."""
    start = svg.index("<svg")
    svg = re.sub(
        r"<metadata>.*?</metadata>|<title>.*?</title>|<!--.*?-->",
        "",
        svg[start:],
        flags=re.S,
    )
    referred = set(re.findall(r"#([\w-]+)", svg))

    def unless_referred(found: re.Match[str]) -> str:
        return found[0] if found[1] in referred else ""

    svg = re.sub(r' id="([^"]*)"', unless_referred, svg)
    svg = recoloured(svg, {name: f"var({variable(name)})" for name in COLOUR})
    return re.sub(
        r"<svg[^>]*>", lambda found: opened(found[0], svg, words), svg, count=1
    )


def opened(tag: str, svg: str, words: str) -> str:
    """Return the opening tag of a picture in a page: its size follows the window."""
    box = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) [\d.]+"', tag)
    assert box, "a picture without a size"
    width = float(box[1])
    sizes = re.findall(r"""font(?:-size)?(?:: |=")(?:bold )?([\d.]+)""", svg)
    smallest = min(map(float, sizes), default=width)
    natural = width * PIXELS_A_POINT
    least = width * LEGIBLE_PIXELS / smallest
    size = f"width:100%;min-width:{least:.0f}px;max-width:{max(natural, least):.0f}px"
    return (
        f'<svg viewBox="{box[0][9:-1]}" role="img" aria-label="{words}" style="{size}">'
    )
