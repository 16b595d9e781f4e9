"""JupyterLab on this machine alone: 127.0.0.1, with a token, nothing written outside build/.

`python -m rsalab.pages lab [ARGUMENT...]`; arguments go on to JupyterLab.  Without a screen it
opens no browser: the address with its token stands in what it prints.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from records.ladder import ROOT

INSTALL = "JupyterLab is not here: harness/setup/venv.sh notebooks/requirements.lock"
PORT, TRIES = 8888, 50  # the next free one of these
SETTINGS = {
    "ServerApp.ip": "127.0.0.1",
    "ServerApp.port": str(PORT),
    "ServerApp.port_retries": str(TRIES),
    "ServerApp.allow_remote_access": "False",
    "ServerApp.terminals_enabled": "False",
    "ServerApp.answer_yes": "True",  # Ctrl-C ends it without a question
    "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    "LabApp.news_url": "None",
    "LabApp.extension_manager": "readonly",
    "LanguageServerManager.autodetect": "False",  # else npm is asked where its servers are
    "KernelSpecManager.allowed_kernelspecs": "python3",
}


def environment(root: Path = ROOT) -> dict[str, str]:
    """This environment, with every folder that Jupyter and IPython keep anything in under build/.
    The token is Jupyter's own, new each time, whatever the user's settings say."""
    home = root / "build" / "jupyter"
    folders = {"CONFIG": "config", "DATA": "data", "RUNTIME": "runtime"}
    ours = {f"JUPYTER_{name}_DIR": home / folder for name, folder in folders.items()}
    ours["JUPYTERLAB_SETTINGS_DIR"] = home / "settings"
    ours["JUPYTERLAB_WORKSPACES_DIR"] = home / "workspaces"
    ours["IPYTHONDIR"] = home / "ipython"
    ours["XDG_CACHE_HOME"] = home / "cache"
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHONPATH"))}
    python = Path(sys.executable).parent
    path = f"{python}{os.pathsep}{kept.get('PATH', '')}"  # the kernel `python3` is this Python
    return {**kept, **{name: str(folder) for name, folder in ours.items()}, "PATH": path}


def has_screen() -> bool:
    """Can a browser open here, for somebody who sees it?"""
    return sys.stdout.isatty() and (
        sys.platform == "darwin"
        or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    )


def command(arguments: list[str], root: Path = ROOT) -> list[str]:
    """What starts it, in notebooks/."""
    told = [f"--{name}={value}" for name, value in SETTINGS.items()]
    told += [f"--ServerApp.root_dir={root / 'notebooks'}"]
    told += [] if has_screen() else ["--no-browser"]
    told += ["--allow-root"] if os.geteuid() == 0 else []
    return [sys.executable, "-m", "jupyterlab", *told, *arguments]


def lab(arguments: list[str], root: Path = ROOT) -> int:
    """Becomes JupyterLab; returns 2, with one line on stderr, only where there is none."""
    if not find_spec("jupyterlab"):
        print(f"pages: {INSTALL}", file=sys.stderr)
        return 2
    os.chdir(root / "notebooks")
    os.execve(sys.executable, command(arguments, root), environment(root))
    return 0
