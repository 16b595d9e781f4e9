#!/bin/sh
# Says what records/levels.csv and records/toolchains.csv list.  Makefiles and scripts ask it, also before there is a
# Python.
#
#     usage: harness/setup/list.sh levels                     every level that compilers have
#            harness/setup/list.sh measured                   those that are measured
#            harness/setup/list.sh compilers                  the words for compilers, the usual one first
#            harness/setup/list.sh command|prefix|architecture WORD
#
# Status 2 where there is no such list.
set -u
unset CDPATH
cd "${0%/*}/../../records" || exit 2

# field NUMBER WORD: of a compiler.
field() {
    LC_ALL=C sed -n "/^$2,/p" toolchains.csv | cut -d, -f"$1"
}

case ${1:-} in
levels) LC_ALL=C sed '1d; s/,.*//' levels.csv ;;
measured) LC_ALL=C sed -n 's/^\([^,]*\),yes,.*/\1/p' levels.csv ;;
compilers) LC_ALL=C sed '1d; s/,.*//' toolchains.csv ;;
command) field 2 "$2" ;;
prefix) field 3 "$2" ;;
architecture) field 4 "$2" ;;
*)
    echo "list.sh: no list '${1:-}'; there are: levels measured compilers command prefix architecture" >&2
    exit 2
    ;;
esac
