"""What the page says of a step: why it gains, and where it opens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from records import ladder
from records.ladder import LEVELS, Snapshot
from rsalab.steps import scoreboard, spent, why


def reasons(folder: Path, child: Snapshot, root: Path) -> dict[str, Any]:
    """Level -> why the step from its parent gains: the sentence, the prediction and what became of
    it, and the table of differences, its head first.  {} without a parent to compare with."""
    found = {}
    for level in LEVELS:
        made = spent.step(folder, child, level, root)
        if made is not None:
            score = scoreboard.score(child, level, made.gain)
            predicted = f"{score.said}: {score.word}" if score.expected else ""
            table = {"n": made.child.n, "gain": made.gain, "rows": why.rows(made)}
            found[level] = {"movers": why.movers(made), "predicted": predicted, **table}
    return found


def place(snapshot: Snapshot, found: dict[str, Any]) -> dict[str, str]:
    """Where the step opens: the front matter's place, or at the level, -O0 apart, where the step
    gains or loses most, the function of its own that changes most; {} without a step."""
    seen = ladder.parse(snapshot.look)
    if seen:
        return {"level": seen.level, "view": seen.view, "fn": seen.after, "lines": seen.lines}
    levels = [level for level in LEVELS[1:] if level in found]
    if not levels:
        return {}
    level = max(levels, key=lambda level: abs(found[level]["gain"] - 1))
    files = filter(Path.is_file, (snapshot.path / name for name in ("nat.h", "rsa.c", "mont.S")))
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    names = [row[0] for row in found[level]["rows"][1:-1]]
    own = [name for name in names if re.search(rf"\b{re.escape(name)}[(:]", code)]
    return {"level": level, "view": "c", "fn": next(iter(own), ""), "lines": ""}
