#!/bin/sh
# check.sh PROGRAM STAMP VECTORS...: a program over its check vectors and over operands drawn anew,
# once its code keeps the contract (harness/contract.py).  The stamp appears only if every result is
# right.  LIMIT: seconds that this may take (the slowest program, v0 at -O0, takes 8 under the
# emulator on a laptop; a board may be 200 times slower).  PLATFORM: another file that says how
# programs run.  SEED: draw the same operands again.
set -u
program=$1 stamp=$2 limit=${LIMIT:-1800} platform=${PLATFORM:-build/platform}
folder=${program%/rsa}
shift 2
case $limit in
*[!0-9]* | 0*)
    echo "check: LIMIT=$limit: say a whole number of seconds, such as LIMIT=1800" >&2
    exit 2
    ;;
esac
# shellcheck source=/dev/null
. "$platform" 2>/dev/null || { echo "check: $platform is missing; make check builds it" >&2; exit 2; }
runner=${runner:-}
rm -f "$stamp"
# A board that gets its programs from elsewhere has no objects; what is for this machine has none.
if [ -e "$folder/snapshot.o" ] && ! ${PYTHON:-python3} -m harness.contract "$folder"; then
    echo "$program: NOT CHECKED, so it is not measured: it breaks the contract" >&2
    exit 2
fi
seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
vectors=$(cat "$@" | grep -c '^[^#]')
# In the foreground, so that Ctrl-C ends the program, too; and without a core file.
# shellcheck disable=SC2086,SC3045  # a command and its options; every sh of Linux has ulimit -c
said=$(ulimit -c 0; timeout --foreground -k 5 "$limit" $runner "$program" check -r "$seed" "$@")
status=$?
case $status in
0) fault= ;;
1) fault="a result is wrong" ;;
2) fault="bad input" ;;
124 | 137) fault="no end after $limit s; LIMIT=$((limit * 4)) allows more" ;;
126 | 127) fault="${runner:-the program} cannot be started; make setup installs what is missing" ;;
129 | 1[345]?) fault="crashed with signal $((status - 128))" ;;
*) fault="status $status" ;;
esac
# The driver says last how many it has checked: a program that ends before says nothing.
if [ $status -eq 0 ] && [ "$said" != "$vectors vectors and 72 drawn with seed $seed" ]; then
    status=1 fault="it ended before every vector was checked"
fi
if [ $status -eq 0 ]; then
    # A full disk leaves no stamp rather than an empty one.
    echo "$said" >"$stamp.$$.new" && mv "$stamp.$$.new" "$stamp" &&
        echo "  CHECK   $folder: $said" && exit
    rm -f "$stamp.$$.new"
    status=2 fault="the stamp cannot be written to ${stamp%/*}; free some space and type the same command again"
fi
echo "$program: NOT CHECKED, so it is not measured: $fault" >&2
echo "    see it alone:  ${runner:+$runner }$program check -r $seed $*" >&2
exit $status
