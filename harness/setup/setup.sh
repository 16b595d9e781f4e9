#!/bin/sh
# Installs what is missing of packages.txt beside it.
#
#     usage: [YES=1] harness/setup/setup.sh [--some] SECTION...          sections: build, python, ...
#
# --some: the command goes on without what apt has no package for here; a line names it.  A command without --some needs
# all, and a line names what stops it.
#
# `build` asks for the ARM compiler, too: the command in RSALAB_COMPILER, else the first of records/toolchains.csv.
# A compiler that has a word there has a section of that name; of any other, `library` asks for its C library.
#
# Asks on the terminal unless YES=1 or CI=true; where there is no terminal, only root goes on.  Status 0 when every
# probe passes; otherwise 2, with the command to type on stderr.
# build/setup.SECTION keeps the state of the machine in which a section's probes have passed, or, as SECTION.some, all
# but what was left out; they run again in another.
set -u
# What the caller has set for other Pythons and shells does not reach ours.
unset BASH_ENV CDPATH ENV POSIXLY_CORRECT PYTHONHOME PYTHONPATH PYTHONSTARTUP
# Nor do files of the folder that it is started in.
export PYTHONSAFEPATH=1

cd "$(dirname "$0")/../.." || exit 2
list=harness/setup/packages.txt log=build/setup.log
apt="--no-install-recommends --no-remove"
given_python=${PYTHON:-}
some=
[ "${1:-}" != --some ] || { some=.some; shift; }

say() {
    printf 'setup: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 2
}

# The Python that the caller has set, or the one that make takes.
find_python() {
    PYTHON=${given_python:-$(sh harness/setup/python.sh -c 'import sys; print(sys.executable)' 2>/dev/null)}
    PYTHON=${PYTHON:-python3}
}

# What the probes depend on: the list, the machine, the packages of the system and those that it can have, and where
# each command is.  And on which file system build is, for build/platform: not every one lets programs run.
state() {
    cksum <"$list"
    uname -a
    stat -f -c %i build 2>/dev/null
    ls -ld --full-time /var/lib/dpkg/status /var/lib/apt/lists 2>/dev/null
    command -v "$PYTHON"
    echo "$compiler"
    sed -n 's/.*; *command  *\([^ ;]*\).*/\1/p' "$list" | while read -r name; do
        command -v "$name"
    done
}

# The words for a compiler, in a line.
words() {
    sh harness/setup/list.sh compilers | paste -sd' '
}

# known SECTION...: have all of them passed in this state?
known() {
    for section; do
        [ "$(cat "build/setup.$section$some" 2>/dev/null)" = "$now" ] || return 1
    done
}

