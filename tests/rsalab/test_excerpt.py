"""The excerpt of a step's assembly: which instructions it shows."""

from rsalab.report.excerpt import Line, busiest, said

ROUND = [
    Line(0, 1, "mmm", "mov r0, #0"),
    Line(4, 8, "halve", "lsr r1, r1, #1"),
    Line(8, 8, "mmm", "tst r1, #1"),
    Line(16, 9, "add", "adds r2, r2, r3"),  # behind an instruction that is never executed
    Line(20, 2, "mmm", "bx lr"),
]


def offsets(name: str, most: int) -> list[int]:
    return [line.offset for line in busiest(ROUND, name, most)]


def test_the_run_in_which_the_function_executes_most() -> None:
    assert offsets("mmm", 2) == [4, 8]  # 8 of its own, and 8 beside them instead of none
    assert offsets("mmm", 3) == [0, 4, 8]
    assert offsets("add", 3) == [16, 20]  # no run goes over a gap
    assert offsets("less", 3) == []


def test_an_instruction_of_another_function_names_it() -> None:
    assert said(ROUND[2], "mmm") == ROUND[2].text
    assert said(ROUND[1], "mmm").split("@") == [f"{ROUND[1].text:<32}", " halve"]
