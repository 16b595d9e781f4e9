"""The report and everything else that is generated from results, and the published tables."""

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")

from rsalab import frames, ladder, markdown, report  # noqa: E402
from rsalab.published import MAP, TABLE_1, read_csv  # noqa: E402

ROOT = ladder.ROOT
SEED = ROOT.parent / "shared" / "seeds" / "000_6fe602272b7e36c0.txt"
LEVELS = ("O0", "O1", "O3")


def reference() -> Path:
    """The committed reference results, or skip."""
    found = sorted(p.parent for p in ROOT.glob("results/*/machine.json"))
    found = [path for path in found if path.name != "local"]
    if not found:
        pytest.skip("no reference results in results/ yet: `make reference` makes them")
    return next((path for path in found if path.name.startswith("qemu")), found[0])


def fixture_results(folder: Path) -> None:
    """A results folder with one count for each rung and level, some of them worth a verdict."""
    folder.mkdir(parents=True)
    head = "study,snapshot,level,case,metric,symbol,value,unit,n,repeat\n"
    counts, sizes = [head], [head]
    for place, snapshot in enumerate(ladder.snapshots()):
        for level, scale in zip(LEVELS, (4000, 2000, 1000)):
            cell = f"iterations,{snapshot.name},{level}"
            for metric in frames.EXACT:
                value = scale * (20 - place) + (50 if snapshot.name == "v1" else 0)
                counts.append(f"{cell},roundtrip-full,{metric},total,{value},instructions,10,0\n")
            for metric in frames.STATIC:
                sizes.append(f"{cell},static,{metric},total,{100 + place},lines,1,0\n")
    (folder / "counts.csv").write_text("".join(counts))
    (folder / "asm.csv").write_text("".join(sizes))
    facts = {"platform": "qemu-gcc99", "compiler": "arm-gcc (Test) 99.1", "flags": "-marm"}
    facts.update({"date": "2030-01-02T03:04:05Z", "git_revision": "0" * 40, "git_clean": True})
    (folder / "machine.json").write_text(json.dumps(facts))


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of what the generator reads, with made-up reference results."""
    root = tmp_path / "a tree"
    shutil.copytree(ROOT / "iterations", root / "iterations")
    shutil.copytree(ROOT / "data" / "published", root / "data" / "published")
    (root / "README.md").write_text("# A\n\n<!-- ladder -->\nold\n<!-- /ladder -->\n\nafter\n")
    fixture_results(root / "results" / "qemu-gcc99")
    yield root


def snapshot_of(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def run(root: Path, *arguments: str) -> int:
    return report.main(list(arguments), root)


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("report: "), said
    return said


def test_the_reference_run_is_idempotent_and_deterministic(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    first = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert snapshot_of(tree) == first
    for path in tree.rglob("*.svg"):
        path.unlink()
    (tree / "REPORT.md").unlink()
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert snapshot_of(tree) == first


def test_what_is_rewritten(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    first = (tree / "REPORT.md").read_text().splitlines()[0]
    for part in ("results/qemu-gcc99", "arm-gcc (Test) 99.1", "2030-01-02", "000000000000"):
        assert part in first
    front = (tree / "README.md").read_text()
    assert front.startswith("# A\n") and front.endswith("\nafter\n") and "old" not in front
    assert ladder.find("v1", root=tree).verdict == "O0 helps, O1 helps, O3 helps"
    assert ladder.find("v0", root=tree).verdict == ""
    for name in re.findall(r"\]\(([^)#]+)\)", (tree / "REPORT.md").read_text()):
        assert (tree / name).exists(), name
    for name in re.findall(r"\]\(([^)#]+)\)", (tree / "iterations" / "README.md").read_text()):
        assert (tree / "iterations" / name).exists(), name


def test_texts_name_no_path_of_this_machine(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    for path in tree.rglob("*"):
        if path.suffix in (".md", ".svg"):
            assert str(tree.parent) not in path.read_text(), path


def test_a_run_of_ones_own_changes_no_tracked_file(tree: Path) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    before = snapshot_of(tree)
    assert run(tree, "results/local", "build/REPORT.md") == 0
    after = snapshot_of(tree)
    new = {path.relative_to(tree).parts[0] for path in set(after) - set(before)}
    assert new == {"build"} and all(after[path] == before[path] for path in before)
    text = (tree / "build" / "REPORT.md").read_text()
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (tree / "build" / link).exists(), link


@pytest.mark.parametrize("out", ["REPORT.md", "docs/x.md", "iterations/README.md"])
def test_ones_own_report_keeps_out_of_the_repository(
    tree: Path, out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = snapshot_of(tree)
    assert run(tree, "results/qemu-gcc99", out) == 2
    assert "build/" in one_line(capsys)
    assert snapshot_of(tree) == before


def test_local_results_are_no_reference(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(tree / "results" / "qemu-gcc99", tree / "results" / "local")
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/local") == 2
    assert "results/local" in one_line(capsys)
    assert snapshot_of(tree) == before


def spoil_machine(folder: Path) -> None:
    (folder / "machine.json").write_text('{"platform": ')


def spoil_counts(folder: Path) -> None:
    text = (folder / "counts.csv").read_text()
    (folder / "counts.csv").write_text(text[: len(text) // 2].rsplit(",", 3)[0])


def spoil_head(folder: Path) -> None:
    (folder / "asm.csv").write_text("a,b\n1,2\n")


def drop_counts(folder: Path) -> None:
    (folder / "counts.csv").unlink()


def zero_operations(folder: Path) -> None:
    text = (folder / "counts.csv").read_text().replace(",10,0\n", ",0,0\n")
    (folder / "counts.csv").write_text(text)


def binary(folder: Path) -> None:
    (folder / "counts.csv").write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    "spoil",
    [shutil.rmtree, spoil_machine, spoil_counts, spoil_head, drop_counts, zero_operations, binary],
)
def test_bad_results(tree: Path, spoil: object, capsys: pytest.CaptureFixture[str]) -> None:
    spoil(tree / "results" / "qemu-gcc99")
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 2
    said = one_line(capsys)
    assert "results/qemu-gcc99" in said and str(tree) not in said
    assert run(tree, "results/qemu-gcc99", "build/REPORT.md") == 2
    one_line(capsys)
    assert snapshot_of(tree) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("README.md", "<!-- ladder -->", ""),
        ("README.md", "<!-- /ladder -->", ""),
        ("iterations/v3/README.md", "<!-- measured -->", ""),
        ("iterations/v3/README.md", "\nverdict:", "\n#"),
        ("iterations/v3/README.md", "**Why.**", ""),
    ],
)
def test_missing_markers(
    tree: Path, file: str, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tree / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    before = snapshot_of(tree)
    assert run(tree, "--reference", "results/qemu-gcc99") == 2
    assert file in one_line(capsys)
    assert snapshot_of(tree) == before


def test_a_rung_that_was_not_measured_is_left_alone(tree: Path) -> None:
    shutil.copytree(tree / "iterations" / "v8", tree / "iterations" / "v9")
    readme = tree / "iterations" / "v9" / "README.md"
    readme.write_text(readme.read_text().replace("parent: v7", "parent: v8"))
    before = readme.read_bytes()
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    assert readme.read_bytes() == before
    assert "v9" not in (tree / "iterations" / "README.md").read_text().replace("make diff", "")


def derived(folder: Path) -> dict[tuple[str, str], float]:
    """Instructions a round trip from counts.csv, without the code under test."""
    found = {}
    with (folder / "counts.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            case = (row["study"], row["case"], row["metric"], row["symbol"])
            if case == ("iterations", "roundtrip-full", "instructions", "total"):
                cell = row["snapshot"], row["level"]
                assert cell not in found
                found[cell] = int(row["value"]) / int(row["n"])
    return found


def numbers_agree(root: Path, folder: Path) -> None:
    """Every number of the front page's table and every verdict, from counts.csv."""
    means, text = derived(folder), (root / "README.md").read_text()
    for snapshot in ladder.snapshots(root=root):
        if (snapshot.name, LEVELS[0]) not in means:
            continue  # a rung that waits for `make reference`
        counts = [means[snapshot.name, level] for level in LEVELS]
        ratios = [means["v0", level] / means[snapshot.name, level] for level in LEVELS]
        cells = [f"{count:,.0f}" for count in counts] + [f"x{ratio:.2f}" for ratio in ratios]
        assert f"| {snapshot.idea} | {' | '.join(cells)} |" in text
        if snapshot.parent is None:
            continue
        words = []
        for level, count in zip(LEVELS, counts):
            change = 100 * (count - means[snapshot.parent, level]) / means[snapshot.parent, level]
            word = "helps" if change <= -1 else "hurts" if change >= 1 else "no difference"
            words.append(f"{level} {word}")
        assert snapshot.verdict == ", ".join(words)


