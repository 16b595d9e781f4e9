"""A notebook as Markdown: text, code folded away, and outputs in the open."""

import base64
import json
import re
from pathlib import Path

from records.faults import Failure

HIDDEN = "<details>\n<summary>Code</summary>\n\n{}\n\n</details>"


def fenced(text: str, language: str = "") -> str:
    """A block of code, in a fence longer than any within."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def joined(lines: object) -> str:
    """A cell's text, which the format keeps as one string or as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def output(one: dict, name: str, folder: Path) -> str:
    """The best form of an output: a picture (written into the folder), Markdown, a table, text."""
    if one["output_type"] == "stream":
        return fenced(joined(one["text"]))
    if one["output_type"] == "error":
        raise Failure(f"a cell ended with {one['ename']}: run it again")
    data = {kind: joined(text) for kind, text in one["data"].items()}
    words = " ".join(data.get("text/plain", "").split())
    if "image/svg+xml" in data:
        (folder / f"{name}.svg").write_text(data["image/svg+xml"], encoding="utf-8")
        return f"![{alternative(words)}]({name}.svg)"
    if "image/png" in data:
        (folder / f"{name}.png").write_bytes(base64.b64decode(data["image/png"]))
        return f"![{alternative(words)}]({name}.png)"
    if "text/markdown" in data:
        return data["text/markdown"]
    if "text/html" in data:  # without its style, and without the empty lines that would end it
        text = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)
        text = re.sub(r"\n\s*\n", "\n", text)
        return f'<div class="output">\n{text}\n</div>'
    return fenced(data.get("text/plain", ""))


def alternative(words: str) -> str:
    """What stands for a picture where it is not seen."""
    return re.sub(r"([\[\]\\*_<>`$])", r"\\\1", words)


def to_markdown(text: str, name: str, folder: Path) -> str:
    """The Markdown of a .ipynb; its pictures go into the folder.  Raises Failure."""
    parts = []
    try:
        for number, cell in enumerate(json.loads(text)["cells"], start=1):
            source = joined(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(source)
            elif cell["cell_type"] == "code":
                parts.append(HIDDEN.format(fenced(source, "python")))
                for place, one in enumerate(cell["outputs"], start=1):
                    parts.append(output(one, f"{name}-{number}-{place}", folder))
    except (ValueError, KeyError, TypeError) as fault:
        if isinstance(fault, Failure):
            raise Failure(f"{name}: {fault}") from None
        raise Failure(f"{name}: not a whole notebook ({fault})") from None
    return "\n\n".join(parts) + "\n"
