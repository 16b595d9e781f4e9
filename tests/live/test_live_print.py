"""The live page on paper: the whole text, not the part that the screen shows."""

import base64
import shutil
import subprocess
from pathlib import Path
from typing import Any

from live_page import wait
from needs import needs

pytestmark = needs("arm-linux-gnueabihf-gcc", "pdftotext")


def test_the_whole_text_is_on_paper_with_its_counts(live: Any, tmp_path: Path) -> None:
    live.execute_script("localStorage.clear(); choose('v8', 'O1')")
    assert wait(live).startswith("Right")
    text = live.execute_script("return document.getElementById('text').value")
    drawn = "return document.querySelectorAll('#colours b').length"
    on_screen = live.execute_script(drawn)
    assert on_screen < len(text.splitlines())
    made = live.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pdf = tmp_path / "live.pdf"
    pdf.write_bytes(base64.b64decode(made["data"]))
    words = [shutil.which("pdftotext"), "-layout", pdf, "-"]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    for number, line in enumerate(text.splitlines(), 1):
        says = " ".join(line.split())
        assert (
            any(
                paper.startswith(f"{number} ") and paper.endswith(says)
                for paper in lines
            )
            or not says
        ), (number, line)
    assert any(line.startswith("110 5 product_row") for line in lines)
    assert live.execute_script(drawn) == on_screen
