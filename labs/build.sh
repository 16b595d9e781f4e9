#!/bin/sh
# build.sh SOURCES LEVEL WIDTH [host]: compiles an exercise as make compiles a snapshot (mk/programs.mk), asks for
# the contract, and prints the program; `host`: for this machine itself, to be timed.  CC, CODE, WARN, LDFLAGS,
# OBJCOPY, PYTHON and HOST_CC are make's.  A function that is no longer called is no fault in an exercise.
set -eu
sources=$1 level=$2 width=$3 out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
objects='' failed='' compiler="$CC $CODE"
[ $# -eq 3 ] || compiler=$HOST_CC
# The second and the third -I are where ../../harness/snapshot.h and ../../../harness/snapshot.h lead to it.
compiler="$compiler -$level -DWIDTH=$width -Iharness -Iharness/driver -Ibuild/harness/$width"
# gcc says of the very functions that it compiles which of them ask for another level (harness/check.py).
tells=-fdump-tree-gimple
# shellcheck disable=SC2086  # lists of options
$compiler $tells=/dev/null -E -x c /dev/null >/dev/null 2>&1 || tells=
# shellcheck disable=SC2086
for file in "$sources"/*.[cS]; do
    [ -e "$file" ] || continue
    object=$out/$(basename "$file").o
    $compiler $WARN -Wno-unused-function -MD -MF "$object.d" ${tells:+"$tells=$object.gimple"} \
        -c "$file" -o "$object" || failed=yes
    objects="$objects $object"
done
[ -z "$failed" ] || exit 1
# shellcheck disable=SC2086
if [ $# -eq 3 ]; then
    $CC -nostdlib -r -Wl,--build-id=none $objects -o "$out/snapshot.o"
    "$OBJCOPY" --rename-section .text=snapshot_text --rename-section .text.unlikely=snapshot_text \
        --rename-section .text.startup=snapshot_text "$out/snapshot.o"
    $CC $LDFLAGS "$out/snapshot.o" build/harness/"$width"/*.o -o "$out/rsa"
    COMPILE=$compiler "$PYTHON" -m harness contract "$out"
else
    $HOST_CC -static $objects build/host/harness/"$width"/*.o -o "$out/rsa"
fi
cat "$out/rsa"
