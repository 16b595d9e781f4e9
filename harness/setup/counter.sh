#!/bin/sh
# Which counter this machine has: prints `plugin`, `unicorn`, or `none` where times are measured all the same.  Unicorn
# comes with .venv, which is made.  Status 2, after a line on stderr, where nothing could be measured.
set -u
# shellcheck source=/dev/null
. build/platform || exit 2
runner=${runner:-}
if qemu-arm -h 2>/dev/null | grep -q -e -plugin; then
    echo plugin
    exit
fi
[ -z "$runner" ] || echo "counter: qemu-arm loads no plugins here: Unicorn counts, which takes minutes, not seconds" >&2
if harness/setup/setup.sh python && harness/setup/venv.sh; then
    echo unicorn
elif [ -z "$runner" ]; then
    echo "counter: this board measures times and no counts" >&2
    echo none
else
    exit 2
fi
