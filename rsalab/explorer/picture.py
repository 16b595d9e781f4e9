"""The pictures of the explorer on the front page, light and dark, at the step that README shows.

Usage: python -m rsalab.explorer.picture PAGE FOLDER
"""

import shutil
import sys
import tempfile
from pathlib import Path

from records.commands import command
from records.faults import Failure, run
from rsalab.pages.document import BROWSERS, LIMIT, QUIET

STEP = "b=v5"
WIDTH = 1200  # pixels
HEIGHT = 720
# The browser opens the page at the step, and leaves what is above it empty.
EMPTY = 900  # pixels at most
COLOURS = 64  # enough for flat colours, and a small file
# The browser's number for what a page asks as prefers-color-scheme.
SCHEMES = {"explorer": 1, "explorer-dark": 0}


def pictures(page: str, folder: str) -> None:
    """Write FOLDER/explorer.png and FOLDER/explorer-dark.png of the page that `make explore` made.
    Raises Failure where there is no such page or no browser."""
    source = Path(page).resolve()
    if not source.is_file():
        raise Failure(f"{page} is missing; type `make explore`")
    browser = next(filter(shutil.which, BROWSERS), None)
    if not browser:
        raise Failure("no Chromium here: sudo apt-get install chromium")
    for name, scheme in SCHEMES.items():
        out = Path(folder, f"{name}.png")
        with tempfile.TemporaryDirectory() as scratch:
            seen = Path(scratch, "seen.png")
            words = [browser, *QUIET, "--hide-scrollbars"]
            words.append(f"--window-size={WIDTH},{HEIGHT + EMPTY}")
            words += [f"--user-data-dir={scratch}/profile", f"--screenshot={seen}"]
            words += ["--virtual-time-budget=10000"]
            words += [f"--blink-settings=preferredColorScheme={scheme}"]
            run([*words, f"{source.as_uri()}#{STEP}"], timeout=LIMIT)
            if not seen.is_file():
                raise Failure(f"{browser}: made no picture")
            settled(seen, out)
        print(f"  PICTURE {out}")


def settled(seen: Path, out: Path) -> None:
    """Write a picture again from its first line that is not empty, with few colours."""
    from PIL import Image, ImageChops

    with Image.open(seen) as picture:
        whole = picture.convert("RGB")
        background = Image.new("RGB", whole.size, whole.getpixel((0, 0)))
        drawn = ImageChops.difference(whole, background).getbbox()
        top = drawn[1] if drawn else 0
        part = whole.crop((0, top, WIDTH, top + HEIGHT))
        part.quantize(COLOURS, dither=Image.Dither.NONE).save(out, optimize=True)


if __name__ == "__main__":
    sys.exit(command("picture", pictures))
