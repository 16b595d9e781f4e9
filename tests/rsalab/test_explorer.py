"""The diff explorer's data and file, without a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clone import Clone
from explorer_page import STATIC, explore

from records.faults import Failure
from records.ladder import ROOT
from records.machine import NEEDED
from records.rows import read_rows
from rsalab.explorer import listing, page
from rsalab.explorer.listing import Function

WEB = ROOT / "rsalab/explorer/web"


def refused(ran: subprocess.CompletedProcess[str]) -> str:
    """The one line that a refusal consists of."""
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert ran.stderr.startswith("explorer: ") and ran.stderr.count("\n") == 1, ran.stderr
    return ran.stderr


@pytest.mark.parametrize(
    ("said", "relocation", "text"),
    [
        ("beq\tc4 <add+0xc4>", None, "beq     +b4"),
        ("bl\tec <mont_mul>", None, "bl      mont_mul"),
        ("bne\t120 <mont_mul+0x34>", None, "bne     mont_mul+34"),
        ("bl\t0 <load>", ("R_ARM_CALL", "memcpy"), "bl      memcpy"),
        ("ldr\tr1, [pc, #164]\t@ e4 <add+0xd4>", None, "ldr     r1, [+d4]"),
        ("str\tr0, [fp, #-40]\t@ 0xffffffd8", None, "str     r0, [fp, #-40]"),
        ("push\t{fp}\t\t@ (str fp, [sp, #-4]!)", None, "push    {fp}"),
        (".word\t0x000000a0", None, ".word   0x000000a0"),
        (".word\t0x000000a0", ("R_ARM_REL32", ".rodata"), ".word   .rodata+0x000000a0 - ."),
        ("movw\tr3, #0", ("R_ARM_MOVW_ABS_NC", "t"), "movw    r3, #0 (MOVW_ABS_NC t)"),
        ("bx\tlr", None, "bx      lr"),
    ],
)
def test_text_of_an_instruction(said: str, relocation: tuple | None, text: str) -> None:
    assert listing.text(said, Function("add", 0x10), relocation) == text


def test_policy_allows_these_scripts_and_nothing_else() -> None:
    policy = page.policy(["a{}"], ["f()", "g()"])
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    assert len(re.findall(r"'sha256-[\w+/]{43}='", policy)) == 3


def test_embedded_text_cannot_end_its_element() -> None:
    value = {"a": "</script><!-- é"}
    assert "<" not in page.embedded(value)
    assert json.loads(page.embedded(value)) == value
    with pytest.raises(ValueError, match="holds what would end it"):
        page.element("script", "f('</SCRIPT>')")


def test_vendored_code_has_its_licences_and_names_no_registry() -> None:
    licences = (WEB / "vendor/LICENSES").read_text()
    packages = json.loads((WEB / "package-lock.json").read_text())["packages"]
    for name in ("diff2html", "diff", "highlight.js", "@profoundlogic/hogan"):
        assert f"{name} {packages[f'node_modules/{name}']['version']} (" in licences
    for path in [*WEB.glob("*.*"), *WEB.glob("vendor/*")]:
        assert "registry" not in path.read_text().lower(), path
    assert "resolved" not in (WEB / "package-lock.json").read_text()


def test_nothing_measured_is_one_line(tmp_path: Path) -> None:
    out = tmp_path / "explorer.html"
    said = refused(explore(ROOT, tmp_path / "none", out))
    assert "`make all-iterations` measures" in said
    (tmp_path / "machine.json").write_text("{")
    assert "machine.json:1: " in refused(explore(ROOT, tmp_path, out))
    (tmp_path / "machine.json").write_text(json.dumps(dict.fromkeys(NEEDED, "x")))
    assert "lines.csv" in refused(explore(ROOT, tmp_path, out))
    (tmp_path / "lines.csv").write_text("x\n")
    assert "lines.csv:1: " in refused(explore(ROOT, tmp_path, out))
    assert not out.exists()


def embedded(out: Path) -> dict:
    """The data of a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', out.read_text())
    return json.loads(found[1])