# passes KIND NAME: is what packages.txt asks for here?
passes() {
    # shellcheck disable=SC2086  # the compiler is a command with options
    case $1 in
    command) command -v "$2" >/dev/null 2>&1 ;;
    python) "$PYTHON" -c "import sys; sys.exit(sys.version_info < (${2%.*}, ${2#*.}))" 2>/dev/null ;;
    sqlite)
        "$PYTHON" -c "import sqlite3, sys; sys.exit(sqlite3.sqlite_version_info < (${2%.*}, ${2#*.}))" 2>/dev/null
        ;;
    module) "$PYTHON" -c "from importlib.util import find_spec; assert find_spec('$2')" 2>/dev/null ;;
    header) echo "#include <$2>" | gcc -E -x c - >/dev/null 2>&1 ;;
    armlib) case $($compiler "-print-file-name=$2" 2>/dev/null) in /*) true ;; *) false ;; esac ;;
    clangrt) [ -e "$(clang "-print-file-name=libclang_rt.$2-$(uname -m).a" 2>/dev/null)" ] ;;
    *) fail "$list: unknown probe '$1'" ;;
    esac
}

# for_here LIMITS: does '', '[armhf arm64]' or '[!armhf]' let this machine's architecture in?
for_here() {
    limits=" $(echo "$1" | tr -d '[]') "
    case $limits in
    "  ") true ;;
    *"!"*) case $limits in *" !$architecture "*) false ;; esac ;;
    *) case $limits in *" $architecture "*) true ;; *) false ;; esac ;;
    esac
}

# Drops the alternatives for other architectures: 'gcc [armhf] | gcc-9 [!armhf]' becomes 'gcc' on armhf.
applicable() {
    echo "$1" | tr '|' '\n' | while read -r name limits; do
        for_here "$limits" && printf '%s ' "$name"
    done
}

# missing SECTION...: a line 'alternatives;purpose' for each need of these sections whose probe fails.
missing() {
    section=
    while IFS=';' read -r packages probe purpose; do
        case $packages in
        "#"* | "") continue ;;
        "["*) section=${packages#[} section=${section%%]*}; continue ;;
        esac
        case " $* " in *" $section "*) ;; *) continue ;; esac
        # shellcheck disable=SC2086  # a kind and a name
        passes $probe && continue
        packages=$(applicable "$packages")
        [ -z "$packages" ] || echo "${packages% };${purpose# }"
    done <"$list"
}

# Has apt any package lists?  On a new system it may know of nothing but what is installed.
listed() {
    LC_ALL=C apt-cache policy 2>/dev/null | grep -q ' Packages$'
}

# candidate PACKAGE...: the first of these alternatives that apt can install; without lists the first one.  The python3
# of Ubuntu 22.04 is too old, and it has python3.11, too.
candidate() {
    for package; do
        version=$(LC_ALL=C apt-cache policy "$package" 2>/dev/null | sed -n 's/.*Candidate: \([^(]\)/\1/p')
        case $package:$version in
        *: | python3:3.10.* | python3-venv:3.10.*) ;;
        *) echo "$package"; return ;;
        esac
    done
    listed && return 1
    echo "$1"
}

# What apt can install of the needs on stdin, in a line.
choose() {
    while IFS=';' read -r packages _; do
        # shellcheck disable=SC2086  # a list of words
        [ -z "$packages" ] || candidate $packages
    done | sort -u | tr '\n' ' '
}

# The needs on stdin that apt has no package for.
lacking() {
    while IFS= read -r need; do
        # shellcheck disable=SC2086  # a list of words
        [ -z "$need" ] || candidate ${need%%;*} >/dev/null || echo "$need"
    done
}

# without LINES: what is on stdin but not in these lines.
without() {
    grep -vxF "$1"
}

# Takes out of `needed` what apt has no package for; a command that needs all of it ends here.
leave_out() {
    absent=$(echo "$needed" | lacking)
    [ -n "$absent" ] || return 0
    names=$(echo "$absent" | sed 's/;.*//; s/ / | /g; $!s/$/,/' | tr '\n' ' ')
    [ -n "$some" ] || fail "needed, and not in this system's package lists: ${names% };" \
        "renew them (apt-get update), add Ubuntu's part 'universe', or type 'make container'"
    say "left out, not in this system's package lists: ${names% }"
    needed=$(echo "$needed" | without "$absent")
}

# How this user becomes root: 'root', 'sudo' (no password asked), 'ask-sudo' or 'ask-su'.
privilege() {
    if [ "$(id -u)" = 0 ]; then
        echo root
    elif ! command -v sudo >/dev/null 2>&1; then
        echo ask-su
    elif sudo -n true 2>/dev/null; then
        echo sudo
    else
        echo ask-sudo
    fi
}

# stop WHY: ends with the exact command that installs what is needed.
stop() {
    leave_out
    chosen=$(echo "$needed" | choose) chosen=${chosen% }
    install="apt-get install -y $apt $chosen"
    case $rights in
    root) command="apt-get update && $install" ;;
    ask-su) command="su -c 'apt-get update && $install'" ;;
    *) command="sudo apt-get update && sudo $install" ;;
    esac
    say "$1; type"
    printf '    %s\n' "$command" >&2
    exit 2
}

# run_apt ACTION ARGUMENT...: apt-get as root, its words in the log.
run_apt() {
    set -- env DEBIAN_FRONTEND=noninteractive apt-get "$@" -y -o DPkg::Lock::Timeout=120
    [ "$rights" != sudo ] || set -- sudo -n "$@"
    "$@" >>"$log" 2>&1 </dev/null
}

