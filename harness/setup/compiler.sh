#!/bin/sh
# Describes a compiler for build/flags, in two lines: the options that it records in an object itself, those of its
# distribution and of wrappers included; its assembler and linker, and the checksums of how it was built, of its C
# library and of its run-time functions.
#
#     usage: compiler.sh COMPILER OPTION...          COMPILER: its words as one; OPTION...: those that decide code
set -u
compiler=$1
shift
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# ask QUESTION: what the compiler answers, such as the path of its libc.a.
ask() {
    # shellcheck disable=SC2086  # a command with words
    $compiler "$@" 2>/dev/null
}

# version_of PROGRAM: the first line of what it says of itself.
version_of() {
    "$(ask "-print-prog-name=$1")" --version 2>/dev/null | head -n 1
}

# The first number of cksum.
sum() {
    cksum | cut -d' ' -f1
}

echo 'int probe;' >"$folder/probe.c"
ask "$@" -grecord-gcc-switches -c "$folder/probe.c" -o "$folder/probe.o"
# clang records the names of files, too.
LC_ALL=C readelf --debug-dump=info "$folder/probe.o" 2>/dev/null |
    sed -n -e "s, -c $folder.*,," -e 's/.*DW_AT_producer *: \(([^)]*): \)*//p'

built=$($compiler -v 2>&1 | grep -e '^Target' -e '^Configured' | sum)
libraries=$(for library in libc.a libgcc.a; do cat "$(ask "$@" "-print-file-name=$library")" 2>/dev/null; done | sum)
echo "$(version_of as), $(version_of ld), built $built, libraries $libraries"
