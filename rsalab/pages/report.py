"""REPORT.md as one HTML file that needs nothing else, and as PDF."""

import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from records.faults import Failure
from records.files import replace
from rsalab.pages import paper
from rsalab.pages.convert import INSTALL, Rewrite, page


def seen_from(folder: Path, out: Path) -> Rewrite:
    """Links of a text in one folder as they read in another: files by their new relative name."""

    def rewrite(target: str) -> str | None:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc or not parts.path:
            return target
        moved = Path(os.path.relpath((folder / parts.path).resolve(), out.resolve())).as_posix()
        return parts._replace(path=moved).geturl()

    return rewrite


def report(source: Path, out: Path, pdf: Path | None = None) -> list[str]:
    """Writes the HTML of a report, and its PDF; returns a line for each thing that was made or
    could not be made for want of a tool.  An older one does not outlive that.

    Raises Failure when the text is at fault, OSError.
    """
    for old in filter(None, (out, pdf)):
        old.unlink(missing_ok=True)
    if not shutil.which("pandoc"):
        return [f"  REPORT  {shown(out)} not made: {INSTALL}"]
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Failure(f"{source}: no such report, or not UTF-8 text") from None
    made, _ = page(text, source.parent, seen_from(source.parent, out.parent))
    replace(out, made)
    said = [f"  REPORT  {shown(out)}"]
    if pdf:
        try:
            engine = paper.pdf(source, out, pdf)
            said.append(f"  REPORT  {shown(pdf)} by {engine}")
        except Failure as fault:
            said.append(f"  REPORT  {shown(pdf)} not made: {fault}")
    return said


def shown(path: Path) -> str:
    """A path as the user would type it."""
    here = Path.cwd().resolve()
    path = path.resolve()
    return path.relative_to(here).as_posix() if here in path.parents else str(path)
