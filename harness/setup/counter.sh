#!/bin/sh
# Which counter this machine has: prints `plugin`, `unicorn`, or `none` where times are measured all the same.  Unicorn
# is the system's package or, where that cannot be installed, .venv's.  Status 2, after a line on stderr, where nothing
# could be measured.
set -u
# shellcheck source=/dev/null
. build/platform || exit 2
runner=${runner:-}
if qemu-arm -h 2>/dev/null | grep -q -e -plugin; then
    echo plugin
    exit
fi
python=/usr/bin/python3
[ -x "$python" ] || python=python3
if COUNTER=unicorn "$python" -m harness.count.counters >/dev/null 2>&1; then
    echo unicorn
elif harness/setup/setup.sh unicorn || { harness/setup/setup.sh python && harness/setup/venv.sh; }; then
    echo unicorn
elif [ -z "$runner" ]; then
    echo "counter: this board measures times but no counts" >&2
    echo none
else
    exit 2
fi
