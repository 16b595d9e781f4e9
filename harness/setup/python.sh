#!/bin/sh
# Runs a Python that is new enough, /usr/bin/python3 before another; without one, a line on stderr and status 2.
for python in /usr/bin/python3 python3; do
    if command -v "$python" >/dev/null 2>&1; then
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && exec "$python" "$@"
    fi
done
echo "make: there is no Python 3.11 or later here; type: sh harness/setup/setup.sh build" >&2
exit 2
