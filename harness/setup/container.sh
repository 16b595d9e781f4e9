#!/bin/sh
# Runs make in a container, the checkout mounted, so that results land where they would without one.
#
#     usage: harness/setup/container.sh [TARGET | VARIABLE=VALUE]...          default: all-iterations
#
# Takes podman or docker, whichever answers first; ENGINE=... names another.  Status 2 when none runs.
set -u
unset CDPATH

cd "$(dirname "$0")/../.." || exit 2
[ $# -gt 0 ] || set -- all-iterations

fail() {
    echo "container: $*" >&2
    exit 2
}

# The first engine that is installed and answers.
find_engine() {
    installed=
    for engine in ${ENGINE:-podman docker}; do
        command -v "$engine" >/dev/null 2>&1 || continue
        if "$engine" info >/dev/null 2>&1; then
            echo "$engine"
            return
        fi
        installed="$installed $engine"
    done
    [ -n "$installed" ] || fail "neither podman nor docker is installed here"
    fail "installed, but no engine answers:$installed (is the service or machine started?)"
}

engine=$(find_engine) || exit 2

# A context of its own: the image needs few files, not the history and the results.
context=build/container
{ rm -rf "$context" && mkdir -p "$context/harness/setup" "$context/records"; } || fail "cannot write $context"
cp Containerfile "$context/" && cp harness/setup/*.sh harness/setup/packages.txt "$context/harness/setup/" &&
    cp records/toolchains.csv "$context/records/" || exit 2
echo "container: building the image with $engine" >&2
"$engine" build -t rsalab -f "$context/Containerfile" "$context" || fail "the image could not be built"

# Files made in the checkout belong to the user: rootless podman maps its root to the user, docker is told who it is.
case $engine in
*podman*) user= ;;
*) user="--user $(id -u):$(id -g)" ;;
esac
# The history of a worktree (git worktree add) is elsewhere; its .git is a file that names the place.
history=
[ ! -f .git ] || history=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null)
# A comma would end a word of --mount.
case $PWD$history in *,*) fail "$PWD: a path with a comma cannot be mounted: move the checkout" ;; esac
terminal=
[ ! -t 0 ] || [ ! -t 1 ] || terminal=-it
# SELinux would hide the mounted folder; git would doubt who owns it.
# shellcheck disable=SC2086  # options or nothing
exec "$engine" run --rm $terminal $user --security-opt label=disable \
    --mount "type=bind,source=$PWD,target=/work" \
    ${history:+--mount "type=bind,source=$history,target=$history"} -e HOME=/tmp -e NO_COLOR -e CI \
    -e GIT_CONFIG_COUNT=1 -e GIT_CONFIG_KEY_0=safe.directory -e GIT_CONFIG_VALUE_0=/work \
    rsalab make "$@"
