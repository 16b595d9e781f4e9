"""The live page's assembler in a browser that tests can drive."""

from pathlib import Path
from typing import Any

from records.ladder import ROOT

SCRIPT = ROOT / "rsalab/live/assembler.js"
ASSEMBLE = """
const file = (number) => (result.files.get(number) || "").split("/").pop();
const result = assembler.assemble(arguments[0], { externals: arguments[1], origin: arguments[2] });
return {
  code: Array.from(result.bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  lines: Array.from(result.lines),
  inner: Array.from(result.inner),
  cLines: Array.from(result.cLines, (line, k) => `${file(result.cFiles[k])}:${line}`),
  symbols: Object.fromEntries(result.symbols),
  errors: result.errors,
};
"""


class Assembler:
    """A page that holds nothing but the assembler."""

    def __init__(self, driver: Any, folder: Path) -> None:
        page = folder / "assembler.html"
        page.write_text(
            f"<!doctype html><script>{SCRIPT.read_text(encoding='utf-8')}</script>"
        )
        driver.get(page.as_uri())
        self.driver = driver

    def assemble(
        self,
        text: str,
        externals: dict[str, int] | None = None,
        origin: int = 0x8000,
    ) -> dict[str, Any]:
        """Assemble a text and return what assemble() does, with the bytes as
        `code`."""
        result: dict[str, Any] = self.driver.execute_script(
            ASSEMBLE, text, externals or {}, origin
        )
        return {**result, "code": bytes.fromhex(result["code"])}

    def names(self, text: str, line: int) -> dict[str, str]:
        """Return the register of each name in force at a line."""
        script = "return assembler.assemble(arguments[0]).names(arguments[1])"
        pairs = self.driver.execute_script(script, text, line)
        return {pair["name"]: pair["register"] for pair in pairs}

    def mnemonics(self) -> list[str]:
        """Return the names of all instructions of the assembler."""
        names: list[str] = self.driver.execute_script("return assembler.mnemonics")
        return names

    def complaints(self, texts: list[str]) -> list[list[dict[str, Any]]]:
        """Return the errors of each of many texts."""
        script = "return arguments[0].map((text) => assembler.assemble(text).errors)"
        found: list[list[dict[str, Any]]] = self.driver.execute_script(script, texts)
        return found
