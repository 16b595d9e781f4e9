#!/bin/sh
# Makes build a link to another folder, for a checkout on a file system on which no program may run.  What is in build
# goes there, and so does .venv, whose modules in C are programs, too.
#
#     usage: harness/setup/elsewhere.sh FOLDER
#
# The folder is new, or empty: all that is in it is make's, and `make clean` removes it.  Where it cannot be, one line
# on stdout says why.
set -u
folder=$1

fail() {
    echo "BUILD=$folder: $*"
    exit 2
}

# move FROM TO: all that is in a folder, into another.
move() {
    cp -a "$1/." "$2" || fail "cannot write there; what was built is where it was"
    rm -rf "$1"
}

mkdir -p "$folder" 2>/dev/null || fail "this folder cannot be made"
there=$(cd "$folder" && pwd -P) || fail "this folder cannot be entered"
here=$(readlink -f build)
[ "$there" != "$here" ] || exit 0
[ -z "$(ls -A "$there")" ] || fail "this folder is not empty; say a new one"
case $there in "$here"/*) fail "this folder is in build; say another" ;; esac

link=build.$$
trap 'rm -f "$link"' EXIT
ln -s "$there" "$link" 2>/dev/null ||
    fail "this file system has no links; 'cp -r . ~/rsa-lab' copies the checkout, type the same command there"
[ ! -d "$here" ] || move "$here" "$there"
rm -f build && mv "$link" build
if [ -d .venv ] && [ ! -L .venv ]; then
    mkdir build/.venv && move .venv build/.venv && ln -s build/.venv .venv
fi
