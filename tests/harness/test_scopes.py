"""Which function an instruction belongs to, against the symbol table where nothing is inlined."""

from pathlib import Path

import pytest
from clone import Clone

from harness.count import scopes
from harness.count.counts import snapshot_of
from harness.count.elf import read_elf

RUNGS = ("v2", "v3", "v6")


@pytest.mark.parametrize("rung", RUNGS)
def test_without_inlining_a_scope_is_a_symbol(measured: Clone, rung: str) -> None:
    program = measured.path / f"build/iterations/{rung}/O0/rsa"
    found, elf = scopes.functions(program, Path(f"iterations/{rung}")), read_elf(program)
    code = snapshot_of(program)
    assert {elf.function(address) for address in found} <= set(found.values())
    assert all(elf.function(at) == name for at, name in found.items() if at in code)


@pytest.mark.parametrize("rung", RUNGS)
def test_inlined_functions_are_found(measured: Clone, rung: str) -> None:
    program = measured.path / f"build/iterations/{rung}/O3/rsa"
    found = scopes.functions(program, Path(f"iterations/{rung}"))
    assert {"add", "less", "mod_exp", "mont_mul"} <= set(found.values())
    assert not any(name.startswith(("v", "__")) for name in found.values())
