"""Made-up results, and the numbers of texts worked out again without the code under test."""

import csv
import json
from pathlib import Path

from records import ladder
from rsalab import frames

LEVELS = ("O0", "O1", "O3")


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
