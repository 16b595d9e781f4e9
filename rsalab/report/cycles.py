"""The report's chapter on cycles by model."""

from __future__ import annotations

from records.ladder import LADDER
from records.tables import percent, whole
from rsalab import markdown
from rsalab.models import errors
from rsalab.models.cycles import CASES, MODELS, model_of
from rsalab.report.story import MISSING, Story


def chapter(tale: Story) -> dict[str, str]:
    """A table for each model: cycles a call of mont_mul and a round trip by rung and level, and the
    model's error.  A rung whose cycles are its instructions at every level is left out."""
    says, ranges = {}, {}
    for row, error in errors.known_in(tale.results):
        model = model_of(row)
        says[model, row["snapshot"], row["level"], row["case"]] = row["value"] / row["n"]
        ranges[model, row["snapshot"]] = percent(*error)
    head = ["rung", *(f"{name} -{level}" for name in ("mont_mul", "round trip")
                      for level in tale.levels), "error"]  # fmt: skip
    parts = {}
    for model in MODELS:
        rows, same = [], []
        for rung in (s.name for s in tale.snapshots if (model, s.name) in ranges):
            cells = [(level, case) for case in CASES for level in tale.levels]
            had = [says.get((model, rung, *cell)) for cell in cells]
            counted = [tale.results.means(LADDER, rung, *cell).get("instructions")
                       for cell in cells]  # fmt: skip
            if had == counted:
                same.append(rung)
            else:
                rows.append([rung, *map(whole, had), ranges[model, rung]])
        name = model.replace("-", "_")
        parts[f"model_{name}"] = markdown.table(head, rows) if rows else MISSING
        parts[f"{name}_left_out"] = (
            f"Left out are rungs whose cycles are their instructions: {', '.join(same)}."
            if same else "Every rung that was modelled is shown."
        )  # fmt: skip
    return parts
