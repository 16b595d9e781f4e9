"""The notebooks, executed: each notebooks/*.py becomes an .ipynb with outputs; or opened."""

import json
import os
import re
import sys
import tempfile
from base64 import b64decode, b64encode
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.sign import NotebookNotary

from records.faults import Failure
from records.files import replace
from records.ladder import ROOT
from records.results import (
    LOCAL,
    MENUS,
    NOT_HERE,
    NOT_YOURS,
    SWITCH,
    label,
    load,
    named,
    reference,
)
from rsalab.charts.picture import in_few_colours
from rsalab.markdown import message

OUT = "build/notebooks"  # of results other than the reference
NOTEBOOK_SECONDS = 3600  # of processor time that a notebook may take
# A kernel begins with this: what takes more processor time is ended.
LIMITED = "import resource as r; r.setrlimit(r.RLIMIT_CPU, ({0}, {0})); del r"
ABSENT = re.compile(f"not measured|{NOT_HERE}", re.I)
NEEDS_ANOTHER = "It needs a cell above."
# The name that pandas gives a styled table, another one each time; its address in memory.
TABLE_NAME = re.compile(r"\bT_[0-9a-f]{5}(?=\b|_)")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    # As a kernel says it: where something is missing, JupyterLab adds it, and the notebook is modified.
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.2",  # of Debian 12
    },
}
HOME = ROOT / "build/jupyter"
NEWS = "@jupyterlab/apputils-extension:announcements"  # asks a question at each start
SETTINGS = Path(__file__).with_name("jupyter.json")
OVER_SSH = """\
The address below is of this machine.  To open it on yours, type there, with its number for PORT:
    ssh -L PORT:127.0.0.1:PORT THIS-MACHINE"""


# Characters: a folder with a longer path has no room for the name of a socket.
SOCKET = 60


def short_folder() -> str | None:
    """Return a folder for sockets where the usual one for temporary files has too long a path."""
    return "/tmp" if len(tempfile.gettempdir()) > SOCKET else None


def prepare(source: Path) -> nbformat.NotebookNode:
    """Return the notebook of a .py in percent format, without outputs; its cells'
    ids are fixed."""
    notebook: nbformat.NotebookNode = jupytext.read(source, fmt="py:percent")
    notebook.nbformat = 4
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.update(id=f"cell-{number:02d}", metadata={})
    return notebook


def execute(source: Path, results: Path) -> tuple[str, list[str]]:
    """Run a notebook on a results folder; the text of its .ipynb, and what
    could not be shown. Raises Failure with the cell's number and the last
    line of what it said."""
    notebook = prepare(source)
    with tempfile.TemporaryDirectory(prefix="rsalab-", dir=short_folder()) as scratch:
        manager = AsyncKernelManager(  # whose kernel is this Python, whatever others there are
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=f"{scratch}/kernel.json", transport="ipc", ip=f"{scratch}/kernel",
        )  # fmt: skip
        client = NotebookClient(
            notebook, km=manager, timeout=None, record_timing=False, allow_errors=True,
            resources={"metadata": {"path": str(source.parent)}},
            extra_arguments=[f"--IPKernelApp.exec_lines=[{LIMITED.format(NOTEBOOK_SECONDS)!r}]"],
        )  # fmt: skip
        client.owns_km = True  # ends the kernel with the run
        try:
            client.execute(
                env=environment() | {SWITCH: str(results.resolve()), MENUS: "off"}
            )
        except DeadKernelError as fault:
            limit = f"it may take {NOTEBOOK_SECONDS} s of processor time"
            raise Failure(f"{source.name}: {str(fault)[:200]}; {limit}") from None
    name_tables(notebook)
    shrink_pictures(notebook)
    missing = complete(notebook, source)
    notebook.metadata = METADATA
    return str(nbformat.writes(notebook)), missing  # type: ignore[no-untyped-call]


def name_tables(notebook: nbformat.NotebookNode) -> None:
    """Give each styled table of pandas a name that is the same in every run."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            for form in ("text/html", "text/plain"):
                if form in data:
                    text = TABLE_NAME.sub(f"T_{cell.id}", data[form])
                    data[form] = ADDRESS.sub("", text)


def shrink_pictures(notebook: nbformat.NotebookNode) -> None:
    """Give each picture of matplotlib few colours, as those of a chart have."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                small = in_few_colours(b64decode(data["image/png"]))
                data["image/png"] = b64encode(small).decode()


def complete(notebook: nbformat.NotebookNode, source: Path) -> list[str]:
    """Give each cell that results have no answer for the reference's, which
    is in the committed .ipynb, and mark it; later cells, which lack what
    that one would have made, too.  Where the reference shows nothing below a
    cell, the next cell says the reason.  Returns a line on each.  Raises
    Failure for any other fault."""
    committed = source.with_suffix(".ipynb")
    known = nbformat.read(committed, as_version=4).cells if committed.is_file() else []  # type: ignore[no-untyped-call]
    answers = {cell.source: cell.get("outputs", []) for cell in known}
    missing: list[str] = []
    unsaid = ""
    for number, cell in enumerate(notebook.cells, start=1):
        answer = answers.get(cell.source, [])
        for output in cell.get("outputs", []):
            if (
                output["output_type"] == "error"
                and output["ename"] != "Failure"
                and not missing
            ):
                fault = f"{output['ename']}: {output['evalue'] or 'no message'}"
                raise Failure(f"{source.name}: cell {number}: {fault}")
        reason = lack_of(cell.get("outputs", []), answer)
        if not reason:
            continue
        missing.append(reason)
        if reason == NEEDS_ANOTHER and unsaid:
            reason = unsaid
        unsaid = ""
        if cell.source in answers and not answer:
            unsaid = reason
            cell.outputs = []
            continue
        cell.outputs = [mark_of(reason, answer), *answer]
    return list(dict.fromkeys(missing))


