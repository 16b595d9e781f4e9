"""studies/width-1024: planted bugs are found, bad input is refused, a wrong half does not leave."""

import subprocess
from functools import cache
from pathlib import Path

import pytest
from long import check
from long_program import Bench
from needs import needs
from vectors import KEYS, Setting, mont_mul, private_lines, read_key, vectors

from harness.kinds import Stream
from records.faults import Failure

pytestmark = needs("arm-linux-gnueabihf-gcc", "qemu-arm")

# file, what stands there, the bug
BUGS = [
    ("assembly/columns.inc", "umaal   \\c, \\d, xb, y3", "umaal   \\c, \\d, xa, y3"),
    ("assembly/multiply.S", "stm     r0!, {r4-r11}", "add     r0, r0, #32"),
    ("assembly/multiply.S", "str     r7, [r0], #4", "add     r0, r0, #4"),
    ("assembly/square.S", "adcs    r6, r6, r6", "adds    r6, r6, r6"),
    ("assembly/square.S", "umaal   r9, r12, r10, r10", "mov     r12, #0"),
    ("assembly/reduce.S", "adcs    r8, r8, r2", "adds    r8, r8, r2"),
    ("assembly/reduce.S", "adc     r12, r12, #0", "nop"),
    ("assembly/reduce.S", "sbcs    r12, r12, #0", "cmp     r11, r7"),  # by the top limb alone
    ("assembly/reduce.S", "mov     r11, r7", "mov     r11, #0"),
    ("assembly/reduce.S", "mvn     r12, r12", "mov     r12, #0"),
    ("assembly/linear.S", "and     r8, r8, r12", "nop"),
    ("assembly/columns.inc", "push    {r4-r11, lr}", "push    {r3, r5-r11, lr}"),
    ("plain/kernels.c", "mask = 0 - (top | (borrow ^ 1))", "mask = 0 - (borrow ^ 1)"),
    ("plain/kernels.c", "shifted = high >> 31", "shifted = 0"),
    ("plain/kernels.c", "t[i + k] + top;", "t[i + k];"),
    ("karatsuba.c", "c -= top;", ""),
    ("karatsuba.c", "c = sum < c;", "c = 0;"),
    ("exponent.c", "zeros + count", "zeros + w"),
    ("crt.c", "0 - borrow", "0"),
    ("assembly/linear.S", "r12, [sp, #36]", "r12, [sp, #36]\n cmp r3, #40\n mvnhs r12, #0"),
    ("assembly/choose.S", "moveq   r12, r10", "nop"),
    ("assembly/choose.S", "add     r4, r3, #1", "add     r4, r3, #2"),
    ("assembly/choose.S", "r6, r0", "r6, r0\n cmp r7, #4\n cmpeq r4, #64\n moveq r4, #63"),
    ("plain/kernels.c", "table += 4", "table += 3"),
]
# What stands before private_crt, and what is said of it.
BREACHES = [
    ("void exit(int); static __attribute__((used)) void two(void) { exit(2); }", "calls exit"),
    ("uint32_t two(void) { return 2; }", "exports two"),
    ("static volatile uint32_t last; static __attribute__((used)) void two(void) { last = 2; }",
     "writable data"),
    ('__attribute__((section("elsewhere"), used)) static void two(void) {}', "section elsewhere"),
]  # fmt: skip


@cache
def lines(seed: int) -> list[str]:
    """Vectors that are quickly computed: the small sizes, and a few of every length."""
    found = list(vectors(40, seed, (64, 128, 256)))
    return found + list(private_lines(read_key(KEYS / "512.txt"), Stream(str(seed))))


def run(program: Path, made: list[str], command: str = "check") -> subprocess.CompletedProcess[str]:
    path = program.parent / "lines.txt"
    path.write_text("".join(f"{line}\n" for line in made))
    words = ["qemu-arm", "-cpu", "cortex-a7", program, command, path]
    return subprocess.run(words, capture_output=True, text=True)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("long"))


@pytest.fixture(scope="module")
def program(bench: Bench) -> Path:
    return bench.program()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["assembly", "plain"])
