"""Every source as its tool wants it: ruff, mypy, import-linter,
shellcheck, clang-format."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from clone import sources

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(sys.executable).parent  # of .venv
FILES = [str(name) for name in sources()]
C = [name for name in FILES if name.endswith((".c", ".h"))]
SHELL = [name for name in FILES if name.endswith(".sh")]
COMMANDS = {
    "ruff check": ["ruff", "check", "--quiet", "--output-format", "concise", "."],
    "ruff format": ["ruff", "format", "--quiet", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports"],
    "shellcheck": ["shellcheck", *SHELL],
    "clang-format": ["clang-format", "--dry-run", "-Werror", *C],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_style(name: str) -> None:
    tool, *words = COMMANDS[name]
    if not (TOOLS / tool).exists():
        pytest.skip(f"no {tool} in {TOOLS}; `make venv` makes a .venv with it")
    ran = subprocess.run(
        [TOOLS / tool, *words], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]


def test_lines_of_make_and_shell_are_short() -> None:
    """Columns, 120 at most; the Python and C formatters see to theirs."""
    made = [
        name for name in FILES if name == "Makefile" or name.endswith((".mk", ".sh"))
    ]
    assert len(made) > 10
    for name in made:
        lines = (ROOT / name).read_text().expandtabs(8).splitlines()
        long = [number for number, line in enumerate(lines, 1) if len(line) > 120]
        assert not long, f"{name}: lines {long}"


def test_makefiles_call_scripts_by_their_interpreter() -> None:
    """A ZIP or a file system may have taken from a script that it can be executed."""
    for name in FILES:
        if not name.endswith(("Makefile", ".mk")):
            continue
        text = re.sub(r"(?m)^#.*", "", (ROOT / name).read_text())
        called = re.findall(r"(\w+) \S*\w\.sh\b", text)
        assert set(called) <= {"sh"}, f"{name}: {called}"
