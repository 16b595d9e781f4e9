"""JupyterLab on this machine alone: 127.0.0.1, with a token, nothing written outside build/."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from records.faults import Failure, command_line
from records.ladder import ROOT
from records.results import LOCAL, SWITCH

HOME = ROOT / "build" / "jupyter"
SETTINGS = {
    "ServerApp.root_dir": str(ROOT / "notebooks"),
    "ServerApp.ip": "127.0.0.1",
    "ServerApp.terminals_enabled": "False",
    "ServerApp.answer_yes": "True",  # Ctrl-C ends it without a question
    "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    "LabApp.news_url": "None",
    "LabApp.extension_manager": "readonly",
    "LanguageServerManager.autodetect": "False",  # else npm is asked where its servers are
    "KernelSpecManager.allowed_kernelspecs": "python3",
}


def environment(root: Path = ROOT) -> dict[str, str]:
    """This environment, with what Jupyter and IPython keep in build/, and none of the user's own
    settings; the token is Jupyter's own, new each time.  The notebooks read the user's own results
    where there are some."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHONPATH"))}
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "XDG_CACHE_HOME")
    python = Path(sys.executable).parent  # the kernel `python3` is this Python
    path = f"{python}{os.pathsep}{kept.get('PATH', '')}"
    if (root / LOCAL / "machine.json").exists():
        kept.setdefault(SWITCH, str(root / LOCAL))
    return {**kept, **{name: str(HOME / name.lower()) for name in names}, "PATH": path}


def command() -> list[str]:
    """What starts it; without a screen it opens no browser, and its address is what it prints."""
    words = [f"--{name}={value}" for name, value in SETTINGS.items()]
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    words += [] if screen and sys.stdout.isatty() else ["--no-browser"]
    words += ["--allow-root"] if os.geteuid() == 0 else []
    return [sys.executable, "-m", "jupyterlab", *words]


def lab() -> None:
    """Becomes JupyterLab.  Raises Failure where there is none."""
    if not find_spec("jupyterlab"):
        raise Failure("JupyterLab is not here; `make jupyter` installs it")
    os.chdir(ROOT / "notebooks")
    os.execve(sys.executable, command(), environment())


if __name__ == "__main__":
    sys.exit(command_line("jupyter", lab))