def test_no_vector_fails(bench: Bench, kind: str) -> None:
    made = lines(1)
    ran = run(bench.program(kind), made)
    assert (ran.returncode, ran.stdout) == (0, f"{len(made)} lines\n"), ran.stderr


@pytest.mark.long
@pytest.mark.parametrize("kind", ["assembly", "plain"])
def test_ten_thousand_random_cases(bench: Bench, kind: str) -> None:
    made = list(vectors(5000, 2, ()))
    ran = run(bench.program(kind), made)
    assert (ran.returncode, ran.stdout) == (0, f"{len(made)} lines\n"), ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("file", "old", "new"), BUGS)
def test_a_planted_bug_is_found(
    bench: Bench, file: str, old: str, new: str, tmp_path: Path
) -> None:
    assert run(bench.planted(file, old, new, tmp_path), lines(3)).returncode != 0


@pytest.mark.slow
@pytest.mark.parametrize(("new", "fault"), BREACHES)
def test_a_breach_of_the_contract_is_refused(
    bench: Bench, new: str, fault: str, tmp_path: Path
) -> None:
    """nat.h says what a program exports, calls and keeps."""
    old = "uint32_t private_crt("
    program = bench.planted("crt.c", old, f"{new}\n{old}", tmp_path)
    with pytest.raises(Failure, match=fault):
        check(program, seed=1, cases=0)


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 4, 5])
def test_a_corrupted_half_does_not_leave(program: Path, number: int) -> None:
    words = list(private_lines(read_key(KEYS / "512.txt"), Stream("1")))[-1].split()
    words[6 + number] = f"{int(words[6 + number], 16) ^ 2:x}"  # dp, dq, qinv
    ran = run(program, [" ".join(words[:-1])], "answer")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1


RIGHT = mont_mul(Setting(2), (1 << 64) - 1, 5, 7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "status"),
    [
        (RIGHT[:-1] + ("0" if RIGHT[-1] != "0" else "1"), 1),
        ("", 2),
        ("divide 1 0 1 2 4 3 2 1", 2),
        ("mont_mul 0 0 1 2 4 3 2 2 1", 2),
        ("mont_mul 65 0 1 2 4 3 2 2 1", 2),
        ("mont_mul 1 0 1 2 4 4 2 2 1", 2),  # an even modulus
        ("mont_mul 1 0 1 2 4 1 0 0 0", 2),
        ("mont_mul 1 0 1 2 4 100000001 2 2 1", 2),
        ("mont_mul 3 1 1 2 4 3 2 2 1", 2),  # three limbs have no half
        ("mont_mul 1 0 1 2 4 3 2 2", 2),
        ("mont_mul 1 0 1 2 4 3 2 2 1 1", 2),
        ("mont_mul 1 0 1 2 4 3 2 x 1", 2),
        ("mod_exp 1 0 1 2 4 3 5 2 1", 2),  # x is not below n
        ("private 2 0 1 2 4 f 3 5 1 1 1 3 2 8", 2),  # q is not below p
    ],
)
def test_bad_input_and_wrong_results_are_one_line(program: Path, line: str, status: int) -> None:
    ran = run(program, [line])
    assert (ran.returncode, len(ran.stderr.splitlines())) == (status, 1)


def test_a_file_that_is_no_key_is_refused(tmp_path: Path) -> None:
    text, path = (KEYS / "512.txt").read_text(), tmp_path / "key.txt"
    for old, new in [("e ", "f "), ("p ", "p 1"), ("d ", "d 1"), ("n ", "n 1"), ("q ", "q g")]:
        path.write_text(text.replace(f"\n{old}", f"\n{new}"))
        with pytest.raises(Failure, match=r"key\.txt: no key"):
            read_key(path)


def test_the_primes_of_a_key_may_come_in_either_order(tmp_path: Path) -> None:
    text = (KEYS / "512.txt").read_text()
    changed = text.replace("\np ", "\nr ").replace("\nq ", "\np ").replace("\nr ", "\nq ")
    (tmp_path / "key.txt").write_text(changed)
    assert changed != text and read_key(tmp_path / "key.txt") == read_key(KEYS / "512.txt")
