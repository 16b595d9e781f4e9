"""The site: report, notebooks, explorer, call graphs and documents of one results folder, in one
folder that any static host serves.  What cannot be made here is named with the command for it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

from records.faults import Failure
from records.ladder import LADDER, ROOT
from rsalab.frames import label, load
from rsalab.pages import convert, parts
from rsalab.pages.convert import Rewrite
from rsalab.pages.links import check
from rsalab.pages.parts import DOCUMENTS, EXPLORER, INDEX, NOTEBOOKS, REPORT, Part

STYLE = "style.css"


def seen_on(part: Part, made: list[Part], out: Path, root: Path) -> Rewrite:
    """Links of a part's text as its page shows them: a file of the repository that has a page leads
    there, a rung to its section of the report and from there to the explorer, any other nowhere."""
    pages = {one.source: one.file for one in made if one.source}
    pages.update(
        {f"{s}{end}": p for s, p in pages.items() for end in (".ipynb", ".py") if "." not in s}
    )
    pages[f"{LADDER}/README.md"] = pages[LADDER] = f"{REPORT}#the-ladder"

    def rewrite(target: str) -> str | None:
        split = urlsplit(target)
        inside = ".." not in split.path and (out / split.path).is_file()
        if split.scheme or split.netloc or not split.path or inside:
            return target
        places = [(folder / split.path).resolve() for folder in (part.base, root)]
        place = next(filter(Path.exists, places), places[-1])
        name = os.path.relpath(place, root.resolve())
        if name in pages:
            page = pages[name]
            return page if "#" in page or not split.fragment else f"{page}#{split.fragment}"
        rung = re.fullmatch(rf"{LADDER}/([^/]+)(/.*)?", name)
        if not rung or part.file != REPORT:
            return f"{REPORT}#{rung[1]}" if rung else None
        return f"{EXPLORER}#b={rung[1]}" if (out / EXPLORER).exists() else None

    return rewrite


def navigation(here: Part, made: list[Part]) -> str:
    """The bar of a page: the pages there are; notebooks and documents by their lists."""
    entries = [("Overview", INDEX, here.file == INDEX)]
    entries += [(one.title, one.file, one is here) for one in made
                if not one.group and one.file != INDEX]  # fmt: skip
    for group in (NOTEBOOKS, DOCUMENTS):
        if any(one.group == group for one in made):
            entries.append((group, f"{INDEX}#{group.lower()}", here.group == group))
    marks = {True: ' aria-current="page"', False: ""}
    return "\n".join(f'<a href="{to}"{marks[now]}>{name}</a>' for name, to, now in entries)


def write(part: Part, made: list[Part], out: Path, root: Path) -> None:
    """Writes one page.  Raises Failure that names it."""
    rewrite, nav = seen_on(part, made, out, root), navigation(part, made)
    try:
        text, _ = convert.page(part.body, part.folder, rewrite, nav, part.file != INDEX)
    except Failure as fault:
        raise Failure(f"{part.file}: {fault}") from None
    (out / part.file).write_text(text, encoding="utf-8")


def fill(out: Path, folder: Path, work: Path, root: Path) -> list[Part]:
    """Makes every page in `out`, from a results folder; `work`, inside build/, is for what comes
    between.  Returns the parts, absent ones with the reason.  Raises ValueError or OSError."""
    results = load(folder, root)
    report, tale = parts.report(results, work, root)
    every = [report, parts.explorer(results, out, root), parts.call_graphs(results, out)]
    every += parts.notebooks(results, work, root) + parts.documents(root)
    every.append(parts.index(tale, every, root))
    made = [part for part in every if not part.absent]
    for part in made:  # so that links between pages are known for what they are
        (out / part.file).touch()
    shutil.copyfile(convert.STYLE, out / STYLE)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda part: write(part, made, out, root), filter(lambda p: p.body, made)))
    return every


def site(folder: Path, out: Path, root: Path = ROOT) -> list[str]:
    """Makes the site, whole or not at all: every link is checked before it takes its place.

    Returns what to tell of it.  Raises ValueError (Failure, Failure), OSError.
    """
    out = (root / out).resolve()
    if out.exists() and not out.is_dir():
        raise Failure(f"{label(out, root)}: a file is in the way; remove it")
    if out.exists() and any(out.iterdir()) and not (out / STYLE).is_file():
        raise Failure(f"{label(out, root)}: holds something else than a site; name another folder")
    convert.pandoc("--version", text="")
    (root / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="site-", dir=root / "build") as scratch:
        work, new = Path(scratch, "work"), Path(scratch, "site")
        work.mkdir()
        new.mkdir()
        every = fill(new, folder, work, root)
        said = [check(new)]
        if out.exists():
            shutil.rmtree(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(new, out)
    said += [f"  SITE  not made here: {part.title}: {part.absent}" for part in every if part.absent]
    return [*said, f"  SITE  {label(out, root)}/{INDEX}: open it, or serve the folder"]
