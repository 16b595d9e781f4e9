"""Discovery of the ladder: folders, their order, their front matter."""

from pathlib import Path

import pytest
from made_snapshot import add

from records import ladder
from records.faults import Failure


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
        ("---\nidea x\n---\n", "README.md:2: expected 'key: value'"),
        ("---\nidea: x\n\npaernt: v1\n---\n", "README.md:4: expected 'key: value'"),
        ("---\nidea: x\nidea: y\n---\n", "README.md:3: expected 'key: value'"),
        ("---\nparent:\n---\n", "README.md: front matter without 'idea'"),
        ("---\nidea: x\nwidth: 100\n---\n", "README.md: width: '100' is not like"),
        ("---\nidea: x\npredicts: O1 2\n---\n", "README.md: predicts: 'O1 2' is not like"),
        ("---\nidea: x\npredicts: O1 2..1\n---\n", "README.md: predicts: 'O1 2..1' is not"),
        ("---\nidea: x\ndisclosed: O9\n---\n", "README.md: disclosed: 'O9' is not like"),
        ("---\nidea: x\nlook: shr\n---\n", "README.md: look: 'shr' is not like"),
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
    assert "the parents run in a circle (v0, v1, v2); " in fault(tmp_path)
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