def mark_of(reason: str, answer: list[Any]) -> Any:
    """Return the output that says whose the answer below it is, and why."""
    origin = NOT_YOURS if answer else NOT_HERE
    said = message(reason.removeprefix(f"{NOT_HERE}; "))
    note = {"text/markdown": f"**{origin.capitalize()}.** {said}"}
    return nbformat.v4.new_output("display_data", note)  # type: ignore[no-untyped-call]


def lack_of(outputs: list[Any], answer: list[Any]) -> str:
    """Return why a cell says less than the reference's answer; "" where it does not."""
    absent = 0
    for output in outputs:
        if output["output_type"] == "error":
            return output["evalue"] if output["ename"] == "Failure" else NEEDS_ANOTHER
        data = output.get("data", {})
        if data.get("text/markdown") == "":
            return "Nothing of it was measured."
        absent += len(ABSENT.findall(str(data)))
    for output in answer:
        absent -= len(ABSENT.findall(str(output.get("data", {}))))
    return "Some of it was not measured." if absent > 0 else ""


def notebooks(results: str = "", root: Path = ROOT) -> None:
    """Execute the notebooks.  Of the reference results the .ipynb beside
    each .py is written: equal results give equal bytes.  With --results DIR
    those are read, and what they make goes to build/notebooks/.  Raises
    Failure, OSError."""
    folder = named(results, root) if results else reference(root)
    load(folder, root)
    out = root / (OUT if results else "notebooks")
    for source in sorted(root.glob("notebooks/*.py")):
        text, missing = execute(source, folder)
        target = out / f"{source.stem}.ipynb"
        replace(target, text)
        print(
            f"  NOTEBOOK  {label(target, root)} from {label(folder, root)}", flush=True
        )
        for note in missing:
            print(f"      from the reference: {note}", flush=True)


def environment(root: Path = ROOT) -> dict[str, str]:
    """Return this environment, with what Jupyter and IPython keep in build/, and
    none of the user's own settings; the token is Jupyter's own, new each
    time.  The notebooks read the user's own results where there are some."""
    HOME.mkdir(parents=True, exist_ok=True)  # or IPython warns of each folder
    variables = {}
    for name, value in os.environ.items():
        if not name.startswith(("JUPYTER", "PYTHONPATH", "PYTHONSAFEPATH")):
            variables[name] = value
    for name in (
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "IPYTHONDIR",
        "XDG_CACHE_HOME",
    ):
        variables[name] = str(HOME / name.lower())
    # Without this the kernel warns of frozen modules.
    variables["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    python = Path(sys.executable).parent  # the kernel `python3` is this Python
    variables["PATH"] = f"{python}{os.pathsep}{variables.get('PATH', '')}"
    if (root / LOCAL / "machine.json").exists():
        variables.setdefault(SWITCH, str(root / LOCAL))
    return variables


def sign(folder: Path) -> None:
    """Sign the notebooks with the key of a folder: of a notebook without a
    signature JupyterLab hides the colours of tables and the call graphs."""
    folder.mkdir(parents=True, exist_ok=True)
    notary = NotebookNotary(data_dir=str(folder))  # type: ignore[no-untyped-call]
    for written in ("notebooks", OUT):
        for path in sorted(ROOT.glob(f"{written}/*.ipynb")):
            notary.sign(nbformat.read(path, as_version=4))  # type: ignore[no-untyped-call]


def jupyter() -> None:
    """Open JupyterLab at the first notebook, on this machine alone:
    127.0.0.1, with a token.  It writes into build/, but for what one saves
    and its copies of opened files, which git ignores.  It shows the whole
    repository, so that links from notebooks to rungs lead there.
    Without a screen it opens no browser, and its address is what it prints.
    Raises Failure where there is none."""
    if not find_spec("jupyterlab"):
        raise Failure("JupyterLab is not here; `make jupyter` installs it")
    variables = environment()
    own = Path(variables["JUPYTER_CONFIG_DIR"]) / "labconfig/page_config.json"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(json.dumps({"disabledExtensions": {NEWS: True}}))
    sign(Path(variables["JUPYTER_DATA_DIR"]))
    command = [sys.executable, "-m", "jupyterlab", f"--config={SETTINGS}"]
    command.append(f"--ServerApp.root_dir={ROOT}")
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not (screen and sys.stdout.isatty()):
        command.append("--no-browser")
    if os.environ.get("SSH_CONNECTION"):
        print(OVER_SSH, flush=True)
    os.chdir(ROOT)
    os.execve(sys.executable, command, variables)
