"""rsalab.sources: what kind of number each own cell is, with and without the studies."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from made_results import (
    COUNTED,
    HEAD,
    LEVELS,
    TRIPS,
    add_studies,
    load_repository,
    study_value,
)

from records.faults import Failure
from records.ladder import ROOT
from records.published import read_csv
from records.results import Results
from records.rows import read_rows
from records.tables import NONE
from rsalab import long_numbers
from rsalab import openssl as counted
from rsalab.models import errors
from rsalab.sources import bishop, dirk, lee, lessons, markovic, openssl
from rsalab.sources.own import (
    MEASURED,
    MODELLED,
    NOT_AVAILABLE,
    NOT_MEASURED,
    Own,
    cycles,
)


def section(results: Results, root: Path) -> str:
    parts = (bishop.text(root), dirk.text(results, root), lee.text(results, root))
    parts += (markovic.text(root), openssl.text(root), lessons.table(root))
    return "\n\n".join(parts)


def all_dirk(results: Results, root: Path) -> dict[tuple[str, str], Own]:
    return {
        (label, program): dirk.own(results, label, program, root)
        for label in dirk.published(root)
        for program in dirk.PROGRAMS
    }


def test_without_the_studies_every_cell_says_so(without: Results, root: Path) -> None:
    cells = [*all_dirk(without, root).values(), dirk.loop(without, "v1")]
    cells += [lee.own(without, version, level) for version in ("v0", "v4") for level in LEVELS]
    for own in cells:
        assert own.status == NOT_MEASURED and own.value is None and own.text == "-"
    assert lessons.of_dirk(without, root) == lessons.of_lee(without) == []
    text = section(without, root)
    assert "| measured |" not in text


def test_counts_stand_beside_dirks_table(with_studies: Results, root: Path) -> None:
    found = all_dirk(with_studies, root)
    for program, (rung, level) in dirk.PROGRAMS.items():
        own = found["instructions", program]
        total = study_value("instructions", "width-64", rung, level)
        assert (own.status, own.value) == (MEASURED, total / TRIPS)
        taken = found["branches", program]
        assert taken.metric == "branches taken" and taken.status == MEASURED
        accesses = sum(study_value(m, "width-64", rung, level)
                       for m in ("load_accesses", "store_accesses")) / TRIPS  # fmt: skip
        assert found["cache references", program].value == accesses
        for label in ("runtime (ms)", "branch misses", "branch miss %", "cache misses",
                      "cache miss %"):  # fmt: skip
            assert found[label, program] == Own(NOT_AVAILABLE, label)


def test_a_round_of_ours_stands_beside_his_loop(with_studies: Results, root: Path) -> None:
    rows = dirk.listings(with_studies, root).splitlines()[2:]
    for row, rung, his in zip(rows, ("v1", "v2"), ("53", "26")):
        total = study_value("instructions", "width-64", rung, "O0")
        assert row.split(" | ")[1:4] == [his, f"{rung} -O0", f"{total / TRIPS / 64:,.0f}"]


def test_cycles_are_modelled_with_the_error_of_their_kind(
    with_studies: Results, root: Path
) -> None:
    known = errors.ranges(errors.arm1176_checks())
    for rung, kind in (("v1", errors.C), ("v2", errors.ASSEMBLY)):
        own = cycles(with_studies, "width-64", rung, "O0", root=root)
        counted = {m: study_value(m, "width-64", rung, "O0") / TRIPS for m in COUNTED}
        long = counted["multiplies_long"] + counted["multiplies_umaal"]
        wrong = counted["simulated_mispredictions_arm1176"]
        assert own.value == counted["instructions"] + 2 * long + 5 * wrong
        assert own.status == MODELLED and own.error == known["arm1176", kind]
    rate = dirk.own(with_studies, "instructions / cycle", "optimized asm", root)
    low, high = known["arm1176", errors.ASSEMBLY]
    assert rate.error == (1 / (1 + high) - 1, 1 / (1 + low) - 1)
    assert rate.value == pytest.approx(7000 / 7228) and rate.status == MODELLED


def test_a_rung_that_is_missing_has_a_mark_of_its_own(root: Path) -> None:
    add_studies(root, root / "results" / "made-up")
    counts = root / "results" / "made-up" / "counts.csv"
    rows = counts.read_text().splitlines(keepends=True)
    counts.write_text("".join(row for row in rows if not row.startswith("width-64,v2")))
    results = load_repository(root)
    row = next(r for r in dirk.table(results, root).splitlines() if "| ours | 189,000 |" in r)
    assert row.endswith(f"| {MEASURED}; {NOT_MEASURED} |") and "| - |" in row


def test_a_board_that_was_measured_comes_first(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    cell = "width-64,v0,O0,roundtrip-full"
    perf = [f"{cell},{metric},total,{n},{unit},10,1\n" for metric, n, unit in
            (("branch-misses", 3140, "instructions"), ("branches", 108990, "instructions"),
             ("cycles", 7834030, "cycles"), ("cache-misses", "", "not supported"))]  # fmt: skip
    (folder / "perf.csv").write_text(HEAD + "".join(perf))
    half = [f"width-64,v0,O0,roundtrip-full,{m},total,250000,ns,1,1\n" for m in
            ("encrypt", "decrypt")]  # fmt: skip
    (folder / "times.csv").write_text(HEAD + "".join(half))
    results = load_repository(root)
    found = {label: dirk.own(results, label, "no-opt C", root) for label in dirk.published(root)}
    assert found["branch misses"].value == 314 and found["branch misses"].status == MEASURED
    assert found["cycles"].value == 783403 and found["cycles"].status == MEASURED
    assert found["branch miss %"].value == pytest.approx(2.881, abs=1e-3)
    assert found["cache misses"].status == NOT_AVAILABLE
    assert found["runtime (ms)"].value == 0.5 and found["runtime (ms)"].status == MEASURED
    assert dirk.own(results, "cycles", "O3 no-opt C", root).status == MODELLED
    rows = dirk.table(results, root).splitlines()
    both = next(row for row in rows if row.startswith("| cycles, perf"))
    assert both.startswith("| cycles, perf, user space; cycles, ARM1176 model | ours | 783,403 |")
    assert f"| {MEASURED}; {MODELLED}, error " in both


def test_a_broken_file_is_named_in_one_line(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    (folder / "perf.csv").write_text("a,b\n")
    with pytest.raises(Failure, match=r"^results/made-up/perf.csv:1: ") as fault:
        dirk.table(load_repository(root), root)
    assert "\n" not in str(fault.value) and str(root) not in str(fault.value)


def test_lees_versions_and_ours_beyond(with_studies: Results, root: Path) -> None:
    table = lee.table(with_studies, root).splitlines()
    names = [line.split(" | ")[0].strip("| ") for line in table[2:]]
    theirs = [row["version"] for row in read_csv("lee-2021-table-1.csv")]
    assert names == [*theirs, "v5", "v6"]
    cell = [c.strip() for c in table[2 + names.index("v2")].split("|")]
    first, this = (study_value("instructions", "width-96", rung, "O0") for rung in ("v0", "v2"))
    assert cell[3:7] == ["29,255.0", "x1.47", f"{this / TRIPS:,.0f}", f"x{first / this:.2f}"]
    assert cell[-2] == MEASURED
    beyond = [c.strip() for c in table[2 + names.index("v6")].split("|")]
    assert beyond[3:5] == ["-", "-"] and beyond[5] != "-"


def test_calls_are_those_of_gprof(root: Path) -> None:
    folder = root / "results" / "made-up"
    add_studies(root, folder)
    (folder / "gprof").mkdir()
    calls = ["study,snapshot,level,caller,callee,calls", "width-96,v0,O1,<total>,mod_exp,4",
             "width-96,v0,O1,<total>,rshift1,2000", "width-96,v0,O1,<total>,rshift32,400",
             "width-96,v0,O1,mmm,shr,1900", "width-96,v0,O3,<total>,shr,1",
             "iterations,v0,O1,<total>,shr,5"]  # fmt: skip
    (folder / "gprof" / "calls.csv").write_text("\n".join(calls) + "\n")
    rows = lee.calls_table(load_repository(root), root).splitlines()
    shift = next(row for row in rows if row.startswith("| 1 | rshift"))
    assert "| 54,463.6 | v0: rshift1, rshift32 | 1,200 | measured |" in shift
    assert "| v0: inlined | 0 | measured |" in next(r for r in rows if "| 1 | add" in r)
    assert all(row.endswith(f"| - | {NOT_MEASURED} |") for row in rows if "| 2 |" in row)


def test_openssl_s_own_code_is_modelled_by_what_was_counted() -> None:
    theirs, ours = openssl.times()
    assert {*theirs} == {*ours} == {(w, c) for w in ("sign", "verify") for c in ("assembly", "C")}
    rows = read_rows(ROOT / "results/qemu-gcc12/openssl.csv")
    place = {"implementation": "c", "operation": "verify", "bits": 512}
    one = {row["metric"]: row["value"] for row in rows if place.items() <= row.items()}
    cycles = one["instructions"] + 2 * (one["multiplies_long"] + one["multiplies_umaal"])
    assert ours["verify", "C"][512] == pytest.approx(1000 * cycles / 1e9)
    assert theirs["verify", "C"][512] == pytest.approx(1000 * 9.67 / 48547)


def test_without_counts_of_openssl_the_model_has_no_error(
    with_studies: Results, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted, "committed", dict)
    assert cycles(with_studies, "width-64", "v1", "O0", root=root).status == NOT_AVAILABLE
    head, rows = long_numbers.milliseconds({})
    assert {row[len(head) - 1] for row in rows} == {NONE}
