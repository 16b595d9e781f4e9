"""Programs of studies/width-1024, as they are and with a bug, from objects
compiled once."""

import shutil
import subprocess
from pathlib import Path

from records.ladder import ROOT

STUDY = ROOT / "studies/width-1024"
ARM = ["arm-linux-gnueabihf-gcc", "-std=c11", "-marm"]
ARM += ["-march=armv7-a", "-mfpu=neon-vfpv4", "-mfloat-abi=hard"]
NAMES = [".text", ".text.unlikely", ".text.startup"]


def compiled(sources: list[Path], folder: Path, level: str, study: Path) -> None:
    """An object in the folder for each source."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [*ARM, f"-{level}", f"-I{study}", "-c", *sources]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def to_section(name: str, path: Path) -> None:
    """Name the section of an object's code, as make does."""
    words = [word for text in NAMES for word in ("--rename-section", f"{text}={name}")]
    subprocess.run(["arm-linux-gnueabihf-objcopy", *words, path], check=True)


class Bench:
    """A folder with the objects of both implementations and of their
    driver, at one level."""

    def __init__(self, folder: Path, level: str = "O1") -> None:
        self.folder, self.level = folder, level
        driver = [*(STUDY / "driver").glob("*.c"), ROOT / "harness/driver/abi.S"]
        compiled(driver, folder / "driver", level, STUDY)
        for path in (folder / "driver").glob("*.o"):
            to_section("harness_text", path)
        compiled([*STUDY.glob("*.c")], folder / "both", level, STUDY)
        for kind in ("assembly", "plain"):
            compiled([*(STUDY / kind).glob("*.[cS]")], folder / kind, level, STUDY)

    def program(self, kind: str = "assembly", place: Path | None = None) -> Path:
        """The program, and snapshot.o beside it as make builds it; objects
        that are in the place come before those of the bench."""
        place = place or self.folder / kind
        folders = self.folder / "both", self.folder / kind, place
        objects = {path.name: path for folder in folders for path in folder.glob("*.o")}
        (place / "made").mkdir(exist_ok=True)
        made, program = place / "made/snapshot.o", place / "made/long"
        subprocess.run(
            [*ARM, "-nostdlib", "-r", *objects.values(), "-o", made], check=True
        )
        to_section("snapshot_text", made)
        driver = (self.folder / "driver").glob("*.o")
        subprocess.run([*ARM, "-static", made, *driver, "-o", program], check=True)
        return program

    def planted(self, file: str, old: str, new: str, place: Path) -> Path:
        """A program with one thing changed in a file of the study."""
        study = place / "study"
        shutil.copytree(STUDY, study)
        text = (study / file).read_text()
        assert old in text
        (study / file).write_text(text.replace(old, new))
        changed = study / file
        sources = (
            [*changed.parent.glob("*.S")] if changed.suffix == ".inc" else [changed]
        )
        compiled(sources, place / "objects", self.level, study)
        return self.program(
            "plain" if file.startswith("plain") else "assembly", place / "objects"
        )
