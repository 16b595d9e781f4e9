#!/bin/sh
# Has this machine the compiler of a word of records/toolchains.csv?  Says so where it has not.
#
#     usage: harness/setup/has-compiler.sh WORD
set -eu
command=$(sh harness/setup/list.sh command "$1")
if ! command -v "${command%% *}" >/dev/null; then
    echo "  NOTE    $1: ${command%% *} is not on this machine; its rows in results/compilers stay as they are"
    exit 1
fi
