#!/bin/sh
# check.sh PROGRAM STAMP VECTORS...: run a program over its check vectors; the stamp appears only if
# every result is right.
set -u
program=$1 stamp=$2
shift 2
. build/platform 2>/dev/null || { echo "check: build/platform is missing: run make" >&2; exit 2; }
rm -f "$stamp"
said=$(timeout 600 $runner "$program" check "$@")
status=$?
if [ $status -ne 0 ]; then
    [ $status -ne 124 ] || echo "$program: no end after 600 s" >&2
    echo "$program: NOT CHECKED, so it is not measured (status $status)" >&2
    exit $status
fi
echo "  CHECK   ${program%/rsa}: $said"
echo "$said" >"$stamp"
