"""The tables of the five sources as their texts print them, cell for cell, beside our files."""

import re
from collections.abc import Callable

import needs

from records.published import INDEX, read_csv

SEED = {
    "Bishop & Austin 2021": "000_6fe602272b7e36c0.txt",
    "Dirk 2019": "001_5fc88ab7435f12ed.txt",
    "Lee 2021": "002_6400d094161a2f02.txt",
    "Markovic et al.": "003_9d4e8b17dab83c4d.txt",
    "OpenSSL ARM assembly": "004_96bb4ec2142a8169.txt",
}
TABLES = [row["file"] for row in read_csv(INDEX) if row["source"] in SEED]
Rows = list[list[str]]


def lines(source: str) -> list[str]:
    """The source's text, or skip."""
    return needs.source(SEED[source])


def ours(name: str, *left_out: str) -> Rows:
    """The cells of a file, without columns that are our words."""
    return [[cell for key, cell in row.items() if key not in left_out] for row in read_csv(name)]


def after(text: list[str], start: str, skip: int = 1) -> list[str]:
    """The lines behind the one that begins so."""
    return text[next(i for i, line in enumerate(text) if line.startswith(start)) + skip :]


def fenced(text: list[str], caption: str, above: bool = False) -> list[str]:
    """The code before a caption, or else behind it."""
    place = max(i for i, line in enumerate(text) if line.startswith(caption))
    fences = [i for i, line in enumerate(text) if line.startswith("```")]
    if above:
        open_, close = [i for i in fences if i < place][-2:]
    else:
        open_, close = [i for i in fences if i > place][:2]
    return text[open_ + 1 : close]


def bishop_table(name: str) -> tuple[Rows, Rows]:
    rows = [line.split("\t") for line in after(lines("Bishop & Austin 2021"), "Iteration\t")[:9]]
    told = [[re.sub(r"</?i>|%$|^N/A$", "", cell) for cell in row] for row in rows]
    return ours(name), told


def bishop_figures(name: str) -> tuple[Rows, Rows]:
    text, told = lines("Bishop & Austin 2021"), []
    unit = [
        line for line in fenced(text, "Figure 6: Inline assembly call", True) if "mmm_1_hw" in line
    ]
    told.append(["6", str(len(unit)), ""])
    for figure, title in (("7", "Figure 7: Pure"), ("8", "Figure 8: Hardware")):
        code = "\n".join(fenced(text, title, True))
        cycles = [int(n) for n in re.findall(r"// (\d+) Clock", code)]
        told.append([figure, str(len(cycles)), str(sum(cycles))])
    return ours(name, "code"), told


def bishop_unit(name: str) -> tuple[Rows, Rows]:
    text = " ".join(lines("Bishop & Austin 2021"))
    found = [
        re.search(rf"{part} requires (\S+)", text) for part in ("AND", "ADDER", "MUX", "SHIFTER")
    ]
    whole = re.search(r"hardware assist will take (\d+) clock", text)
    told = [match.group(1).replace("no", "0") for match in [*found, whole] if match]
    return ours(name, "component"), [[cycles] for cycles in told]


def dirk_perf(name: str) -> tuple[Rows, Rows]:
    rows = [line.split("\t") for line in after(lines("Dirk 2019"), "code being profiled", 0)[:11]]
    return [list(read_csv(name)[0]), *ours(name)], rows


def dirk_listings(name: str) -> tuple[Rows, Rows]:
    text = lines("Dirk 2019")
    titles = {"7": "Listing 7: Main", "8": "Listing 8: Main"}
    told = [[n, fenced(text, title)[-2].split()[0]] for n, title in titles.items()]
    return ours(name, "code"), told


def lee_table(name: str) -> tuple[Rows, Rows]:
    rows = after(lines("Lee 2021"), "Version\tOptimizations", 2)[:6]
    return ours(name), [re.sub(r"</?i>", "", row).split("\t") for row in rows]


def lee_gprof(name: str) -> tuple[Rows, Rows]:
    printed = [line.split("\t") for line in lines("Lee 2021") if line.count("\t") == 5]
    told = [row[1:5] + [row[5].partition(" [")[0]] for row in printed if re.search(r"\d", row[3])]
    return ours(name, "output", "entry", "role"), told


def markovic(name: str) -> tuple[Rows, Rows]:
    number = re.search(r"\d", name).group()
    rows = after(lines("Markovic et al."), f"**Table {number}:")
    end = next(i for i, line in enumerate(rows[2:], 2) if not line.strip() or line[0] == "*")
    split = [row.split("\t") for row in rows[:end] if "\t" in row]
    numbers = [row for row in split if re.match(r"\s*[\d ]", row[1]) and row[0] != "a (bit)"]
    told = [[re.sub(r"^[xX]$|(?<=\d) (?=\d)", "", cell) for cell in row] for row in numbers]
    return ours(name), told


def openssl_runs(name: str) -> tuple[Rows, Rows]:
    told, found = [], iter(dict.fromkeys(row["implementation"] for row in read_csv(name)))
    for line in lines("OpenSSL ARM assembly"):
        if line.startswith("Running RSA Speed Test with"):
            now = next(found)
        match = re.match(r"Doing (\d+) bits (\w+) rsa's for 10s: (\d+) .* in ([\d.]+)s", line)
        if match:
            told.append([now, *match.groups()])
    return ours(name), told


def openssl_speed(name: str) -> tuple[Rows, Rows]:
    told, found = [], iter(dict.fromkeys(row["implementation"] for row in read_csv(name)))
    for line in lines("OpenSSL ARM assembly"):
        if line.startswith("Running RSA Speed Test with"):
            now = next(found)
        match = re.match(r"rsa +(\d+) bits ([\d.]+)s ([\d.]+)s +([\d.]+) +([\d.]+)", line)
        if match:
            told.append([now, *match.groups()])
    return ours(name), told


PARSERS: dict[str, Callable[[str], tuple[Rows, Rows]]] = {
    "bishop-austin-2021-table-1.csv": bishop_table,
    "bishop-austin-2021-figures-6-8.csv": bishop_figures,
    "bishop-austin-2021-hardware-unit.csv": bishop_unit,
    "dirk-2019-perf.csv": dirk_perf,
    "dirk-2019-listings.csv": dirk_listings,
    "lee-2021-table-1.csv": lee_table,
    "lee-2021-gprof.csv": lee_gprof,
    **{f"markovic-table-{n}.csv": markovic for n in range(1, 6)},
    "openssl-arm-runs.csv": openssl_runs,
    "openssl-arm-speed.csv": openssl_speed,
}
