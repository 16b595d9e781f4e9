"""Texts from elsewhere in every page that is made of them, opened in
Chromium without its policy: nothing runs, nothing is fetched, and each
text is read as it stands."""

import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from foreign import REFERENCE
from nbformat import v4
from needs import needs
from representatives import mostly_long

from records.policy import sealed
from rsalab import markdown
from rsalab.explorer import page as explorer
from rsalab.pages import site
from rsalab.pages.document import content_of, framed
from rsalab.report.story import Story

pytestmark = needs("chromium", "chromedriver", "python:selenium", "pandoc")

RUN = "window.intruded=1"
TEXTS = [
    f"<script>{RUN}</script>",
    f'<img src=x onerror="{RUN}">',
    f"</script><script>{RUN}</script>",
    f'````\n\n<img src=x onerror="{RUN}">\n\n````',
    f"[x](javascript:{RUN}) ![x](http://127.0.0.1:9/x.png)",
    f"]] --> <!-- <iframe srcdoc='<script>parent.{RUN}</script>'>",
    "a | b\\`<b onclick=x>",
    "$\\require{x}$ &lt;b&gt; **bold** ~~x~~",
    "http://127.0.0.1:9/x https://a.example www.a.example b@a.example <http://a.example>",
]
WORDS = """const body = document.body.cloneNode(true);
    for (const part of body.querySelectorAll("script, style")) part.remove();
    return body.textContent"""
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>', re.S)


def shown(driver: object, html: str, folder: Path, fragment: str = "") -> str:
    """What a page says, once nothing of it has run. Its policy, a second
    wall, is taken away."""
    bare, n = POLICY.subn("", html)
    assert n == 1
    (folder / "page.html").write_text(bare, encoding="utf-8")
    driver.get("about:blank")
    driver.get((folder / "page.html").as_uri() + fragment)
    driver.execute_async_script("setTimeout(arguments[0], 50)")
    assert driver.execute_script("return window.intruded") is None
    reached = "return performance.getEntriesByType('resource').map((e) => e.name)"
    assert [
        name for name in driver.execute_script(reached) if not name.startswith("data:")
    ] == []
    inside = "return document.querySelectorAll('iframe, object, embed, [onclick], [onload]').length"
    assert driver.execute_script(inside) == 0
    targets = "return [...document.links].map((link) => link.protocol)"
    assert {*driver.execute_script(targets)} <= {"file:"}
    return str(driver.execute_script(WORDS))


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("text", mostly_long(TEXTS, TEXTS[:1] + TEXTS[3:5]))
def test_a_page_says_what_a_text_says(
    driver: object, tmp_path: Path, text: str
) -> None:
    """Facts of machine.json and a folder's name, a notebook's outputs, the
    title of a page."""
    names = ("platform", "compiler", "date", "git_revision")
    results = SimpleNamespace(
        label=text, platform=text, compiler=text, trips=lambda study: 10, rungs=lambda: [],
        machine=dict.fromkeys(names, text), folder=REFERENCE, lender=None,
    )  # fmt: skip
    cell = v4.new_code_cell(text, outputs=[v4.new_output("stream", text=text)])
    words = site.notebook_text(nbformat.writes(v4.new_notebook(cells=[cell])))
    graphs = site.call_graphs(results, tmp_path)
    page = site.Page(text, "page.html", "", tmp_path)
    bar = site.bar(page, [page])
    absent = [
        markdown.message(said)
        for said in (text, f"gprof/{text}: remove it, `make gprof`")
    ]
    story = Story(results)
    parts = [
        story.get("text:origin"),
        story.get("text:under"),
        graphs.text,
        words,
        *absent,
    ]
    whole = "\n\n".join(["# Title", *parts])
    content = content_of(whole, graphs.folder, lambda target: None)
    made = framed(content, bar)
    said = squeezed(shown(driver, sealed(made), tmp_path))
    assert said.replace("`", "").count(squeezed(text).replace("`", "")) >= 8


def value(text: str) -> dict[str, object]:
    """What the explorer shows, with this text in every place."""
    facts = (
        "platform",
        "compiler",
        "flags",
        "date",
        "git_revision",
        "folder",
        "workload",
        "merged",
    )
    function = [text, 0, [0, 0], [3, 4], [0, 0]]
    level = {
        "n": 1,
        "total": 7,
        "digest": text,
        "bytes": 8,
        "functions": [function],
        "macros": {},
    }
    names = ("idea", "verdict", "change", "why", "came")
    snapshots = []
    for label, parent, more in (("v0", "", ""), ("v1", "v0", "int x;\n")):
        said = dict.fromkeys(names, text)
        one = {"label": label, "study": text, "parent": parent, "width": 128, **said}
        files = {"rsa.c": more + text + "\n"}
        functions = [
            [text, 0, [0, 1] if more else [0], [3, 4][: 1 + bool(more)], [0, 0]]
        ]
        levels = {"O1": {**level, "functions": functions}}
        rows = [[text, text], [text, "-5"], [text, text]]
        reasons = {"movers": text, "predicted": text, "n": 1, "rows": rows}
        one |= {
            "files": files,
            "levels": levels,
            "reasons": {"O1": reasons},
            "look": {},
        }
        snapshots.append(one)
    return {
        "facts": {**dict.fromkeys(facts, text), "levels": ["O1"], "files": ["rsa.c"]},
        "snapshots": snapshots,
        "texts": [text, f"mov {text}"],
        "instructions": {"mov": 4 * [text]},
        "missing": [text],
    }


@pytest.mark.parametrize(
    ("text", "view"),
    mostly_long(product(TEXTS, ("c", "asm")), [(TEXTS[0], "c"), (TEXTS[2], "asm")]),
)
def test_the_explorer_says_what_a_text_says(
    driver: object, tmp_path, text: str, view: str
) -> None:
    """Facts, names, functions, instructions, sources, what is missing."""
    fragment = f"#a=v0&b=v1&level=O1&view={view}"
    said = squeezed(
        shown(driver, explorer.build(value(squeezed(text))), tmp_path, fragment)
    )
    assert said.replace("`", "").count(squeezed(text).replace("`", "")) >= 15
    driver.execute_script(
        "document.querySelectorAll('button.count').forEach((e) => e.click())"
    )
    count = "return document.querySelectorAll('#code .code').length"
    assert driver.execute_script(count) > 0
