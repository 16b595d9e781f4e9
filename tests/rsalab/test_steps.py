"""The sizes of the steps, side-by-side diffs and new snapshots."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from made_snapshot import add
from representatives import mostly_long

from harness import perf
from records import ladder, step_file
from records.commands import command, found
from records.faults import Failure
from records.results import Results, load
from records.rows import write_rows
from rsalab.steps import change, diff, tables
from rsalab.steps.__main__ import COMMANDS


def names(root: Path, study: str = "iterations") -> list[str]:
    return [snapshot.name for snapshot in ladder.snapshots(study, root)]


def test_code_lines_leave_out_comments_and_blanks() -> None:
    text = '/* a\n * b */\n\nint x; /* c */\n// d\nchar *s = "/* e";\nint y; /* f\n g */ int z;\n'
    expected = ["int x; /* c */", 'char *s = "/* e";', "int y; /* f", " g */ int z;"]
    assert change.code_lines(text.splitlines()) == expected


def test_a_change_counts_insertions_and_deletions() -> None:
    assert diff.change(
        ["a;", "b;", "c;"], ["/* new */", "a;", "B;", "c;", "", "d;"]
    ) == (2, 1)


def test_the_ladder_is_one_table_with_a_bar_a_level() -> None:
    """A bar is as long as its number is large, on one scale for all levels."""
    results = load(ladder.ROOT / "results/qemu-gcc12")
    printed = tables.ladder_text(results, ladder.LADDER, [], 110)
    cell = r"([\d,]+) +(?:x[\d.]+|-) ([▏▎▍▌▋▊▉█]+)"
    rows = re.findall(r"(?m)^(v\d) .*█.*$", printed)
    assert rows == NAMES
    bars = {}
    for number, bar in re.findall(cell, printed):
        eighths = [1 + "▏▎▍▌▋▊▉█".index(letter) for letter in bar]
        bars[int(number.replace(",", ""))] = sum(eighths)
    instructions = {row["instructions"] for row in results.ladder()}
    assert bars.keys() == {round(mean) for mean in instructions}
    lengths = [bars[number] for number in sorted(bars)]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]


def test_steps_above_the_limit_are_marked(tmp_path: Path) -> None:
    def size() -> str:
        return diff.row_of(ladder.find("v1", root=tmp_path), tmp_path)[-1]

    old, folder = add(tmp_path, "v0"), add(tmp_path, "v1", "v0")
    (old / "rsa.c").write_text("int x;\n" * 5)
    (old / "nat.h").write_text("int y;\n" * 5)
    (folder / "rsa.c").write_text("int x;\n" * 25)
    (folder / "nat.h").write_text("")
    (folder / "mont.S").write_text("        nop\n" * 15)
    assert size() == "40"
    (folder / "mont.S").write_text("        nop\n" * 16)
    assert size() == "41 !"
    (folder / "step.toml").write_text('exempt = "new algorithm"\n')
    assert size() == "41 *"


ASSEMBLY = """\
	.text
	.type	f, %function
f:
	@ args = 0
.L7:
	ldr	r1, .L9+4	@ a comment
.L8:
	bne	.L8
	.align	2
.L9:
	.word	12
	.size	f, .-f
g:
.LFB1:
	bx	lr
"""


def test_assembly_is_split_by_function_with_its_labels_renumbered() -> None:
    found = diff.functions(ASSEMBLY)
    assert [line.split() for line in found["f"]] == [
        ["ldr", "r1,", ".2+4"],
        [".1:"],
        ["bne", ".1"],
        [".2:"],
        [".word", "12"],
    ]
    assert [line.split() for line in found["g"]] == [["bx", "lr"]]


MOVING = ["static int first_helper(int x)", "{", "    return x + 1;", "}"]
STAYING = [
    "static int second_helper(int x)",
    "{",
    "    return 2 * x;",
    "}",
    "int third(int x)",
    "{",
]


def marks(old: list[str], new: list[str], spaces: bool = False) -> str:
    found = change.differences({"rsa.c": old}, {"rsa.c": new}, 9, spaces)
    return "".join(line.mark for part in found.get("rsa.c", []) for line in part)


def test_white_space_is_no_change_and_what_moved_is_marked() -> None:
    deeper = [f"    {line}" for line in STAYING]
    assert marks(STAYING, deeper) == ""
    assert marks(STAYING, deeper, spaces=True) == "@------++++++"
    assert marks([*MOVING, *STAYING], [*STAYING, *MOVING]) == "@<<<<      >>>>"
    moved = [*deeper, *MOVING, "int y;"]
    assert marks([*MOVING, *STAYING], moved) == "@<<<<      >>>>+"
    (part,) = change.differences({"rsa.c": [*MOVING, *STAYING]}, {"rsa.c": moved}, 9)[
        "rsa.c"
    ]
    assert [line.mark for line in change.settled(part)] == ["@", *" " * 10, "+"]


INTERLEAVED = """\
@@ nat.h @@
 #define NAT_H
