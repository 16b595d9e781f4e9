"""Executes the notebooks: each notebooks/*.py becomes an .ipynb with outputs.

Usage: python -m rsalab.notebooks.execute [--results DIR --out DIR] [NAME...]

Without --results they read the reference results, and the .ipynb beside each .py is written: equal
results give equal bytes.  With it they read DIR, and what they make goes to --out.  Nothing is kept
outside the repository: the kernel is this Python, its settings live in a temporary folder.
"""

import argparse
import os
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from records.faults import Failure, command_line
from records.files import replace
from records.ladder import ROOT
from records.results import SWITCH, label, load, reference

FOLDER = "notebooks"
LIMIT = 300  # seconds for one cell
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class ThisPython(KernelSpecManager):
    """Knows one kernel: the Python that runs this."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """The running Python, whatever kernels the user has installed."""
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="Python 3", language="python")


def sources(names: list[str], root: Path = ROOT) -> list[Path]:
    """The .py of the notebooks, all of them when no name is given.  Raises Failure."""
    known = {path.stem: path for path in sorted((root / FOLDER).glob("*.py"))}
    for name in names:
        if Path(name).stem not in known:
            raise Failure(f"no notebook '{name}'; there are: {' '.join(known) or 'none'}")
    return [known[Path(name).stem] for name in names] or list(known.values())


def prepare(source: Path) -> nbformat.NotebookNode:
    """The notebook of a .py in percent format, without outputs; its cells' ids are fixed."""
    notebook: nbformat.NotebookNode = jupytext.read(source, fmt="py:percent")
    notebook.metadata = deepcopy(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.update(id=f"cell-{number:02d}", metadata={})
    return notebook


def execute(source: Path, results: Path) -> tuple[str, list[str]]:
    """Runs a notebook on a results folder; the text of its .ipynb, and what could not be shown.

    Raises Failure with the cell's number and the last line of what it said.
    """
    notebook = prepare(source)
    with tempfile.TemporaryDirectory(prefix="rsalab-") as scratch:
        own = {"IPYTHONDIR": scratch, "JUPYTER_CONFIG_DIR": scratch, "JUPYTER_DATA_DIR": scratch}
        own.update({SWITCH: str(results.resolve()), "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=ThisPython(),
            connection_file=str(Path(scratch, "kernel.json")),
            transport="ipc",
            ip=str(Path(scratch, "kernel")),
        )
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=LIMIT,
            record_timing=False,
            allow_errors=True,
            resources={"metadata": {"path": str(source.parent)}},
        )
        client.owns_km = True  # ends the kernel with the run
        try:
            client.execute(env={**os.environ, **own})
        except (CellTimeoutError, DeadKernelError) as fault:
            raise Failure(f"{source.name}: {str(fault)[:200]}") from None
    notebook.metadata = deepcopy(METADATA)
    missing = noted(notebook, source)
    return str(nbformat.writes(notebook)), missing  # type: ignore[no-untyped-call]


def noted(notebook: nbformat.NotebookNode, source: Path) -> list[str]:
    """What results do not hold becomes a note in its cell; later cells, which lack what that one
    would have made, say nothing.  Returns the notes.  Raises Failure for any other fault."""
    missing: list[str] = []
    for number, cell in enumerate(notebook.cells, start=1):
        for output in [one for one in cell.get("outputs", []) if one["output_type"] == "error"]:
            if output["ename"] == "Failure":
                missing.append(output["evalue"])
                note = {"text/markdown": f"**Not in these results.** {output['evalue']}"}
                shown = {"output_type": "display_data", "metadata": {}, "data": note}
                cell.outputs.append(nbformat.from_dict(shown))  # type: ignore[no-untyped-call]
            elif not missing:
                fault = f"{output['ename']}: {output['evalue'] or 'no message'}"
                raise Failure(f"{source.name}: cell {number}: {fault}")
            cell.outputs.remove(output)
    return list(dict.fromkeys(missing))


def run(names: list[str], results: Path | None, out: Path | None, root: Path) -> None:
    """Writes the .ipynb of each notebook, with a line that says so.  Raises Failure, once all were
    tried, for those that failed; OSError."""
    folder = root / results if results else reference(root)
    load(folder, root)
    faults = []
    for source in sources(names, root):
        target = (root / out if out else source.parent) / f"{source.stem}.ipynb"
        try:
            text, missing = execute(source, folder)
        except Failure as fault:
            faults.append(str(fault))
            continue
        said = "unchanged" if target.exists() and target.read_text() == text else "written"
        replace(target, text)
        print(f"  NOTEBOOK  {label(target, root)} from {label(folder, root)}: {said}", flush=True)
        for note in missing:
            print(f"      not all of it: {note}", flush=True)
    if faults:
        raise Failure("; ".join(faults))


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Command line; a line for each notebook; 0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(prog="notebooks", description="Executes the notebooks.")
    parser.add_argument("--results", type=Path, metavar="DIR", help="read these results instead")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write there; needs --results")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args(arguments)
    if bool(args.results) != bool(args.out):
        parser.error("--results and --out go together")
    return command_line("notebooks", lambda: run(args.names, args.results, args.out, root))


if __name__ == "__main__":
    sys.exit(main())
