"""Discovery of the ladder: folders, their order, their front matter."""

import re
from pathlib import Path

import pytest
from made_snapshot import add

from records import ladder, step_file
from records.faults import Failure


def names(root: Path, study: str = "iterations") -> list[str]:
    return [snapshot.name for snapshot in ladder.snapshots(study, root)]


def fault(root: Path) -> str:
    with pytest.raises(Failure) as caught:
        ladder.snapshots(root=root)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_parents_come_before_children_and_2_before_10(tmp_path: Path) -> None:
    parents = {
        "v0": "",
        "a": "v2",
        "v1": "v0",
        "v2": "v1",
        "v10": "v2",
        "v3": "v2",
        "v3neon": "v2",
    }
    for name, parent in parents.items():
        add(tmp_path, name, parent)
    (tmp_path / "iterations" / "notes").mkdir()  # no snapshot
    assert names(tmp_path) == ["v0", "v1", "v2", "a", "v3", "v3neon", "v10"]
    with pytest.raises(
        Failure, match="no snapshot 'v7' in iterations; there are: v0 v1 v2 a"
    ):
        ladder.find("v7", root=tmp_path)


def test_front_matter(tmp_path: Path) -> None:
    step = 'verdict = "O1 helps"  # generated'
    folder = add(tmp_path, "v0", step=step, source="Lee 2021 §4.4: C#   # a comment")
    snapshot = ladder.find("v0", root=tmp_path)
    assert snapshot.verdict == "O1 helps"
    assert snapshot.source == "Lee 2021 §4.4: C#"
    assert (snapshot.study, snapshot.width, snapshot.parent) == (
        "iterations",
        128,
        None,
    )
    assert snapshot.path == folder
    assert not snapshot.has_assembly
    (folder / "mont.S").touch()
    assert snapshot.has_assembly


FAULTY = {
    "": ":1: front matter expected",
    "---\nidea x\n---\n": ":2: expected 'key: value'",
    "---\nidea: x\n\npaernt: v1\n---\n": ":4: expected 'key: value'",
    "---\nidea: x\nidea: y\n---\n": ":3: expected 'key: value'",
    "---\nidea: x\nwidth: wide\n---\n": ": width: 'wide' is no multiple of 32",
    "---\nidea: x\nwidth: 100\n---\n": ": width: '100' is no multiple of 32",
    "---\nidea: x\nlook: O1 shr\n---\n": ":3: 'look' belongs to step.toml",
    "---\nidea: x\nparent: v9\n---\n": ": parent 'v9' is not a snapshot",
    "---\nidea: x\nparent: v0\n---\n": ": the parents run in a circle (v0)",
}


def test_faulty_front_matter(tmp_path: Path) -> None:
    readme = add(tmp_path, "v0") / "README.md"
    for text, expected in FAULTY.items():
        readme.write_text(text)
        assert fault(tmp_path).startswith(f"iterations/v0/README.md{expected}")


FAULTY_STEPS = {
    "claims = [": "cannot be read as TOML (",
    "claim = []": "there is no key 'claim'; there are: predicts, ",
    "predicts = 2": "predicts: expected a value for each level; found '2'",
    "predicts.O1 = 2": "predicts.O1: expected two factors from 0.001 to 1000, the lower one first",
    "predicts.O1 = [2, 1]": "predicts.O1: expected two factors",
    "predicts.O1 = [1, inf]": "predicts.O1: expected two factors",
    "predicts.O1 = [nan, 1]": "predicts.O1: expected two factors",
    f"predicts.O1 = [1, {'9' * 400}]": "predicts.O1: expected two factors",
    f"predicts.O1 = [1, {'9' * 5000}]": "cannot be read as TOML (",
    f"predicts.O1 = {'[' * 5000}": "cannot be read as TOML (",
    "predicts.O9 = [1, 2]": "predicts: expected a level that records/levels.csv calls measured",
    'kind = "hope"': "kind: expected one of guess, estimate, count; found 'hope'",
    'cause.O1 = "luck"': "cause.O1: expected one of wrong share, ",
    'verdict = "\\u001b[2J"': "verdict: expected a text",
    'disclosed = "O1"': "disclosed: expected a list of levels",
    'disclosed = ["O9"]': "disclosed: expected a list of levels",
    'look = "shr"': "look: expected a level, of O0 O1 O3, and a function",
    'look = "O1 f c 3-4"': "look: expected a level, of O0 O1 O3, and a function",
    'look = "O1 f c goto ... }"': "look: expected a line with 'goto' in rsa.c, after the one",
    'look = "O1 f c } ... return"': "look: expected a line with 'return' in rsa.c, after the one",
    'exempt = "long"': 'exempt: expected "new representation", "new algorithm" or ',
    'constant-time = "yes"': "constant-time: expected true or false",
}


