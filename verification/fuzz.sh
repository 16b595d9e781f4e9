#!/bin/sh
# Fuzzes a snapshot in C with libFuzzer, against GMP; the inputs that it keeps begin the next run.  Status 1 when an
# input fails.
#
#     usage: verification/fuzz.sh FOLDER WIDTH RUNS
set -u

case $3 in "" | *[!0-9]*) echo "fuzz: RUNS=$3: say how many inputs, such as 20000" >&2; exit 2 ;; esac
out=build/fuzz/$1 log=build/fuzz/$1/log
mkdir -p "$out/inputs" || exit 2
clang -std=c11 -g -O2 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all "-ffile-prefix-map=$PWD=." \
    -Iharness -Iharness/host "-DWIDTH=$2" "$1"/*.c verification/fuzz.c -lgmp -o "$out/fuzz" || exit 2
if [ ! -x "$out/fuzz" ]; then
    echo "fuzz: $out/fuzz: no program may run there; BUILD=/tmp/rsa-lab puts what is built elsewhere" >&2
    exit 2
fi
# Seconds of processor time; ten inputs take less than one.  At the first limit comes SIGXCPU, at the second SIGKILL.
limit=${LIMIT:-$((600 + $3 / 10))}
prlimit --cpu="$limit:$((limit + 5))" -- "$out/fuzz" -seed=1 -runs="$3" -max_len=$((15 * $2 / 32 + 1)) \
    -len_control=0 -verbosity=0 -timeout=0 -detect_leaks=0 -artifact_prefix="$out/" "$out/inputs" >"$log" 2>&1
status=$?
case $status in
0)
    echo "  FUZZ    $1: $(tail -n 1 "$log")"
    exit 0
    ;;
152) # SIGXCPU
    echo "fuzz: $1: no end after $limit s of processor time, its limit; LIMIT=$((4 * limit)) allows more" >&2
    exit 1
    ;;
esac
found=$(LC_ALL=C grep -m 1 -A 1 -e '^m[a-z_]* fuzz ' -e 'runtime error' -e '^SUMMARY' "$log" | head -n 2)
echo "fuzz: $1: ${found:-$(tail -n 1 "$log")}" >&2
echo "fuzz: all that it said: $log" >&2
exit 1
