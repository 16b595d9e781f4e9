"""No snapshot in C relies on undefined behaviour: each passes its vectors
under the sanitizer.

Built for this machine, where a shift by 32 gives another number than on
ARM. NEON is SIMDe's translation where that is installed.
"""

from pathlib import Path

import pytest
from driver_build import cc, compile_driver, vectors, wrong
from representatives import mostly_long

from records import ladder
from records.ladder import ROOT

pytestmark = pytest.mark.slow

SANITIZER = ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")
SIMDE = Path("/usr/include/simde/arm/neon.h").exists()
NEON = f"-I{ROOT / 'harness/host'}"
STUDIES = (ladder.LADDER, *ladder.studies())
IN_C = [s for study in STUDIES for s in ladder.snapshots(study) if not s.has_assembly]


OF_LADDER = [snapshot for snapshot in IN_C if snapshot.study == ladder.LADDER]


def distinct() -> list[ladder.Snapshot]:
    """One snapshot of each source."""
    found: dict[tuple[object, ...], ladder.Snapshot] = {}
    for snapshot in IN_C:
        texts = [(snapshot.path / name).read_text() for name in ("nat.h", "rsa.c")]
        found.setdefault((snapshot.width, *texts), snapshot)
    return list(found.values())


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[Path]]:
    """Width -> the driver's objects."""
    folder = tmp_path_factory.mktemp("driver")
    return {width: compile_driver(folder, width) for width in {s.width for s in IN_C}}


def sanitized(program: Path, folder: Path, width: int, driver: list[Path]) -> Path:
    """The driver with the snapshot of a folder, both ended at the first
    undefined operation."""
    sources = sorted(folder.glob("*.c"))
    cc(*SANITIZER, f"-DWIDTH={width}", NEON, *sources, *driver, "-o", program)
    return program


@pytest.mark.parametrize(
    "snapshot", mostly_long(distinct(), OF_LADDER), ids=lambda s: f"{s.study}-{s.name}"
)
def test_nothing_undefined(
    snapshot: ladder.Snapshot, drivers: dict, tmp_path: Path
) -> None:
    texts = [path.read_text() for path in snapshot.path.glob("*.[ch]")]
    if not SIMDE and any("arm_neon.h" in text for text in texts):
        pytest.skip("no SIMDe here")
    if any("__asm__" in text for text in texts):
        pytest.skip("assembly for ARM")
    program = sanitized(
        tmp_path / "rsa", snapshot.path, snapshot.width, drivers[snapshot.width]
    )
    assert wrong(vectors(snapshot.width), tmp_path, program, width=snapshot.width) == ""


def test_a_shift_by_32_is_seen(drivers: dict[int, list[Path]], tmp_path: Path) -> None:
    """Lee's shift of the first versions, without a test of the amount."""
    folder = ROOT / "studies" / "width-96" / "v0"
    for source in folder.glob("*.[ch]"):
        text = source.read_text()
        if source.name == "nat.h":
            assert text.count("if (bit && ") == 1
            text = text.replace("if (bit && ", "if (")
        (tmp_path / source.name).write_text(text)
    program = sanitized(tmp_path / "rsa", tmp_path, 96, drivers[96])
    assert "shift exponent 32" in wrong(vectors(96), tmp_path, program, width=96)
