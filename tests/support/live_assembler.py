"""The live page's assembler in a browser that tests can drive."""

from pathlib import Path
from typing import Any

from records.ladder import ROOT

SCRIPT = ROOT / "rsalab/live/assembler.js"
ASSEMBLE = """
const file = (number) => (made.files.get(number) || "").split("/").pop();
const made = assembler.assemble(arguments[0], { externals: arguments[1] });
return {
  code: Array.from(made.bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  lines: Array.from(made.lines),
  inner: Array.from(made.inner),
  cLines: Array.from(made.cLines, (line, k) => `${file(made.cFiles[k])}:${line}`),
  symbols: Object.fromEntries(made.symbols),
  errors: made.errors,
};
"""


class Assembler:
    """A page that holds nothing but the assembler."""

    def __init__(self, driver: Any, folder: Path) -> None:
        page = folder / "assembler.html"
        page.write_text(f"<!doctype html><script>{SCRIPT.read_text(encoding='utf-8')}</script>")
        driver.get(page.as_uri())
        self.driver = driver

    def assemble(self, text: str, externals: dict[str, int] | None = None) -> dict[str, Any]:
        """What the assembler makes of a text; `code` is its bytes."""
        made: dict[str, Any] = self.driver.execute_script(ASSEMBLE, text, externals or {})
        return {**made, "code": bytes.fromhex(made["code"])}

    def names(self, text: str, line: int) -> dict[str, str]:
        """The names of registers at a line, and the registers."""
        script = "return assembler.assemble(arguments[0]).names(arguments[1])"
        pairs = self.driver.execute_script(script, text, line)
        return {pair["name"]: pair["register"] for pair in pairs}

    def mnemonics(self) -> list[str]:
        """The names of all instructions that it knows."""
        known: list[str] = self.driver.execute_script("return assembler.mnemonics")
        return known

    def complaints(self, texts: list[str]) -> list[list[dict[str, Any]]]:
        """The errors of each of many texts."""
        script = "return arguments[0].map((text) => assembler.assemble(text).errors)"
        found: list[list[dict[str, Any]]] = self.driver.execute_script(script, texts)
        return found