def test_page_is_whole_small_and_the_same_again(
    explored: Clone, built: Path, tmp_path: Path
) -> None:
    out = tmp_path / "again.html"
    ran = explore(explored.path, explored.path / "results/local", out)
    assert ran.returncode == 0, ran.stderr
    assert out.read_bytes() == built.read_bytes()
    text = out.read_text()
    assert len(text) < 5e6
    assert not re.search(
        r"<(link|img|iframe|object)\b|\b(src|href)=|@import|url\(", page_only(text)
    )
    value = embedded(out)
    labels = [snapshot["label"] for snapshot in value["snapshots"]]
    assert labels[:3] == ["v0", "v1", "v2"] and labels[-1] == STATIC
    assert "alone/limb-only" in value["missing"][0] and "not measured" in value["missing"][0]
    assert value["missing"][0] in ran.stderr


def page_only(text: str) -> str:
    """The page without its scripts, data and licences."""
    return re.sub(r"<(script|pre)\b.*?</\1>", "", text, flags=re.S)


def test_every_count_is_that_of_lines_csv(explored: Clone, built: Path) -> None:
    rows = read_rows(explored.path / "results/local/lines.csv")
    measured = {
        (row["study"], row["snapshot"], row["level"], int(row["offset"], 16)): row["instructions"]
        for row in rows
    }
    shown = {
        (snapshot["study"], snapshot["label"].rpartition("/")[2], level, start + 4 * index): count
        for snapshot in embedded(built)["snapshots"]
        for level, cell in snapshot["levels"].items()
        for _, start, _, numbers, _ in cell["functions"]
        for index, count in enumerate(numbers)
        if count
    }
    assert shown == measured


def test_code_that_was_not_measured_is_named(explored: Clone, tmp_path: Path) -> None:
    copy = explored.copy(tmp_path / "copy").path
    results, out = copy / "results/local", tmp_path / "x.html"
    with (copy / "build/iterations/v1/O1/rsa").open("ab") as file:
        file.write(b"\0")
    (copy / "build/iterations/v2/O3/rsa").unlink()
    source = copy / "iterations/v3/rsa.c"
    source.write_text(source.read_text() + "/* edited */\n")
    flip(copy / "build/iterations/v4/O0/snapshot.o", "snapshot_text")
    ran = explore(copy, results, out)
    assert ran.returncode == 0
    said = "\n".join(embedded(out)["missing"])
    assert "v1 O1, v4 O0: rebuilt" in said
    assert "v2 O3: " in said
    assert "v3: edited" in said
    assert said.replace("\n", "\nexplorer: ") in ran.stderr
    shutil.rmtree(copy / "build/iterations")
    shutil.rmtree(copy / "build/studies")
    out.unlink()
    assert "not built" in refused(explore(copy, results, out))
    assert not out.exists()


def flip(path: Path, section: str) -> None:
    """Change the first bit of a section of an object file."""
    tool = "arm-linux-gnueabihf-objdump"
    said = subprocess.run([tool, "-h", path], capture_output=True, text=True, check=True).stdout
    start = int(re.search(rf"{re.escape(section)} +\w+ +\w+ +\w+ +(\w+)", said)[1], 16)
    code = bytearray(path.read_bytes())
    code[start] ^= 1
    path.write_bytes(code)


def test_digest_is_of_code_and_constants(explored: Clone, tmp_path: Path) -> None:
    cell = explored.path / "build/iterations/v8/O1"
    before = listing.read(cell / "snapshot.o", cell / "rsa")
    assert [function.name for function in before.functions] == ["mod_exp", "mont_mul"]
    assert list(before.functions[0].words.values()).count("bl      mont_mul") in (5, 6)
    assert len(before.functions[0].constants) == 2
    changed = tmp_path / "snapshot.o"
    shutil.copy(cell / "snapshot.o", changed)
    flip(changed, ".rodata")
    assert listing.read(changed, cell / "rsa").digest != before.digest
    flip(changed, "snapshot_text")
    with pytest.raises(Failure, match="snapshot.o"):
        listing.read(changed, cell / "rsa")


def test_arguments_are_explained() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "rsalab.explorer.page"], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 2 and "usage: explorer" in ran.stderr
