#!/bin/sh
# build.sh SOURCES LEVEL WIDTH: compiles an exercise as make compiles a snapshot (mk/programs.mk), asks for the
# contract, and prints the program.  CC, ARCH, WARN, LDFLAGS, OBJCOPY and PYTHON are make's.
set -eu
sources=$1 level=$2 width=$3 out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
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
driver=build/harness/$width
# shellcheck disable=SC2086
$CC $LDFLAGS "$out/snapshot.o" "$driver/driver.o" "$driver/check.o" "$driver/abi.o" -o "$out/rsa"
"$PYTHON" -m harness check "$out"
cat "$out/rsa"