def test_a_faulty_step_toml_is_one_line_with_file_key_and_what_is_expected(
    tmp_path: Path,
) -> None:
    file = add(tmp_path, "v0") / "step.toml"
    for text, expected in FAULTY_STEPS.items():
        file.write_text(text)
        assert fault(tmp_path).startswith(f"iterations/v0/step.toml: {expected}")
    for data, expected in (
        (b"\xef\xbb\xbf", "1: save the file without a byte order mark"),
        (b"#\n\xe9", "2: the byte 0xe9 is not UTF-8; save the file as UTF-8"),
    ):
        file.write_bytes(data)
        assert fault(tmp_path) == f"iterations/v0/step.toml:{expected}"
    file.write_text('look = "O1 shr c for ... }"')
    with pytest.raises(Failure, match="^v0: look in step.toml: .*; found 'shr'$"):
        ladder.looked_at(ladder.find("v0", root=tmp_path))
    file.unlink()
    assert ladder.find("v0", root=tmp_path).predicts == {}


def test_missing_readme_and_circle(tmp_path: Path) -> None:
    readme = add(tmp_path, "v0", "v2") / "README.md"
    add(tmp_path, "v1", "v0")
    add(tmp_path, "v2", "v1")
    assert "the parents run in a circle (v0, v1, v2); " in fault(tmp_path)
    readme.unlink()
    assert fault(tmp_path).startswith("iterations/v0/README.md: cannot be read")


def test_studies_have_widths_and_parents_elsewhere(tmp_path: Path) -> None:
    add(tmp_path, "v0")
    add(tmp_path, "loop", "iterations/v0", study="dead-ends")
    add(tmp_path, "v0", study="width-96")
    add(tmp_path, "v1", "v0", study="width-96", width="160")
    (tmp_path / "studies" / "width-96" / "README.md").write_text(
        "---\nwidth: 96\n---\n"
    )
    assert ladder.studies(tmp_path) == ["dead-ends", "width-96"]
    assert [s.width for s in ladder.snapshots("width-96", tmp_path)] == [96, 160]
    parent = ladder.parent_of(ladder.find("loop", "dead-ends", tmp_path), tmp_path)
    assert parent is not None
    assert (parent.study, parent.name, parent.width) == ("iterations", "v0", 128)


@pytest.mark.parametrize("rung", [rung for rung in ladder.snapshots() if rung.parent])
def test_the_lines_of_a_place_change(rung: ladder.Snapshot) -> None:
    """They stand in the child's file that has the function, and not as
    they are in the parent's."""
    place, parent = step_file.parse(rung.look), ladder.parent_of(rung)
    if not place.lines:
        return
    lines = ladder.lines_of(place, rung.path, rung.label)
    first, last = map(int, lines.split("-"))
    begins = re.compile(
        rf"(?:static|void) .*\b{place.after}\(|        \.macro|{place.after}:"
    )
    there = [rung.path / name for name in ("mont.S", "rsa.c", "nat.h")]
    texts = {
        path.name: path.read_text().splitlines() for path in there if path.is_file()
    }
    name = next(
        name for name, lines in texts.items() if any(map(begins.match, lines[:last]))
    )
    before = parent.path / name
    old = before.read_text() if before.is_file() else ""
    assert any(line not in old for line in texts[name][first - 1 : last])


def test_the_lines_to_look_at_are_found_by_their_texts() -> None:
    """In the function, which is not the first one with the text; the same below a comment."""
    v4 = ladder.find("v4")
    look = ladder.looked_at(v4)
    assert look is not None
    first, last = map(int, ladder.lines_of(look, v4.path, "v4").split("-"))
    lines = (v4.path / "rsa.c").read_text().splitlines()
    assert lines[first - 1].strip().startswith("for (i = 0")
    assert lines[last - 1].strip() == "y = halve(y, top);"
    assert any("mmm_1(" in line for line in lines[first - 8 : first])
