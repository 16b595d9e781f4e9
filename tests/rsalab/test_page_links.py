"""The link checker of the site: each kind of fault, planted."""

from pathlib import Path

import pytest

from records.faults import Failure
from rsalab.pages.document import check

GOOD = """<html><head><link rel="stylesheet" href="s.css"><style>p { color: red }</style></head>
<body><p id="here"><a href="#here">a</a> <a href="b.html#there">b</a>
<a href="https://e.org/">c</a> <a href="b.html#a=v2&amp;b=v4">state</a>
<img src="data:image/png;base64,AA" alt=""></p></body></html>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><a href="a.html#here">a</a>')
    (tmp_path / "s.css").write_text("")
    return tmp_path


def test_links_that_all_lead_somewhere(folder: Path) -> None:
    assert check(folder) == "2 pages, 5 links"


FAULTS = [
    ("b.html#there", "c.html", "a.html:2: c.html: "),
    ("b.html#there", "b.html#gone", "a.html:2: b.html#gone: "),
    ('"#here"', '"#gone"', "a.html:2: #gone: "),
    ('"#here"', '"#a=v2"', "a.html:2: #a=v2: "),
    ("b.html#there", "/b.html", "a.html:2: /b.html: "),
    ("b.html#there", "../b.html", "a.html:2: ../b.html: "),
    ("https://e.org/", "file:///etc/passwd", "a.html:3: file:///etc/passwd: "),
    ("data:image/png;base64,AA", "https://e.org/x.png", "a.html:4: https://e.org/x.png: "),
    ("data:image/png;base64,AA", "//e.org/x.png", "a.html:4: //e.org/x.png: "),
    ("data:image/png;base64,AA", "x.png", "a.html:4: x.png: "),
    ("color: red", "background: url('http://e.org/x')", "a.html:1: http://e.org/x: "),
    ("p { color: red }", "@import 'http://e.org/x'", "a.html:1: http://e.org/x: "),
    ('href="s.css"', 'href="https://e.org/s.css"', "a.html:1: https://e.org/s.css: "),
]


@pytest.mark.parametrize(("old", "new", "address"), FAULTS)
def test_a_planted_fault_is_found(folder: Path, old: str, new: str, address: str) -> None:
    assert old in GOOD
    (folder / "a.html").write_text(GOOD.replace(old, new))
    with pytest.raises(Failure) as fault:
        check(folder)
    assert str(fault.value).startswith(address) and ";" not in str(fault.value)


def test_a_folder_without_pages(tmp_path: Path) -> None:
    with pytest.raises(Failure):
        check(tmp_path)
