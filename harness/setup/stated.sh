#!/bin/sh
# Prints those options of records/options.csv, of the lines with `yes`, that a compiler knows: what distributions
# decide differently is stated, so that one version of a compiler makes one program everywhere.
#
#     usage: stated.sh COMPILER...          a command and its words
#
# Prints nothing where there is no such compiler.

# knows COMPILER... OPTION...: does it take all of these without a word?
knows() {
    "$@" -Werror -x c -S -o /dev/null /dev/null >/dev/null 2>&1
}

command -v "$1" >/dev/null 2>&1 || exit 0
options=$(sed -n 's/^\([^,]*\),yes,.*/\1/p' "$(dirname "$0")/../../records/options.csv")
known=
for option in $options; do
    # shellcheck disable=SC2086  # a list of options
    ! knows "$@" $known "$option" || known="$known $option"
done
echo "${known# }"
