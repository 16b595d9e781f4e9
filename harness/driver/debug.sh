#!/bin/sh
# debug.sh PROGRAM WIDTH: gdb on a program that works through the vectors of mont_mul, stopped at its first mont_mul.
# Commands come from the terminal, or from stdin.
set -u
if [ $# -ne 2 ]; then
    echo "debug: no such snapshot or level; say, for example, make debug V=v8 LEVEL=O1 (STUDY=width-96)" >&2
    exit 2
fi
program=$1
calls=$($PYTHON -m harness calls "$2" "data/inputs/width-$2/vectors/mont_mul.txt") || exit 2
# shellcheck source=/dev/null
. build/platform || exit 2
runner=${runner:-}
if [ -z "$runner" ]; then
    exec gdb-multiarch -q -ex 'break mont_mul' -ex run --args "$program" check "$calls"
fi
# qemu-arm waits for gdb at a socket.  Ctrl-C is gdb's: it interrupts the program and does not end it.
socket=build/debug.$$.socket
trap 'kill $emulator 2>/dev/null; rm -f "$socket"' EXIT
# shellcheck disable=SC2086  # a command and its options
(trap '' INT; exec $runner -g "$socket" "$program" check "$calls") </dev/null &
emulator=$!
while [ ! -S "$socket" ]; do
    kill -0 $emulator 2>/dev/null || { echo "debug: $runner does not wait for gdb" >&2; exit 2; }
    sleep 0.1
done
gdb-multiarch -q -ex "target remote $socket" -ex 'break mont_mul' -ex continue "$program"
