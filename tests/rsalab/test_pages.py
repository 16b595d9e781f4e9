"""The report as one page and as PDF, and notebooks as Markdown."""

import json
import re
import shutil
import zlib
from pathlib import Path

import pytest
from needs import needs

from records.faults import Failure
from rsalab.pages import paper
from rsalab.pages.__main__ import main
from rsalab.pages.links import Page, faults
from rsalab.pages.notebook import to_markdown

needs_pandoc = needs("pandoc")

SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">{}</svg>'.format(
    '<rect width="90" height="90" fill="#0a7b33"/>'
)
REPORT = """*From somewhere.*

# A *title*

See [the step](#v0), [code](code/x.c#L3), [elsewhere](https://example.org/) and $x^e \\bmod n$.

## <a id="v0"></a>v0. The first, -O1 and `-O3`

![A green square](pictures/square.svg)

| rung | count |
| :-- | --: |
| v0 | 1 |
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report in a folder of its own, with a picture and a file that it links to."""
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "square.svg").write_text(SQUARE)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "x.c").touch()
    (tmp_path / "REPORT.md").write_text(REPORT)
    return tmp_path / "REPORT.md"


@needs_pandoc
def test_a_report_is_one_file_that_fetches_nothing(report: Path) -> None:
    out = report.parent / "build" / "REPORT.html"
    assert main(["report", str(report), str(out)]) == 0
    text = out.read_text()
    page = Page(text)
    assert "<title>A title</title>" in text and '<html lang="en-GB">' in text
    assert re.search(r"<math.*<msup><mi>x</mi><mi>e</mi></msup>", text)
    assert page.fetched and all(target.startswith("data:") for _, target in page.fetched)
    targets = {target for _, target in page.links}
    assert {"#v0", "../code/x.c#L3", "https://example.org/"} <= targets
    assert text.count('id="v0"') == 1 and "prefers-color-scheme: dark" in text
    assert re.search(r'<div class="scroll"[^>]*>\s*<table>', text)
    assert not faults(report.parent)
    again = out.read_bytes()
    assert main(["report", str(report), str(out)]) == 0 and out.read_bytes() == again


@needs_pandoc
@pytest.mark.parametrize("name", ["gone.svg", "https://example.org/x.svg"])
def test_a_picture_that_is_not_there(
    report: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report.write_text(REPORT.replace("pictures/square.svg", name))
    assert main(["report", str(report), str(report.with_suffix(".html"))]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"pages: {name}: ") and said.count("\n") == 1
    assert not report.with_suffix(".html").exists()


def test_without_pandoc_the_report_is_its_text(
    report: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    report.with_suffix(".html").write_text("of an older report")
    assert main(["report", str(report), str(report.with_suffix(".html"))]) == 0
    assert not report.with_suffix(".html").exists()
    said = capsys.readouterr().out
    assert "apt-get install pandoc" in said
    assert main(["site", "results/none", str(report.parent / "site")]) == 2


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


@needs_pandoc
def test_the_pdf_has_the_pictures(report: Path) -> None:
    if not paper.engines(math=True):
        pytest.skip(paper.INSTALL)
    out = report.with_suffix(".pdf")
    for text, there in ((REPORT, True), (REPORT.replace("![A green", "[A green"), False)):
        report.write_text(text)
        html = report.with_suffix(".html")
        assert main(["report", str(report), str(html), "--pdf", str(out)]) == 0
        # The square's colour, as PDF says it: 10/255, 123/255, 51/255.
        assert bool(re.search(r"0?\.039\d* 0?\.482\d* 0?\.2 rg", drawn(out.read_bytes()))) == there


@needs_pandoc
def test_without_an_engine_there_is_a_page_and_a_line(
    report: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pandoc").symlink_to(shutil.which("pandoc"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    command = ["report", str(report), str(report.with_suffix(".html")), "--pdf"]
    assert main([*command, str(report.with_suffix(".pdf"))]) == 0
    assert f"not made: {paper.INSTALL}\n" in capsys.readouterr().out
    broken = tmp_path / "bin" / "chromium"
    broken.write_text("#!/bin/sh\necho it broke >&2\nexit 1\n")
    broken.chmod(0o755)
    assert main([*command, str(report.with_suffix(".pdf"))]) == 0
    assert "not made: chromium: it broke\n" in capsys.readouterr().out


def notebook(*outputs: dict) -> str:
    """A notebook of one cell with these outputs."""
    cell = {"cell_type": "code", "source": ["a\n", "b"], "outputs": list(outputs)}
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# One"}, cell]})


def shown(**data: str) -> dict:
    return {
        "output_type": "display_data",
        "data": {k.replace("_", "/"): v for k, v in data.items()},
    }


def test_outputs_in_their_best_form(tmp_path: Path) -> None:
    table = (
        "<div>\n<style scoped>\n  p {}\n\n</style>\n<table>\n\n<tr><td>1</td></tr></table></div>"
    )
    text = notebook(
        shown(image_png="iVBORw0K", text_plain="Words [of] it"),
        shown(text_markdown="| a |", text_plain="no"),
        shown(text_html=table, text_plain="no"),
        shown(text_plain="``` yes"),
        {"output_type": "stream", "text": ["printed\n"]},
    )
    made = to_markdown(text, "n", tmp_path)
    assert "```python\na\nb\n```" in made and "![Words \\[of\\] it](n-2-1.png)" in made
    assert (tmp_path / "n-2-1.png").is_file() and "| a |" in made and "no" not in made
    assert "<style" not in made and "\n\n<tr>" not in made
    assert "````\n``` yes\n````" in made and "printed" in made


def test_a_notebook_that_failed_is_no_page(tmp_path: Path) -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "x"}
    with pytest.raises(Failure, match="^n: .*KeyError"):
        to_markdown(notebook(error), "n", tmp_path)
    with pytest.raises(Failure, match="^n: not a whole notebook"):
        to_markdown('{"cells": [', "n", tmp_path)
