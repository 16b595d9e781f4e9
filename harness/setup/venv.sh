#!/bin/sh
# Makes .venv from requirements.lock, once and again when the lock or the Python changes.
#
#     usage: harness/setup/venv.sh [LOCK...]
#
# A LOCK is installed on top, for what needs more (make jupyter: notebooks/requirements.lock).
#
# Where Python is a 32-bit one there are no wheels of the numerical packages: .venv then shows the system's own
# (packages.txt here).  Status 0 when .venv is whole; otherwise 2, with one line on stderr.
set -u
# What the caller has set for other Pythons and shells does not reach ours.
unset BASH_ENV CDPATH ENV POSIXLY_CORRECT PYTHONHOME PYTHONPATH PYTHONSTARTUP
# Nor do files of the folder that it is started in.
export PYTHONSAFEPATH=1
# Nor what sends packages elsewhere than to .venv.
unset PIP_PREFIX PIP_REQUIRE_VIRTUALENV PIP_TARGET PIP_USER

cd "$(dirname "$0")/../.." || exit 2
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

# add LOCK: what a lock file names, no more and nothing else.
add() {
    .venv/bin/python -m pip install --require-hashes --only-binary :all: --retries 2 -r "$1" >>"$log" 2>&1 </dev/null ||
        fail "pip could not install $1: $(grep '^ERROR' "$log" | tail -n 1)." \
            "With a network, type the same command again; log: $log"
}

# make_venv OPTION...: an empty one.
make_venv() {
    rm -rf .venv build/.venv
    "$python" -m venv "$@" .venv >"$log" 2>&1 || fail "$python -m venv failed: $(tail -n 1 "$log")"
    # Where build is elsewhere, because no program may run here (elsewhere.sh), no module in C can be loaded either.
    [ ! -L build ] || { mv .venv build && ln -s build/.venv .venv; } || fail "cannot write to build"
}

if [ -n "${PYTHON:-}" ]; then
    python=$(find_python "$PYTHON") || exit 2
else
    python=$(sh harness/setup/python.sh -c 'import sys; print(sys.executable)') || exit 2
fi
mkdir -p build || fail "cannot write here"
# shellcheck source=harness/setup/lock.sh
. harness/setup/lock.sh
hold venv
# What .venv must have been made from: this Python and this lock.  The stamps come last, so a .venv without one is
# half made and starts anew.
version=$("$python" -c 'import sys; print(sys.version_info[:2], sys.maxsize > 2**32)')
wanted="$version
$(cksum <requirements.lock)" || fail "cannot read requirements.lock"
if [ ! -x .venv/bin/python ] || [ "$(cat .venv/stamp 2>/dev/null)" != "$wanted" ]; then
    case $version in
    *False)
        echo "venv: making .venv around the system's Python packages" >&2
        make_venv --system-site-packages --without-pip
        ;;
    *)
        echo "venv: making .venv from requirements.lock: 0.5 GB, 1 to 5 minutes by network (log: $log)" >&2
        make_venv
        add requirements.lock
        ;;
    esac
    echo "$wanted" >.venv/stamp
fi
# What is in this folder can be imported from anywhere.  .venv keeps the folder's place, so it is told again of a folder
# that was moved; not by a copy of the folder that has only a link to this .venv.
here=$(pwd -P) || exit 2
case $(readlink .venv) in
"" | build/.venv)
    if [ "$(cat .venv/stamp.here 2>/dev/null)" != "$here" ]; then
        .venv/bin/python -m pip install --no-index --no-deps --no-build-isolation -e . >"$log" 2>&1 </dev/null ||
            fail "pip could not install this folder: $(grep -i error "$log" | tail -n 1); log: $log"
        # A new file: the old one may have another name in another checkout.
        echo "$here" >.venv/stamp.here.new && mv .venv/stamp.here.new .venv/stamp.here
    fi
    ;;
esac
case $version in *False) exit 0 ;; esac

for lock; do
    stamp=.venv/stamp.$(echo "$lock" | tr / .)
    [ -r "$lock" ] || fail "cannot read $lock"
    wanted=$(cksum <"$lock")
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && continue
    echo "venv: adding $lock: 0.1 GB (log: $log)" >&2
    : >"$log"
    add "$lock"
    echo "$wanted" >"$stamp"
done