def test_numbers_are_those_of_the_counts(tree: Path) -> None:
    assert run(tree, "--reference", "results/qemu-gcc99") == 0
    numbers_agree(tree, tree / "results" / "qemu-gcc99")


def test_committed_numbers_are_those_of_the_counts() -> None:
    numbers_agree(ROOT, reference())


def same_matplotlib() -> bool:
    """Whether charts come out as the committed ones: the version that the lock file names."""
    lock = (ROOT / "requirements.lock").read_text()
    return f"matplotlib=={matplotlib.__version__} " in lock


def test_committed_texts_and_charts_are_what_the_generator_makes() -> None:
    files = report.committed(frames.load(reference()))
    stale = []
    for path, data in files.items():
        if path.suffix == ".svg" and not same_matplotlib():
            continue
        if not path.exists() or path.read_bytes() != data:
            stale.append(path.relative_to(ROOT).as_posix())
    assert not stale, f"`make reference` would change {', '.join(stale)}"


def test_published_table_is_the_sources_text() -> None:
    if not SEED.exists():
        pytest.skip("the first source's text is not at hand (../shared/seeds)")
    lines = SEED.read_text(encoding="utf-8").splitlines()
    head = lines.index(next(line for line in lines if line.startswith("Iteration\tInputs")))
    rows = [re.sub(r"</?[a-z]+>|[*]", "", line) for line in lines[head + 1 : head + 10]]
    theirs = [row.split("\t") for row in rows]
    ours = []
    for row in read_csv(TABLE_1):
        percent = f"{row['percent_increase']}%" if row["percent_increase"] else "N/A"
        ours.append([row["iteration"], row["inputs"], row["description"], row["seconds"], percent,
                     row["asm_lines"]])  # fmt: skip
    assert ours == theirs
    assert lines[head + 11].startswith("Table 1:")


