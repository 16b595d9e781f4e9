"""studies/README.md: each folder has its row, which says rightly whether the folder is a ladder."""

import re

from records.ladder import ROOT, studies

STUDIES = ROOT / "studies"
ROW = re.compile(r"\| \[([\w-]+)\]\(([\w-]+)/README\.md\) \| .+\? \| (yes|no) \|")


def test_every_folder_has_its_row() -> None:
    rows = [
        ROW.fullmatch(line) for line in (STUDIES / "README.md").read_text().splitlines()
    ]
    said = {row[1]: row[3] == "yes" for row in rows if row and row[1] == row[2]}
    folders = {path.parent.name for path in STUDIES.glob("*/README.md")}
    assert said.keys() == folders
    assert {name for name, ladder in said.items() if ladder} == set(studies())


def test_the_first_folder_to_open_is_one_of_them() -> None:
    text = (STUDIES / "README.md").read_text()
    begin = re.search(r"Begin with \[([\w-]+)\]", text)
    assert begin and begin[1] in studies()
