"""A Firefox without a window, driven by the protocol that it speaks itself (Marionette): Debian has
no driver for it."""

import json
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from hangs import HANGS

# Messages of the browser's own parts have another source.
CONSOLE = """const messages = Services.console.getMessageArray();
Services.console.reset();
return messages
    .filter((one) => one instanceof Ci.nsIScriptError && /^(file|http|data):/.test(one.sourceName))
    .map((one) => one.toString());"""


class Firefox:
    """A browser with a profile of its own in `folder`."""

    def __init__(self, folder: Path, program: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (folder / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        words = [
            program,
            "--headless",
            "--marionette",
            "--no-remote",
            "--remote-allow-system-access",  # to its console
            "--profile",
            str(folder),
        ]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(words, stdout=quiet, stderr=quiet)
        self.talk = connected(port)
        self.received = b""
        self.number = 0
        self.message()  # a greeting
        self.ask("WebDriver:NewSession")

    def message(self) -> Any:
        """Return the next message, which is preceded by its length and a colon."""
        while b":" not in self.received:
            self.received += self.talk.recv(65536)
        length, _, rest = self.received.partition(b":")
        while len(rest) < int(length):
            rest += self.talk.recv(65536)
        self.received = rest[int(length) :]
        return json.loads(rest[: int(length)])

    def ask(self, command: str, **parameters: object) -> Any:
        """Return the answer to a command."""
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.talk.sendall(str(len(text)).encode() + b":" + text)
        _, _, fault, answer = self.message()
        assert not fault, fault
        return answer

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script of the page returns."""
        answer = self.ask(
            "WebDriver:ExecuteScript", script=script, args=list(arguments), sandbox=None
        )
        return answer["value"]

    def open(self, url: str) -> list[str]:
        """Open a page, and return what it has written to the console by then."""
        self.console()
        self.ask("WebDriver:Navigate", url=url)
        return self.console()

    def console(self) -> list[str]:
        """Return the errors and warnings of the page's scripts and styles since the last call."""
        self.ask("Marionette:SetContext", value="chrome")
        answer = self.ask("WebDriver:ExecuteScript", script=CONSOLE, args=[])
        self.ask("Marionette:SetContext", value="content")
        return answer["value"]

    def quit(self) -> None:
        """End the browser."""
        self.process.terminate()
        self.process.wait(timeout=HANGS)


def connected(port: int) -> socket.socket:
    """Return a connection to a browser that may still be starting."""
    end = time.monotonic() + HANGS
    while True:
        try:
            talk = socket.create_connection(("127.0.0.1", port), timeout=HANGS)
        except OSError:
            assert time.monotonic() < end, "Firefox does not start"
            time.sleep(0.2)
        else:
            return talk
