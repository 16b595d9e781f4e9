#!/bin/sh
# Reaches a board for GNU parallel, until the board stops: then it is not asked again in this run.
#
#     usage: boards/reach.sh BOARD SSH...      BOARD: a file with its name, which goes when it stops
#
# GNU parallel drops what a job has printed if another board does the job, so the line goes to the farm's stderr, fd 9.
board=$1
shift
[ -e "$board" ] || exit 255
name=$(cat "$board")
"$@" 2>"$board.said"
status=$?
[ $status -ne 0 ] || exit 0
[ $status -ne 255 ] || rm -f "$board" # ssh's own status: the board is lost
said=$(grep -iv warning "$board.said" | head -n 1)
case $said in Traceback*) said=$(grep -v '^job: ' "$board.said" | tail -n 1) ;; esac
said=$(printf '%s' "$said" | LC_ALL=C tr -cd '[:print:]')
printf 'farm: %s: %s\n' "$name" "${said:-status $status, without a word}" >&9
exit $status
