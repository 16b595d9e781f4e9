"""The report as one page and as PDF, and notebooks as Markdown."""

import re
import shutil
import zlib
from pathlib import Path

import links
import nbformat
import pytest
from fake_programs import script
from nbformat import v4
from needs import needs

from records.commands import command
from records.results import reference
from rsalab.charts import theme
from rsalab.charts.theme import COLOUR, DARK
from rsalab.pages import document

needs_pandoc = needs("pandoc")

SQUARE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">{}</svg>'.format(
        '<rect width="90" height="90" fill="#0a7b33"/>'
    )
)
REPORT = """*From somewhere.*

# A *title*

See [the step](#v0), [code](code/x.c#L3), [not here](#gone), [elsewhere](https://example.org/)
and $x^e \\bmod n$.

## <a id="v0"></a>v0. The first, -O1 and `-O3`

![A green square](pictures/square.svg)

| rung | count |
| :-- | --: |
| v0 | 1 |
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report in a folder of its own, with a picture and a file that it
    links to."""
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "square.svg").write_text(SQUARE)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "x.c").touch()
    (tmp_path / "REPORT.md").write_text(REPORT)
    return tmp_path / "REPORT.md"


@pytest.fixture
def no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a PDF engine, which takes its time."""
    monkeypatch.setattr(document, "BROWSERS", ())


@needs_pandoc
def test_a_report_is_one_file_that_fetches_nothing(report: Path, no_pdf: None) -> None:
    out = report.parent / "build" / "REPORT.html"
    assert command("report", document.report, [str(report), str(out)]) == 0
    text, page = out.read_text(), links.Page(out)
    assert "<title>A title</title>" in text and '<html lang="en-GB">' in text
    assert re.search(r"<math.*<msup><mi>x</mi><mi>e</mi></msup>", text)
    assert page.fetched and all(address.startswith("data:") for address in page.fetched)
    targets = set(page.links)
    assert {
        "#v0",
        "../code/x.c#L3",
        "https://example.org/",
    } <= targets and "#gone" not in targets
    assert text.count('id="v0"') == 1 and "prefers-color-scheme: dark" in text
    assert re.search(r'<div class="scroll"[^>]*>\s*<table>', text)
    assert '<span class="option">-O1</span>' in text
    assert links.faults(report.parent) == []
    again = out.read_bytes()
    assert command("report", document.report, [str(report), str(out)]) == 0
    assert out.read_bytes() == again


@needs_pandoc
@pytest.mark.parametrize("name", ["gone.svg", "https://example.org/x.svg", "code/x.c"])
def test_a_picture_that_is_not_there(report: Path, name: str, capsys) -> None:
    report.write_text(REPORT.replace("pictures/square.svg", name))
    assert (
        command(
            "report", document.report, [str(report), str(report.with_suffix(".html"))]
        )
        == 2
    )
    said = capsys.readouterr().err
    assert said.startswith(f"report: {name}: ") and said.count("\n") == 1
    assert not report.with_suffix(".html").exists()


def drawn(pdf: bytes) -> str:
    """What a PDF's pages draw."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, flags=re.S)
    found = []
    for stream in streams:
        try:
            found.append(zlib.decompressobj().decompress(stream))
        except zlib.error:
            continue
    return b"\n".join(found).decode("latin-1")


@pytest.mark.slow
@needs("pandoc", "chromium")
def test_the_pdf_has_the_pictures(report: Path) -> None:
    out = report.with_suffix(".html")
    for text, there in (
        (REPORT, True),
        (REPORT.replace("![A green", "[A green"), False),
    ):
        report.write_text(text)
        assert command("report", document.report, [str(report), str(out)]) == 0
        # The square's colour, as PDF says it: 10/255, 123/255, 51/255.
        pdf = drawn(out.with_suffix(".pdf").read_bytes())
        assert bool(re.search(r"0?\.039\d* 0?\.482\d* 0?\.2 rg", pdf)) == there


@needs_pandoc
def test_without_an_engine_there_is_a_page_and_a_line(
    report: Path, monkeypatch, capsys
) -> None:
    (report.parent / "bin").mkdir()
    (report.parent / "bin" / "pandoc").symlink_to(str(shutil.which("pandoc")))
    monkeypatch.setenv("PATH", str(report.parent / "bin"))
    out = report.with_suffix(".html")
    assert command("report", document.report, [str(report), str(out)]) == 0
    assert out.is_file() and "apt-get install chromium" in capsys.readouterr().out
    script(report.parent / "bin/chromium", "echo broken >&2; exit 1")
    assert command("report", document.report, [str(report), str(out)]) == 0
    assert out.is_file() and "chromium: broken\n" in capsys.readouterr().out


COLOURED = re.compile(r"(?:fill|stroke)(?:: |=\")#[0-9a-f]{6}")


@needs_pandoc
def test_a_chart_takes_the_colours_of_its_page_and_can_be_read(tmp_path: Path) -> None:
    """Its own words, none too small on a narrow screen, and nothing twice."""
    source = reference() / "charts/speed-up.svg"
    text = f"# One\n\n![Two]({source.name})\n\n![Three]({source.name})\n"
    page = document.to_html(text, source.parent, lambda _: None)
    first, second = re.findall(r"<svg .*?</svg>", page, flags=re.S)
    assert (
        'aria-label="Two"' in first and ">v8</tspan>" in first or ">v8</text>" in first
    )
    assert not COLOURED.search(first) and "var(--O1)" in first.replace("accent", "O1")
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', first)[1])
    smallest = min(map(float, re.findall(r"font(?:-size)?: ([\d.]+)px", first)))
    least = float(re.search(r"min-width:(\d+)px", first)[1])
    assert smallest * least / width >= 10.95
    dark = (source.parent / "speed-up-dark.svg").read_text()
    assert dark == theme.dark_twin(source.read_text())
    assert DARK["O1"] in dark and COLOUR["O0"] not in dark and "#ffffff" not in dark


def shown(**data: str) -> nbformat.NotebookNode:
    """An output; an underscore stands for the slash of a type."""
    return v4.new_output(
        "display_data", {k.replace("_", "/"): v for k, v in data.items()}
    )