install_all() {
    { mkdir -p build && : >"$log"; } || fail "cannot write $log"
    say "fetching the package lists"
    run_apt update || say "the package lists could not all be fetched; going on with those that are here"
    leave_out
    [ -n "$needed" ] || return 0
    chosen=$(echo "$needed" | choose)
    say "installing ${chosen% }: 1 to 5 minutes by network (log: $log)"
    # shellcheck disable=SC2086  # lists of words
    run_apt install $apt $chosen ||
        fail "apt-get could not install them (is there a network?): $(grep '^E:' "$log" | head -n 1)"
    for package in $(echo "$wanted" | choose); do
        # shellcheck disable=SC2086
        run_apt install $apt "$package"
    done
}

# A line for what is nice to have, and not here.
note_optional() {
    wanted=$(missing optional) || exit 2
    [ -z "$wanted" ] || say "optional, not installed: $(echo "$wanted" | sed 's/[ ;].*//' | tr '\n' ' ')"
}

# show LINES: a line for each need, on stderr.
show() {
    echo "$1" | while IFS=';' read -r packages purpose; do
        printf '    %-40s %s\n' "$(echo "$packages" | sed 's/ / | /g')" "$purpose" >&2
    done
}

# pass SECTION...: remembers that all is here, where that can be written.
pass() {
    now=$(state)
    for section; do
        { mkdir -p build && echo "$now" >"build/setup.$section$some"; } 2>/dev/null
    done
}

[ $# -gt 0 ] || fail "usage: harness/setup/setup.sh [--some] SECTION..."
find_python
compiler=${RSALAB_COMPILER:-}
case " $* " in
*" build "*)
    if [ -z "$compiler" ]; then
        usual=$(sh harness/setup/list.sh compilers | head -n 1)
        set -- "$@" "$usual"
        compiler=$(sh harness/setup/list.sh command "$usual")
    elif [ $# = 1 ]; then
        # shellcheck disable=SC2086  # a command with options
        $compiler --version >/dev/null 2>&1 ||
            fail "CC='$compiler': there is no such compiler here; words are $(words)"
        set -- "$@" library
    fi
    ;;
esac
now=$(state)
known "$@" && exit
for section; do
    grep -q "^\[$section\]" "$list" || fail "$list has no section [$section]: write one that names its packages"
done
# shellcheck source=harness/setup/lock.sh
. harness/setup/lock.sh
hold setup
architecture=$(dpkg --print-architecture 2>/dev/null || echo unknown)
needed=$(missing "$@") || exit 2
wanted=$(missing optional) || exit 2
[ -z "$some" ] || leave_out
if [ -z "$needed" ]; then
    note_optional
    pass "$@"
    exit 0
fi

say "missing here:"
show "$needed"
command -v apt-get >/dev/null 2>&1 ||
    fail "there is no apt-get here: install these by this system's names for them, or type 'make container'"
rights=$(privilege)
case $rights in ask-*) stop "installing needs root" ;; esac
if [ "${YES:-}" != 1 ] && [ "${CI:-}" != true ]; then
    if (exec <>/dev/tty) 2>/dev/null; then
        printf 'setup: install them now? [y/N] ' >/dev/tty
        read -r answer </dev/tty
        case $answer in [yY]*) ;; *) stop "nothing installed" ;; esac
    elif [ "$rights" != root ]; then
        stop "nothing installed: there is no terminal to ask on, and YES=1 does not say that make may"
    fi
fi
install_all
find_python
needed=$(missing "$@") || exit 2
[ -z "$some" ] || needed=$(echo "$needed" | without "$(echo "$needed" | lacking)")
if [ -n "$needed" ]; then
    say "installed, and still not found:"
    show "$needed"
    case $needed in
    *python3.11*)
        say "this system's Python is $("$PYTHON" --version 2>&1); Debian 12, Ubuntu 22.04 and Raspberry Pi OS 12 have" \
            "3.11 or later, and so has a container: type make container"
        ;;
    esac
    exit 2
fi
note_optional
pass "$@"
say "done"
