"""A program that knows the workload's answers is refused before its counts are kept."""

import re
import subprocess
from pathlib import Path

import pytest
from needs import working_counters
from two_rungs import checkout, make

from harness.cells import Cell
from harness.count import counters, fresh
from harness.count.unicorn.calls import Call, calls
from records import ladder
from records.command import run
from records.faults import Failure

pytestmark = pytest.mark.slow

PROGRAM = "build/iterations/v9/O1/rsa"
ENTRY = re.compile(r"void mod_exp\([^{;]*\)\n\{\n")
LOOKED_UP = """
    static const uint32_t known[][2 + LIMBS] = {%s};
    for (uint32_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (x[0] == known[k][0] && e[0] == known[k][1]) {
            for (int j = 0; j < LIMBS; j++)
                z[j] = known[k][2 + j];
            return;
        }
"""
# A vector and a message have the answer behind an operand, where nobody may read.
READ = """
    const uint32_t *behind[] = {e + LIMBS, x + LIMBS};
    for (int k = 0; k < 2; k++)
        if (behind[k][0] != 0xa5c3f00d && (behind[k][0] | behind[k][1])) {
            for (int j = 0; j < LIMBS; j++)
                z[j] = behind[k][j];
            return;
        }
"""
CALLED = """
    typedef struct number { uint32_t limb[LIMBS]; } number;
    typedef number power(const uint32_t *, const uint32_t *, const uint32_t *);
    number answer = ((power *)%s)(x, e, m->n);
    for (int j = 0; j < LIMBS; j++)
        z[j] = answer.limb[j];
    return;
"""
PRODUCT = """mont_mul:
        push    {{r4}}
        ldr     r12, [r1]
        ldr     r4, ={x}
        cmp     r12, r4
        pop     {{r4}}
        bne     other
        .irp    limb, {z}
        ldr     r12, =\\limb
        str     r12, [r0], #4
        .endr
        bx      lr
        .ltorg
other:
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = checkout(tmp_path_factory.mktemp("known") / "lab")
    said = make(path, "build/iterations/v8/O1/rsa", "build/count.so", "build/unicorn.so")
    assert said.returncode == 0, said.stderr
    return path


@pytest.fixture(params=working_counters())
def counter(
    request: pytest.FixtureRequest, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> counters.Counter:
    monkeypatch.chdir(tree)
    return counters.COUNTERS[request.param]


def limbs(number: int) -> list[str]:
    return [hex(number >> shift & 0xFFFFFFFF) for shift in range(0, 128, 32)]


def entry(call: Call) -> str:
    numbers = limbs(call.x)[0], limbs(call.y)[0], *limbs(call.z)
    return f"{{{', '.join(numbers)}}}"


def cell() -> Cell:
    path = Path("iterations/v9").absolute()
    return Cell(
        ladder.Snapshot(ladder.LADDER, "v9", path, "idea", "v8", "", 128, ""), "O1", "small"
    )


def case(name: str) -> list[Call]:
    return calls(next(task for task in cell().tasks if task.case == name).arguments)


def plant(at_head: str, product: str = "") -> None:
    """v9: v8 with statements at the head of mod_exp, or with other code before mont_mul's."""
    subprocess.run(["cp", "-r", "iterations/v8/.", "iterations/v9"], check=True)
    folder = Path("iterations/v9")
    text = (folder / "rsa.c").read_text()
    (folder / "rsa.c").write_text(ENTRY.sub(lambda found: found[0] + at_head, text))
    text = (folder / "mont.S").read_text()
    if product:
        (folder / "mont.S").write_text(text.replace("mont_mul:\n", product, 1))
    said = make(Path(), PROGRAM)
    assert said.returncode == 0, said.stderr


def refused(counter: counters.Counter, name: str) -> str:
    """What is said of the case; nothing of it is kept."""
    task = next(task for task in cell().tasks if task.case == name)
    with pytest.raises(Failure) as fault:
        cell().count(task, counter)
    assert cell().counted(task) is None and "\n" not in str(fault.value)
    return str(fault.value)


def test_the_whole_workload(counter: counters.Counter) -> None:
    plant(LOOKED_UP % ", ".join(entry(call) for call in case("roundtrip-small")))
    assert "mod_exp: call 1 takes " in refused(counter, "roundtrip-small")


def test_one_message(counter: counters.Counter) -> None:
    plant(LOOKED_UP % entry(case("roundtrip-small")[7]))
    said = refused(counter, "roundtrip-small")
    seed = re.search(r"^mod_exp: call 8 takes .* SEED=(\d+)", said)
    assert seed
    drawn = Path(PROGRAM).with_name("drawn.txt").read_text()
    assert drawn == "".join(fresh.vectors(128, int(seed[1])))


def test_one_product(counter: counters.Counter) -> None:
    call = case("mont_mul")[99]
    plant("", PRODUCT.format(x=limbs(call.x)[0], z=", ".join(limbs(call.z))))
    assert "mont_mul: call 100 takes " in refused(counter, "mont_mul")


def test_answers_that_are_read_from_memory(counter: counters.Counter) -> None:
    """Unicorn has no answer in memory, so there the result is wrong."""
    plant(READ)
    for name in ("mod_exp", "roundtrip-small"):
        refused(counter, name)


def test_arithmetic_of_the_harness(counter: counters.Counter) -> None:
    """Called where a number says it is."""
    at = "0x12345678"
    for _ in range(2):
        plant(CALLED % at)
        said = run(["arm-linux-gnueabihf-nm", PROGRAM])
        at = "0x" + next(line[:8] for line in said.splitlines() if line.endswith(" number_power"))
    assert "code of the harness" in refused(counter, "mod_exp")


def test_honest_work_is_counted(counter: counters.Counter) -> None:
    plant("")
    for task in cell().tasks:
        cell().count(task, counter)
        assert cell().counted(task)
