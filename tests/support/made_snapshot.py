"""A made-up snapshot with sources, front matter and step.toml."""

from pathlib import Path

from records import ladder
from records.step_file import FILE


def add(
    root: Path, name: str, parent: str = "", study: str = "iterations", **extra: str
) -> Path:
    """A snapshot's folder with two small sources and front matter; `step`
    is the text of its step.toml."""
    folder = ladder.study_path(study, root) / name
    folder.mkdir(parents=True)
    step = extra.pop("step", 'verdict = ""')
    values = {"idea": f"idea of {name}", "parent": parent, "source": "", **extra}
    front = "".join(f"{key}: {value}\n" for key, value in values.items())
    (folder / "README.md").write_text(f"---\n{front}---\n\n**Change.** Something.\n")
    (folder / FILE).write_text(f"{step}\n")
    (folder / "rsa.c").write_text("int f(int x)\n{\n    return x;\n}\n")
    (folder / "nat.h").write_text("typedef int nat;\n")
    return folder
