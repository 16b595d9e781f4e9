#!/bin/sh
# Python's place in the Makefile where there was none when make began: the one that has been installed since, or one
# line and status 2.
for python in /usr/bin/python3 python3; do
    command -v "$python" >/dev/null 2>&1 && exec "$python" "$@"
done
echo "make: there is no python3 here; type: harness/setup/setup.sh build" >&2
exit 2
