#!/bin/sh
# Installs Unicorn where it does not count: the system's package or, where that cannot be had, .venv's.  Status 0 when
# it is there; otherwise 2, with a line on stderr.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
COUNTER=unicorn "$python" -m harness counters >/dev/null 2>&1 || sh harness/setup/setup.sh unicorn ||
    { sh harness/setup/setup.sh python && sh harness/setup/venv.sh; }
