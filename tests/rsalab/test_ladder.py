"""Discovery of the ladder, the sizes of its steps, side-by-side diffs and new snapshots."""

from pathlib import Path

import pytest

from records import ladder
from records.faults import Failure
from rsalab.steps import diff, new_iteration
from rsalab.steps import sizes as steps


def add(root: Path, name: str, parent: str = "", study: str = "iterations", **extra: str) -> Path:
    """A snapshot's folder with two small sources and front matter."""
    folder = ladder.study_path(study, root) / name
    folder.mkdir(parents=True)
    values = {"idea": f"idea of {name}", "parent": parent, "source": "", "verdict": "", **extra}
    front = "".join(f"{key}: {value}\n" for key, value in values.items())
    (folder / "README.md").write_text(f"---\n{front}---\n\n**Change.** Something.\n")
    (folder / "rsa.c").write_text("int f(int x)\n{\n    return x;\n}\n")
    (folder / "nat.h").write_text("typedef int nat;\n")
    return folder


def names(root: Path, study: str = "iterations") -> list[str]:
    return [snapshot.name for snapshot in ladder.snapshots(study, root)]


def fault(root: Path) -> str:
    with pytest.raises(Failure) as caught:
        ladder.snapshots(root=root)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_natural_order(tmp_path: Path) -> None:
    for name in ("v10", "v3", "v2neon", "v2", "v1"):
        add(tmp_path, name)
    assert names(tmp_path) == ["v1", "v2", "v2neon", "v3", "v10"]


def test_parents_come_before_children(tmp_path: Path) -> None:
    for name, parent in {"v0": "", "a": "v2", "v1": "v0", "v2": "v1", "v3": "v2"}.items():
        add(tmp_path, name, parent)
    assert names(tmp_path) == ["v0", "v1", "v2", "a", "v3"]


def test_a_folder_without_rsa_c_is_no_snapshot(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    (tmp_path / "iterations" / "notes").mkdir()
    assert names(tmp_path) == ["v0"]


def test_nothing_there(tmp_path: Path) -> None:
    assert ladder.snapshots(root=tmp_path) == []
    assert ladder.studies(tmp_path) == []


def test_front_matter(tmp_path: Path) -> None:
    folder = add(tmp_path, "v0", verdict="O1 helps   # generated", source="Lee 2021 §4.4: C#")
    snapshot = ladder.find("v0", root=tmp_path)
    assert snapshot.verdict == "O1 helps"
    assert snapshot.source == "Lee 2021 §4.4: C#"
    assert (snapshot.study, snapshot.width, snapshot.parent) == ("iterations", 128, None)
    assert snapshot.path == folder
    assert not snapshot.has_assembly
    (folder / "mont.S").touch()
    assert snapshot.has_assembly


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "README.md:1: front matter expected"),
        ("# v0\n", "README.md:1: front matter expected"),
        ("---\nidea: x\n", "README.md:1: front matter without its closing"),
        ("---\nidea x\n---\n", "README.md:2: expected 'key: value'"),
        ("---\nidea: x\n\npaernt: v1\n---\n", "README.md:4: expected 'key: value'"),
        ("---\nidea: x\nidea: y\n---\n", "README.md:3: 'idea' is given twice"),
        ("---\nparent:\n---\n", "README.md: front matter without 'idea'"),
        ("---\nidea: x\nwidth: 100\n---\n", "README.md: width must be a positive multiple of 32"),
        ("---\nidea: x\nwidth: 0\n---\n", "README.md: width must be a positive multiple of 32"),
        ("---\nidea: x\nparent: v9\n---\n", "README.md: parent 'v9' is not a snapshot"),
        ("---\nidea: x\nparent: v0\n---\n", "README.md: the parents run in a circle (v0)"),
    ],
)
def test_faulty_front_matter(tmp_path: Path, text: str, expected: str) -> None:
    (add(tmp_path, "v0") / "README.md").write_text(text)
    assert fault(tmp_path).startswith(f"iterations/v0/{expected}")


def test_missing_readme_and_circle(tmp_path: Path) -> None:
    readme = add(tmp_path, "v0", "v2") / "README.md"
    add(tmp_path, "v1", "v0")
    add(tmp_path, "v2", "v1")
    assert fault(tmp_path).endswith("the parents run in a circle (v0, v1, v2)")
    readme.unlink()
    assert fault(tmp_path) == "iterations/v0/README.md: missing"