-typedef uint32_t nat[LIMBS];
-static void load(nat z)
+typedef struct {
+    uint32_t w0;
+} nat;
+static nat load(void)
 {
     return z;
 }
@@ mont.S: row @@
         .macro  row c
-        mov     c, #0
         .endm
+mont_mul:
+        bx      lr""".splitlines()


def test_a_diff_in_pieces_by_function() -> None:
    """A line is where its own side of the diff is: the old or the new one."""
    pieces = {piece.place: piece.lines for piece in change.by_function(INTERLEAVED)}
    assert list(pieces) == ["nat.h", "nat.h: load", "mont.S: row", "mont.S: mont_mul"]
    assert pieces["nat.h: load"] == [
        "@@ nat.h: load @@",
        "-static void load(nat z)",
        "+static nat load(void)",
        *INTERLEAVED[8:11],
    ]
    assert "+} nat;" in pieces["nat.h"]


def test_a_page_shows_the_functions_that_its_step_names() -> None:
    v3 = ladder.find("v3")
    v2 = ladder.parent_of(v3)
    assert v2
    in_the_open = change.excerpt(v3, v2).partition("<details>")[0]
    assert "+typedef uint32x4_t nat;" in in_the_open
    assert "vaddl_u32" in in_the_open
    assert "vst1q_u32" not in in_the_open
    with pytest.raises(Failure, match="nothing changes in 'nat.h: mul'; but in: nat.h"):
        change.excerpt(replace(v3, shows=("nat.h: mul",)), v2)
    with pytest.raises(Failure, match="shows: 5[0-9] lines; at most 40"):
        change.excerpt(
            replace(v3, shows=("nat.h: add", "nat.h: sub", "nat.h: less")), v2
        )


def test_new_iteration(tmp_path: Path) -> None:
    old = add(tmp_path, "v0", source="Lee 2021", step='verdict = "O1 helps"')
    (old / "mont.S").write_text("@ assembly\n")
    new = diff.new_iteration("v0", "v1", root=tmp_path)
    snapshot = ladder.find("v1", root=tmp_path)
    assert names(tmp_path) == ["v0", "v1"]
    assert (snapshot.parent, snapshot.idea, snapshot.verdict) == ("v0", "", "")
    assert (snapshot.predicts, snapshot.disclosed, snapshot.claims) == ({}, (), ())
    assert diff.row_of(snapshot, tmp_path)[0] == "v1"
    text = (new / "README.md").read_text()
    rung = (ladder.ROOT / "iterations" / "v6" / "README.md").read_text()
    for form in (r"(?m)^\*\*([A-Z][A-Za-z ]+)\.\*\*", r"<!-- (/?\w+) -->"):
        assert re.findall(form, text) == re.findall(form, rung)
    front = ladder.front_matter(new / "README.md", tmp_path)
    assert list(front) == ["idea", "parent", "source"]
    shown = re.findall(
        r"(?m)^(?:# )?([a-z-]+)(?:\.O0)? = ", (new / "step.toml").read_text()
    )
    assert set(shown) == step_file.KEYS.keys() - {"written", "beside", "role"}
    for name in ("rsa.c", "nat.h", "mont.S"):
        assert (new / name).read_bytes() == (old / name).read_bytes()
    assert sorted(path.name for path in new.parent.iterdir()) == ["v0", "v1"]


@pytest.mark.parametrize("parent", ["v8", "iterations/v8", "other/w1"])
def test_new_iteration_in_a_study(tmp_path: Path, parent: str) -> None:
    """From a rung of the ladder, or of another study, whose width it keeps."""
    add(tmp_path, "v8")
    add(tmp_path, "w1", study="other", width="64")
    add(tmp_path, "w0", study="alone")
    new = diff.new_iteration(parent, "mine", "alone", tmp_path)
    assert new == tmp_path / "studies/alone/mine"
    made = ladder.find("mine", "alone", tmp_path)
    old = ladder.parent_of(made, tmp_path)
    assert old is not None and f"{old.study}/{old.name}".endswith(parent)
    assert made.width == old.width
    again = diff.new_iteration("mine", "again", "alone", tmp_path)
    assert ladder.front_matter(again / "README.md", tmp_path)["parent"] == "mine"
    with pytest.raises(Failure, match="no snapshot 'v7' in alone"):
        diff.new_iteration("v7", "more", "alone", tmp_path)


SAMPLE = ladder.ROOT / "tests/support/perf/dirk-derived.json"
DIRK = """561.4 783,403,009 736,375,911 0.94 10,899,710 314,035 2.881
347,532,554 1,660 0.0004777""".split()


def counters(rung: str, **changed: dict[str, object]) -> list[dict[str, object]]:
    """The source's column as rows of perf.csv, some of them changed."""
    cell = {
        "study": "iterations",
        "snapshot": rung,
        "level": "O1",
        "workload": "roundtrip-full",
        "kind": "timed",
    }
    readings = perf.parse(SAMPLE.read_text(), perf.UNITS).items()
    return [
        {**cell, "metric": name, "symbol": "total", "value": value, "unit": unit, "n": 1,
         "repeat": 0, **changed.get(name.replace("-", "_"), {})}
        for name, (value, unit) in readings
    ]  # fmt: skip


