"""What is generated into the page of a step beside its measurements: the change itself, where its
parent spends its instructions, the controls of a step that changes two things, and links."""

from pathlib import Path

from records import ladder
from records.ladder import LAB_KEYS, LADDER, Snapshot
from records.results import Results
from rsalab import cycles
from rsalab.report import readmes
from rsalab.steps import change

CYCLES = Path("studies/hardware/cores/README.md")


def changed(results: Results, child: Snapshot) -> str:
    """Return the diff of a step; "" for a snapshot without a parent."""
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return ""
    story = readmes.story_of(results, child)
    facts = {
        "command": command(child),
        "parent_link": link(parent, results.root),
    }
    story.know(facts)
    announced = story.get("text:changed")
    return f"{announced}\n\n{change.excerpt(child, parent)}"


def command(child: Snapshot) -> str:
    """Return the command that shows the whole difference of a step."""
    if child.study == LADDER:
        return f"make diff B={child.name}"
    return f"make diff STUDY={child.study} B={child.name}"


def shares(results: Results, child: Snapshot) -> str:
    """Return where the parent of a step spends its instructions; "" where it was not counted."""
    story = readmes.story_of(results, child)
    return story.get("text:shared") if story.get("table:shares") else ""


def controls(results: Results, child: Snapshot) -> str:
    """Return the two ways from the parent of a step to itself by each of its controls, folded."""
    parent = ladder.parent_of(child, results.root)
    if parent is None:
        return ""
    blocks = []
    for label in child.beside:
        study, _, name = label.rpartition("/")
        control = ladder.find(name, study, results.root)
        for old, new in ((parent, control), (control, child)):
            title = f"{old.name} to {new.name}: "
            blocks.append(change.summary(change.lines_of(new, old), title))
    return "\n\n".join(blocks)


# --- links ----------------------------------------------------------------------------------------


def links(results: Results, snapshot: Snapshot) -> str:
    """Return a list of where to read on: the steps before and after, the study, what is measured
    alone from here, the lab, the explorer, cycles, claims and words."""
    root = results.root
    parent = ladder.parent_of(snapshot, root)
    after = []
    alone = []
    for one in ladder.every(root):
        if one.parent_key == (snapshot.study, snapshot.name):
            if one.study == snapshot.study:
                after.append(link(one, root))
            else:
                alone.append(link(one, root))
    heading = snapshot.label.replace("/", "")  # in docs/claims.md
    ran = snapshot.study == LADDER or cycles.in_cycles(cycles.gains(snapshot, root))
    on_cores = ran and (root / CYCLES).is_file()
    texts = {
        "The step before": link(parent, root) if parent else "",
        "The step after": ", ".join(after),
        "Its study": study_of(snapshot, root),
        "Other steps from here": ", ".join(alone),
        "Try it yourself": ", ".join(labs_to(snapshot, root)),
        "Counts line by line": f"`make explore`, then `build/explorer.html#b={snapshot.label}`",
        "Change it and run it": live_page(snapshot),
        "Cycles": f"[three cores](/{CYCLES})" if on_cores else "",
        "Numbers such as [1]": f"[claims](/docs/claims.md#{heading})"
        if snapshot.claims
        else "",
        "Words": "[glossary](/docs/glossary.md)",
    }
    lines = [f"- {title}: {text}" for title, text in texts.items() if text]
    return "\n".join(lines)


def study_of(snapshot: Snapshot, root: Path) -> str:
    """Return links to the page of a study, and to its snapshots before and behind one; "" for what
    is in no study."""
    if snapshot.study == LADDER:
        return ""
    every = ladder.snapshots(snapshot.study, root)
    place = [one.name for one in every].index(snapshot.name)
    folder = snapshot.path.parent.relative_to(root).as_posix()
    texts = [f"[{snapshot.study}](/{folder}/README.md)"]
    for before in every[:place][-1:]:
        texts.append(f"the page before: {link(before, root)}")
    for behind in every[place + 1 :][:1]:
        texts.append(f"the page after: {link(behind, root)}")
    return "; ".join(texts)


def live_page(snapshot: Snapshot) -> str:
    """Return where a rung is edited in the browser; "" for what is no rung."""
    if snapshot.study != LADDER:
        return ""
    return f"`make live`, then `build/live.html#{snapshot.name}-O1`"


def link(snapshot: Snapshot, root: Path) -> str:
    """Return a link to the page of a snapshot."""
    folder = snapshot.path.relative_to(root).as_posix()
    return f"[{snapshot.label}, {snapshot.idea}](/{folder}/README.md)"


def labs_to(snapshot: Snapshot, root: Path) -> list[str]:
    """Return links to the exercises that end at a snapshot."""
    folder = snapshot.path.relative_to(root).as_posix()
    found = []
    for readme in sorted(root.glob("labs/*/README.md")):
        front = ladder.front_matter(readme, root, LAB_KEYS)
        if front.get("leads-to") != folder:
            continue
        digits, _, _ = readme.parent.name.partition("-")
        number = digits.lstrip("0")
        title = front["title"]
        page = readme.relative_to(root).as_posix()
        found.append(f"[lab {number}, {title}](/{page})")
    return found
