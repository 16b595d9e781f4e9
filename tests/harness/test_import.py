"""`make import`: a results folder from another board is taken over whole, or not at all."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import board_of

from harness import progress
from harness.calls import draw
from harness.exchange import folder as limits
from harness.exchange import import_results
from harness.exchange.import_results import PREFIX, take
from harness.exchange.validate import validate
from records import ladder
from records.faults import Failure
from records.ladder import ROOT
from records.machine import IMPORTED, SEALS, seal


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Results as they come from another board: a part of the reference."""
    return board_of(tmp_path / "from a pi", "pi4-gcc12")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def data(folder: Path) -> dict[str, bytes]:
    """Every file but machine.json and pictures, which are made here."""
    every = contents(folder).items()
    return {name: text for name, text in every if not name.endswith((".json", ".svg"))}


def refused(board: Path, results: Path, name: str | None = None) -> str:
    """What an import says that is refused and leaves nothing."""
    with pytest.raises((Failure, OSError)) as fault:
        take(board, name, results=results)
    assert os.listdir(results) == []
    assert not list((results.parent / "build").glob(PREFIX + "*"))
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_it_stands_under_its_platform_or_name(board: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    assert take(board, results=results) == results / "pi4-gcc12"
    assert take(board, "attic-pi", results=results) == results / "attic-pi"
    assert data(results / "pi4-gcc12") == data(results / "attic-pi") == data(board)
    assert sorted(os.listdir(results)) == ["attic-pi", "pi4-gcc12"]
    facts = json.loads((results / "pi4-gcc12" / "machine.json").read_text())
    assert IMPORTED in facts and "counts.csv" in facts[SEALS]
    assert validate(results / "pi4-gcc12") == []


def test_it_is_overwritten_only_with_force(board: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    take(board, results=results)
    before = contents(results)
    (board / "asm.csv").unlink()
    seal(board)
    with pytest.raises(Failure, match="FORCE=1"):
        take(board, results=results)
    assert contents(results) == before
    take(board, force=True, results=results)
    assert data(results / "pi4-gcc12") == data(board)
    assert os.listdir(results) == ["pi4-gcc12"]


def test_an_invalid_folder_is_refused_with_file_and_line(board: Path, tmp_path: Path) -> None:
    text = (board / "counts.csv").read_text().replace(",1000,0", ",1001,0")
    (board / "counts.csv").write_text(text)
    seal(board)
    said = refused(board, tmp_path / "results")
    assert said.startswith(f"{board}/counts.csv:2: ")
    assert "1001" in said and "1000" in said and "harness.exchange.validate" in said


@pytest.mark.parametrize("cell", ["f;=A1", "f; -A1", "f;@A1", " =A1", "f\t=A1", "\xa0=A1"])
def test_a_cell_that_a_spreadsheet_computes_is_refused(
    board: Path, tmp_path: Path, cell: str
) -> None:
    text = (board / "lines.csv").read_text()
    function = text.splitlines()[1].split(",")[6]
    (board / "lines.csv").write_text(text.replace(f",{function},", f",{cell},", 1))
    seal(board)
    assert refused(board, tmp_path / "results").startswith(f"{board}/lines.csv:2: ")


@pytest.mark.parametrize("place", ["counts.csv value", "lines.csv line", "provenance.csv n"])
def test_a_number_of_30_digits_is_refused(board: Path, tmp_path: Path, place: str) -> None:
    """Even where zeros fill it, so that nothing else is wrong with it."""
    file, column = place.split()
    head, row, *rows = (board / file).read_text().splitlines()
    cells = row.split(",")
    number = head.split(",").index(column)
    cells[number] = cells[number].zfill(30)
    (board / file).write_text("\n".join([head, ",".join(cells), *rows]) + "\n")
    seal(board)
    assert refused(board, tmp_path / "results").startswith(f"{board}/{file}:2: ")


@pytest.mark.parametrize("seals", [None, [], "none", 0])
def test_seals_that_are_none_are_refused(board: Path, tmp_path: Path, seals: object) -> None:
    facts = json.loads((board / "machine.json").read_text())
    (board / "machine.json").write_text(json.dumps({**facts, SEALS: seals}))
    assert "machine.json" in refused(board, tmp_path / "results")


@pytest.mark.parametrize(
    "name", ["local", "farm", "../escape", "/tmp/x", "..", "A b", ".hidden", "a/b", "x" * 65, "a\n"]
)
def test_a_name_is_a_plain_one(board: Path, tmp_path: Path, name: str) -> None:
    assert refused(board, tmp_path / "results", name).startswith("NAME=")
    facts = json.loads((board / "machine.json").read_text())
    (board / "machine.json").write_text(json.dumps({**facts, "platform": name}))
    refused(board, tmp_path / "results")


def test_a_name_that_is_a_link_is_taken(board: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "pi4-gcc12").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Failure, match="FORCE=1"):
        take(board, results=tmp_path / "results")
    with pytest.raises(OSError):
        take(board, force=True, results=tmp_path / "results")
    assert not (tmp_path / "elsewhere").exists()


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def door(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # such a name is short
        made.bind(path.name)
        os.chdir(here)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("plant", [link, pipe, door, device, Path.mkdir])
@pytest.mark.parametrize("name", ["times.csv", "machine.json", "gprof/v8-O3.txt", "notes"])
def test_only_plain_files_of_known_names(
    board: Path, tmp_path: Path, plant: Callable[[Path], None], name: str
) -> None:
    """A pipe and a device would hang who opens them."""
    (board / name).unlink(missing_ok=True)
    plant(board / name)
    said = refused(board, tmp_path / "results")
    assert said.startswith(f"{board}/{name}: ") and validate(board) == [said]


@pytest.mark.parametrize("name", ["\x1b[2J", "two\nlines", "\udcff", "\u202ecsv.a"])
def test_a_name_does_nothing_to_a_terminal(board: Path, tmp_path: Path, name: str) -> None:
    (board / name).touch()
    assert refused(board, tmp_path / "results").isprintable()
    (fault,) = validate(board)
    assert fault.isprintable()


def test_what_was_measured_here_is_not_replaced(board: Path, tmp_path: Path) -> None:
    """Not even by force: the reference is such a folder."""
    own = tmp_path / "results" / "pi4-gcc12"
    shutil.copytree(board, own)
    before = contents(own)
    with pytest.raises(Failure, match="NAME="):
        take(board, force=True, results=tmp_path / "results")
    assert contents(own) == before


def test_a_linked_folder_is_refused(board: Path, tmp_path: Path) -> None:
    (board / "gprof").rename(tmp_path / "gprof")
    (board / "gprof").symlink_to(tmp_path / "gprof")
    assert refused(board, tmp_path / "results").startswith(f"{board}/gprof: ")


@pytest.mark.parametrize("limit", ["file", "total", "files", "machine", "line", "text"])
def test_sizes_are_limited_before_anything_is_copied(
    board: Path, tmp_path: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit == "file":
        os.truncate(board / "counts.csv", limits.LARGEST[".csv"] + 1)
    if limit == "total":
        for i in range(5):
            path = board / ("asm.csv", "perf.csv", "lines.csv", "counts.csv", "times.csv")[i]
            path.touch()
            os.truncate(path, limits.LARGEST[".csv"])
    if limit == "files":
        for i in range(limits.MOST):
            (board / "gprof" / f"f{i}.txt").touch()
    if limit == "machine":
        os.truncate(board / "machine.json", limits.LARGEST[".json"] + 1)
    if limit == "text":
        os.truncate(board / "gprof" / "v8-O3.txt", limits.LARGEST[".txt"] + 1)
    if limit == "line":
        with (board / "counts.csv").open("a") as file:
            file.write("iterations,v8,O1,mont_mul,instructions," + "a" * 2000 + ",1,i,1,0\n")
        seal(board)
    else:
        monkeypatch.setattr("harness.exchange.import_results.copy", None)
    said = refused(board, tmp_path / "results")
    assert "more than" in said or "larger" in said or "not a whole row" in said


def test_a_huge_tree_is_not_walked(board: Path, tmp_path: Path) -> None:
    """Folders that do not belong there are not entered."""
    deep = board / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "c").touch()
    sizes, faults = limits.survey(board)
    assert [name for name, _ in faults] == ["a"] and not any("c" == Path(n).name for n in sizes)


def test_a_deep_machine_json_is_refused(board: Path, tmp_path: Path) -> None:
    facts = json.loads((board / "machine.json").read_text())
    deep = json.dumps(facts)[:-1] + ', "x": ' + "[" * 500 + "]" * 500 + "}"
    (board / "machine.json").write_text(deep)
    assert "machine.json" in refused(board, tmp_path / "results")


def test_what_is_in_results_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "results" / "local").mkdir(parents=True)
    with pytest.raises(Failure, match="already"):
        take(tmp_path / "results" / "local", results=tmp_path / "results")
    with pytest.raises(Failure, match="no such"):
        take(tmp_path / "nowhere", results=tmp_path / "results")


@pytest.mark.parametrize("stop", [OSError(28, "No space left on device"), KeyboardInterrupt(2)])
@pytest.mark.parametrize("at", ["new", "pi4-gcc12"])
def test_the_last_rename_fails(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: BaseException, at: str
) -> None:
    """What was there is there again, and nothing else.  On a file system without an exchange."""
    monkeypatch.setattr(import_results, "exchange", lambda *_: False)
    results = tmp_path / "results"
    take(board, results=results)
    before = contents(results)
    (board / "asm.csv").unlink()
    seal(board)
    rename = Path.rename

    def stops(path: Path, to: Path) -> Path:
        if path.name != at or "old" in path.parts:
            return rename(path, to)
        if at != "new":
            rename(path, to)
        raise stop

    monkeypatch.setattr(Path, "rename", stops)
    with pytest.raises(type(stop)):
        take(board, force=True, results=results)
    assert contents(results) == before
    assert not list((tmp_path / "build").glob(PREFIX + "*"))


def test_copying_says_how_far_it_is(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SILENCE", -1.0)
    take(board, results=tmp_path / "results")
    said = [line for line in capsys.readouterr().out.splitlines() if str(board) in line]
    size = sum(path.stat().st_size for path in board.rglob("*") if path.is_file())
    assert len(said) > 1 and f" {size:,} " in said[-1]


def test_a_killed_import_is_put_right_by_the_next(board: Path, tmp_path: Path) -> None:
    """Killed between the two renames: what was replaced is there again."""
    results, left = tmp_path / "results", tmp_path / "build" / f"{PREFIX}left"
    take(board, results=results)
    before = contents(results)
    (left / "old").mkdir(parents=True)
    (results / "pi4-gcc12").rename(left / "old" / "pi4-gcc12")
    with pytest.raises(Failure, match="FORCE=1"):
        take(board, results=results)
    assert contents(results) == before and not left.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_import_leaves_nothing(
    board: Path, tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "results").mkdir()
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[1:] = [{str(board)!r}]\n"
    code += "from harness.exchange import import_results as i; from records.faults import *\n"
    code += "import time; i.validate = lambda *_: time.sleep(60)\n"
    code += "sys.exit(command_line('import', i.main))"
    words = [sys.executable, "-c", code]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not list((tmp_path / "build").glob(f"{PREFIX}*/new/machine.json")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(number)
        said = process.communicate()[1]
    assert os.listdir(tmp_path / "results") == [] and "Traceback" not in said
    take(board, results=tmp_path / "results")  # which removes what a kill has left
    assert not list((tmp_path / "build").glob(PREFIX + "*"))


def test_pictures_are_drawn_here(board: Path, tmp_path: Path) -> None:
    """Another picture of the same text, harmless and under the right stamp, is not taken."""
    picture = board / "gprof" / "v8-O3.svg"
    text = (board / "gprof" / "v8-O3.txt").read_text()
    lie = '<svg xmlns="http://www.w3.org/2000/svg"><text x="0" y="0">no calls</text></svg>'
    picture.write_text(f"{draw.stamp(text)}\n{lie}\n")
    seal(board)
    (board / "charts").mkdir()
    (board / "charts" / "lie.svg").write_text(lie)
    made = take(board, results=tmp_path / "results")
    assert not (made / "charts").exists()
    if draw.missing():
        assert not (made / "gprof" / "v8-O3.svg").exists()
    else:
        assert (made / "gprof" / "v8-O3.svg").read_text() == draw.svg(
            text, draw.costs(made / "counts.csv").get("v8-O3")
        )


def test_the_reference_stays(board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under whatever name results are imported, readers see the same reference as before."""
    frames = pytest.importorskip("rsalab.frames")
    monkeypatch.delenv(frames.SWITCH, raising=False)
    results = tmp_path / "results"
    with pytest.raises(Failure):
        take(board, "qemu-a", results=results)
        frames.reference(tmp_path)
    shutil.copytree(ROOT / "results" / "qemu-gcc12", results / "qemu-gcc12",
                    ignore=lambda *_: ("charts", "gprof", "counts.csv", "lines.csv"))  # fmt: skip
    assert frames.reference(tmp_path) == results / "qemu-gcc12"
    for asked in ("qemu-a", "a"):
        take(board, asked, force=True, results=results)
        assert frames.reference(tmp_path) == results / "qemu-gcc12"


def test_no_command_takes_imported_results_for_its_own(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate = pytest.importorskip("rsalab.report.generate")
    from harness import collect
    from rsalab import frames
    from rsalab.steps import spent

    made = take(board, "a", results=tmp_path / "results")
    with pytest.raises(Failure, match="make import"):
        collect.look_over(made, [])
    with pytest.raises(Failure, match="make import"):
        generate.committed(frames.Results(made, "results/a", {}), tmp_path)
    monkeypatch.setattr(spent, "step", lambda *_: True)
    with pytest.raises(Failure, match="v8"):
        spent.results("", ladder.find("v8"), root=tmp_path)
