"""What a C function is."""

from records.c_functions import definition, functions
from records.ladder import SOURCES, every

TEXT = """\
#define odd(x) ((x) & 1)
typedef struct { int a; } nat;
__attribute__((noinline)) static inline nat *first(nat *a, int b);
static nat
second(int a,
       int b) {
    if (a) { first(0, b); }
    return third(a);
}
"""


def test_functions_are_read_however_they_are_laid_out() -> None:
    found = [(one.name, one.defined) for one in functions(TEXT)]
    assert found == [("first", False), ("second", True)]
    assert definition(TEXT, "second") == TEXT[TEXT.index("static nat\n") :].rstrip("\n")
    assert definition(TEXT, "first") == definition(TEXT, "third") == ""


def test_every_snapshot_has_the_two_of_the_contract() -> None:
    for snapshot in every():
        names: list[str] = []
        for file in SOURCES:
            if (snapshot.path / file).exists() and file.endswith((".c", ".h")):
                text = (snapshot.path / file).read_text(encoding="utf-8")
                names += [one.name for one in functions(text) if one.defined]
        assert len(names) == len(set(names)), snapshot.label
        if not snapshot.has_assembly:
            assert {"mont_mul", "mod_exp"} <= set(names), snapshot.label
