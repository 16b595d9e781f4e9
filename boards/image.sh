#!/bin/sh
# Builds the computer that `make board` boots, from Debian 12 packages: kernel, initrd.gz and disk.img.
#
#     usage: boards/image.sh FOLDER armhf|arm64
#
# Neither root nor a change of this machine is needed: mmdebstrap unpacks in a namespace of its own.
# A file appears when it is whole; the same command goes on with what is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
architecture=$2
rm -rf -- *.new
unset TMPDIR
base="make,git,gcc,libc6-dev,python3,python3-tqdm,python3-pyelftools,qemu-user,linux-perf,binutils"
base="$base,openssh-server,sudo,iproute2,procps,apt,login,passwd"
case $architecture in
armhf) packages=$base size=110 ;;
arm64) packages=$base,gcc-arm-linux-gnueabihf,libc6-dev-armhf-cross size=160 ;;
*) echo "board: BOARD=$architecture: say armhf or arm64" >&2; exit 2 ;;
esac

# unpack OPTION...: the hook among them sees the unpacked packages in its $1.  Fixes of security come from another
# archive; a board that lives for an hour does without, and is the same for everybody.
unpack() {
    # shellcheck disable=SC2016  # mmdebstrap's own shell expands it
    nice -n 5 mmdebstrap --quiet --variant=extract --format=null "$@" \
        --skip=chroot/mount,cleanup/apt --setup-hook='sed -i /security/d "$1/etc/apt/sources.list"' \
        bookworm - >/dev/null
}

if [ ! -e kernel ] || [ ! -e initrd.gz ]; then
    echo "  BOARD   1 of 3: kernel, 80 MB to download"
    unpack --include=linux-image-arm64,busybox-static --architectures=arm64 \
        --extract-hook="sh '$here/initrd.sh' \"\$1\" '$PWD'"
fi
[ -e key ] || { ssh-keygen -q -t ed25519 -N '' -C board -f key.new && mv key.new.pub key.pub && mv key.new key; }
if [ ! -e disk.unpacked ] && [ ! -e disk.img ]; then
    echo "  BOARD   2 of 3: $architecture packages, $size MB to download"
    unpack --include='?essential' --include="$packages" --architectures="$architecture" \
        --extract-hook="sh '$here/disk.sh' \"\$1\" '$PWD'"
fi
