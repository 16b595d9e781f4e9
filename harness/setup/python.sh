#!/bin/sh
# Runs a Python that is new enough, /usr/bin/python3 before another; without one, a line on stderr and status 2.
found=
for python in /usr/bin/python3 python3 python3.11 python3.12 python3.13 python3.14; do
    command -v "$python" >/dev/null 2>&1 || continue
    "$python" -ISc 'import sys; sys.exit(sys.version_info < (3, 11))' && exec "$python" "$@"
    found="$found, $("$python" --version 2>&1)"
done
echo "make: there is no Python 3.11 or later here${found:+ (found: ${found#, })}; type: make setup" >&2
exit 2
