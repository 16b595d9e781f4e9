"""README's tables and pictures: `python3 -m studies.hardware.pages`, in the root."""

import sys

from records.commands import command
from records.files import replace
from rsalab.markdown import between
from studies.hardware import charts
from studies.hardware.hardware import BUILD, HERE, synthesis_rows, table, verdicts


def pages() -> None:
    """Write README's tables, and the pictures that tools draw.  Raises Failure."""
    readme = HERE / "README.md"
    synthesis = f"```text\n{table(synthesis_rows())}\n```"
    text = between(readme.read_text(), "synthesis", synthesis, str(readme))
    replace(readme, between(text, "verdicts", verdicts(), str(readme)))
    BUILD.mkdir(parents=True, exist_ok=True)
    replace(HERE / "wave.png", charts.waveform(BUILD)._repr_png_()[0])
    for unit in ("mmm_1_hw", "carry"):
        replace(HERE / f"{unit}.svg", charts.schematic(unit))


if __name__ == "__main__":
    sys.exit(command("pages", pages))
