#!/bin/sh
# Can something be written to build/ here?  Otherwise status 2, with what to type on stderr.  What
# a make left unfinished (FILE.PID.new) goes, unless that make is still at work.  What was made while
# the clock was ahead gets a date of now, in its order, and make, which has read the dates, starts anew:
# it would build for ever, or never, what depends on them.
set -u
# The folder that it is a link to (elsewhere.sh) may be gone, as all of /tmp at a start of the system.
[ ! -L build ] || mkdir -p "$(readlink build)" 2>/dev/null
if mkdir -p build 2>/dev/null && (echo probe >build/probe.$$.new && rm build/probe.$$.new) 2>/dev/null; then
    find build -name '*.[0-9]*.new' | while read -r file; do
        pid=${file%.new} pid=${pid##*.}
        case $pid in *[!0-9]*) continue ;; esac
        [ -d "/proc/$pid" ] || rm -f "$file"
    done
    now=$(date +%s) n=1000000
    future=$(find build ! -type d -newermt "@$((now + 60))" -printf '%T@ %p\n' | sort -n)
    [ -n "$future" ] || exit 0
    echo "$future" | while read -r _ file; do
        n=$((n + 1))
        touch -d "@$now.${n#1}" "$file"
    done
    echo "make: build: dates of the future, of a clock that was ahead, are mended; type the same command again" >&2
    exit 2
fi
rm -f build/probe.$$.new 2>/dev/null
if touch build/probe.$$.new 2>/dev/null; then
    rm -f build/probe.$$.new
    advice="the disk is full; free some space and type the same command again: what was finished is kept"
else
    advice="the checkout cannot be written to; 'cp -r . ~/rsa-lab' makes one that is yours, type the same command there"
fi
echo "make: build: $advice" >&2
exit 2
