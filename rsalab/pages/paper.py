"""A page as PDF, by the first engine here that makes one of it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from records.faults import Failure
from rsalab.pages.convert import READS

LIMIT = 180  # seconds
ENGINES = "chromium, weasyprint, typst, xelatex or lualatex"
INSTALL = f"no PDF engine here ({ENGINES}): sudo apt-get install chromium"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
Command = list[str]


def by_browser(browser: str, source: Path, page: Path, out: Path) -> Command:
    """Prints the page as it looks; a browser shows MathML and SVG."""
    profile = f"--user-data-dir={out.parent / 'profile'}"
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    quiet += ["--no-first-run", "--disable-gpu", "--no-pdf-header-footer"]
    quiet += ["--generate-pdf-document-outline"]
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    return [browser, "--headless", *root, *quiet, profile, f"--print-to-pdf={out}", page.as_uri()]


def by_weasyprint(source: Path, page: Path, out: Path) -> Command:
    """Lays the page out as it is; WeasyPrint has no MathML."""
    return ["weasyprint", "--quiet", str(page), str(out)]


def by_pandoc(engine: str, source: Path, page: Path, out: Path) -> Command:
    """Sets the Markdown anew: pandoc 3 knows Typst, TeX needs rsvg-convert for SVG."""
    told = [
        f"--from={READS}",
        f"--pdf-engine={engine}",
        "--toc",
        f"--resource-path={source.parent}",
    ]
    fonts = (
        []
        if engine == "typst"
        else ["-V", "mainfont=DejaVu Serif", "-V", "monofont=DejaVu Sans Mono"]
    )
    return ["pandoc", *told, *fonts, "-V", "geometry:margin=18mm", f"--output={out}", str(source)]


def engines(math: bool) -> list[tuple[str, Callable[[Path, Path, Path], Command]]]:
    """Those that are here and can serve, in the order in which they are tried."""
    found = []
    for browser in filter(shutil.which, BROWSERS):
        found.append((browser, lambda *paths, name=browser: by_browser(name, *paths)))
    if shutil.which("weasyprint") and not math:
        found.append(("weasyprint", by_weasyprint))
    for engine in filter(shutil.which, ("typst", "xelatex", "lualatex")):
        if engine == "typst" or shutil.which("rsvg-convert"):
            found.append((engine, lambda *paths, name=engine: by_pandoc(name, *paths)))
    return found


def pdf(source: Path, page: Path, out: Path) -> str:
    """Writes `out` from a Markdown file and the HTML page made of it; returns the engine's name.

    Raises Failure when there is no engine, or none that makes a PDF of it.
    """
    failed = []
    page = page.resolve()
    for name, command in engines("<math" in page.read_text(encoding="utf-8")):
        with tempfile.TemporaryDirectory(prefix=".pdf-", dir=out.parent) as scratch:
            new = Path(scratch).resolve() / "new.pdf"
            try:
                ran = subprocess.run(
                    command(source.resolve(), page, new),
                    cwd=scratch,  # TeX leaves files where it stands
                    capture_output=True,
                    timeout=LIMIT,
                )
                said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
            except (OSError, subprocess.TimeoutExpired) as fault:
                said = [str(fault)]
            if new.is_file() and new.read_bytes().startswith(b"%PDF"):
                new.replace(out)
                return name
            errors = [line for line in said if line.startswith("!")]  # so TeX marks them
            told = (errors + said[-1:] + ["made nothing"])[0]
            failed.append(f"{name}: {told[:120]}")
    raise Failure("; ".join(failed) or INSTALL)
