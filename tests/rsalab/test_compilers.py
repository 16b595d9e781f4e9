"""Results of several compilers stand beside each other: the reference stays the usual one's."""

from pathlib import Path

import pytest

from records import ladder
from records.results import load, rank, reference
from records.settings import TOOLCHAIN_TABLE, USUAL_TOOLCHAIN
from rsalab.steps import spent

FOLDERS = sorted(ladder.ROOT.glob("results/qemu-*"))


def test_the_reference_is_the_usual_compilers() -> None:
    assert reference().name.startswith(f"qemu-{USUAL_TOOLCHAIN.word}")
    order = [Path("results", name) for name in ("qemu-gcc12", "qemu-clang14", "pi4-gcc12", "local")]
    assert sorted(order, key=rank) == order


def test_a_step_is_looked_up_in_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not in the first folder by its name."""
    monkeypatch.setattr(spent, "LOCAL", "results/nowhere")
    monkeypatch.setattr(spent, "is_imported", lambda folder: folder.name == "local")
    assert spent.results_of("", ladder.find("v4")).folder == reference()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_each_compiler_has_counted_the_whole_ladder(folder: Path) -> None:
    results = load(folder)
    words = [toolchain.word for toolchain in TOOLCHAIN_TABLE]
    assert any(results.platform.startswith(f"qemu-{word}") for word in words)
    assert [rung.name for rung in results.rungs()] == [rung.name for rung in ladder.snapshots()]
    name, version = results.compiler.split()
    assert name.endswith(("gcc", "clang")) and version[0].isdigit()
