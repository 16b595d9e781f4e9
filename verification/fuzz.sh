#!/bin/sh
# Runs a fuzzer; the inputs that it keeps begin the next run.  Status 1 when an input fails.
#
#     usage: verification/fuzz.sh PROGRAM WIDTH RUNS
set -u

folder=$(dirname "$1") log=$(dirname "$1")/log
mkdir -p "$folder/inputs" || exit 2
if "$1" -seed=1 -runs="$3" -max_len=$((15 * $2 / 32 + 1)) -len_control=0 -verbosity=0 -timeout=60 \
    -detect_leaks=0 -artifact_prefix="$folder/" "$folder/inputs" >"$log" 2>&1; then
    echo "  FUZZ    ${folder#build/fuzz/}: $(tail -n 1 "$log")"
    exit 0
fi
found=$(grep -m 1 -A 1 -e '^m[a-z_]* fuzz ' -e 'runtime error' -e '^SUMMARY' "$log" | head -n 2)
echo "fuzz: ${folder#build/fuzz/}: ${found:-$(tail -n 1 "$log")}" >&2
echo "fuzz: all that it said: $log" >&2
exit 1
