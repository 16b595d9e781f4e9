"""The numbers of the texts, worked out again without the code under test."""

import csv
from pathlib import Path

from records import ladder

LEVELS = ("O0", "O1", "O3")


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
