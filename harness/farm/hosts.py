"""The boards of a farm, one a line: `user@host[:port]  type`, with # comments.

Boards of one type share the work; each type does the whole of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from records.faults import Failure

LINE = re.compile(
    r"(?P<who>[A-Za-z_][\w.-]*@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*))(?::(?P<port>[0-9]{1,5}))?"
    r"\s+(?P<kind>[a-z0-9][a-z0-9.-]*)"
)
EXAMPLE = "`user@host[:port]  type`"
# Never a question.  A board that falls silent is noticed after 75 s; a busy one is waited for.
OPTIONS = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"


@dataclass(frozen=True)
class Board:
    """A board: `place` is its line (`hosts.txt:3`), `kind` its type, `who` user@host."""

    place: str
    who: str
    port: int
    kind: str

    @property
    def name(self) -> str:
        """A folder's name: the host, and the port unless it is 22."""
        host = self.who.partition("@")[2]
        return host if self.port == 22 else f"{host}-{self.port}"

    def login(self, ssh: str) -> str:
        """The ssh command that reaches it, as one string for a shell."""
        return f"{ssh} {OPTIONS} -p {self.port} {self.who}"


def read(path: Path) -> list[Board]:
    """The boards of a file.  Raises Failure naming file and line."""
    if not path.is_file():
        raise Failure(f"{path}: no such file; write one, a line for each board: {EXAMPLE}")
    boards: dict[str, Board] = {}
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, place = text.partition("#")[0].strip(), f"{path}:{number}"
        if not text:
            continue
        found = LINE.fullmatch(text)
        if not found:
            raise Failure(f"{place}: expected {EXAMPLE}, not {text!r}")
        port = int(found["port"] or 22)
        if not 0 < port < 65536:
            raise Failure(f"{place}: port {port} is not between 1 and 65535")
        board = Board(place, found["who"], port, found["kind"])
        if board.name in boards:
            raise Failure(f"{place}: {board.name} is in {boards[board.name].place}, too")
        boards[board.name] = board
    if not boards:
        raise Failure(f"{path}: no board in it; a line is {EXAMPLE}")
    return list(boards.values())