def test_every_published_row_has_its_place() -> None:
    table, where = read_csv(TABLE_1), read_csv(MAP)
    assert [row["iteration"] for row in where] == [row["iteration"] for row in table]
    names = {snapshot.name for snapshot in ladder.snapshots()}
    for row in where:
        assert row["counterpart"] in ("rung", "part of a rung", "dead end", "no counterpart")
        assert bool(row["ours"]) == ("rung" in row["counterpart"]) and row["reason"]
        assert {row["ours"], row["against"]} - {""} <= names
    listed = (ROOT / "data" / "published" / "README.md").read_text()
    assert TABLE_1 in listed and MAP in listed


def test_between_keeps_what_is_around() -> None:
    text = markdown.between("a <!-- x -->old<!-- /x --> b\n", "x", "new\n", "f")
    assert text == "a <!-- x -->\nnew\n<!-- /x --> b\n"
    assert markdown.between(text, "x", "new", "f") == text


def test_the_tree_shows_branches() -> None:
    base = ladder.snapshots()[0]
    made = {"v0": None, "v1": "v0", "a": "v1", "v2": "v1", "a2": "a", "b": "a", "v3": "v2"}
    made["v4"] = "v3"
    snapshots = [type(base)(**{**vars(base), "name": n, "parent": p}) for n, p in made.items()]
    drawn = "v0 ── v1 ─┬─ v2 ── v3 ── v4\n          └─ a ─┬─ a2\n                └─ b"
    assert markdown.tree(snapshots) == drawn
    assert frames.main_line(snapshots) == ["v0", "v1", "v2", "v3", "v4"]
