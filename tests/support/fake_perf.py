"""A fake perf, which counts what a fake program says that it does."""

from pathlib import Path

import pytest

from harness.time import perf_stat

PERF = r"""
case "$*" in
--version) echo perf version 6.1.0; exit ;;
esac
[ "$LC_ALL" = C ] || { echo "decimal commas" >&2; exit 9; }
[ "$2" = -j ] || { echo "another form" >&2; exit 9; }
file=$4; events=$6; shift 7
echo run >>"$STATE/runs"
[ ! -e "$STATE/refuse" ] || { cat "$STATE/refuse" >&2; exit 255; }
work=$("$@" 3>&1 >/dev/null); status=$?
drift=$(cat "$STATE/drift" 2>/dev/null || echo 0); echo $((drift + 1)) >"$STATE/drift"
echo "# started on Sat" >"$file"
for event in $(echo "$events" | tr ',' ' '); do
    case $event in
    task-clock:u) value=$work.500000 unit=msec ;;
    branches:u) value="<not supported>" unit= ;;
    cycles:u) value=$((work * 1000 + 7000 + drift)) unit= ;;
    *) value=$((work * 10 + 5)) unit= ;;
    esac
    echo "{\"counter-value\" : \"$value\", \"unit\" : \"$unit\", \"event\" : \"$event\"}"
done >>"$file"
exit $status
"""
PROGRAM = "#!/bin/sh\necho $1 >&3\n[ $1 -lt 900 ] || { echo wrong digit >&2; exit 1; }\n"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts perf into a folder, first on PATH, and a program whose argument is its work; the board
    says nothing of itself."""
    for name, text in (("perf", f"#!/bin/sh\n{PERF}"), ("program", PROGRAM)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setattr(perf_stat, "ROOT", folder)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("STATE", str(folder))
