#!/bin/sh
# Makes .venv from requirements.lock, once and again when the lock or the Python changes.
#
#     usage: harness/venv.sh
#
# Where Python is a 32-bit one there are no wheels of the numerical packages: .venv then shows the system's own
# (packages.txt).  Status 0 when .venv is whole; otherwise 2, with one line on stderr.
set -u

cd "$(dirname "$0")/.." || exit 2
log=build/venv.log

fail() {
    echo "venv: $*" >&2
    exit 2
}

# The first of the arguments that is new enough.
find_python() {
    for candidate; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.11 or later is needed, and none of these is: $*"
}

# What .venv must have been made from: this Python and this lock.
fingerprint() {
    "$python" -c 'import sys; print(sys.version_info[:2], sys.maxsize > 2**32)' && cksum <requirements.lock
}

set -- /usr/bin/python3 python3
[ -z "${PYTHON:-}" ] || set -- "$PYTHON"
python=$(find_python "$@") || exit 2
wanted=$(fingerprint) || fail "cannot read requirements.lock"
if [ -x .venv/bin/python ] && [ "$(cat .venv/stamp 2>/dev/null)" = "$wanted" ]; then
    exit 0
fi

# The stamp comes last, so a .venv without it is half made and starts anew.
rm -rf .venv && mkdir -p build || fail "cannot write here"
case $wanted in
*False*)
    echo "venv: making .venv around the system's Python packages" >&2
    "$python" -m venv --system-site-packages --without-pip .venv >"$log" 2>&1 ||
        fail "$python -m venv failed: $(tail -n 1 "$log")"
    ;;
*)
    echo "venv: making .venv from requirements.lock (log: $log)" >&2
    "$python" -m venv .venv >"$log" 2>&1 ||
        fail "$python -m venv failed: $(tail -n 1 "$log")"
    .venv/bin/python -m pip install --require-hashes --only-binary :all: --retries 2 -r requirements.lock \
        >>"$log" 2>&1 </dev/null ||
        fail "pip could not install requirements.lock (is there a network?): $(grep '^ERROR' "$log" | tail -n 1)"
    ;;
esac
echo "$wanted" >.venv/stamp
