#!/bin/sh
# settle.sh NEW FILE MAKE: what describes a compiler gets its name, FILE, if it says anything new.
#
# Programs depend on FILE.  FILE.makes has a file for every make that builds by it, named by its process, of which MAKE
# is one: FILE does not change under another make, which is waited for, after a line that says what was typed and when.
set -eu
# shellcheck source=harness/setup/lock.sh
. "$(dirname "$0")/lock.sh"
new=$1 file=$2 make=$3
makes=$file.makes
mkdir -p "$makes"

# The processes that have started this one: a make that runs tests waits for the makes that these start.
above=" "
pid=$$
while [ "$pid" -gt 1 ]; do
    pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
    above="$above$pid "
done

# What was typed to another make that is at work by FILE; nothing where there is none.
other() {
    for begun in "$makes"/*; do
        pid=${begun##*/}
        case $(cat "/proc/$pid/comm" 2>/dev/null) in
        *make*) ;;
        *) rm -f "$begun"; continue ;;
        esac
        case $above in *" $pid "*) continue ;; esac
        cat "$begun"
        return
    done
}

if command -v flock >/dev/null 2>&1; then
    exec 9>>"$file.lock"
    flock 9
    until cmp -s "$new" "$file" || [ -z "$(other)" ]; do
        [ -n "${said:-}" ] || echo "  WAIT    for $(other): it has another compiler, or other options ($file)" >&2
        said=yes
        flock -u 9
        sleep 1
        flock 9
    done
fi
if cmp -s "$new" "$file"; then rm "$new"; else mv "$new" "$file"; fi
at_work "$make" >"$makes/$make"