def test_unknown_name_lists_the_names(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    with pytest.raises(Failure, match="no snapshot 'v7' in iterations; there are: v0"):
        ladder.find("v7", root=tmp_path)


def test_studies_have_widths_and_parents_elsewhere(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    add(tmp_path, "loop", "iterations/v0", study="dead-ends")
    add(tmp_path, "v0", study="width-96")
    add(tmp_path, "v1", "v0", study="width-96", width="160")
    (tmp_path / "studies" / "width-96" / "README.md").write_text("---\nwidth: 96\n---\n")
    assert ladder.studies(tmp_path) == ["dead-ends", "width-96"]
    assert [s.width for s in ladder.snapshots("width-96", tmp_path)] == [96, 160]
    parent = ladder.parent_of(ladder.find("loop", "dead-ends", tmp_path), tmp_path)
    assert parent is not None
    assert (parent.study, parent.name, parent.width) == ("iterations", "v0", 128)


def test_the_repository_has_its_ladder() -> None:
    found = [snapshot.name for snapshot in ladder.snapshots()]
    assert found[0] == "v0"
    assert found == sorted(found, key=ladder.natural_key)


def test_code_lines_leave_out_comments_and_blanks() -> None:
    text = '/* a\n * b */\n\nint x; /* c */\n// d\nchar *s = "/* e";\nint y; /* f\n g */ int z;\n'
    expected = ["int x; /* c */", 'char *s = "/* e";', "int y; /* f", " g */ int z;"]
    assert steps.code_lines(text) == expected


def test_a_change_counts_the_larger_of_insertions_and_deletions() -> None:
    change = steps.change_between("a;\nb;\nc;\n", "/* new */\na;\nB;\nc;\n\nd;\n")
    assert (change.inserted, change.deleted, change.size) == (2, 1, 2)


def test_steps_above_their_limit_are_marked(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    folder = add(tmp_path, "v1", "v0")
    code = "".join(f"int x{i};\n" for i in range(41))
    (folder / "rsa.c").write_text(code)
    step = steps.step_of(ladder.find("v1", root=tmp_path), tmp_path)
    assert step.above_limit("rsa.c")
    assert not step.above_limit("nat.h")
    assert "+41 -4 !" in steps.table([step])
    (folder / "mont.S").touch()
    assert step.exempt
    assert "!" not in steps.table([step])


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


def test_data_is_no_function() -> None:
    assert list(diff.functions(ASSEMBLY + "\t.type\tone.0, %object\none.0:\n\t.word\t1\n")) == [
        "f",
        "g",
    ]


def test_side_by_side_marks_changes_without_colour() -> None:
    pytest.importorskip("icdiff")
    old, new = ["a", "b", "c"], ["a", "B", "c"]
    rows = list(diff.side_by_side(old, new, ("old", "new"), 60, colour=False))
    assert [row.split() for row in rows] == [
        ["old", "new"],
        ["a", "a"],
        ["|", "b", "B"],
        ["c", "c"],
    ]
    assert all(len(row) <= 60 and "\033" not in row for row in rows)
    assert not list(diff.side_by_side(old, old, ("old", "new"), 60, colour=False))
    assert any("\033" in row for row in diff.side_by_side(old, new, ("", ""), 60, colour=True))


def test_diff_compares_sources_and_functions(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    (add(tmp_path, "v1", "v0") / "mont.S").write_text("@ new\n")
    old, new = diff.pair("v1", "iterations", "", tmp_path)
    with pytest.raises(Failure, match="build/iterations/v0/O1/rsa.s is missing"):
        list(diff.sections(old, new, "O1", tmp_path))
    for snapshot, text in ((old, ASSEMBLY), (new, "f:\n\tbx\tlr\n")):
        file = tmp_path / diff.assembly_file(snapshot, "O1", tmp_path)
        file.parent.mkdir(parents=True)
        file.write_text(text)
    found = {title: (a, b) for title, a, b in diff.sections(old, new, "O1", tmp_path)}
    assert list(found) == ["nat.h", "rsa.c", "mont.S", "f -O1", "g -O1"]
    assert found["mont.S"] == ([], ["@ new"])
    assert found["g -O1"][1] == []


def test_diff_needs_two_snapshots(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    add(tmp_path, "v1", "v0")
    assert [s.name for s in diff.pair("v1", "iterations", "", tmp_path)] == ["v0", "v1"]
    assert [s.name for s in diff.pair("v0", "iterations", "v1", tmp_path)] == ["v1", "v0"]
    with pytest.raises(Failure, match="v0 has no parent"):
        diff.pair("v0", "iterations", "", tmp_path)


def test_new_iteration(tmp_path: Path) -> None:
    old = add(tmp_path, "v0", source="Lee 2021", verdict="O1 helps")
    (old / "mont.S").write_text("@ assembly\n")
    new = new_iteration.new_iteration("v0", "v1", root=tmp_path)
    snapshot = ladder.find("v1", root=tmp_path)
    assert names(tmp_path) == ["v0", "v1"]
    assert (snapshot.parent, snapshot.idea, snapshot.verdict) == ("v0", "", "")
    text = (new / "README.md").read_text()
    assert all(f"**{heading}.**" in text for heading in ("Change", "Why", "Measured", "Look at"))
    for name in ("rsa.c", "nat.h", "mont.S"):
        assert (new / name).read_bytes() == (old / name).read_bytes()
    assert sorted(path.name for path in new.parent.iterdir()) == ["v0", "v1"]


@pytest.mark.parametrize("name", ["", "V1", "-v", "a b", "../v1", "v1/x", "v0", "clean"])
def test_new_iteration_refuses_names(tmp_path: Path, name: str) -> None:
    add(tmp_path, "v0")
    (tmp_path / "Makefile").write_text("all-iterations: x\nclean:\n\trm -rf build\n")
    with pytest.raises(Failure):
        new_iteration.new_iteration("v0", name, root=tmp_path)
    with pytest.raises(Failure, match="no snapshot 'v7'"):
        new_iteration.new_iteration("v7", "v1", root=tmp_path)
    assert names(tmp_path) == ["v0"]
