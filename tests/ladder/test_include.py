"""A snapshot is a folder that compiles as it stands, without make."""

import subprocess
from pathlib import Path

import pytest
from needs import needs
from representatives import mostly_long

from records import ladder

ARM = ["arm-linux-gnueabihf-gcc", "-c"]
FLAGS = ["-marm", "-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"]


@needs(ARM[0])
@pytest.mark.parametrize(
    "rung", mostly_long([s.name for s in ladder.snapshots()], ["v3", "v8"])
)
def test_a_rung_compiles_without_an_option(rung: str, tmp_path: Path) -> None:
    flags = FLAGS if rung == "v3" else []  # NEON has to be asked for
    words = [*ARM, *flags, f"iterations/{rung}/rsa.c", "-o", tmp_path / "rsa.o"]
    subprocess.run(words, cwd=ladder.ROOT, check=True)


@needs(ARM[0])
@pytest.mark.parametrize(
    "folder", ["studies/limit/window", "labs/09-six-limbs/solution"]
)
def test_other_snapshots_need_their_width_alone(folder: str, tmp_path: Path) -> None:
    width = "-DWIDTH=192" if "six" in folder else "-DWIDTH=128"
    words = [*ARM, *FLAGS, width, f"{folder}/rsa.c", "-o", tmp_path / "rsa.o"]
    subprocess.run(words, cwd=ladder.ROOT, check=True)
