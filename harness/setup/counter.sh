#!/bin/sh
# Which counter this machine has: prints `plugin`, `unicorn`, or `none` where times are measured all the same.
# Status 2, after a line on stderr, where nothing could be measured.
set -u
# shellcheck source=/dev/null
. build/platform || exit 2
runner=${runner:-}
if qemu-arm -h 2>/dev/null | grep -q -e -plugin; then
    echo plugin
elif sh harness/setup/unicorn.sh; then
    echo unicorn
elif [ -z "$runner" ]; then
    echo "counter: this board measures times but no counts" >&2
    echo none
else
    exit 2
fi
