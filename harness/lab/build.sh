#!/bin/sh
# build.sh SOURCES LEVEL WIDTH OUT: compiles an exercise as make compiles a snapshot (mk/toolchain.mk), links it with
# the driver (OUT/rsa) and asks for the contract.  CC, ARCH, WARN, LDFLAGS, OBJCOPY and PYTHON are make's.
set -eu
sources=$1 level=$2 width=$3 out=$4
mkdir -p "$out"
objects=
# shellcheck disable=SC2086  # lists of options
for file in "$sources"/*.[cS]; do
    [ -e "$file" ] || continue
    object=$out/$(basename "$file").o
    $CC $ARCH "-$level" "-DWIDTH=$width" $WARN -Iharness -MD -MF "$object.d" -c "$file" -o "$object"
    objects="$objects $object"
done
# shellcheck disable=SC2086
$CC -nostdlib -r $objects -o "$out/snapshot.o"
"$OBJCOPY" --rename-section .text=snapshot_text --rename-section .text.unlikely=snapshot_text \
    --rename-section .text.startup=snapshot_text "$out/snapshot.o"
# shellcheck disable=SC2086
$CC $LDFLAGS "$out/snapshot.o" "build/harness/$width"/*.o -o "$out/rsa"
"$PYTHON" -m harness.contract "$out"
