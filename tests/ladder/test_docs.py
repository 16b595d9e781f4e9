"""docs/montgomery.md is a program: its functions are executed here and
agree with pow(). The README of a rung has every paragraph and is short."""

import random
import re
from pathlib import Path

import bare
import pytest
import yaml
from markdown_it import MarkdownIt

from records.ladder import ROOT, Snapshot, snapshots
from rsalab import markdown

PAGE = (ROOT / "docs" / "montgomery.md").read_text(encoding="utf-8")
PAGES = ("iterations", "studies", "labs")
READ = [
    ROOT / "README.md",
    ROOT / "REPORT.md",
    *(ROOT / "docs").glob("*.md"),
    *(page for at in PAGES for page in (ROOT / at).glob("**/README.md")),
]
TABLES = MarkdownIt("commonmark").enable("table")
MODULI = [
    3,
    (1 << 128) - 1,
    (1 << 127) + 1,
    (1 << 128) - (1 << 96) + 1,
    0xFFFFFFFF,
    0x10001,
]


@pytest.fixture(scope="module")
def page() -> dict:
    """What the page defines."""
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.S):
        exec(block, names)  # noqa: S102  (the page is ours)
    return names


@pytest.mark.parametrize("n", MODULI)
def test_products_are_montgomery_products(page: dict, n: int) -> None:
    random.seed(n)
    inverse = pow(1 << 128, -1, n)
    for x, y in [
        (0, 0),
        (n - 1, n - 1),
        *((random.randrange(n), random.randrange(n)) for _ in range(20)),
    ]:
        for name in ("mont_mul", "mont_mul_bits", "mont_mul_words"):
            assert page[name](x, y, n) == x * y * inverse % n, name
        assert page["mont_mul_1"](y, n) == y * inverse % n
        assert page["mod_mul"](x, y, n) == x * y % n


@pytest.mark.parametrize("n", MODULI)
def test_constants_of_a_modulus(page: dict, n: int) -> None:
    assert page["square_of_r"](n) == (1 << 256) % n
    assert page["negated_inverse"](n) * n % 2**32 == 2**32 - 1


@pytest.mark.parametrize("n", MODULI)
def test_powers_are_powers(page: dict, n: int) -> None:
    random.seed(n)
    for e in (0, 1, 1 << 127, (1 << 128) - 1, random.getrandbits(128)):
        x = random.randrange(n)
        for name in ("reference", "square_and_multiply", "mod_exp"):
            assert page[name](x, e, n) == pow(x, e, n), name


@pytest.mark.parametrize("name", ["docs/montgomery.md", "REPORT.md"])
def test_formulas_are_closed_and_survive_markdown(name: str) -> None:
    """Dollars come in pairs; no formula has a backslash that Markdown
    would take for its own."""
    text = re.sub(
        r"```.*?```|`[^`\n]*`",
        "",
        (ROOT / name).read_text(encoding="utf-8"),
        flags=re.S,
    )
    for paragraph in text.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
    formulas = re.findall(r"\$\$?([^$]+)\$\$?", text)
    assert len(formulas) > (20 if name == "docs/montgomery.md" else 0)
    for formula in formulas:
        assert not re.search(r"\\[^A-Za-z]", formula), formula


def test_every_page_that_is_linked_exists() -> None:
    """Links between the documents of this repository lead somewhere."""
    for page in READ:
        for link in re.findall(
            r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")
        ):
            assert (page.parent / link).exists(), f"{page.relative_to(ROOT)}: {link}"


def test_every_row_of_a_table_stands_in_a_table() -> None:
    """An empty line ends a table: a row below it would be read as text."""
    for page in READ:
        for token in TABLES.parse(page.read_text(encoding="utf-8")):
            lines = token.content.split("\n") if token.type == "inline" else []
            strays = [line for line in lines if line.startswith("|")]
            assert not strays, f"{page.relative_to(ROOT)}: {strays}"


def test_front_matter_is_yaml_and_a_heading_stands_below_it() -> None:
    """A repository host shows both: front matter as a table above the
    text, which has to fit its page, and in place of other front matter an error."""
    pages = [path for at in PAGES for path in (ROOT / at).glob("**/README.md")]
    for path in pages:
        front, _, text = path.read_text(encoding="utf-8").rpartition("\n---\n")
        values = yaml.safe_load(front) or {}
        assert len(values) <= 5, path
        assert all(
            value is None or len(str(value)) <= 80 for value in values.values()
        ), path
        assert re.search(r"(?m)^# (.*)", text), path


PARAGRAPHS = """Idea Change In_two_steps Why Estimate Measured What_came_of_it Compilers_and_cores
In_the_assembly Invariant Technique Costs The_source_says Next"""
ELSEWHERE = "Compilers and cores"  # where a step gains otherwise: on some pages


@pytest.mark.parametrize("rung", snapshots(), ids=lambda rung: rung.name)
def test_a_rungs_readme_has_every_paragraph_and_is_short(rung: Snapshot) -> None:
    text = (rung.path / "README.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
    wanted = [name.replace("_", " ") for name in PARAGRAPHS.split()]
    if not rung.parent:
        wanted.remove("In the assembly")
        wanted.remove("Estimate")
    if rung.name != "v8":
        wanted.remove("In two steps")
    if ELSEWHERE not in markdown.parts(rung):
        wanted.remove(ELSEWHERE)
    assert re.findall(r"(?m)^\*\*([A-Z].*?)\.\*\*", text) == wanted
    idea = markdown.parts(rung)["Idea"]
    assert idea.endswith(".") and ". " not in idea
    shown_diff = re.search(r"(?s)<!-- change -->.*?```diff\n(.*?)```", text)
    if rung.parent:
        assert shown_diff[1].count("\n") <= 40
        assert not shown_diff[1].splitlines()[-1].startswith("@@")


LONG = {  # a chapter on one subject, which holds several programs
    "studies/width-1024/README.md",
    "studies/width-1024/lanes/README.md",
}
LESSONS = [
    page
    for folder in ("iterations", "studies")
    for page in sorted(ROOT.glob(f"{folder}/**/README.md"))
]


def words(page: str) -> list[str]:
    """The words of a page that somebody wrote: without front matter, generated
    parts, tables, code and what numbers are filled in from."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n", "", page)
    for other in (markdown.GENERATED, markdown.COMMENT):
        text = other.sub("", text)
    return re.sub(r"(?ms)^\|.*?$|^```.*?^```", "", text).split()


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_lesson_has_at_most_a_thousand_words(page: Path) -> None:
    is_long = str(page.relative_to(ROOT)) in LONG
    assert len(words(page.read_text("utf-8"))) <= (1500 if is_long else 1000)


def test_the_front_page_promises_what_bare_machines_have_shown() -> None:
    """The table of times and disk is that of results/bare.csv."""
    readme = bare.README.read_text()
    written = markdown.between(
        readme, "bare", bare.table(bare.TABLE.read_text()), "README.md"
    )
    assert readme == written


@pytest.mark.parametrize("study", ["alone", "dead-ends"])
def test_the_page_of_a_study_names_every_folder(study: str) -> None:
    text = (ROOT / "studies" / study / "README.md").read_text("utf-8")
    for child in snapshots(study):
        parent = child.parent.rpartition("/")[2]
        row = f"| [{child.name}]({child.name}/README.md) | {child.idea} | [{parent}]("
        assert row in text
