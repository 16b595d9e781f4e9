"""What a first-time reader sees of one text on its way through a rung."""

from pathlib import Path

import pytest
import two_rungs
from needs import needs

from harness import run
from records.faults import Failure

pytestmark = needs("arm-linux-gnueabihf-gcc", "plugins")


@pytest.mark.slow
def test_a_text_is_encrypted_and_comes_back(tmp_path: Path) -> None:
    """In a folder whose name means something to qemu."""
    path = two_rungs.checkout(tmp_path / "a=b, c d")
    said = two_rungs.make(path, "run", "V=v8", "TEXT=Meet at ten")
    assert said.returncode == 0, said.stderr
    lines = said.stdout[said.stdout.index("\ntext ") :].splitlines()
    texts = [line.split(None, 1)[1] for line in lines if line.startswith("text ")]
    assert texts == ["Meet at ten", "Meet at ten"]
    assert any(
        f"{int.from_bytes(b'Meet at ten', 'big'):032x}" in line for line in lines
    )
    together = next(line.split() for line in lines if line.startswith("  all "))
    assert [int(word.replace(",", "")) > 10_000 for word in together[1:]] == [
        True,
        True,
    ]
    assert any("Assembly" in line for line in lines) and max(map(len, lines)) <= 80
    for words in (["TEXT=Meet me at ten o'clock"], ["TEXT="], ["V=v99", "TEXT=a"]):
        refused = two_rungs.make(path, "run", "V=v8", *words)
        first = refused.stderr.splitlines()[0]
        assert refused.returncode == 2 and first.startswith("run: "), refused.stderr


def test_a_text_has_room_or_is_refused() -> None:
    assert run.text_of(run.number_of("Zürich", 128)) == "Zürich"
    assert (
        run.text_of(run.number_of("Z\udcfcrich", 128)) == "Z?rich"
    )  # of a terminal in Latin-1
    assert run.number_of("x" * 15, 128) < 1 << 120
    for text, why in (("", "empty"), ("x" * 16, "16 bytes"), ("ü" * 8, "16 bytes")):
        with pytest.raises(Failure, match=why):
            run.number_of(text, 128)
