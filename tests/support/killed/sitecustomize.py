"""With this folder on PYTHONPATH, a Python process kills itself at the KILL_AT-th time it opens
for writing, renames or removes something under results/; with 0 it adds a line to KILL_LOG each
time instead."""

import os
import signal
import sys

AT, LOG = int(os.environ.get("KILL_AT", "0")), os.environ.get("KILL_LOG", "")
CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate")
seen = 0


def watch(event: str, arguments: tuple) -> None:
    """Called by Python before each event."""
    global seen
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if not (writes or event in CHANGES) or "results/" not in f"{arguments[:2]}":
        return
    seen += 1
    if seen == AT:
        os.kill(os.getpid(), signal.SIGKILL)
    if not AT and LOG:
        file = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{event} {arguments[0]}\n".encode())
        os.close(file)


if LOG:
    sys.addaudithook(watch)
