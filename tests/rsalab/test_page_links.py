"""The link checker of the site: each kind of fault, planted."""

from pathlib import Path

import pytest

from records.faults import Failure
from rsalab.pages.links import check, faults

GOOD = """<html><head><link rel="stylesheet" href="s.css"><style>p { color: red }</style></head>
<body><p id="here"><a href="#here">a</a> <a href="b.html#there">b</a>
<a href="https://e.org/">c</a> <a href="b.html#a=v2&amp;b=v4">state</a>
<img src="data:image/png;base64,AA" alt=""></p></body></html>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><a href="a.html#here">a</a>')
    (tmp_path / "s.css").write_text("p { background: url(data:image/png;base64,AA) }")
    return tmp_path


def test_links_that_all_lead_somewhere(folder: Path) -> None:
    assert check(folder) == "  LINKS  2 pages, 5 links, every one leads somewhere"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("b.html#there", "c.html", "a.html:2: c.html: no such file here"),
        ("b.html#there", "b.html#gone", "b.html#gone: no anchor of this name in b.html"),
        ('"#here"', '"#gone"', "#gone: no anchor of this name in a.html"),
        ('"#here"', '"#a=v2"', "#a=v2: no anchor of this name in a.html"),
        ("b.html#there", "/b.html", "/b.html: a site may lie in any folder: use a relative link"),
        ("b.html#there", "../b.html", "../b.html: no such file here"),
        ("https://e.org/", "file:///etc/passwd", "no address for a site"),
        ("data:image/png;base64,AA", "https://e.org/x.png", "x.png: fetched from elsewhere"),
        ("data:image/png;base64,AA", "//e.org/x.png", "x.png: fetched from elsewhere"),
        ("data:image/png;base64,AA", "x.png", "x.png: no such file here"),
        (
            "color: red",
            "background: url('http://e.org/x')",
            "http://e.org/x: fetched from elsewhere",
        ),
        ('href="s.css"', 'href="https://e.org/s.css"', "s.css: fetched from elsewhere"),
    ],
)
def test_a_planted_fault_is_found(folder: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    (folder / "a.html").write_text(GOOD.replace(old, new))
    found = faults(folder)
    assert len(found) == 1 and said in found[0]
    with pytest.raises(Failure):
        check(folder)


def test_a_style_sheet_that_fetches(folder: Path) -> None:
    (folder / "s.css").write_text('@import "https://e.org/s.css";')
    (fault,) = faults(folder)
    assert fault.startswith("s.css: https://e.org/s.css: ")