def test_counters_are_printed_as_dirk_does(tmp_path: Path) -> None:
    """His table row for row, and why a number is missing."""
    rows = counters("v0")
    rows += counters(
        "v1",
        cache_misses={"value": -1660},
        branches={"value": None, "unit": "not supported"},
        task_clock={"metric": "task-clock_tainted"},
    )
    write_rows(tmp_path / "perf.csv", rows)
    said = tables.perf_text(Results(tmp_path, "made", {}), 200).splitlines()
    assert said[0] == "iterations -O1" and said[1].split()[-2:] == ["v0", "v1"]
    assert [line.split()[-2] for line in said[2:12]] == DIRK
    missing = ["-" == line.split()[-1] for line in said[2:12]]
    assert [place for place, none in enumerate(missing) if none] == [0, 4, 6, 8, 9]
    assert said[12:] == [
        "  - tainted; make doctor: runtime (ms)",
        "  - not supported: branches, branch miss %",
        "  - below the noise: cache misses, cache miss %",
    ]


NO_NAMES = ["", "V1", "../v1", "v0", "clean", "build"]


@pytest.mark.parametrize("name", NO_NAMES)
def test_new_iteration_refuses_names(tmp_path: Path, name: str) -> None:
    add(tmp_path, "v0")
    (tmp_path / "Makefile").write_text("all-iterations: x\nclean:\n\trm -rf build\n")
    with pytest.raises(Failure):
        diff.new_iteration("v0", name, root=tmp_path)
    with pytest.raises(Failure, match="no snapshot 'v7'"):
        diff.new_iteration("v7", "v1", root=tmp_path)
    assert names(tmp_path) == ["v0"]


NAMES = [snapshot.name for snapshot in ladder.snapshots()]
WIDE = [
    ["table", "results/qemu-gcc12"],
    ["table", "results/qemu-gcc12", *ladder.studies()],
    ["models", "results/qemu-gcc12"],
    ["compare", "qemu-gcc12,qemu-gcc14", "loads", "mont_mul"],
    ["scoreboard", "iterations", "qemu-gcc12"],
    ["scoreboard", "alone", "qemu-gcc12"],
    *(["why", name, "iterations", "qemu-gcc12"] for name in NAMES[1:]),
    *(["sizes", study] for study in ("iterations", "alone")),
]


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize("width", mostly_long([80, 100, 120], [80]))
def test_every_table_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for name, *rest in WIDE:
        assert command(name, found("rsalab.steps", COMMANDS[name]), rest) == 0
        assert 0 < widest(capsys.readouterr().out) <= width, (name, *rest)


@pytest.mark.parametrize("target", ["diff", "why"])
def test_a_step_that_is_named_by_v_is_refused_with_a_line(target: str) -> None:
    words = ["make", "-C", ladder.ROOT, "-n", target, "V=v4"]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert (
        ran.returncode == 2
        and f"V=v4: a step is named by B: make {target} B=v4" in ran.stderr
    )
