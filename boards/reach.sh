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
ulimit -f 131072 # blocks of 512 bytes: who prints without end is ended, and fills no disk
"$@" 2>"$board.said"
status=$?
LC_ALL=C tr -cd '[:print:]\t\n' <"$board.said" >&2 # nothing that a terminal obeys
[ $status -ne 0 ] || exit 0
case $status in 255 | 153) rm "$board" ;; esac # ssh's own status: the board is lost; SIGXFSZ
said=$(tail -n 1 "$board.said" | LC_ALL=C tr -cd '[:print:]' | cut -c -300)
[ $status -ne 153 ] || said="it sends more than 64 MiB"
printf 'farm: %s: %s\n' "$name" "${said:-status $status, without a word}" >&9
exit $status
