# shellcheck shell=sh
# Read by other scripts: one command at a time in this checkout.  records/files.py has the same for Python.

# at_work PROCESS: what was typed, for who waits for that process.
at_work() {
    echo "${RSALAB_TYPED:-$0}, process $1, since $(date +%T)"
}

# hold NAME: goes on when no other command holds build/NAME.lock, until this one ends.  Who waits says for whom.
hold() {
    command -v flock >/dev/null 2>&1 || return 0
    (mkdir -p build && : >>"build/$1.lock") 2>/dev/null || return 0
    exec 9>>"build/$1.lock"
    if ! flock -n 9; then
        echo "  WAIT    for $(cat "build/$1.lock")" >&2
        flock 9
    fi
    at_work $$ >"build/$1.lock"
}
