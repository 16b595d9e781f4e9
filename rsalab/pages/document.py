"""A Markdown file as one HTML file that needs nothing else, and as PDF."""

import os
import shutil
import tempfile
from pathlib import Path

from records.command import run
from records.faults import Failure
from records.files import replace
from records.results import label
from rsalab.pages.html import to_html

LIMIT = 180  # seconds
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# No sandbox: the page is our own, and a container or root has none.
QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


def write_pdf(page: Path, out: Path) -> None:
    """Prints an HTML file as it looks, by Chromium.  Raises Failure when there is none, or it makes
    no PDF."""
    browser = next(filter(shutil.which, BROWSERS), None)
    if not browser:
        raise Failure("no Chromium here: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix=".pdf-", dir=out.parent) as scratch:
        new = Path(scratch, "new.pdf").resolve()
        words = [browser, *QUIET, f"--user-data-dir={scratch}/profile", "--no-pdf-header-footer"]
        words += ["--generate-pdf-document-outline", f"--print-to-pdf={new}"]
        run([*words, page.resolve().as_uri()], timeout=LIMIT)
        if not new.is_file():
            raise Failure(f"{browser}: made no PDF")
        new.replace(out)


def report(source: Path, out: Path) -> None:
    """Writes OUT.html and OUT.pdf of a report, a line on each.  What lacks a tool is named, and an
    older one removed.  Raises Failure when the text is at fault, OSError."""
    pdf = out.with_suffix(".pdf")
    for old in (out, pdf):
        old.unlink(missing_ok=True)
    if not shutil.which("pandoc"):
        print(f"  REPORT  {label(out)} not made: no pandoc here: sudo apt-get install pandoc")
        return

    def seen(target: str) -> str:
        path, mark, anchor = target.partition("#")
        return os.path.relpath(source.parent / path, out.parent) + mark + anchor

    replace(out, to_html(source.read_text(encoding="utf-8"), source.parent, seen))
    print(f"  REPORT  {label(out)}")
    try:
        write_pdf(out, pdf)
        print(f"  REPORT  {label(pdf)}")
    except Failure as fault:
        print(f"  REPORT  {label(pdf)} not made: {fault}")
